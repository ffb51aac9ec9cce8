// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which lanes are shown, and in which order: pinned ones, the tasks of interest, CPUs,
 * devices, and the recorder. The address of the page keeps what the user has changed.
 */
const GAP = 6, GROUP_HEIGHT = 18, PINNED_PART = 0.5;
const AT_FIRST_SHOWN = ["why", "named", "worst"];
const RANKS = ["why", "named", "worst", "other", "cpu", "disk", "recorder"];
const arrangement = { added: new Set(), hidden: new Set(), pinned: [], byGroup: false };
let lanes = [];				/* that are shown, from top to bottom */
let groups = [];			/* titles between them */
let lanesHeight = 0, pinnedHeight = 0;

const isAtFirst = (lane) => lane.kind !== "task" || AT_FIRST_SHOWN.includes(lane.interest);
const isPinned = (lane) => arrangement.pinned.includes(lane.id);
const isShown = (lane) => !arrangement.hidden.has(lane.id) &&
	(isAtFirst(lane) || arrangement.added.has(lane.id) || isPinned(lane));
const rankOf = (lane) => RANKS.indexOf(lane.kind === "task" ? lane.interest : lane.kind);

/* Return the lanes behind the pinned ones: by cgroup, the group of the first lane first. */
function unpinned() {
	const rest = allLanes.filter((lane) => isShown(lane) && !isPinned(lane));
	rest.sort((a, b) => rankOf(a) - rankOf(b));
	if (!arrangement.byGroup) return rest;
	const places = new Map();
	for (const lane of rest) if (!places.has(lane.group)) places.set(lane.group, places.size);
	return rest.sort((a, b) => places.get(a.group) - places.get(b.group));
}

function placeLane(lane, y, i) {
	lane.isOdd = i % 2 === 1;
	lane.y = y + GAP / 2;
	let below = lane.y;
	for (const row of lane.rows) {
		row.y = below;
		below += row.height + 1;
	}
	lane.height = Math.max(below - lane.y, 20);
	return lane.y + lane.height + GAP / 2;
}

function addGroup(lane, y) {
	const members = allLanes.filter((of) => of.group === lane.group);
	groups.push({ name: lane.group, y, all: members.length,
		shown: members.filter(isShown).length });
	return y + GROUP_HEIGHT;
}

/* Place all lanes. Pinned lanes do not move with the others, as far as half of the height. */
function arrange(height) {
	const pinned = arrangement.pinned.map((id) => laneOfId.get(id))
		.filter((lane) => lane && isShown(lane));
	const rest = unpinned();
	let y = 0, group = null;
	lanes = [...pinned, ...rest];
	groups = [];
	pinnedHeight = 0;
	for (const [i, lane] of lanes.entries()) {
		if (arrangement.byGroup && i >= pinned.length && lane.group !== group) {
			group = lane.group;
			y = addGroup(lane, y);
		}
		const below = placeLane(lane, y, i);
		lane.stays = i < pinned.length && below <= height * PINNED_PART;
		if (lane.stays) pinnedHeight = below;
		y = below;
	}
	lanesHeight = y;
}

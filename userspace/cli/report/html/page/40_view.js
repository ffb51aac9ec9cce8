// SPDX-License-Identifier: GPL-2.0-only
/* The part of the recording that is shown, and its place on the screen. */
const OVERVIEW = 30, AXIS = 20, TOP = OVERVIEW + AXIS;
const WIDE_NAMES = 150, NARROW_NAMES = 96, NARROW = 600;
const MOST_NAMES = 260, MOST_NAMES_PART = 0.42;	/* names are not wider, also as a part of all */
const canvas = $("canvas");
const total = Math.max(meta.last, 1);
const SHORTEST = 50;			/* time of the smallest view */

/*
 * begin: time at the left; time: that of the whole width; y: how far the lanes are scrolled;
 * left: width of the names; lane: the one that keys change; cursor: the moment of the table
 */
const view = { begin: 0, time: total, y: 0, width: 800, height: 400, left: WIDE_NAMES,
	selected: null, measure: null, lane: null, cursor: null };
const perPixel = () => view.time / (view.width - view.left);
const xOf = (time) => view.left + (time - view.begin) / perPixel();
const timeOf = (x) => view.begin + (x - view.left) * perPixel();
const topOf = (item) => TOP + item.y - (item.stays ? 0 : view.y);
const rowTop = (row) => topOf({ y: row.y, stays: row.lane.stays });

let drawing = false, drawn = 0;
function redraw() {
	if (drawing) return;
	drawing = true;
	requestAnimationFrame(() => {
		drawing = false;
		drawn++;
		draw();
	});
}

function setView(begin, time) {
	view.time = Math.min(Math.max(time, SHORTEST), total * 1.04);
	const margin = view.time * 0.02;
	const latest = Math.max(total + margin - view.time, -margin);
	view.begin = Math.min(Math.max(begin, -margin), latest);
	keepFragment();
	redraw();
}

const fit = () => setView(-total * 0.02, total * 1.04);
const pan = (part) => setView(view.begin + view.time * part, view.time);
function zoom(factor, x = (view.width + view.left) / 2) {
	const at = timeOf(x), time = Math.min(Math.max(view.time * factor, SHORTEST), total * 1.04);
	setView(at - (at - view.begin) * time / view.time, time);
}

function scrollLanes(by) {
	const most = Math.max(lanesHeight - (view.height - TOP), 0);
	view.y = Math.min(Math.max(view.y + by, 0), most);
	redraw();
}

/* Let a span of time be in the middle, and a lane be visible. */
function show(begin, end, lane, part = 0.5) {
	const time = Math.max((end - begin) / part, SHORTEST);
	setView((begin + end) / 2 - time / 2, time);
	showLane(lane);
}

function showLane(lane) {
	if (!lane) return;
	if (!isShown(lane)) addLanes([lane]);
	if (lane.stays) return;
	const below = lane.y + lane.height - (view.height - TOP) - view.y;
	if (below > 0) scrollLanes(below);
	if (lane.y - pinnedHeight < view.y) scrollLanes(lane.y - pinnedHeight - view.y);
}

/* Give the names the width of the longest one. */
function fitNames() {
	const least = view.width < NARROW ? NARROW_NAMES : WIDE_NAMES;
	const most = Math.min(MOST_NAMES, view.width * MOST_NAMES_PART);
	context.font = NAME_FONT;
	const longest = lanes.reduce((width, lane) =>
		Math.max(width, context.measureText(lane.name).width), 0);
	const wantedWidth = Math.ceil(longest) + NAME_LEFT + 6 + (hasSigns() ? 2 * SIGN_WIDTH : 0);
	view.left = Math.max(least, Math.min(wantedWidth, Math.floor(most)));
}

function placeLanes() {
	arrange(view.height - TOP);
	fitNames();
}

/* ---- the user changes the lanes */
function changeLanes() {
	placeLanes();
	scrollLanes(0);
	keepFragment();
	tellCounts();
}

function addLanes(list) {
	for (const lane of list) {
		arrangement.hidden.delete(lane.id);
		if (!isAtFirst(lane)) arrangement.added.add(lane.id);
	}
	changeLanes();
}

function hideLanes(list) {
	for (const lane of list) {
		arrangement.added.delete(lane.id);
		arrangement.pinned = arrangement.pinned.filter((id) => id !== lane.id);
		if (isAtFirst(lane)) arrangement.hidden.add(lane.id);
		if (view.lane === lane) view.lane = null;
		if (view.selected?.row.lane === lane) choose(null);
	}
	changeLanes();
}

function pinLane(lane) {
	if (isPinned(lane))
		arrangement.pinned = arrangement.pinned.filter((id) => id !== lane.id);
	else
		arrangement.pinned.push(lane.id);
	arrangement.hidden.delete(lane.id);
	changeLanes();
}

function groupLanes(byGroup) {
	arrangement.byGroup = byGroup;
	changeLanes();
}

/* Make the next lane, or the one before, the one that keys change. */
function stepLane(by) {
	const at = lanes.indexOf(view.lane);
	view.lane = lanes[at < 0 ? 0 : Math.min(Math.max(at + by, 0), lanes.length - 1)] ?? null;
	showLane(view.lane);
	$("said").textContent = view.lane ? view.lane.name : "";
	redraw();
}

/*
 * ---- the moment and the lanes in the address:
 * #t=SECONDS&w=SECONDS&lane=NAME&row=ROW&s=SECONDS&add=NAMES&hide=NAMES&pin=NAMES&group=cgroup
 */
const RING_UNIT = meta.counter ? 1 : 1e9;
const SEPARATOR = "~";			/* a device's name has a comma */
let fragmentTimer = 0;

function laneWords() {
	const words = [];
	const add = (key, names) => {
		if (names.length)
			words.push(key + "=" + names.map(encodeURIComponent).join(SEPARATOR));
	};
	add("add", [...arrangement.added]);
	add("hide", [...arrangement.hidden]);
	add("pin", arrangement.pinned);
	if (arrangement.byGroup) words.push("group=cgroup");
	return words;
}

function fragment() {
	const words = ["t=" + ringText(view.begin + view.time / 2), "w=" + view.time / RING_UNIT];
	const selected = view.selected;
	if (selected)
		words.push("lane=" + encodeURIComponent(selected.row.lane.id),
			"row=" + selected.row.paint, "s=" + ringText(selected.at));
	return "#" + [...words, ...laneWords()].join("&");
}

/* Browsers limit how often an address may change. */
function keepFragment() {
	clearTimeout(fragmentTimer);
	fragmentTimer = setTimeout(() => history.replaceState(null, "", fragment()), 200);
}

/* Names of lanes that the page does not have are left out. */
function useLaneWords(words) {
	const names = (key) => (words.get(key) ?? "").split(SEPARATOR)
		.filter((name) => laneOfId.has(name));
	arrangement.added = new Set(names("add"));
	arrangement.hidden = new Set(names("hide"));
	arrangement.pinned = [...new Set(names("pin"))];
	arrangement.byGroup = words.get("group") === "cgroup";
	changeLanes();
}

/* Show the moment in an address. Return whether the address has one. */
function useFragment(hash) {
	const words = new URLSearchParams(hash.slice(1));
	const at = parseRing(words.get("t") ?? ""), lane = laneOfId.get(words.get("lane"));
	useLaneWords(words);
	if (!Number.isFinite(at)) return false;
	const time = Number(words.get("w")) * RING_UNIT || total / 100;
	setView(at - time / 2, time);
	if (lane) {
		const moment = parseRing(words.get("s") ?? words.get("t"));
		showLane(lane);
		selectAt(lane, Number.isFinite(moment) ? moment : at, words.get("row"));
	}
	return true;
}

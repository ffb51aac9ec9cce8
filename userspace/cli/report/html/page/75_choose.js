// SPDX-License-Identifier: GPL-2.0-only
/* The list of all lanes, and what the page does not show. */
const MOST_LISTED = 200;
const INTERESTS = { why: "in a chain of why", named: "named", worst: "a long latency", other: "",
	recorder: "recorder" };

const laneNote = (lane) => [lane.kind === "task" ? INTERESTS[lane.interest] :
	lane.kind === "cpu" ? lane.events.toLocaleString("en") + " events" : "",
	arrangement.byGroup || lane.group.startsWith("/") ? lane.group : ""].filter(Boolean)
	.join(", ");

function lanesListed() {
	const wantedText = $("filter").value.trim().toLowerCase();
	return allLanes.filter((lane) => (lane.name + " " + lane.group).toLowerCase()
		.includes(wantedText)).sort((a, b) => rankOf(a) - rankOf(b));
}

function addChoice(body, lane) {
	const row = element("tr", undefined, body);
	const label = element("label", undefined, element("td", undefined, row));
	const box = element("input", undefined, label);
	box.type = "checkbox";
	box.checked = isShown(lane);
	label.append(" " + lane.name);
	box.addEventListener("change", () => {
		if (box.checked) addLanes([lane]); else hideLanes([lane]);
	});
	element("td", shown(laneNote(lane)), row).className = "hint";
	const pin = element("button", isPinned(lane) ? "unpin" : "pin",
		element("td", undefined, row));
	pin.addEventListener("click", () => {
		pinLane(lane);
		box.checked = isShown(lane);
		pin.textContent = isPinned(lane) ? "unpin" : "pin";
	});
}

function listLanes() {
	const list = lanesListed(), body = $("choices");
	body.replaceChildren();
	for (const lane of list.slice(0, MOST_LISTED)) addChoice(body, lane);
	const notes = [];
	if (list.length > MOST_LISTED)
		notes.push(`${list.length - MOST_LISTED} more: type a part of a name`);
	if (meta.without_lane)
		notes.push(`${meta.without_lane.toLocaleString("en")} tasks have no lane in this page: ` +
			"rbmap report --html -p");
	$("unlisted").textContent = notes.join(". ");
}

function chooseLanes() {
	listLanes();
	$("bygroup").checked = arrangement.byGroup;
	$("chooser").showModal();
	$("filter").focus();
}

/* ---- what is not shown */
function tellCounts() {
	$("lanes").textContent = `Lanes ${lanes.length} of ${allLanes.length}`;
	const idle = meta.kinds.reduce((sum, kind) => sum + (kind.idle ?? 0), 0);
	const entries = [
		["hidden lanes (l)", allLanes.length - lanes.length],
		["tasks without a lane in this page", meta.without_lane],
		["devices without a lane in this page", meta.without_device],
		["events that are not selected", meta.not_selected],
		["events without their text", meta.without_text],
		["events without their numbers, because the page would be too large",
			meta.without_values],
		["losses that are marked without their number", meta.losses - meta.loss.length],
		["intervals of idle kernel threads, of tasks that slept in a call at the end, " +
			"and of rbmap, which are not in the lists", idle],
	].filter(([, count]) => count > 0);
	$("left").replaceChildren();
	if (!entries.length) return;
	element("h2", "Not shown", $("left"));
	const body = element("tbody", undefined, element("table", undefined, $("left")));
	for (const [text, count] of entries) {
		const row = element("tr", undefined, body);
		element("td", count.toLocaleString("en"), row).className = "share";
		element("td", text, row);
	}
}

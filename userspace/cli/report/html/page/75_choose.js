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
	const entries = [
		[allLanes.length - lanes.length, "lanes are hidden (l)"],
		[meta.without_lane, "tasks have no lane in this page"],
		[meta.not_selected, "events are not selected"],
		[meta.without_text, "events have their numbers, and no text"],
		[meta.without_values, "events have no numbers: the page would be too large"],
		[Math.max(meta.losses - meta.loss.length, 0), "losses are marked without their number"],
		[meta.kinds.reduce((sum, kind) => sum + (kind.idle ?? 0), 0),
			"intervals of idle kernel threads and of rbmap are not in the lists"],
	].filter(([count]) => count);
	$("left").replaceChildren();
	if (entries.length) element("h2", "Not shown", $("left"));
	for (const [count, text] of entries)
		element("p", count.toLocaleString("en") + " " + text, $("left")).className = "hint";
}

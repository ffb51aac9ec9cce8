// SPDX-License-Identifier: GPL-2.0-only
/* The table of the events at the cursor, of all CPUs or of one lane. */
const TABLE_EVENTS = 8;			/* before the cursor, and as many behind it */
const MOST_SEARCHED = 6;		/* pieces of a CPU for the events of one task */
const TABLE_WAIT = 80;			/* ms without another cursor */
const table = { run: 0, timer: 0, ofLane: false, shown: [] };

/* Return the CPUs and the task whose events are wanted. */
function tableScope() {
	const lane = table.ofLane ? view.lane : null;
	if (lane?.kind === "cpu") return { lanes: [lane], task: -1, name: lane.name };
	return { lanes: [...laneOfCpu.values()], task: lane?.kind === "task" ? lane.index : -1,
		name: lane?.kind === "task" ? lane.name : "all CPUs" };
}

/* Return the events of a CPU next to a moment, the nearest first, and whether all were seen. */
async function eventsBeside(lane, task, time, forward) {
	const list = lane.tickTrack.pieces, found = [];
	const first = firstNot(list.length, (k) => list[k].end < time);
	let at = Math.min(first, list.length - 1), searched = 0;
	if (forward && first >= list.length) return { found, isAll: true };
	for (; list[at] && found.length < TABLE_EVENTS; at += forward ? 1 : -1) {
		if (searched++ === MOST_SEARCHED) return { found, isAll: false };
		const piece = list[at], data = await pieceLater(piece);
		let i = firstNot(piece.count, (k) => data.begin[k] < time) - !forward;
		for (; i >= 0 && i < piece.count && found.length < TABLE_EVENTS; i += forward ? 1 : -1)
			if (task < 0 || data.task[i] === task)
				found.push({ lane, piece, data, index: i, time: data.begin[i] });
	}
	return { found, isAll: true };
}

async function eventsAround(scope, time) {
	const sides = [];
	let isAll = true;
	for (const forward of [false, true]) {
		const found = [];
		for (const lane of scope.lanes) {
			const beside = await eventsBeside(lane, scope.task, time, forward);
			found.push(...beside.found);
			isAll &&= beside.isAll;
		}
		found.sort((a, b) => forward ? a.time - b.time : b.time - a.time);
		sides.push(found.slice(0, TABLE_EVENTS));
	}
	return { before: sides[0].reverse(), behind: sides[1], isAll };
}

function eventBody({ data, index }) {
	const text = data.texts.get(index);
	if (text !== undefined) return text;
	return fieldsOf(data, index).map(([name, value]) => name + "=" + value).join(" ");
}

function addEventRow(body, event) {
	const type = event.data.value[event.index], distance = event.time - view.cursor;
	const row = element("tr", undefined, body), first = element("td", undefined, row);
	const button = element("button", (distance < 0 ? "−" : "+") + lengthText(Math.abs(distance)),
		first);
	button.title = ringText(event.time);
	button.addEventListener("click", () => selectTableEvent(event));
	const cell = element("td", undefined, row);
	element("b", eventText(type), cell);
	cell.append(` ${cpuName(event.lane.cpu)}, ${taskText(event.data.task[event.index])} `);
	const text = element("span", eventBody(event), cell);
	text.className = "hint";
	const selected = view.selected?.event;
	if (selected?.piece === event.piece && selected.index === event.index)
		row.className = "chosen";
}

async function selectTableEvent(event) {
	const row = event.lane.rows.find((of) => of.paint === "ticks");
	await selectEvent(row, event);
	reveal(event.time, null);
}

async function showEvents() {
	const run = ++table.run, panel = $("events"), scope = tableScope();
	if (view.cursor === null) {
		panel.replaceChildren();
		table.shown = [];
		return;
	}
	const around = await eventsAround(scope, view.cursor);
	if (run !== table.run) return;
	const hadFocus = panel.contains(document.activeElement);
	table.shown = [...around.before, ...around.behind];
	panel.replaceChildren();
	element("h2", "Events at " + ringText(view.cursor), panel);
	const scopeButton = element("button", "of " + scope.name, panel);
	scopeButton.id = "scope";
	scopeButton.title = "all CPUs, or the lane of the selection (e)";
	scopeButton.addEventListener("click", changeScope);
	const body = element("tbody", undefined, element("table", undefined, panel));
	for (const event of table.shown) addEventRow(body, event);
	if (!around.isAll)
		element("p", "Events that are farther away were not searched.", panel)
			.className = "hint";
	else if (!table.shown.length)
		element("p", "none", panel).className = "hint";
	if (hadFocus) (panel.querySelector("tr.chosen button") ?? scopeButton).focus();
}

function changeScope() {
	table.ofLane = !table.ofLane;
	showEvents();
}

function setCursor(time) {
	view.cursor = time;
	clearTimeout(table.timer);
	table.timer = setTimeout(showEvents, TABLE_WAIT);
	redraw();
}

/* Select the event behind the cursor, or the one before it, of those in the table's scope. */
async function stepCursor(forward) {
	const scope = tableScope(), selected = view.selected?.event;
	const from = view.cursor ?? view.begin + view.time / 2;
	const { before, behind } = await eventsAround(scope, from);
	const list = [...before, ...behind];
	let at = list.findIndex((of) => of.piece === selected?.piece && of.index === selected.index);
	if (at < 0) at = before.length - (forward ? 1 : 0);
	const event = list[at + (forward ? 1 : -1)];
	if (event) await selectTableEvent(event);
}

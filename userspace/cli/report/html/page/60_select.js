// SPDX-License-Identifier: GPL-2.0-only
/* Select by a click, and describe the selection in the panel. */
/* Bits of common_flags */
const FLAGS = [[0x08, "in an interrupt"], [0x10, "in a softirq"]];

function element(name, text, parent) {
	const made = document.createElement(name);
	if (text !== undefined) made.textContent = text;
	if (parent) parent.append(made);
	return made;
}

/* Show a title, and pairs of a name and a value. */
function showDetails(title, pairs, buttons = []) {
	const panel = $("details");
	panel.replaceChildren();
	element("h2", "Selection", panel);
	element("h3", title, panel);
	const list = element("dl", undefined, panel);
	for (const [name, value] of pairs) {
		if (value === "" || value === undefined || value === null) continue;
		element("dt", name, list);
		element("dd", String(value), list);
	}
	for (const [text, action] of buttons) {
		const button = element("button", text, panel);
		button.className = "more";
		button.addEventListener("click", action);
	}
}

function timePairs(time, name = "time") {
	return [[name, ringText(time)], ["since the first event", "+" + lengthText(time)],
		["wall clock", wallText(time)]];
}

/* ---- find */
async function sliceAt(track, time) {
	for (const piece of piecesIn(track.pieces, time, time)) {
		const data = await pieceLater(piece);
		const i = firstNot(piece.count, (k) => data.end[k] <= time &&
			data.end[k] < data.end[piece.count - 1]);
		if (i < piece.count && data.begin[i] <= time && data.end[i] >= time)
			return { begin: data.begin[i], end: data.end[i], value: data.value[i] };
	}
	return null;
}

/* Return the event nearest to a moment, within a distance. */
async function eventNear(track, time, most) {
	let best = null;
	for (const piece of piecesIn(track.pieces, time - most, time + most)) {
		const data = await pieceLater(piece);
		const at = firstNot(piece.count, (k) => data.begin[k] < time);
		for (const i of [at - 1, at]) {
			const distance = Math.abs(data.begin[i] - time);
			if (i < 0 || i >= piece.count || distance > most ||
				(best && best.distance <= distance)) continue;
			best = { piece, data, index: i, distance };
		}
	}
	return best;
}

/* Return the wake-up after which a task ran at that time. */
async function wakeOf(taskIndex, time) {
	for (const lane of laneOfCpu.values())
		for (const piece of lane.arrowTrack.pieces) {
			if (piece.end < time || piece.begin > time) continue;
			const arrows = await pieceLater(piece);
			const i = firstNot(arrows.length, (k) => arrows[k].end < time);
			for (let k = i; k < arrows.length && arrows[k].end === time; k++)
				if (arrows[k].task === taskIndex)
					return { ...arrows[k], to: lane.cpu };
		}
	return null;
}

/* The panel says how many wake-ups have no arrow, and when not all were searched. */
const MOST_ARROWS = 100, MOST_WAKE_PIECES = 64;

/* Return the wake-ups that a test accepts, with a begin in a span of time. */
async function wakesIn(begin, end, accepts) {
	const found = [];
	let searched = 0;
	for (const lane of laneOfCpu.values())
		for (const piece of piecesIn(lane.arrowTrack.pieces, begin, Infinity)) {
			if (piece.begin > end) continue;
			found.isCut = searched++ >= MOST_WAKE_PIECES;
			if (found.isCut) break;
			for (const arrow of await pieceLater(piece))
				if (arrow.begin >= begin && arrow.begin <= end && accepts(arrow))
					found.push({ ...arrow, to: lane.cpu });
		}
	return found.sort((a, b) => a.begin - b.begin);
}

function restText(wakes) {
	const rest = wakes.length - MOST_ARROWS;
	return (rest > 0 ? `, ${rest} of them without an arrow` : "") +
		(wakes.isCut ? ", others were not searched" : "");
}

function wakesPair(wakes) {
	if (!wakes.length) return [];
	const names = [...new Set(wakes.slice(0, 5).map((arrow) => taskText(arrow.task)))];
	const more = wakes.length > 5 ? `: ${wakes.length} wake-ups` : "";
	return [["woke", names.join(", ") + more + restText(wakes)]];
}

function wakePairs(arrow) {
	if (!arrow) return [];
	const found = FLAGS.find(([bit]) => arrow.flags & bit), flags = found ? " " + found[1] : "";
	return [["woken by", taskText(arrow.waker) + flags + " on " + cpuName(arrow.cpu)],
		["woken at", ringText(arrow.begin)],
		["waited", lengthText(arrow.end - arrow.begin)]];
}

/* ---- select */
function choose(selected) {
	view.selected = selected;
	if (selected) view.lane = selected.row.lane;
	if (selected) setCursor(selected.at);
	for (const row of document.querySelectorAll("tr.chosen")) row.classList.remove("chosen");
	if (!selected) {
		showDetails("nothing", [["", ""]]);
		$("details").lastChild.remove();
		element("p", "Click on a slice, an event or an entry of the list.",
			$("details")).className = "hint";
	}
	keepFragment();
	redraw();
}

const lengthPairs = (slice) => [["length", lengthText(slice.end - slice.begin)],
	...timePairs(slice.begin, "begins"),
	["ends", ringText(slice.end)]];

/* Which task the slice is about: -1: none */
function taskOfSlice(row, slice) {
	if (row.paint === "task") return slice.value;
	return row.track.mode === STATES ? row.lane.index : -1;
}

async function selectSlice(row, slice) {
	const lane = row.lane, name = sliceText(row, slice.value),
		pairs = [[row.track.title, name]];
	const isState = row.track.mode === STATES;
	const taskIndex = taskOfSlice(row, slice);
	let arrow = null, wakes = [];
	const state = isState ? slice.value & 3 : 0;
	if (isState) pairs[0] = ["state", STATE_NAMES[state] + (state ? "" : " on " + name)];
	if (state)
		pairs.push(["reason", textOf(Math.floor(slice.value / 4))]);
	pairs.push(["lane", lane.name]);
	if (lane.kind === "cpu" && taskIndex < 0) {
		const task = await sliceAt(lane.rows[0].track, slice.begin);
		pairs.push(["task", task ? taskText(task.value) : "idle"]);
	}
	if (taskIndex >= 0) arrow = await wakeOf(taskIndex, state ? slice.end : slice.begin);
	/* The idle task wakes nobody: interrupts do so in its name. */
	if (taskIndex > 1 && !state)
		wakes = await wakesIn(slice.begin, slice.end, (of) => of.waker === taskIndex);
	const arrows = [...arrow ? [arrow] : [], ...wakes.slice(0, MOST_ARROWS)];
	choose({ row, ...slice, at: slice.begin, arrows });
	const title = row.track.mode === DEPTH ? name + " " + row.track.title : name;
	showDetails(title, [...pairs, ...lengthPairs(slice), ...wakePairs(arrow),
		...wakesPair(wakes)]);
}

async function selectEvent(row, found) {
	const { piece, data, index } = found, time = data.begin[index], type = data.value[index],
		lane = row.lane;
	const system = type ? meta.types[type - 1][0] : null;
	const pairs = [...timePairs(time), ["CPU", lane.cpu], ["task", taskText(data.task[index])],
		["text", data.texts.get(index)]];
	for (const [name, value] of fieldsOf(data, index))
		pairs.push([name, type || value >= 0 ? value : "an unknown number"]);
	if (type && !data.hasValues)
		pairs.push(["fields", "left out: the page would be too large"]);
	choose({ row, begin: time, end: time, at: time, value: type, event: { piece, index } });
	showDetails((system ? system + ":" : "") + eventText(type), pairs,
		[["◀ previous event", () => stepEvent(row, piece, index - 1)],
			["next event ▶", () => stepEvent(row, piece, index + 1)]]);
}

/* Select the event of that index, which may be in the piece before or behind. */
async function stepEvent(row, piece, index) {
	const list = row.track.pieces;
	let at = list.indexOf(piece);
	if (index < 0) index = --at < 0 ? -1 : list[at].count - 1;
	else if (index >= piece.count) { at++; index = 0; }
	if (!list[at]) return;
	await selectEvent(row, { piece: list[at], data: await pieceLater(list[at]), index });
	reveal(view.selected.begin, row.lane);
}

/* Return the slice of a track that begins behind a moment, or the last one before it. */
async function sliceBeside(track, time, forward) {
	const list = track.pieces;
	let at = forward ? firstNot(list.length, (k) => list[k].end <= time) :
		firstNot(list.length, (k) => list[k].begin < time) - 1;
	for (; list[at]; at += forward ? 1 : -1) {
		const piece = list[at], data = await pieceLater(piece);
		const i = forward ? firstNot(piece.count, (k) => data.begin[k] <= time) :
			firstNot(piece.count, (k) => data.begin[k] < time) - 1;
		if (i >= 0 && i < piece.count)
			return { begin: data.begin[i], end: data.end[i], value: data.value[i] };
	}
	return null;
}

/* Select the next slice of the chosen lane: of the row that is selected, or of the first one. */
async function stepSlice(forward) {
	const lane = view.lane ?? lanes[0];
	const selected = view.selected?.row.lane === lane ? view.selected : null;
	const row = selected && !selected.event ? selected.row : lane?.rows[0];
	if (!row) return;
	const time = selected ? selected.begin : view.cursor ?? view.begin;
	const slice = await sliceBeside(row.track, time, forward);
	if (!slice) return;
	await selectSlice(row, slice);
	reveal(slice.begin, lane);
	$("said").textContent = $("details").querySelector("h3").textContent;
}

/* Move so that a moment is in view. */
function reveal(time, lane) {
	if (time < view.begin || time > view.begin + view.time)
		setView(time - view.time / 2, view.time);
	showLane(lane);
}

/* Select the slice or event of a row at a moment. Return whether there is one. */
async function selectIn(row, time, most) {
	if (row.track.mode === TICKS) {
		const found = await eventNear(row.track, time, most);
		if (found) await selectEvent(row, found);
		return Boolean(found);
	}
	let slice = null;
	for (const moment of [time, time + most / 2, time - most / 2])
		slice ??= await sliceAt(row.track, moment);
	if (slice) await selectSlice(row, slice);
	return Boolean(slice);
}

/* Select the innermost slice of a lane at a moment, or what the named row has. */
async function selectAt(lane, time, paint) {
	const most = perPixel() * 3, row = lane.rows.find((of) => of.paint === paint);
	if (row && await selectIn(row, time, most)) return;
	for (const of of [...lane.rows].reverse())
		if (of.track.mode !== TICKS && await selectIn(of, time, 0)) return;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Paint the lanes: only the part in view, at the level of detail that fits the pixels. */
const context = canvas.getContext("2d", { alpha: false });
const THEMES = {
	light: { back: "#ffffff", band: "#f6f7f9", gutter: "#f4f5f7", text: "#1c2026",
		dim: "#5f6875", line: "#d4d8de", grid: "#eceef1",
		bad: "#d11f1f", select: "#0b62c4", mark: "rgba(11,98,196,0.10)", label: "#14181d",
		lightness: 0.72, arrow: "#33507a", tick: "#8a94a3",
		states: ["#4cae5a", "#f0a020", "#d8362f", "#dde2e8"],
		depth: ["#8f6bd1", "#3f8fd6"] },
	dark: { back: "#14171c", band: "#191d23", gutter: "#1d2128", text: "#e4e7eb",
		dim: "#98a2b0", line: "#343a44", grid: "#232830",
		bad: "#ff5a50", select: "#6cb0ff", mark: "rgba(108,176,255,0.13)", label: "#0d0f12",
		lightness: 0.60, arrow: "#a9c4ea", tick: "#6d7785",
		states: ["#46a758", "#e9a23b", "#e5484d", "#2f3641"],
		depth: ["#9d7fe0", "#4f9fe6"] },
};
/* For each kind of names: the first hue, the span of hues, and the saturation */
const HUES = { task: [190, 360, 0.52], call: [205, 60, 0.30], softirq: [270, 50, 0.42],
	irq: [350, 40, 0.68], ticks: [0, 360, 0.40] };
let theme = THEMES.light;
const paints = { states: [], depth: [], back: 0, band: 0, grid: 0, bad: 0, tick: 0, names: {} };

/* Neighbours in the list of names get colours far from each other. */
function colour(kind, value) {
	const known = paints.names[kind];
	if (known[value] === undefined) {
		const [from, range, saturation] = HUES[kind];
		known[value] = hsl((from + (value * 137.508) % range) % 360, saturation,
			theme.lightness);
	}
	return known[value];
}

function preparePaints() {
	paints.states = theme.states.map(hex);
	for (const name of ["back", "band", "grid", "bad", "tick", "line"]) paints[name] = hex(theme[name]);
	paints.depth = theme.depth.map(hex).map((fill) => [fill, mix(fill, paints.back, 0.4)]);
	for (const kind of Object.keys(HUES)) paints.names[kind] = [];
}

const wanted = new Set();		/* elements that the frame lacks */

/* Return the contents of a piece; undefined: they are loaded now, and painted later. */
function ask(piece) {
	const data = pieceNow(piece);
	if (!data) wanted.add(piece.element);
	return data;
}

function loadWanted() {
	for (const number of wanted) loadElement(number).then(redraw);
	wanted.clear();
}

/* ---- colours of values */
const depthPaints = (row) => paints.depth[row.paint === "queued" ? 0 : 1];

function valueColour(row, value) {
	return row.track.mode === STATES ? paints.states[value & 3] : colour(row.paint, value);
}

function sliceText(row, value) {
	if (row.track.mode === DEPTH) return String(value);
	if (row.track.mode === STATES) {
		const of = Math.floor(value / 4);
		if ((value & 3) === 0) return cpuName(of);
		return ((value & 3) === 1 ? "runnable: " : "") + textOf(of);
	}
	return row.paint === "task" ? taskText(value) : textOf(value);
}

/* ---- steps of a level of detail */
const FULL_SHARE = 255;

function addStates(begin, end, steps, i) {
	const parts = [steps.share[i], steps.value[i] & 255, steps.value[i] >> 8 & 255,
		steps.value[i] >> 16 & 255];
	parts.forEach((share, state) => {
		if (share) addSpan(begin, end, state, share / FULL_SHARE);
	});
}

/* Names that the step does not list are in its share of all alone. */
function addNames(begin, end, steps, i) {
	let rest = steps.share[i];
	for (let k = steps.at[i]; k < steps.at[i + 1]; k++) {
		addSpan(begin, end, steps.names[k], steps.shares[k] / FULL_SHARE);
		rest -= steps.shares[k];
	}
	/* Shares are rounded, each by less than one. */
	if (rest > SLOTS) addRest(begin, end, rest / FULL_SHARE);
}

function addStep(mode, steps, i) {
	const begin = steps.begin[i], end = begin + steps.step, value = steps.value?.[i];
	switch (mode) {
	case STATES: addStates(begin, end, steps, i); break;
	case DEPTH: addDepth(begin, end, value * steps.share[i] / FULL_SHARE, value); break;
	case TICKS:
		if (value) addEvents(begin + steps.step / 2, countOf(value), (value - 1) / 2);
		if (steps.share[i]) addMark(begin, end);
		break;
	default: addNames(begin, end, steps, i);
	}
}

function addLevel(row, level, from, to) {
	for (const piece of piecesIn(row.track.levels[level], from, to)) {
		const steps = ask(piece);
		if (!steps) continue;
		let i = firstNot(piece.count, (k) => steps.begin[k] + steps.step <= from);
		for (; i < piece.count && steps.begin[i] <= to; i++)
			addStep(row.track.mode, steps, i);
	}
}

/* ---- single slices and events */
const FONT = "system-ui, DejaVu Sans, sans-serif";
const LABEL_WIDTH = 20, EDGE_WIDTH = 8;	/* pixels of a slice from which on it has these */
const edges = [];			/* right edges of slices that touch the next one */

/* Return the text, or as much of it as there is room for, with an ellipsis. */
function fitText(text, room) {
	if (context.measureText(text).width <= room) return text;
	let n = Math.min(text.length, Math.ceil(room / 3));
	while (n && context.measureText(text.slice(0, n) + "…").width > room) n--;
	return n ? text.slice(0, n) + "…" : "";
}

function paintLabel(text, x, width, y, height, fill = theme.label) {
	const left = Math.max(x, view.left) + 3;
	const room = Math.min(x + width, view.width) - left - 2;
	if (room < 14) return;
	context.font = (height > 14 ? "11px " : "9.5px ") + FONT;
	context.fillStyle = fill;
	context.fillText(fitText(text, room), left, y + height / 2 + 0.5);
}

function addSlices(row, piece, from, to) {
	const slices = ask(piece), pixel = perPixel(), mode = row.track.mode, y = rowTop(row);
	if (!slices) return;
	let i = firstNot(piece.count, (k) => slices.end[k] < from);
	for (; i < piece.count && slices.begin[i] <= to; i++) {
		const begin = slices.begin[i], end = slices.end[i], value = slices.value[i];
		const width = (end - begin) / pixel;
		if (mode === DEPTH) addDepth(begin, end, value, value);
		else addSpan(begin, end, mode === STATES ? value & 3 : value);
		if (width < EDGE_WIDTH) continue;
		const x = xOf(begin);
		if (mode !== DEPTH && end < to)
			edges.push([row, x + width - 1, valueColour(row, value)]);
		if (width >= LABEL_WIDTH)
			labels.push([sliceText(row, value), x, width - 1, y, row.height]);
	}
}

/* Slices of one name must be told from each other. */
function paintEdges() {
	for (const [row, x, of] of edges)
		fill(x, rowTop(row), 1, row.height, mix(of, paints.back, 0.35));
	edges.length = 0;
}

function addTicks(row, piece, from, to) {
	const events = ask(piece);
	if (!events) return;
	let i = firstNot(piece.count, (k) => events.begin[k] < from);
	for (; i < piece.count && events.begin[i] <= to; i++) {
		if (events.value[i]) addEvents(events.begin[i], 1, events.value[i]);
		else addMark(events.begin[i], events.begin[i]);
	}
}

function paintRow(row, from, to) {
	const track = row.track, level = track.levelFor(perPixel() / raster.ratio);
	beginColumns();
	if (level >= 0) addLevel(row, level, from, to);
	for (const piece of piecesIn(track.pieces, from, to)) {
		if (piece.level <= level) continue;
		if (track.mode === TICKS) addTicks(row, piece, from, to);
		else addSlices(row, piece, from, to);
	}
	paintColumns(row);
	paintEdges();
}

/* The neighbourhood is loaded before the user moves there. */
function preload(row, from, to) {
	const level = row.track.levelFor(perPixel() / raster.ratio), time = to - from;
	const list = level >= 0 ? row.track.levels[level] : row.track.pieces;
	for (const piece of piecesIn(list, from - time / 2, to + time / 2))
		if (!elements.get(piece.element)) wanted.add(piece.element);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Paint the lanes: only the part in view, at the level of detail that fits the pixels. */
const context = canvas.getContext("2d", { alpha: false });
const THEMES = {
	light: { back: "#ffffff", band: "#f6f7f9", gutter: "#f4f5f7", text: "#1c2026",
		dim: "#5f6875", line: "#d4d8de", grid: "#eceef1",
		bad: "#d11f1f", select: "#0b62c4", mark: "rgba(11,98,196,0.10)", label: "#14181d",
		lightness: 0.72, arrow: "#33507a", tick: "#8a94a3",
		states: ["#4cae5a", "#f0a020", "#d8362f", "#cfd5dd"],
		depth: ["#8f6bd1", "#3f8fd6"] },
	dark: { back: "#14171c", band: "#191d23", gutter: "#1d2128", text: "#e4e7eb",
		dim: "#98a2b0", line: "#343a44", grid: "#232830",
		bad: "#ff5a50", select: "#6cb0ff", mark: "rgba(108,176,255,0.13)", label: "#0d0f12",
		lightness: 0.60, arrow: "#a9c4ea", tick: "#6d7785",
		states: ["#46a758", "#e9a23b", "#e5484d", "#3c434e"],
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
	paints.depth = theme.depth.map(hex);
	for (const name of ["back", "band", "grid", "bad", "tick"]) paints[name] = hex(theme[name]);
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

/* ---- steps of a level of detail */
const depthPaint = (row) => paints.depth[row.paint === "queued" ? 0 : 1];

function paintStates(row, x, width, y, value, share) {
	const height = row.height, parts = [share, value & 255, value >> 8];
	let top = y + height;
	for (let state = 0; state < 3; state++) {
		if (!parts[state]) continue;
		const size = Math.max(parts[state] / 255 * height, 1.5);
		fill(x, top -= size, width, size, paints.states[state]);
	}
}

function paintStep(row, x, width, y, value, share) {
	const height = row.height;
	let size = Math.max(share / 255 * height, 1.5);
	switch (row.track.mode) {
	case STATES:
		paintStates(row, x, width, y, value, share);
		break;
	case DEPTH:
		size = Math.max(value / row.most * height, 1);
		fill(x, y + height - size, width, size, depthPaint(row));
		break;
	case TICKS:
		size = share ? height : Math.min(2 + Math.log2(value + 1), height);
		fill(x, y + height - size, width, size, share ? paints.bad : paints.tick);
		break;
	default:
		fill(x, y + height - size, width, size, colour(row.paint, value));
	}
}

function paintLevel(row, level, y, from, to) {
	for (const piece of piecesIn(row.track.levels[level], from, to)) {
		const steps = ask(piece);
		if (!steps) continue;
		const width = Math.max(steps.step / perPixel(), 1);
		let i = firstNot(piece.count, (k) => steps.begin[k] + steps.step <= from);
		for (; i < piece.count && steps.begin[i] <= to; i++)
			paintStep(row, xOf(steps.begin[i]), width, y, steps.value[i],
				steps.share[i]);
	}
}

/* ---- single slices and events */
function sliceColour(row, value) {
	if (row.track.mode === STATES) return paints.states[value & 3];
	return row.track.mode === DEPTH ? depthPaint(row) : colour(row.paint, value);
}

function sliceText(row, value) {
	if (row.track.mode === DEPTH) return String(value);
	if (row.track.mode === STATES) {
		const of = Math.floor(value / 4);
		if ((value & 3) === 0) return "CPU " + of;
		return ((value & 3) === 1 ? "runnable: " : "") + textOf(of);
	}
	return row.paint === "task" ? taskText(value) : textOf(value);
}

function paintLabel(text, x, width, y, height, fill = theme.label) {
	const left = Math.max(x, NAMES_WIDTH) + 3;
	const room = Math.min(x + width, view.width) - left - 2;
	if (room < 14) return;
	const most = Math.floor(room / (height > 14 ? 6.4 : 5.6));
	if (most < 2) return;
	context.font = height > 14 ? "11px system-ui, DejaVu Sans, sans-serif" :
		"9.5px system-ui, DejaVu Sans, sans-serif";
	context.fillStyle = fill;
	const part = text.length > most ? text.slice(0, most - 1) + "…" : text;
	context.fillText(part, left, y + height / 2 + 0.5);
}

function paintSlice(row, x, width, y, value) {
	let top = y, height = row.height;
	if (row.track.mode === DEPTH) {
		height = Math.max(value / row.most * row.height, 1);
		top = y + row.height - height;
	} else if (row.track.mode === STATES && (value & 3) === 3) {
		top += row.height / 2 - 1.5;
		height = 3;
	}
	fill(x, top, width, height, sliceColour(row, value));
	if (width >= 20 && (top === y || row.track.mode === DEPTH))
		labels.push([sliceText(row, value), x, width - 1, y, row.height]);
}

function paintSlices(row, piece, y, from, to) {
	const slices = ask(piece), pixel = perPixel();
	if (!slices) return;
	let i = firstNot(piece.count, (k) => slices.end[k] < from), last = -1;
	for (; i < piece.count && slices.begin[i] <= to; i++) {
		const width = (slices.end[i] - slices.begin[i]) / pixel, x = xOf(slices.begin[i]);
		/* One of the slices that share a pixel is enough. */
		if (width < 1 && Math.floor(x) === last) continue;
		last = Math.floor(x + width);
		const left = Math.max(x, NAMES_WIDTH - 2);
		const gap = width > 4 ? 1 : 0;
		paintSlice(row, left, Math.max(Math.min(x + width, view.width + 2) - left - gap, 1),
			y, slices.value[i]);
	}
}

function paintTicks(row, piece, y, from, to) {
	const events = ask(piece);
	if (!events) return;
	let i = firstNot(piece.count, (k) => events.begin[k] < from), last = -1;
	for (; i < piece.count && events.begin[i] <= to; i++) {
		const x = Math.floor(xOf(events.begin[i]));
		if (x === last && events.value[i]) continue;
		last = x;
		if (events.value[i]) fill(x, y, 1, row.height, colour("ticks", events.value[i]));
		else fill(x, y, 2, row.height, paints.bad);
	}
}

function paintRow(row, from, to) {
	const track = row.track, y = TOP + row.y - view.y, level = track.levelFor(perPixel());
	if (level >= 0) paintLevel(row, level, y, from, to);
	for (const piece of piecesIn(track.pieces, from, to)) {
		if (piece.level <= level) continue;
		if (track.mode === TICKS) paintTicks(row, piece, y, from, to);
		else paintSlices(row, piece, y, from, to);
	}
}

/* The neighbourhood is loaded before the user moves there. */
function preload(row, from, to) {
	const level = row.track.levelFor(perPixel()), time = to - from;
	const list = level >= 0 ? row.track.levels[level] : row.track.pieces;
	for (const piece of piecesIn(list, from - time / 2, to + time / 2))
		if (!elements.get(piece.element)) wanted.add(piece.element);
}

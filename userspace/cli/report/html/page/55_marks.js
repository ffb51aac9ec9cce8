// SPDX-License-Identifier: GPL-2.0-only
/* Paint on top of the lanes: arrows, losses, the selection, the axis and the overview. */
function paintArrow(x0, y0, x1, y1) {
	const bend = Math.min(Math.max(Math.abs(x1 - x0) / 2, 8), 60);
	context.beginPath();
	context.moveTo(x0, y0);
	context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
	context.stroke();
	context.beginPath();
	context.moveTo(x1, y1);
	context.lineTo(x1 - 6, y1 - 3);
	context.lineTo(x1 - 6, y1 + 3);
	context.fill();
}

const middleOf = (row) => rowTop(row) + row.height / 2;
const shownLane = (lane) => lane && isShown(lane) ? lane : null;
const laneOfTask = (index) => shownLane(laneOfPid.get(meta.tasks[index]?.[0]));

/* From the waker's lane, or that of its CPU, to the task's lane, or that of its CPU */
function paintWake(arrow) {
	const from = laneOfTask(arrow.waker) || shownLane(laneOfCpu.get(arrow.cpu));
	const to = laneOfTask(arrow.task) || shownLane(laneOfCpu.get(arrow.to));
	if (!from || !to) return;
	paintArrow(xOf(arrow.begin), middleOf(from.rows[0]), xOf(arrow.end), middleOf(to.rows[0]));
}

/* ---- losses: each one is visible at each zoom, also that of a hidden CPU */
/* Call a function for each time with a loss, at the level of detail that fits. */
function eachLoss(track, from, to, pixel, each) {
	const level = track.levelFor(pixel);
	const steps = level >= 0 ? [...piecesIn(track.levels[level], from, to)] : [];
	for (const piece of steps) {
		const data = piece.mask & 1 ? ask(piece) : null;
		for (let i = 0; data && i < piece.count; i++)
			if (data.share[i]) each(data.begin[i], data.begin[i] + data.step);
	}
	for (const piece of piecesIn(track.pieces, from, to)) {
		const data = piece.level > level && piece.mask & 1 ? ask(piece) : null;
		for (let i = 0; data && i < piece.count; i++)
			if (!data.value[i]) each(data.begin[i], data.begin[i]);
	}
}

/* The step of a level may begin before the view, and the loss in it may be in the view. */
function lossPixels(lane, from, to) {
	const found = new Set(), pixel = perPixel() / raster.ratio;
	eachLoss(lane.tickTrack, from, to, pixel, (begin, end) => {
		const first = Math.floor(xOf(begin)), last = Math.floor(xOf(end));
		for (let x = first; x <= last; x++) if (x >= view.left) found.add(x);
	});
	return found;
}

let lossesInView = new Map();		/* of each CPU's lane */
function findLosses(from, to) {
	lossesInView = new Map();
	if (meta.losses)
		for (const lane of laneOfCpu.values())
			lossesInView.set(lane, lossPixels(lane, from, to));
}

/* A loss is marked in its lane. The first thousand of the recording have their numbers. */
function paintLosses(from, to) {
	context.fillStyle = theme.bad;
	for (const [lane, pixels] of lossesInView) {
		const below = topOf(lane) + lane.height;
		const y = Math.max(topOf(lane), lane.stays ? TOP : TOP + pinnedHeight);
		if (isShown(lane) && y < below)
			for (const x of pixels) context.fillRect(x - 1, y, 2, below - y);
	}
	const last = new Map();
	for (const [time, cpu, lost] of meta.loss) {
		const lane = shownLane(laneOfCpu.get(cpu)), x = Math.floor(xOf(time));
		if (time < from || time > to || !lane || x - (last.get(lane) ?? -100) < 60) continue;
		last.set(lane, x);
		paintLabel(lost === null ? "lost" : lost + " lost", x, 90, topOf(lane), 18,
			theme.bad);
	}
}

function paintLossesOnAxis() {
	context.fillStyle = theme.bad;
	for (const pixels of lossesInView.values())
		for (const x of pixels) context.fillRect(x - 1, OVERVIEW + AXIS - 5, 3, 5);
}

/* ---- the selection, with the wake-ups that belong to it */
function paintSelection() {
	const selected = view.selected;
	if (!selected || !isShown(selected.row.lane)) return;
	const x = xOf(selected.begin),
		width = Math.max((selected.end - selected.begin) / perPixel(), 1);
	context.fillStyle = theme.mark;
	context.fillRect(x, TOP, width, view.height - TOP);
	context.strokeStyle = theme.select;
	context.lineWidth = 2;
	context.strokeRect(x - 1, rowTop(selected.row) - 1, width + 2, selected.row.height + 2);
}

function paintArrows() {
	context.strokeStyle = context.fillStyle = theme.select;
	context.lineWidth = 2;
	for (const arrow of view.selected?.arrows ?? []) paintWake(arrow);
}

function paintMeasure() {
	if (!view.measure) return;
	const [from, to] = [...view.measure].sort((a, b) => a - b);
	const x = xOf(from), width = xOf(to) - x;
	context.fillStyle = theme.mark;
	context.fillRect(x, TOP, width, view.height - TOP);
	context.fillStyle = theme.select;
	context.fillRect(x, TOP, 1, view.height);
	context.fillRect(x + width, TOP, 1, view.height);
	paintLabel(lengthText(to - from), x, Math.max(width, 90), TOP + 2, 18, theme.select);
}

function paintTrigger() {
	if (!meta.trigger) return;
	const x = xOf(meta.trigger.time);
	context.fillStyle = theme.select;
	context.fillRect(x, TOP, 1, view.height);
	paintLabel("frozen", x, 60, TOP, 18, theme.select);
}

/* The moment of the table of events */
function paintCursor() {
	if (view.cursor === null) return;
	context.fillStyle = theme.text;
	const x = Math.round(xOf(view.cursor));
	for (let y = TOP; y < view.height; y += 6) context.fillRect(x, y, 1, 3);
}

/* ---- the axis */
const AXIS_FONT = "11px " + FONT, AXIS_GAP = 14;

/* A narrow page has room for one whole time. The others are differences from that one. */
const axisIsShort = () => view.width - view.left < 4 * 110;

/* Return the times of the marks on the axis, and the decimals that they need. */
function axisMarks() {
	const least = axisIsShort() ? 62 : 110, step = axisStep(perPixel() * least), marks = [];
	const decimals = Math.min(Math.max(9 - Math.floor(Math.log10(step)), 0), 9);
	const offset = Number(base % BigInt(Math.round(step)));
	const first = Math.ceil((view.begin + offset) / step) * step - offset;
	for (let time = first; time <= view.begin + view.time; time += step)
		if (xOf(time) >= view.left) marks.push(time);
	return [marks, decimals];
}

/* Labels that do not fit between the one before and the right edge are left out. */
function axisLabels(marks, decimals) {
	const labels = [];
	context.font = AXIS_FONT;
	let free = view.left, whole = null;
	for (const time of marks) {
		const x = Math.round(xOf(time)) + 3;
		const text = axisIsShort() && whole !== null ? "+" + stepText(time - whole) :
			ringText(time, decimals);
		const width = context.measureText(text).width;
		if (x < free || x + width > view.width) continue;
		labels.push({ text, x, width });
		whole ??= time;
		free = x + width + AXIS_GAP;
	}
	return labels;
}

function paintAxis(marks, decimals) {
	context.fillStyle = theme.gutter;
	context.fillRect(0, OVERVIEW, view.width, AXIS);
	context.fillStyle = theme.line;
	for (const time of marks)
		context.fillRect(Math.round(xOf(time)), OVERVIEW + AXIS - 5, 1, 5);
	context.font = AXIS_FONT;
	context.fillStyle = theme.dim;
	view.axis = axisLabels(marks, decimals);
	for (const { text, x } of view.axis) context.fillText(text, x, OVERVIEW + AXIS / 2);
	const texts = [lengthText(view.time) + " in view", lengthText(view.time)];
	context.fillText(texts.find((text) => context.measureText(text).width <= view.left - 12) ??
		fitText(texts[1], view.left - 12), 8, OVERVIEW + AXIS / 2);
	paintLossesOnAxis();
}

/* ---- the whole recording, with what is in view */
let overview = null;
async function countOverview(columnsWanted) {
	const counts = new Float64Array(columnsWanted), lost = new Uint8Array(columnsWanted);
	const column = (time) =>
		Math.max(Math.min(Math.floor(time / total * columnsWanted), columnsWanted - 1), 0);
	for (const { tickTrack } of laneOfCpu.values()) {
		const level = tickTrack.levelFor(total / columnsWanted / 4);
		const steps = level >= 0 ? tickTrack.levels[level] : [];
		const list = [...steps, ...tickTrack.pieces.filter((piece) => piece.level > level)];
		for (const piece of list) {
			const data = await pieceLater(piece), isLevel = piece.kind === LEVEL;
			for (let i = 0; i < piece.count; i++) {
				const at = column(data.begin[i]);
				counts[at] += isLevel ? countOf(data.value[i]) : 1;
				if (isLevel ? data.share[i] : !data.value[i]) lost[at] = 1;
			}
		}
	}
	overview = { counts, lost };
	redraw();
}

const overviewX = (time) => view.left + time / total * (view.width - view.left);
function paintCounts() {
	const { counts, lost } = overview, width = (view.width - view.left) / counts.length;
	const most = counts.reduce((a, b) => Math.max(a, b), 1);
	context.fillStyle = theme.tick;
	counts.forEach((count, i) => {
		const size = count ? Math.max(count / most * (OVERVIEW - 6), 1) : 0;
		context.fillRect(view.left + i * width, OVERVIEW - 2 - size, width + 0.5, size);
	});
	context.fillStyle = theme.bad;
	lost.forEach((is, i) => {
		if (is) context.fillRect(Math.floor(view.left + i * width), 2,
			Math.max(Math.ceil(width), 2), OVERVIEW - 4);
	});
}

function paintOverview() {
	context.fillStyle = theme.gutter;
	context.fillRect(0, 0, view.width, OVERVIEW);
	if (overview) paintCounts();
	context.fillStyle = theme.mark;
	const x = Math.max(overviewX(view.begin), view.left);
	const width = Math.max(Math.min(overviewX(view.begin + view.time), view.width - 1) - x, 2);
	context.fillRect(x, 0, width, OVERVIEW);
	context.strokeStyle = theme.select;
	context.lineWidth = 1;
	context.strokeRect(x + 0.5, 1.5, width, OVERVIEW - 3);
	context.font = AXIS_FONT;
	context.fillStyle = theme.dim;
	context.fillText(view.width < NARROW ? "recording" : "whole recording", 8, OVERVIEW / 2);
}

/* ---- names */
const NAME_LEFT = 8, HIDE_SIGN = "×", PIN_SIGN = "▲", SIGN_WIDTH = 15;
const NAME_FONT = "bold 11px " + FONT;
/* A narrow page has no room for signs: the keys and the list of lanes do the same. */
const hasSigns = () => view.width >= NARROW;
const signsLeft = () => hasSigns() ? view.left - 2 * SIGN_WIDTH - 2 : Infinity;

function paintSigns(lane, y) {
	if (signsLeft() === Infinity) return;
	context.font = "10px " + FONT;
	context.fillStyle = isPinned(lane) ? theme.select : theme.line;
	context.fillText(PIN_SIGN, signsLeft() + 3, y);
	context.fillStyle = theme.dim;
	context.fillText(HIDE_SIGN, signsLeft() + SIGN_WIDTH + 4, y);
}

function paintName(lane) {
	const y = topOf(lane);
	if (lane === view.lane) {
		context.fillStyle = theme.mark;
		context.fillRect(0, y - GAP / 2, view.left, lane.height + GAP);
		context.fillStyle = theme.select;
		context.fillRect(0, y - GAP / 2, 3, lane.height + GAP);
	}
	context.font = NAME_FONT;
	context.fillStyle = theme.text;
	lane.shownName = fitText(lane.name, Math.min(signsLeft(), view.left - 4) - NAME_LEFT);
	context.fillText(lane.shownName, NAME_LEFT, y + 9);
	paintSigns(lane, y + 9);
	context.font = "9px " + FONT;
	context.fillStyle = theme.dim;
	context.textAlign = "right";
	/* The lane's name is beside its first row, and the title below it, if there is room. */
	for (const row of lane.rows) {
		const isFirst = row === lane.rows[0], title = row.track.title.replace("requests ", "");
		if (!isFirst) context.fillText(title, view.left - 6, middleOf(row));
		else if (row.height > 20)
			context.fillText(title, view.left - 6, rowTop(row) + row.height - 4);
	}
	context.textAlign = "left";
}

function paintNames(stays) {
	context.fillStyle = theme.gutter;
	context.fillRect(0, stays ? TOP : TOP + pinnedHeight, view.left,
		stays ? pinnedHeight : view.height);
	for (const lane of lanesInView()) if (Boolean(lane.stays) === stays) paintName(lane);
}

function paintGroups() {
	for (const group of groups) {
		const y = topOf(group);
		if (y < TOP + pinnedHeight || y > view.height) continue;
		context.fillStyle = theme.gutter;
		context.fillRect(0, y, view.width, GROUP_HEIGHT);
		context.fillStyle = theme.line;
		context.fillRect(0, y, view.width, 1);
		context.font = NAME_FONT;
		context.fillStyle = theme.text;
		const count = group.shown < group.all ? ` (${group.shown} of ${group.all} lanes)` : "";
		group.text = fitText(shown(group.name) + count, view.width - 2 * NAME_LEFT);
		context.fillText(group.text, NAME_LEFT, y + GROUP_HEIGHT / 2 + 1);
	}
}

/* ---- all */
function* lanesInView() {
	for (const lane of lanes) {
		const y = topOf(lane);
		if (y <= view.height && y + lane.height >= TOP) yield lane;
	}
}

/* The lanes that move are painted first, and those that stay over them. */
function paintRows(stays, from, to, marks) {
	const list = [...lanesInView()].filter((lane) => Boolean(lane.stays) === stays);
	if (stays) fill(view.left, TOP, view.width, pinnedHeight, paints.back);
	for (const lane of list)
		if (lane.isOdd)
			fill(view.left, topOf(lane) - GAP / 2, view.width, lane.height + GAP, paints.band);
	for (const time of marks)
		fill(Math.round(xOf(time)), TOP, 1, stays ? pinnedHeight : view.height, paints.grid);
	for (const lane of list)
		for (const row of lane.rows) {
			paintRow(row, from, to);
			preload(row, from, to);
		}
	if (stays) fill(view.left, TOP + pinnedHeight - 1, view.width, 1, paints.line);
}

function clipLanes(top, bottom, paint) {
	context.save();
	context.beginPath();
	context.rect(view.left, top, view.width - view.left, Math.max(bottom - top, 0));
	context.clip();
	paint();
	context.restore();
}

function paintLanes(from, to, marks) {
	beginRaster(view.left, TOP, view.width, view.height, paints.back);
	paintRows(false, from, to, marks);
	const moving = labels.splice(0);
	if (pinnedHeight) paintRows(true, from, to, marks);
	endRaster();
	clipLanes(TOP + pinnedHeight, view.height, () => {
		for (const label of moving) paintLabel(...label);
	});
	for (const label of labels) paintLabel(...label);
}

function draw() {
	const from = view.begin, to = view.begin + view.time, [marks, decimals] = axisMarks();
	context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
	context.textBaseline = "middle";
	clipLanes(TOP, view.height, () => {
		paintLanes(from, to, marks);
		findLosses(from, to);
		paintLosses(from, to);
		paintTrigger();
		paintSelection();
		paintArrows();
		paintMeasure();
		paintCursor();
	});
	paintNames(false);
	paintGroups();
	if (pinnedHeight) paintNames(true);
	context.fillStyle = theme.line;
	context.fillRect(view.left - 1, OVERVIEW, 1, view.height);
	paintAxis(marks, decimals);
	paintOverview();
	loadWanted();
}

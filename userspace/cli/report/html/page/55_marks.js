// SPDX-License-Identifier: GPL-2.0-only
/* Paint on top of the lanes: arrows, losses, the selection, the axis and the overview. */
const MOST_ARROWS = 250;

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

const middleOf = (row) => TOP + row.y - view.y + row.height / 2;

/* From the waker on its CPU to the task on its CPU, and to the task's own lane */
function paintWake(arrow, cpu) {
	const from = laneOfCpu.get(arrow.cpu);
	const to = laneOfPid.get(meta.tasks[arrow.task][0]) || laneOfCpu.get(cpu);
	if (!from || !to) return;
	paintArrow(xOf(arrow.begin), middleOf(from.rows[0]), xOf(arrow.end), middleOf(to.rows[0]));
}

function arrowsInView(from, to) {
	const found = [];
	for (const lane of laneOfCpu.values()) {
		for (const piece of lane.arrowTrack.pieces) {
			if (piece.end < from || piece.begin > to) continue;
			/* More arrows than a picture can show: do not decode the piece. */
			const share = (to - from) / (piece.end - piece.begin + 1);
			if (share * piece.count > 20 * MOST_ARROWS) return [];
			const arrows = ask(piece);
			if (!arrows) continue;
			const first = firstNot(arrows.length, (k) => arrows[k].end < from);
			for (let i = first; i < arrows.length; i++) {
				if (arrows[i].begin <= to) found.push([arrows[i], lane.cpu]);
				else if (arrows[i].end - to > to - from) break;
				if (found.length > MOST_ARROWS) return [];
			}
		}
	}
	return found;
}

function paintArrows(from, to) {
	context.strokeStyle = context.fillStyle = theme.arrow;
	context.lineWidth = 1;
	context.globalAlpha = 0.75;
	for (const [arrow, cpu] of arrowsInView(from, to)) paintWake(arrow, cpu);
	context.globalAlpha = 1;
}

/* A loss is marked in its lane, with its number. */
function paintLosses(from, to) {
	let last = -100;
	for (const [time, cpu, lost] of meta.loss) {
		const lane = laneOfCpu.get(cpu), x = Math.floor(xOf(time));
		if (time < from || time > to || !lane) continue;
		const y = TOP + lane.y - view.y;
		context.fillStyle = theme.bad;
		context.fillRect(x - 1, y, 2, lane.height);
		if (x - last < 60) continue;
		last = x;
		paintLabel(lost === null ? "lost" : lost + " lost", x, 90, y, 18, theme.bad);
	}
}

function paintSelection() {
	const selected = view.selected;
	if (!selected) return;
	const x = xOf(selected.begin),
		width = Math.max((selected.end - selected.begin) / perPixel(), 1);
	const y = TOP + selected.row.y - view.y;
	context.fillStyle = theme.mark;
	context.fillRect(x, TOP, width, view.height - TOP);
	context.strokeStyle = theme.select;
	context.lineWidth = 2;
	context.strokeRect(x - 1, y - 1, width + 2, selected.row.height + 2);
	if (selected.arrow) {
		context.fillStyle = theme.select;
		paintWake(selected.arrow, selected.arrow.to);
	}
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

/* Return the times of the marks on the axis, and the decimals that they need. */
function axisMarks() {
	const step = axisStep(perPixel() * 110), marks = [];
	const decimals = Math.min(Math.max(9 - Math.floor(Math.log10(step)), 0), 9);
	const offset = Number(base % BigInt(Math.round(step)));
	const first = Math.ceil((view.begin + offset) / step) * step - offset;
	for (let time = first; time <= view.begin + view.time; time += step)
		if (xOf(time) >= NAMES_WIDTH) marks.push(time);
	return [marks, decimals];
}

function paintAxis(marks, decimals) {
	context.fillStyle = theme.gutter;
	context.fillRect(0, OVERVIEW, view.width, AXIS);
	context.font = "11px system-ui, DejaVu Sans, sans-serif";
	for (const time of marks) {
		const x = Math.round(xOf(time));
		context.fillStyle = theme.line;
		context.fillRect(x, OVERVIEW + AXIS - 5, 1, 5);
		context.fillStyle = theme.dim;
		context.fillText(ringText(time, decimals), x + 3, OVERVIEW + AXIS / 2);
	}
	context.fillStyle = theme.dim;
	context.fillText(lengthText(view.time) + " in view", 8, OVERVIEW + AXIS / 2);
}

/* ---- the whole recording, with what is in view */
let overview = null;
async function countOverview(columns) {
	const counts = new Float64Array(columns);
	const column = (time) => Math.min(Math.floor(time / total * columns), columns - 1);
	for (const lane of laneOfCpu.values()) {
		const track = rowOf(lane, "ticks").track,
			level = track.levelFor(total / columns / 4);
		if (track.mode !== TICKS) continue;
		const steps = level >= 0 ? track.levels[level] : [];
		const list = [...steps, ...track.pieces.filter((piece) => piece.level > level)];
		for (const piece of list) {
			const data = await pieceLater(piece);
			for (let i = 0; i < piece.count; i++)
				counts[column(data.begin[i])] += piece.kind === LEVEL
					? data.value[i] : 1;
		}
	}
	overview = counts;
	redraw();
}

const overviewX = (time) => NAMES_WIDTH + time / total * (view.width - NAMES_WIDTH);
function paintOverview() {
	context.fillStyle = theme.gutter;
	context.fillRect(0, 0, view.width, OVERVIEW);
	if (overview) {
		const most = Math.max(...overview, 1),
			width = (view.width - NAMES_WIDTH) / overview.length;
		context.fillStyle = theme.tick;
		overview.forEach((count, i) => {
			const size = count ? Math.max(count / most * (OVERVIEW - 6), 1) : 0;
			context.fillRect(NAMES_WIDTH + i * width, OVERVIEW - 2 - size, width + 0.5,
				size);
		});
	}
	for (const [time] of meta.loss) {
		context.fillStyle = theme.bad;
		context.fillRect(overviewX(time), 2, 1, OVERVIEW - 4);
	}
	context.fillStyle = theme.mark;
	const x = Math.max(overviewX(view.begin), NAMES_WIDTH);
	const width = Math.max(Math.min(overviewX(view.begin + view.time), view.width - 1) - x, 2);
	context.fillRect(x, 0, width, OVERVIEW);
	context.strokeStyle = theme.select;
	context.lineWidth = 1;
	context.strokeRect(x + 0.5, 1.5, width, OVERVIEW - 3);
	context.font = "11px system-ui, DejaVu Sans, sans-serif";
	context.fillStyle = theme.dim;
	context.fillText("whole recording", 8, OVERVIEW / 2);
}

/* ---- all */
function paintNames() {
	context.fillStyle = theme.gutter;
	context.fillRect(0, TOP, NAMES_WIDTH, view.height);
	for (const lane of lanesInView()) {
		const y = TOP + lane.y - view.y;
		context.font = "bold 11px system-ui, DejaVu Sans, sans-serif";
		context.fillStyle = theme.text;
		const name = lane.name.length > 16 ? lane.name.slice(0, 15) + "…" : lane.name;
		context.fillText(name, 8, y + 9);
		context.font = "9px system-ui, DejaVu Sans, sans-serif";
		context.fillStyle = theme.dim;
		context.textAlign = "right";
		lane.rows.forEach((row, i) => {
			const title = row.track.title.replace("requests in the ", "");
			if (i || lane.kind === "disk")
				context.fillText(title, NAMES_WIDTH - 6, middleOf(row));
		});
		context.textAlign = "left";
	}
	context.fillStyle = theme.line;
	context.fillRect(NAMES_WIDTH - 1, OVERVIEW, 1, view.height);
}

function* lanesInView() {
	for (const lane of lanes) {
		const y = TOP + lane.y - view.y;
		if (y <= view.height && y + lane.height >= TOP) yield lane;
	}
}

function paintLanes(from, to, marks) {
	beginRaster(NAMES_WIDTH, TOP, view.width, view.height, paints.back);
	for (const lane of lanesInView()) {
		const y = TOP + lane.y - view.y - GAP / 2;
		if (lane.isOdd) fill(NAMES_WIDTH, y, view.width, lane.height + GAP, paints.band);
	}
	for (const time of marks) fill(Math.round(xOf(time)), TOP, 1, view.height, paints.grid);
	for (const lane of lanesInView())
		for (const row of lane.rows) {
			paintRow(row, from, to);
			preload(row, from, to);
		}
	endRaster();
	for (const label of labels) paintLabel(...label);
}

function draw() {
	const from = view.begin, to = view.begin + view.time, [marks, decimals] = axisMarks();
	context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
	context.textBaseline = "middle";
	context.save();
	context.beginPath();
	context.rect(NAMES_WIDTH, TOP, view.width - NAMES_WIDTH, view.height - TOP);
	context.clip();
	paintLanes(from, to, marks);
	paintLosses(from, to);
	paintArrows(from, to);
	paintTrigger();
	paintSelection();
	paintMeasure();
	context.restore();
	paintAxis(marks, decimals);
	paintNames();
	paintOverview();
	loadWanted();
}

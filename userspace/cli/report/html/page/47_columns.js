// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rule for what a pixel shows, at every zoom: each thing in the time of the pixel has the
 * height of its share of that time, and at least one pixel of the screen. The order from below
 * is that of the states, or of the names' numbers. Names beyond the longest four are grey. Time
 * of which nothing is known stays empty. The height of a depth is its mean, with a line at
 * its largest value. The height of a tick is the number of events, by its logarithm.
 */
const SLOTS = 4, TINY = 1e-7;
const columns = { width: 0, first: 0, last: -1, begin: 0, scale: 1 };

function beginColumns() {
	const width = raster.width;
	if (width !== columns.width) {
		Object.assign(columns, { width, value: new Float64Array(width * SLOTS),
			share: new Float64Array(width * SLOTS), rest: new Float64Array(width),
			count: new Float64Array(width), mark: new Uint8Array(width) });
	} else if (columns.last >= columns.first) {
		const { first, last } = columns;
		columns.share.fill(0, first * SLOTS, (last + 1) * SLOTS);
		for (const list of [columns.rest, columns.count, columns.mark])
			list.fill(0, first, last + 1);
	}
	Object.assign(columns, { first: width, last: -1, begin: view.begin,
		scale: raster.ratio / perPixel() });
}

const columnOf = (time) => (time - columns.begin) * columns.scale;

function touch(column) {
	if (column < columns.first) columns.first = column;
	if (column > columns.last) columns.last = column;
}

function addShare(column, value, part) {
	const { value: values, share } = columns, at = column * SLOTS, size = Math.max(part, TINY);
	let least = at;
	touch(column);
	for (let i = at; i < at + SLOTS; i++) {
		if (share[i] === 0) {
			values[i] = value;
			share[i] = size;
			return;
		}
		if (values[i] === value) {
			share[i] += size;
			return;
		}
		if (share[i] < share[least]) least = i;
	}
	columns.rest[column] += Math.min(size, share[least]);
	if (share[least] < size) {
		values[least] = value;
		share[least] = size;
	}
}

/* Call a function for each column in a span of time, with the part that the span fills. */
function eachColumn(begin, end, each) {
	const from = columnOf(begin), to = Math.min(columnOf(end), columns.width);
	let column = Math.max(Math.floor(from), 0);
	if (from >= columns.width || to < 0) return;
	if (to <= column + 1) {
		each(column, to - Math.max(from, column));
		return;
	}
	each(column, column + 1 - Math.max(from, column));
	for (column++; column + 1 <= to; column++) each(column, 1);
	if (to > column) each(column, to - column);
}

const addSpan = (begin, end, value, share = 1) =>
	eachColumn(begin, end, (column, part) => addShare(column, value, part * share));

/* What a step has beside the names that it lists */
function addRest(begin, end, share) {
	eachColumn(begin, end, (column, part) => {
		touch(column);
		columns.rest[column] += part * share;
	});
}

/* The share is the sum of depth and time, and the count the largest depth. */
function addDepth(begin, end, mean, most) {
	eachColumn(begin, end, (column, part) => {
		touch(column);
		columns.share[column * SLOTS] += part * mean;
		columns.count[column] = Math.max(columns.count[column], most);
	});
}

/* The value is the type of the last event. */
function addEvents(time, count, type) {
	const column = Math.floor(columnOf(time));
	if (column < 0 || column >= columns.width) return;
	touch(column);
	columns.count[column] += count;
	columns.value[column * SLOTS] = type;
}

function addMark(begin, end) {
	eachColumn(begin, end, (column) => {
		touch(column);
		columns.mark[column] = 1;
	});
}

/* ---- paint them */
const parts = Array.from({ length: SLOTS + 1 }, () => ({ value: 0, share: 0, size: 0 }));

/* Gather the parts of a column, sorted by value, and the rest behind them. Return their number. */
function gatherParts(column) {
	let n = 0;
	for (let i = column * SLOTS; i < (column + 1) * SLOTS && columns.share[i]; i++) {
		let at = n++;
		for (; at && parts[at - 1].value > columns.value[i]; at--) {
			parts[at].value = parts[at - 1].value;
			parts[at].share = parts[at - 1].share;
		}
		parts[at].value = columns.value[i];
		parts[at].share = columns.share[i];
	}
	if (columns.rest[column]) {
		parts[n].value = -1;
		parts[n++].share = columns.rest[column];
	}
	return n;
}

/* Divide the height by the shares. Each part has at least one pixel. */
function divide(n, height) {
	let done = 0, top = 0, largest = 0;
	for (let i = 0; i < n; i++) {
		done += parts[i].share;
		const to = Math.round(Math.min(done, 1) * height);
		parts[i].size = to - top;
		top = to;
		if (parts[i].size > parts[largest].size) largest = i;
	}
	for (let i = 0; i < n; i++) {
		if (parts[i].size) continue;
		parts[i].size = 1;
		if (top < height) top++; else parts[largest].size--;
	}
}

function fillColumn(column, top, size, colour) {
	const { pixels, width, height } = raster;
	const end = Math.min(top + size, height);
	for (let row = Math.max(top, 0); row < end; row++) pixels[row * width + column] = colour;
}

/* Where a row is in the raster: its lower end, and its height */
function rasterPlace(row) {
	const ratio = raster.ratio, y = rowTop(row) - raster.top;
	const top = Math.round(y * ratio);
	return { bottom: top + Math.max(Math.round(row.height * ratio), 1),
		size: Math.max(Math.round(row.height * ratio), 1) };
}

function paintShares(row) {
	const { bottom, size } = rasterPlace(row);
	for (let column = columns.first; column <= columns.last; column++) {
		const n = gatherParts(column);
		if (!n) continue;
		divide(n, size);
		for (let i = 0, y = bottom; i < n; i++) {
			y -= parts[i].size;
			fillColumn(column, y, parts[i].size, parts[i].value < 0 ? paints.tick :
				valueColour(row, parts[i].value));
		}
	}
}

function paintDepths(row) {
	const { bottom, size } = rasterPlace(row), [fill, line] = depthPaints(row);
	for (let column = columns.first; column <= columns.last; column++) {
		const most = columns.count[column];
		if (!most) continue;
		const height = (depth) => Math.max(Math.round(depth / row.most * size), 1);
		const mean = height(columns.share[column * SLOTS]), top = height(most);
		fillColumn(column, bottom - mean, mean, fill);
		if (top > mean) fillColumn(column, bottom - top, 1, line);
	}
}

/* One event has the colour of its kind. */
const TICK_HEIGHT = 1 / 2;
function paintTicks(row) {
	const { bottom, size } = rasterPlace(row), wide = Math.ceil(raster.ratio);
	for (let column = columns.first; column <= columns.last; column++) {
		const count = columns.count[column];
		if (!count) continue;
		const height = Math.min(Math.round(size * (TICK_HEIGHT + Math.log2(count) / 8)), size);
		fillColumn(column, bottom - height, height, count === 1 ?
			valueColour(row, columns.value[column * SLOTS]) : paints.tick);
	}
	for (let column = columns.first; column <= columns.last; column++)
		for (let i = 0; columns.mark[column] && i <= wide && column + i < raster.width; i++)
			fillColumn(column + i, bottom - size, size, paints.bad);
}

function paintColumns(row) {
	switch (row.track.mode) {
	case DEPTH: paintDepths(row); break;
	case TICKS: paintTicks(row); break;
	default: paintShares(row);
	}
}

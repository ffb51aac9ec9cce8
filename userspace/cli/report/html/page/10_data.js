// SPDX-License-Identifier: GPL-2.0-only
/* The data of the page: elements that are decoded when they are needed. */
const $ = (id) => document.getElementById(id);
/* Times of the ring are too large for numbers of JavaScript, and become strings. */
const parseLong = (id) => JSON.parse($(id).textContent
	.replace(/("when"|"begin"|"end"): (\d+)/g, '$1: "$2"'));
const meta = parseLong("meta");
const why = parseLong("why");
const EVENTS = 0, SLICES = 1, LEVEL = 2, ARROWS = 3;
const FIRST_LEVEL = 8;			/* log2 of the shortest step */
const MOST_BYTES = 256 << 20;		/* of decoded elements */
const MOST_ITEMS = 16 << 20;		/* of decoded pieces */

/* A cache that drops the entry that was not used for the longest time. */
class Cache {
	constructor(most) { this.most = most; this.size = 0; this.map = new Map(); }
	get(key) {
		const entry = this.map.get(key);
		if (!entry) return undefined;
		this.map.delete(key);
		this.map.set(key, entry);
		return entry.value;
	}
	set(key, value, size) {
		this.map.set(key, { value, size });
		this.size += size;
		for (const [old, entry] of this.map) {
			if (this.size <= this.most || old === key) break;
			this.map.delete(old);
			this.size -= entry.size;
		}
	}
}

const elements = new Cache(MOST_BYTES);
const pieces = new Cache(MOST_ITEMS);
const loading = new Map();

function fromBase64(text) {
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Return the promise of an element's bytes. */
function loadElement(number) {
	const have = elements.get(number);
	if (have) return Promise.resolve(have);
	let promise = loading.get(number);
	if (!promise) {
		promise = inflate(fromBase64($("d" + number).textContent)).then((bytes) => {
			elements.set(number, bytes, bytes.length);
			loading.delete(number);
			return bytes;
		});
		loading.set(number, promise);
	}
	return promise;
}

class Reader {
	constructor(bytes, at) { this.bytes = bytes; this.at = at; }
	/* Numbers above 2^53 lose their low bits. */
	number() {
		const bytes = this.bytes;
		let value = 0, factor = 1, byte;
		do {
			byte = bytes[this.at++];
			value += (byte & 127) * factor;
			factor *= 128;
		} while (byte > 127);
		return value;
	}
	/* Return a number, or a BigInt if a number is too small. */
	signed() {
		const from = this.at;
		let value = this.number();
		if (this.at - from < 8) return value % 2 ? -(value + 1) / 2 : value / 2;
		value = 0n;
		for (let at = this.at - 1; at >= from; at--)
			value = value << 7n | BigInt(this.bytes[at] & 127);
		return value & 1n ? -(value + 1n) / 2n : value / 2n;
	}
	/* Return a reader of a column, and move behind that column. */
	column() {
		const size = this.number(), column = new Reader(this.bytes, this.at);
		this.at += size;
		column.end = this.at;
		return column;
	}
}

function decodeSlices(reader, piece) {
	const n = piece.count, gaps = reader.column(), lengths = reader.column(),
		values = reader.column();
	const begin = new Float64Array(n), end = new Float64Array(n), value = new Float64Array(n);
	for (let i = 0, at = piece.begin; i < n; i++) {
		begin[i] = at + gaps.number();
		end[i] = at = begin[i] + lengths.number();
		value[i] = values.number();
	}
	return { begin, end, value };
}

/* The names of steps: those of step i are from at[i] to at[i + 1], each with its share. */
function decodeNames(values, n) {
	const at = new Uint32Array(n + 1), names = [], shares = [];
	for (let i = 0; i < n; i++) {
		for (let rest = values.number(); rest; rest--) {
			names.push(values.number());
			shares.push(values.number());
		}
		at[i + 1] = names.length;
	}
	return { at, names, shares };
}

function decodeLevel(reader, piece) {
	const n = piece.count, step = 2 ** (FIRST_LEVEL + 2 * piece.level);
	let index = reader.number();
	const indexes = reader.column(), values = reader.column(), shares = reader.column();
	const begin = new Float64Array(n);
	for (let i = 0; i < n; i++) {
		index += indexes.number();
		begin[i] = index * step;
	}
	const steps = { begin, step, share: shares.bytes.subarray(shares.at, shares.end) };
	if (piece.mode === NAMES) return Object.assign(steps, decodeNames(values, n));
	steps.value = new Float64Array(n);
	for (let i = 0; i < n; i++) steps.value[i] = values.number();
	return steps;
}

/* A step of events has their number, or the type of a single one. */
const countOf = (value) => value % 2 ? 1 : value / 2;

function decodeTexts(column) {
	const texts = new Map(), decoder = new TextDecoder();
	let number = 0;
	while (column.at < column.end) {
		number += column.number();
		const size = column.number();
		const bytes = column.bytes.subarray(column.at, column.at + size);
		texts.set(number - 1, decoder.decode(bytes));
		column.at += size;
	}
	return texts;
}

function decodeEvents(reader, piece) {
	const n = piece.count, times = reader.column(), types = reader.column(),
		tasks = reader.column();
	const begin = new Float64Array(n), value = new Uint32Array(n), task = new Uint32Array(n);
	let at = piece.begin, last = 0;
	for (let i = 0; i < n; i++) {
		begin[i] = at += times.number();
		value[i] = types.number();
		const changed = tasks.number();
		if (changed) last = changed - 1;
		task[i] = last;
	}
	const texts = decodeTexts(reader.column());
	const hasValues = reader.number();
	return { begin, value, task, texts, hasValues, values: reader };
}

function decodeArrows(reader, piece) {
	const n = piece.count, columns = Array.from({ length: 6 }, () => reader.column());
	const arrows = [];
	for (let i = 0, last = 0; i < n; i++) {
		const [end, length, cpu, waker, task, flags] = columns.map((column) =>
			column.number());
		last += end;
		arrows.push({ begin: last - length, end: last, cpu, waker, task, flags });
	}
	return arrows;
}

const decoders = [decodeEvents, decodeSlices, decodeLevel, decodeArrows];

/* Return the contents of a piece, or undefined: its element is not decoded. */
function pieceNow(piece) {
	const have = pieces.get(piece);
	if (have) return have;
	const bytes = elements.get(piece.element);
	if (!bytes) return undefined;
	const data = decoders[piece.kind](new Reader(bytes, piece.offset), piece);
	pieces.set(piece, data, piece.count);
	return data;
}

/* Return the promise of a piece's contents. */
async function pieceLater(piece) {
	await loadElement(piece.element);
	return pieceNow(piece);
}

/*
 * Return the fields that an event of a type has in this piece: their names, and whether
 * they are signed.
 */
function fieldsOfType(events, type) {
	if (!type) return [["lost", true]];
	return events.hasValues ? meta.types[type - 1][4] : [];
}

/*
 * Return the fields of an event as pairs of name and value. The columns of the types come
 * one after the other, in the order of the types.
 */
function fieldsOf(events, index) {
	const reader = new Reader(events.values.bytes, events.values.at),
		type = events.value[index];
	const before = new Set(events.value.filter((other) => other < type));
	for (const other of [...before].sort((a, b) => a - b))
		fieldsOfType(events, other).forEach(() => reader.column());
	let place = 0;
	for (let i = 0; i < index; i++) place += events.value[i] === type;
	return fieldsOfType(events, type).map(([name, isSigned]) => {
		const column = reader.column();
		for (let i = 0; i < place; i++) column.signed();
		const value = column.signed();
		return [name, isSigned || value >= 0 ? value : BigInt.asUintN(64, BigInt(value))];
	});
}

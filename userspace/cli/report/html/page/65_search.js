// SPDX-License-Identifier: GPL-2.0-only
/* Search for names of events, tasks, system calls, handlers and reasons. */
const search = { text: "", types: new Set(), tasks: new Set(), texts: new Set(), run: 0 };

function indexesOf(list, matches) {
	const found = new Set();
	list.forEach((entry, i) => { if (matches(entry, i)) found.add(i); });
	return found;
}

function setSearch(text) {
	const wanted = text.trim().toLowerCase();
	search.text = wanted;
	search.run++;
	const has = (name) => Boolean(wanted) && String(name).toLowerCase().includes(wanted);
	search.types = new Set([...meta.types.keys()].map((i) => i + 1)
		.filter((type) => has((meta.types[type - 1][0] ?? "") + ":" + eventText(type))));
	if (has("lost events")) search.types.add(0);
	search.tasks = indexesOf(meta.tasks, (task, i) => i !== 1 && has(taskText(i)));
	search.texts = indexesOf(meta.texts, has);
	let events = 0;
	for (const type of search.types) events += type ? meta.types[type - 1][3] : meta.losses;
	const parts = [];
	const add = (found, word, more = "") => {
		if (found.size) parts.push(found.size + " " + word + (found.size > 1 ? "s" : "") +
			more);
	};
	add(search.types, "kind", ` of events (${events.toLocaleString("en")})`);
	add(search.tasks, "task");
	add(search.texts, "name");
	let summary = parts.join(", ") || "nothing";
	if (Number.isFinite(parseRing(wanted))) summary = "a time: Enter";
	$("found").textContent = wanted ? summary : "";
}

/* Return the set of values that a row is searched for, or null. */
function wantedOf(row) {
	if (row.track.mode === TICKS) return search.types;
	if (row.track.mode === DEPTH) return null;
	if (row.paint === "task") return search.tasks;
	return search.texts;
}

function isHit(row, value, wanted) {
	if (row.track.mode === STATES)
		return (value & 3) !== 0 && wanted.has(Math.floor(value / 4));
	return wanted.has(value);
}

/* A piece has a bit for each of its values modulo 32. */
function mayHit(row, piece, wanted) {
	if (row.track.mode === STATES) return true;
	for (const value of wanted) if (piece.mask >>> value % 32 & 1) return true;
	return false;
}

/* Return the first hit of a row behind a moment, or before it, nearer than the best one. */
async function hitIn(row, time, forward, best) {
	const wanted = wantedOf(row), list = row.track.pieces;
	if (!wanted || !wanted.size) return best;
	const behind = (of) => of.end <= time, before = (of) => of.begin < time;
	const from = firstNot(list.length, (k) => (forward ? behind : before)(list[k])) - !forward;
	for (let at = from; list[at]; at += forward ? 1 : -1) {
		const piece = list[at];
		if (best && (forward ? piece.begin >= best.time : piece.end <= best.time)) break;
		if (!mayHit(row, piece, wanted)) continue;
		const data = await pieceLater(piece);
		let i = firstNot(piece.count, (k) => data.begin[k] < time ||
			(forward && data.begin[k] === time)) - !forward;
		for (; i >= 0 && i < piece.count; i += forward ? 1 : -1) {
			if (best && (forward ? data.begin[i] >= best.time :
				data.begin[i] <= best.time)) break;
			if (isHit(row, data.value[i], wanted))
				return { time: data.begin[i], row, piece, data, index: i };
		}
	}
	return best;
}

async function nextHit(forward) {
	const run = ++search.run, selected = view.selected;
	const moment = parseRing(search.text);
	if (Number.isFinite(moment)) return setView(moment - view.time / 2, view.time);
	if (!search.text) return undefined;
	const time = selected ? selected.at : forward ? view.begin : view.begin + view.time;
	let best = null;
	for (const lane of lanes)
		for (const row of lane.rows) {
			best = await hitIn(row, time, forward, best);
			if (run !== search.run) return undefined;
		}
	if (!best) {
		$("found").textContent = forward ? "no later hit" : "no earlier hit";
		return undefined;
	}
	if (best.row.track.mode === TICKS) await selectEvent(best.row, best);
	else await selectSlice(best.row, { begin: best.time, end: best.data.end[best.index],
		value: best.data.value[best.index] });
	reveal(best.time, best.row.lane);
	return best;
}

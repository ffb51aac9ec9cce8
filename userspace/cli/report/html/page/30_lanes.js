// SPDX-License-Identifier: GPL-2.0-only
/* All lanes, each with rows, and the track of each row. */
const tracks = [];

class Track {
	constructor(number, mode, lane, title) {
		Object.assign(this, { number, mode, lane, title, pieces: [], levels: [] });
		tracks[number] = this;
	}
	/* The coarsest level that has steps of at most this time; -1: single slices are enough. */
	levelFor(time) {
		const level = Math.floor((Math.log2(time) - FIRST_LEVEL) / 2);
		return Math.min(level, this.levels.length - 1);
	}
	get isEmpty() { return !this.pieces.length; }
}

/* Return the index of the first element that does not come before, by a test. */
function firstNot(n, comesBefore) {
	let low = 0, high = n;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (comesBefore(middle)) low = middle + 1; else high = middle;
	}
	return low;
}

/* Return the pieces of a list, in the order of time, that are in a span of time. */
function* piecesIn(list, from, to) {
	const first = firstNot(list.length, (k) => list[k].end < from);
	for (let i = first; i < list.length && list[i].begin <= to; i++) yield list[i];
}

/* A task's name, its pid, and its number in its own namespace if that is another one */
const taskText = (index) => {
	const [pid, comm, nsPid] = meta.tasks[index] || [-1, ""];
	if (!pid) return "idle";
	return pid < 0 ? "other tasks" : (comm || "<...>") + "-" + pid + (nsPid ? ":" + nsPid : "");
};
const indexOfPid = new Map(meta.tasks.map(([pid], index) => [pid, index]));
const textOf = (number) => meta.texts[number] ?? "";
const eventText = (type) => {
	if (!type) return "lost events";
	const [, name, id] = meta.types[type - 1];
	return name ?? (id < 0 ? "event without a type" : "event " + id);
};

const NAMES = 0, STATES = 1, DEPTH = 2, TICKS = 3;
const STATE_NAMES = ["running", "runnable", "uninterruptible", "sleeping"];

/* Each row: the key of its track in the lane's description, mode, height, title, what it has */
const ROWS = {
	cpu: [["task", NAMES, 18, "task", "task"], ["call", NAMES, 13, "system call", "call"],
		["softirq", NAMES, 11, "softirq", "softirq"],
			["irq", NAMES, 13, "interrupt", "irq"],
		["ticks", TICKS, 9, "event", "ticks"]],
	task: [["state", STATES, 18, "state", "state"], ["call", NAMES, 13, "system call", "call"],
		["irq", NAMES, 11, "interrupted by", "irq"]],
	disk: [["queued", DEPTH, 24, "requests in the queue", "queued"],
		["issued", DEPTH, 24, "requests in the device", "issued"]],
};

/* In a merged recording each CPU has a host. */
function cpuName(cpu) {
	const host = (meta.hosts || []).find(([, first, nr]) => cpu >= first && cpu < first + nr);
	return "CPU " + cpu + (host ? " of " + host[0] : "");
}

function laneName(lane) {
	if (lane.kind === "cpu") return cpuName(lane.cpu);
	return lane.kind === "task" ? taskText(lane.index) :
		"disk " + lane.device + (lane.name ? " (" + lane.name + ")" : "");
}

function laneId(lane) {
	if (lane.kind === "cpu") return "cpu" + lane.cpu;
	return lane.kind === "task" ? "task" + meta.tasks[lane.index][0] : "disk" + lane.device;
}

function laneGroup(lane) {
	if (lane.kind !== "task") return "CPUs and devices";
	return meta.cgroups[(meta.tasks[lane.index][3] ?? 0) - 1] ?? "cgroup not known";
}

const allLanes = meta.lanes.map((lane) => ({ ...lane, id: laneId(lane), name: laneName(lane),
	group: laneGroup(lane), rows: [] }));
for (const lane of allLanes) {
	for (const [key, mode, height, title, paint] of ROWS[lane.kind])
		lane.rows.push({ track: new Track(lane[key], mode, lane, title), height, paint,
			lane, most: lane["most_" + key] });
	if (lane.kind === "cpu") {
		lane.arrowTrack = new Track(lane.arrows, NAMES, lane, "arrows");
		lane.tickTrack = tracks[lane.ticks];
	}
}

for (const row of JSON.parse($("index").textContent)) {
	const [element, offset, kind, owner, level, count, begin, time, mask] = row;
	const track = tracks[owner], piece = { element, offset, kind, level, count, begin,
		end: begin + time, mask, mode: track.mode };
	if (kind !== LEVEL) track.pieces.push(piece);
	else (track.levels[level] ??= []).push(piece);
}

/* A level that is too fine for the pieces of a track has no steps. */
for (const track of tracks)
	for (let i = 0; i < track.levels.length; i++) track.levels[i] ??= [];

/* Rows without data take no space. */
for (const lane of allLanes)
	lane.rows = lane.rows.filter((row) => !row.track.isEmpty || row.paint === "task" ||
		row.paint === "state");

const lanesOf = (kind) => allLanes.filter((lane) => lane.kind === kind);
const laneOfCpu = new Map(lanesOf("cpu").map((lane) => [lane.cpu, lane]));
const laneOfPid = new Map(lanesOf("task").map((lane) => [meta.tasks[lane.index][0], lane]));
const laneOfId = new Map(allLanes.map((lane) => [lane.id, lane]));
const rowOf = (lane, paint) =>
	lane && (lane.rows.find((row) => row.paint === paint) || lane.rows[0]);

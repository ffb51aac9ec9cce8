// SPDX-License-Identifier: GPL-2.0-only
/* The panel: the longest latencies, losses, the sums and the legend. */
const KIND_TITLES = { runqueue: "Waits for a CPU", offcpu: "Tasks that did not run",
	irq: "Interrupt handlers", softirq: "Softirqs", syscall: "System calls",
	"block-queue": "Requests in a queue", "block-device": "Requests in a device",
	hrtimer: "Functions of hrtimers", timer: "Functions of timers", workqueue: "Work items",
	lock: "Waits for locks of the kernel", reclaim: "Reclaim of memory",
	fault: "Page faults that slept", throttled: "Tasks without time left",
	"irqs-off": "Interrupts that were off" };

/* Control characters must not change the text around them. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const shown = (text) => text.replace(CONTROLS,
	(character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"));
const nsPidText = (pid) => {
	const nsPid = meta.tasks[indexOfPid.get(pid)]?.[2];
	return nsPid ? ":" + nsPid : "";
};
const personText = (of) => of.pid ?
	shown(of.comm ?? "<...>") + "-" + of.pid + nsPidText(of.pid) : "idle";
const nameOf = (worst) => shown(worst.name) +
	(worst.device ? " (" + shown(worst.device) + ")" : "");
const ringOf = (number) => Number(BigInt(number) - base);

/* The row where an interval can be seen */
function rowOfWorst(kind, worst) {
	const task = laneOfPid.get(worst.pid), cpu = laneOfCpu.get(worst.cpu);
	if (kind === "irq" || kind === "softirq") return rowOf(cpu, kind) || rowOf(task, "irq");
	if (kind === "syscall") return rowOf(task, "call") || rowOf(cpu, "call");
	if (kind.startsWith("block")) {
		const lane = laneOfId.get("disk" + worst.name.split(" ")[0]);
		return rowOf(lane, kind === "block-queue" ? "queued" : "issued") ||
			rowOf(cpu, "task");
	}
	return rowOf(task, "state") || rowOf(cpu, "task") || lanes[0]?.rows[0];
}

function arrowOfWorst(worst) {
	if (!worst.waker) return null;
	const task = indexOfPid.get(worst.pid), waker = indexOfPid.get(worst.waker.pid);
	return task === undefined ? null : { begin: worst.from, end: worst.to,
		cpu: worst.waker.cpu, task, waker, to: worst.cpu };
}

function wakerText(waker) {
	const inSoftirq = waker.flags & 0x10 ? "a softirq in " : "";
	const where = waker.flags & 0x08 ? "an interrupt of " : inSoftirq;
	return where + personText(waker) + " on " + cpuName(waker.cpu);
}

function selectWorst(kind, worst, tableRow) {
	const row = rowOfWorst(kind, worst);
	if (!row) return;
	show(worst.from, worst.to, row.lane);
	choose({ row, begin: worst.from, end: worst.to, at: worst.from, worst: true,
		arrows: [kind === "runqueue" ? arrowOfWorst(worst) : null].filter(Boolean) });
	tableRow?.classList.add("chosen");
	const ran = (worst.ran || []).map((of) => personText(of) + " for " + lengthText(of.ticks));
	showDetails(lengthText(worst.to - worst.from) + ": " + nameOf(worst),
		[["kind", KIND_TITLES[kind]], ["task", personText(worst)],
		["CPU", worst.cpu < 0 ? "not known" : cpuName(worst.cpu).slice(4)],
		...timePairs(worst.from, "begins"),
		["ends", worst.unfinished ? "not in the recording" : ringText(worst.to)],
		["woken by", worst.waker && wakerText(worst.waker)],
		[cpuName(worst.cpu) + " ran", ran.join(", ")]]);
}

function addWorst(table, kind, worst) {
	const row = element("tr", undefined, table), cell = element("td", undefined, row);
	const button = element("button", lengthText(worst.to - worst.from), cell);
	button.title = "show it: from " + ringText(worst.from);
	button.addEventListener("click", () => selectWorst(kind, worst, row));
	element("td", personText(worst) + (worst.cpu >= 0 ? ", " + cpuName(worst.cpu) : ""), row);
	element("td", nameOf(worst) + (worst.unfinished ? "; not ended" : ""), row);
}

const AT_FIRST = 3;
function addKind(panel, kind, title = KIND_TITLES[kind.kind]) {
	if (!kind.worst.length && !kind.discarded) return;
	element("h3", title ?? kind.kind, panel);
	let sums = kind.count.toLocaleString("en");
	if (kind.count + kind.unfinished > kind.worst.length)
		sums += `, the longest ${kind.worst.length} are here`;
	if (kind.unfinished) sums += `, ${kind.unfinished} not ended`;
	if (kind.discarded) sums += `, ${kind.discarded} with lost events left out`;
	element("p", sums, panel).className = "hint";
	if (!kind.worst.length) return;
	const table = element("table", undefined, panel);
	const head = element("tr", undefined, element("thead", undefined, table));
	for (const title of ["Length", "Task", "What"]) element("th", title, head).scope = "col";
	const body = element("tbody", undefined, table);
	kind.worst.slice(0, AT_FIRST).forEach((worst) => addWorst(body, kind.kind, worst));
	if (kind.worst.length <= AT_FIRST) return;
	const more = element("button", `${kind.worst.length - AT_FIRST} more`, panel);
	more.className = "more";
	more.addEventListener("click", () => {
		kind.worst.slice(AT_FIRST).forEach((worst) => addWorst(body, kind.kind, worst));
		more.remove();
	});
}

/* The lengths of the list are ns, and the page's times are those of the ring's clock. */
const ringLength = (ns) => meta.ring_step ? ns * meta.ring_step / meta.real_step : ns;
function prepareWorst() {
	for (const kind of [...meta.kinds, ...meta.uninterruptible])
		for (const worst of kind.worst) {
			worst.from = ringOf(worst.when);
			worst.to = worst.from + ringLength(worst.length);
			for (const ran of worst.ran || []) ran.ticks = ringLength(ran.time);
		}
}

function addLosses(panel) {
	if (!meta.loss.length) return;
	element("h2", "Lost events", panel);
	const body = element("tbody", undefined, element("table", undefined, panel));
	for (const [time, cpu, lost] of meta.loss.slice(0, 100)) {
		const row = element("tr", undefined, body), lane = laneOfCpu.get(cpu);
		const text = lost === null ? "unknown" : lost.toLocaleString("en");
		const button = element("button", text, element("td", undefined, row));
		button.addEventListener("click", () => {
			setView(time - view.time / 2, Math.min(view.time, total / 20));
			if (lane) selectIn(rowOf(lane, "ticks"), time, perPixel() * 3).then(() =>
				reveal(time, lane));
		});
		element("td", cpuName(cpu), row);
		element("td", ringText(time), row);
	}
	const more = `and ${(meta.losses - 100).toLocaleString("en")} more losses, marked in red`;
	if (meta.losses > 100) element("p", more, panel).className = "hint";
}

function addLegend() {
	const entries = [...theme.states.map((fill, state) => [fill, STATE_NAMES[state]]),
		[css(colour("irq", 1)), "interrupt"], [css(colour("softirq", 1)), "softirq"],
		[css(colour("call", 1)), "system call"], [theme.depth[0], "queued"],
		[theme.depth[1], "in the device"], [theme.bad, "lost events"], [theme.tick, "several names or events"]];
	$("legend").replaceChildren();
	for (const [fill, text] of entries) {
		const entry = element("span", undefined, $("legend"));
		element("i", undefined, entry).style.background = fill;
		entry.append(text);
	}
}

function addSums() {
	const lost = (meta.lost_unknown ? "more than " : "") + meta.lost.toLocaleString("en") +
		" lost";
	$("title").textContent = document.title = meta.file;
	$("title").title = meta.file + (meta.uname ? "\n" + meta.uname : "");
	$("sums").textContent = meta.events.toLocaleString("en") + " events, ";
	element("span", lost, $("sums")).className = meta.lost || meta.lost_unknown ? "bad" : "";
	if (meta.not_selected !== undefined)
		$("sums").append(`, ${meta.not_selected.toLocaleString("en")} not selected`);
}

function setTheme(name) {
	theme = THEMES[name];
	document.documentElement.dataset.theme = name;
	preparePaints();
	addLegend();
	redraw();
}

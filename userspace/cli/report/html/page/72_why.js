// SPDX-License-Identifier: GPL-2.0-only
/* The panel of rbmap why: why tasks waited, with the share of each cause. */
const LEAST_CHAIN = 0.1;		/* share of a cause whose tasks get lanes */

/* The tasks of the causes that count, the one that waited first */
function chainOf(stall) {
	const pids = [stall.pid];
	for (const cause of stall.causes) {
		if (cause.time < stall.time * LEAST_CHAIN) continue;
		pids.push(...cause.chain.map((link) => link.pid));
		if (cause.actor > 0) pids.push(cause.actor);
	}
	return [...new Set(pids)];
}

function addCauses(parent, stall) {
	const body = element("tbody", undefined, element("table", undefined, parent));
	const add = (time, text) => {
		const share = stall.time ? time / stall.time : 0, row = element("tr", undefined, body);
		element("td", lengthText(ringLength(time)), row);
		element("td", Math.round(share * 100) + " %", row).className = "share";
		element("td", shown(text), row);
	};
	for (const cause of stall.causes) add(cause.time, cause.text);
	if (stall.others) add(stall.others, "other causes");
}

async function selectStall(stall, entry) {
	const pids = chainOf(stall), chain = pids.map((pid) => laneOfPid.get(pid)).filter(Boolean);
	const begin = ringOf(stall.begin), end = ringOf(stall.end);
	const indexes = new Set(pids.map((pid) => indexOfPid.get(pid)));
	const cpu = stall.causes.find((cause) => cause.cpu >= 0)?.cpu;
	const row = rowOf(laneOfPid.get(stall.pid), "state") || rowOf(laneOfCpu.get(cpu), "task") ||
		lanes[0]?.rows[0];
	if (!row) return;
	addLanes(chain.filter((lane) => !isShown(lane)));
	show(begin, end, row.lane);
	const wakes = await wakesIn(begin, end, (arrow) =>
		indexes.has(arrow.task) && indexes.has(arrow.waker));
	choose({ row, begin, end, at: begin, arrows: wakes.slice(0, MOST_ARROWS) });
	entry.classList.add("chosen");
	showDetails(shown(stall.sentence), [
		["task", taskText(indexOfPid.get(stall.pid) ?? -1)],
		["waited", lengthText(end - begin)], ...timePairs(begin, "begins"),
		["ends", ringText(end)],
		["chain", pids.map((pid) => taskText(indexOfPid.get(pid) ?? -1)).join(" ← ")],
		["wake-ups", wakes.length ? wakes.length + " between these tasks" +
			restText(wakes) : ""]]);
}

function addStall(panel, stall) {
	const entry = element("div", undefined, panel);
	entry.className = "stall";
	const button = element("button", lengthText(ringLength(stall.time)), entry);
	button.addEventListener("click", () => selectStall(stall, entry));
	entry.append(" " + shown(stall.sentence) + ".");
	const causes = element("details", undefined, entry);
	element("summary", stall.causes.length === 1 ? "1 cause" : stall.causes.length + " causes",
		causes);
	addCauses(causes, stall);
}

/* Which parts of the recording had no room in memory? */
function cutPlaces() {
	const places = [];
	if (why.cut_until) places.push("until " + ringText(ringOf(why.cut_until), 6));
	if (why.cut_after) places.push("after " + ringText(ringOf(why.cut_after), 6));
	return places.join(" and ");
}

function whyHints() {
	const hints = [];
	const add = (count, text) => { if (count) hints.push(count.toLocaleString("en") + text); };
	if (!why.has_switches)
		hints.push("The recording has no sched_switch, so it does not tell who waited.");
	else if (!why.stalls.length) hints.push("No task waited for anything but work.");
	add(why.more, " more waits: rbmap why --worst");
	add(why.left_out, " shorter waits were not examined.");
	add(why.cut, " intervals " + cutPlaces() + " were not examined, because there are too many: --since.");
	if (why.lacking.length)
		hints.push("The recording lacks " + why.lacking.map((of) => "-e " + of).join(", ") +
			": rbmap record --for why has all.");
	return hints;
}

function addWhy(panel) {
	if (!why) return;
	element("h2", "Why tasks waited", panel);
	const list = element("div", undefined, panel), rest = why.stalls.slice(AT_FIRST);
	for (const stall of why.stalls.slice(0, AT_FIRST)) addStall(list, stall);
	if (rest.length) {
		const more = element("button", `${rest.length} more`, panel);
		more.className = "more";
		more.addEventListener("click", () => {
			for (const stall of rest) addStall(list, stall);
			more.remove();
		});
	}
	for (const hint of whyHints()) element("p", hint, panel).className = "hint";
}

// SPDX-License-Identifier: GPL-2.0-only
/* Mouse and keys */
const CLICK = 4;			/* pixels that a click may move */
let drag = null;

function placeOf(event) {
	const box = canvas.getBoundingClientRect();
	return [event.clientX - box.left, event.clientY - box.top];
}

function laneAt(y) {
	const isIn = (of) => y >= topOf(of) - GAP / 2 && y < topOf(of) + of.height + GAP / 2;
	if (y < TOP) return null;
	return lanes.find((of) => Boolean(of.stays) === (y < TOP + pinnedHeight) && isIn(of)) ??
		null;
}

function rowAt(y) {
	const lane = laneAt(y);
	return lane && (lane.rows.find((row) => y < rowTop(row) + row.height + 1) ||
		lane.rows[lane.rows.length - 1]);
}

/* A click on a name makes the lane the one that keys change, or uses its signs. */
function clickName(x, y) {
	const lane = laneAt(y);
	view.lane = lane;
	if (lane && y < topOf(lane) + 18 && x >= signsLeft() + SIGN_WIDTH) hideLanes([lane]);
	else if (lane && y < topOf(lane) + 18 && x >= signsLeft()) pinLane(lane);
	if (table.ofLane) showEvents();
	redraw();
}

async function click(x, y) {
	const row = rowAt(y);
	const most = perPixel() * (row?.track.mode === TICKS ? 6 : 3);
	if (x < view.left) return clickName(x, y);
	if (row && await selectIn(row, timeOf(x), most)) return undefined;
	choose(null);
	view.lane = row?.lane ?? null;
	if (y >= TOP) setCursor(timeOf(x));
	return undefined;
}

function moveOverview(x) {
	setView((x - view.left) / (view.width - view.left) * total - view.time / 2, view.time);
}

canvas.addEventListener("pointerdown", (event) => {
	const [x, y] = placeOf(event);
	if (event.button) return;
	canvas.setPointerCapture(event.pointerId);
	drag = { x, y, lastX: x, lastY: y, moved: false, overview: y < OVERVIEW,
		measure: event.shiftKey && y >= OVERVIEW };
	view.measure = null;
	if (drag.overview) moveOverview(x);
	redraw();
});

/* A name that is cut is whole here. */
function nameTitle(x, y) {
	const lane = x < view.left ? laneAt(y) : null;
	return lane ? lane.name + (lane.kind === "task" ? "\n" + lane.group : "") : "";
}

canvas.addEventListener("pointermove", (event) => {
	const [x, y] = placeOf(event);
	if (!drag) {
		canvas.title = nameTitle(x, y);
		return;
	}
	drag.moved ||= Math.hypot(x - drag.x, y - drag.y) > CLICK;
	if (drag.overview) moveOverview(x);
	else if (drag.measure) view.measure = [timeOf(drag.x), timeOf(x)];
	else if (drag.moved) {
		setView(view.begin - (x - drag.lastX) * perPixel(), view.time);
		scrollLanes(drag.lastY - y);
	}
	[drag.lastX, drag.lastY] = [x, y];
	redraw();
});

canvas.addEventListener("pointerup", (event) => {
	const was = drag;
	drag = null;
	if (was && !was.moved && !was.overview && !was.measure) click(...placeOf(event));
});
canvas.addEventListener("pointercancel", () => { drag = null; });
canvas.addEventListener("dblclick", () => {
	const selected = view.selected;
	if (selected && selected.end > selected.begin)
		show(selected.begin, selected.end, selected.row.lane, 0.8);
});

canvas.addEventListener("wheel", (event) => {
	const [x] = placeOf(event), by = event.deltaMode ? event.deltaY * 30 : event.deltaY;
	event.preventDefault();
	if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
		pan((event.deltaX || by) / 1000);
	else if (x < view.left) scrollLanes(by);
	else zoom(2 ** Math.min(Math.max(by / 200, -1), 1), x);
}, { passive: false });

const withLane = (action) => () => { if (view.lane) action(view.lane); };

function help(open) {
	if (open) $("help").showModal(); else $("help").close();
}

function escape() {
	view.measure = null;
	view.cursor = null;
	showEvents();
	if (document.activeElement !== document.body) document.activeElement.blur();
	choose(null);
}

const isDark = () => document.documentElement.dataset.theme === "dark";
const otherTheme = () => setTheme(isDark() ? "light" : "dark");
const KEYS = {
	w: () => zoom(0.5), "+": () => zoom(0.5), "=": () => zoom(0.5),
	s: () => zoom(2), "-": () => zoom(2),
	a: () => pan(-0.2), ArrowLeft: () => pan(-0.2),
	d: () => pan(0.2), ArrowRight: () => pan(0.2),
	ArrowUp: () => scrollLanes(-60), ArrowDown: () => scrollLanes(60),
	f: fit, n: () => nextHit(true), N: () => nextHit(false),
	j: () => stepLane(1), k: () => stepLane(-1), l: chooseLanes,
	h: withLane((lane) => hideLanes([lane])), p: withLane(pinLane),
	g: () => groupLanes(!arrangement.byGroup), e: changeScope,
	"[": () => stepSlice(false), "]": () => stepSlice(true),
	",": () => stepCursor(false), ".": () => stepCursor(true),
	"/": () => $("search").focus(), "?": () => help(true), t: otherTheme, Escape: escape,
};

addEventListener("keydown", (event) => {
	if (event.ctrlKey || event.altKey || event.metaKey) return;
	if ($("help").open) {
		if (event.key === "Escape" || event.key === "?") help(false);
		return;
	}
	if ($("chooser").open) return;
	if (event.target === $("search") && event.key !== "Escape") return;
	if (event.target.closest?.("aside") && event.key.startsWith("Arrow")) return;
	const action = KEYS[event.key];
	if (!action) return;
	event.preventDefault();
	action();
});

$("search").addEventListener("input", () => setSearch($("search").value));
$("search").addEventListener("keydown", (event) => {
	if (event.key === "Enter") nextHit(!event.shiftKey);
});
$("next").addEventListener("click", () => nextHit(true));
$("previous").addEventListener("click", () => nextHit(false));
$("fit").addEventListener("click", fit);
$("theme").addEventListener("click", otherTheme);
$("ask").addEventListener("click", () => help(true));
$("close").addEventListener("click", () => help(false));
$("lanes").addEventListener("click", chooseLanes);
$("filter").addEventListener("input", listLanes);
$("bygroup").addEventListener("change", () => groupLanes($("bygroup").checked));
$("all").addEventListener("click", () => { addLanes(lanesListed()); listLanes(); });
$("none").addEventListener("click", () => { hideLanes(lanesListed()); listLanes(); });
$("done").addEventListener("click", () => $("chooser").close());
/* The timer of keepFragment() may have changed the address meanwhile. */
addEventListener("hashchange", (event) => useFragment(new URL(event.newURL).hash));

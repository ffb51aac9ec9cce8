// SPDX-License-Identifier: GPL-2.0-only
/* Mouse and keys */
const CLICK = 4;			/* pixels that a click may move */
let drag = null;

function placeOf(event) {
	const box = canvas.getBoundingClientRect();
	return [event.clientX - box.left, event.clientY - box.top];
}

function rowAt(y) {
	const at = y - TOP + view.y;
	const lane = lanes.find((of) => at >= of.y - GAP / 2 && at < of.y + of.height + GAP / 2);
	if (!lane || y < TOP) return null;
	return lane.rows.find((row) => at < row.y + row.height + 1) ||
		lane.rows[lane.rows.length - 1];
}

async function click(x, y) {
	const row = rowAt(y);
	const most = perPixel() * (row?.track.mode === TICKS ? 6 : 3);
	if (!row || x < NAMES_WIDTH || !await selectIn(row, timeOf(x), most)) choose(null);
}

function moveOverview(x) {
	setView((x - NAMES_WIDTH) / (view.width - NAMES_WIDTH) * total - view.time / 2, view.time);
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

canvas.addEventListener("pointermove", (event) => {
	if (!drag) return;
	const [x, y] = placeOf(event);
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
	else if (x < NAMES_WIDTH) scrollLanes(by);
	else zoom(2 ** Math.min(Math.max(by / 200, -1), 1), x);
}, { passive: false });

function help(open) {
	if (open) $("help").showModal(); else $("help").close();
}

function escape() {
	view.measure = null;
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
	"/": () => $("search").focus(), "?": () => help(true), t: otherTheme, Escape: escape,
};

addEventListener("keydown", (event) => {
	if (event.ctrlKey || event.altKey || event.metaKey) return;
	if ($("help").open) {
		if (event.key === "Escape" || event.key === "?") help(false);
		return;
	}
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
addEventListener("hashchange", useFragment);

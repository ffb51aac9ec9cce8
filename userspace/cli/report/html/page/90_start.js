// SPDX-License-Identifier: GPL-2.0-only
function resize() {
	const box = $("stage").getBoundingClientRect(), ratio = devicePixelRatio;
	view.width = Math.max(box.width, NARROW_NAMES + 100);
	view.height = Math.max(box.height, TOP + 50);
	canvas.width = Math.round(view.width * ratio);
	canvas.height = Math.round(view.height * ratio);
	placeLanes();
	scrollLanes(0);
	redraw();
}

function start() {
	const dark = matchMedia("(prefers-color-scheme: dark)");
	addSums();
	prepareWorst();
	addWhy($("why-panel"));
	for (const kind of meta.uninterruptible)
		addKind($("worst"), kind, "Uninterruptible sleeps");
	for (const kind of meta.kinds) addKind($("worst"), kind);
	addLosses($("losses"));
	setTheme(dark.matches ? "dark" : "light");
	dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
	choose(null);
	new ResizeObserver(resize).observe($("stage"));
	resize();
	if (!useFragment(location.hash)) fit();
	tellCounts();
	countOverview(Math.max(Math.min(Math.round(view.width - view.left), 2000), 100));
}

start();

/* For scripts in the console, and for the tests. */
window.rbmapPage = { meta, why, view, arrangement, setView, fit, xOf, timeOf, topOf, rowTop, draw,
	rowAt, TOP, table, get lanes() { return lanes; }, get groups() { return groups; },
	get drawn() { return drawn; }, get isLoading() { return loading.size > 0 || drawing; } };

// SPDX-License-Identifier: GPL-2.0-only
function resize() {
	const box = $("stage").getBoundingClientRect(), ratio = devicePixelRatio;
	view.width = Math.max(box.width, NAMES_WIDTH + 100);
	view.height = Math.max(box.height, TOP + 50);
	canvas.width = Math.round(view.width * ratio);
	canvas.height = Math.round(view.height * ratio);
	scrollLanes(0);
	redraw();
}

function start() {
	const dark = matchMedia("(prefers-color-scheme: dark)");
	addSums();
	prepareWorst();
	for (const kind of meta.uninterruptible)
		addKind($("worst"), kind, "Uninterruptible sleeps");
	for (const kind of meta.kinds) addKind($("worst"), kind);
	addLosses($("losses"));
	setTheme(dark.matches ? "dark" : "light");
	dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
	choose(null);
	new ResizeObserver(resize).observe($("stage"));
	resize();
	if (!useFragment()) fit();
	countOverview(Math.max(Math.min(Math.round(view.width - NAMES_WIDTH), 2000), 100));
}

start();

/* For scripts in the console, and for the tests. */
window.rbmapPage = { meta, view, lanes, setView, fit, xOf, timeOf, draw, rowAt, TOP, NAMES_WIDTH,
	get drawn() { return drawn; }, get isLoading() { return loading.size > 0 || drawing; } };

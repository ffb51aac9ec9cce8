// SPDX-License-Identifier: GPL-2.0-only
/* The part of the recording that is shown, and its place on the screen. */
const NAMES_WIDTH = 150, OVERVIEW = 30, AXIS = 20, TOP = OVERVIEW + AXIS;
const canvas = $("canvas");
const total = Math.max(meta.last, 1);
const SHORTEST = 50;			/* time of the smallest view */

/* begin: time at the left; time: that of the whole width; y: how far the lanes are scrolled */
const view = { begin: 0, time: total, y: 0, width: 800, height: 400, selected: null,
	measure: null };
const perPixel = () => view.time / (view.width - NAMES_WIDTH);
const xOf = (time) => NAMES_WIDTH + (time - view.begin) / perPixel();
const timeOf = (x) => view.begin + (x - NAMES_WIDTH) * perPixel();

let drawing = false, drawn = 0;
function redraw() {
	if (drawing) return;
	drawing = true;
	requestAnimationFrame(() => {
		drawing = false;
		drawn++;
		draw();
	});
}

function setView(begin, time) {
	view.time = Math.min(Math.max(time, SHORTEST), total * 1.04);
	const margin = view.time * 0.02;
	const latest = Math.max(total + margin - view.time, -margin);
	view.begin = Math.min(Math.max(begin, -margin), latest);
	keepFragment();
	redraw();
}

const fit = () => setView(-total * 0.02, total * 1.04);
const pan = (part) => setView(view.begin + view.time * part, view.time);
function zoom(factor, x = (view.width + NAMES_WIDTH) / 2) {
	const at = timeOf(x), time = Math.min(Math.max(view.time * factor, SHORTEST), total * 1.04);
	setView(at - (at - view.begin) * time / view.time, time);
}

function scrollLanes(by) {
	const most = Math.max(lanesHeight - (view.height - TOP), 0);
	view.y = Math.min(Math.max(view.y + by, 0), most);
	redraw();
}

/* Let a span of time be in the middle, and a lane be visible. */
function show(begin, end, lane, part = 0.5) {
	const time = Math.max((end - begin) / part, SHORTEST);
	setView((begin + end) / 2 - time / 2, time);
	showLane(lane);
}

function showLane(lane) {
	if (!lane) return;
	const below = lane.y + lane.height - (view.height - TOP) - view.y;
	if (below > 0) scrollLanes(below);
	if (lane.y < view.y) scrollLanes(lane.y - view.y);
}

/* ---- the moment in the address: #t=SECONDS&w=SECONDS&lane=NAME&row=ROW&s=SECONDS */
const RING_UNIT = meta.counter ? 1 : 1e9;
let fragmentTimer = 0;

function fragment() {
	const words = ["t=" + ringText(view.begin + view.time / 2), "w=" + view.time / RING_UNIT];
	const selected = view.selected;
	if (selected)
		words.push("lane=" + encodeURIComponent(selected.row.lane.id),
			"row=" + selected.row.paint, "s=" + ringText(selected.at));
	return "#" + words.join("&");
}

/* Browsers limit how often an address may change. */
function keepFragment() {
	clearTimeout(fragmentTimer);
	fragmentTimer = setTimeout(() => history.replaceState(null, "", fragment()), 200);
}

/* Show the moment in the address. Return whether the address has one. */
function useFragment() {
	const words = new URLSearchParams(location.hash.slice(1));
	const at = parseRing(words.get("t") ?? ""), lane = laneOfId.get(words.get("lane"));
	if (!Number.isFinite(at)) return false;
	const time = Number(words.get("w")) * RING_UNIT || total / 100;
	setView(at - time / 2, time);
	if (lane) {
		const moment = parseRing(words.get("s") ?? words.get("t"));
		showLane(lane);
		selectAt(lane, Number.isFinite(moment) ? moment : at, words.get("row"));
	}
	return true;
}

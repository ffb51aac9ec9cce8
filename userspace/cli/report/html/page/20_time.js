// SPDX-License-Identifier: GPL-2.0-only
/* Times and lengths as text. A time of the page counts from the first event. */
const base = BigInt(meta.base);
const inCycles = meta.unit === "cycles";
const nsOf = (length) => meta.ring_step ? length * meta.real_step / meta.ring_step : length;

/* Three digits, as rbmap latency has them: the rest is cut off. */
function lengthText(length) {
	if (inCycles) return Math.round(length) + " cycles";
	let ns = nsOf(length), unit = 0;
	for (; ns >= 1000 && unit < 3; unit++) ns /= 1000;
	const decimals = !unit || ns >= 100 ? 0 : ns >= 10 ? 1 : 2, factor = 10 ** decimals;
	return (Math.floor(ns * factor + 1e-9) / factor).toFixed(decimals) + " " +
		["ns", "µs", "ms", "s"][unit];
}

/* Return the ring's time as rbmap report prints it, with so many decimals. */
function ringText(time, decimals = 9) {
	const whole = base + BigInt(Math.round(time));
	if (meta.counter) return whole.toString();
	const digits = whole.toString().padStart(10, "0");
	const seconds = digits.slice(0, -9), rest = digits.slice(-9, decimals ? undefined : -9);
	return decimals ? seconds + "." + rest.slice(0, decimals) : seconds;
}

/* Return the time of a text that ringText() made, or NaN. */
function parseRing(text) {
	const match = /^(\d+)(?:\.(\d{1,9}))?$/.exec(text);
	if (!match) return NaN;
	const fraction = BigInt((match[2] || "").padEnd(9, "0"));
	const ring = meta.counter ? BigInt(match[1]) : BigInt(match[1]) * 1000000000n + fraction;
	return Number(ring - base);
}

function wallText(time) {
	if (!meta.base_real) return "";
	const real = BigInt(meta.base_real) + BigInt(Math.round(nsOf(time)));
	const date = new Date(Number(real / 1000000n));
	const pad = (number) => String(number).padStart(2, "0");
	return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ` +
		`${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.` +
		String(real % 1000000000n).padStart(9, "0");
}

/* Return a length that is a step of the axis without decimals that say nothing. */
function stepText(length) {
	if (inCycles) return Math.round(length) + " cycles";
	const ns = nsOf(length), unit = [1, 1e3, 1e6, 1e9].findLastIndex((size) => ns >= size);
	return Number((ns / 1000 ** Math.max(unit, 0)).toPrecision(6)) + " " +
		["ns", "µs", "ms", "s"][Math.max(unit, 0)];
}

/* Return the distance of marks on the axis, so that they are at least that far apart. */
function axisStep(least) {
	const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
	return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}

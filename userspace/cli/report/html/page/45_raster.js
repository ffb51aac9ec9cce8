// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pixels of the lanes. A frame has tens of thousands of small rectangles. To write them
 * into an array takes a tenth of the time that the canvas needs for them.
 */
const raster = { width: 0, height: 0, ratio: 1, image: null, pixels: new Uint32Array(0), left: 0,
	top: 0 };
const labels = [];			/* texts that are painted over the pixels */

/* The order of the bytes is that of all machines with browsers: the red one first. */
const rgb = (red, green, blue) => (0xff000000 | blue << 16 | green << 8 | red) >>> 0;
const hex = (text) => rgb(...[1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));

function hsl(hue, saturation, lightness) {
	const size = saturation * Math.min(lightness, 1 - lightness);
	const part = (n) => {
		const k = (n + hue / 30) % 12;
		return Math.round(255 * (lightness - size * Math.max(-1,
			Math.min(k - 3, 9 - k, 1))));
	};
	return rgb(part(0), part(8), part(4));
}

const css = (colour) => `rgb(${colour & 255} ${colour >> 8 & 255} ${colour >> 16 & 255})`;

/* Return a colour between two others. */
function mix(from, to, part) {
	const of = (shift) => Math.round((from >> shift & 255) * (1 - part) +
		(to >> shift & 255) * part);
	return rgb(of(0), of(8), of(16));
}

/* The raster covers the canvas right of this place, and below it. */
function beginRaster(left, top, width, height, back) {
	const ratio = devicePixelRatio, w = Math.max(Math.ceil((width - left) * ratio), 1),
		h = Math.max(Math.ceil((height - top) * ratio), 1);
	if (w !== raster.width || h !== raster.height) {
		raster.image = new ImageData(w, h);
		raster.pixels = new Uint32Array(raster.image.data.buffer);
	}
	Object.assign(raster, { width: w, height: h, ratio, left, top });
	raster.pixels.fill(back);
	labels.length = 0;
}

function fill(x, y, width, height, colour) {
	const { ratio, pixels, width: w, height: h } = raster;
	const left = Math.max(Math.floor((x - raster.left) * ratio), 0);
	const end = Math.floor((x + width - raster.left) * ratio);
	const right = Math.min(Math.max(end, left + 1), w);
	const top = Math.max(Math.floor((y - raster.top) * ratio), 0);
	const below = Math.floor((y + height - raster.top) * ratio);
	const bottom = Math.min(Math.max(below, top + 1), h);
	if (right - left === 1) {
		for (let row = top; row < bottom; row++) pixels[row * w + left] = colour;
		return;
	}
	for (let row = top; row < bottom; row++)
		pixels.fill(colour, row * w + left, row * w + right);
}

function endRaster() {
	context.putImageData(raster.image, Math.round(raster.left * raster.ratio),
		Math.round(raster.top * raster.ratio));
}

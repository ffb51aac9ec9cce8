// SPDX-License-Identifier: GPL-2.0-only
/* Events that nobody wants: recording is off. */
#include <linux/ring_buffer.h>

#include "bench.h"

#define SIZE	16

static const struct bench_way *first_of(const struct bench_rival *rival, u32 size)
{
	const struct bench_way *way = rival->ways;

	while (way->size != size)
		way++;
	return way;
}

static int add(const struct bench_rival *rival, u32 n)
{
	const struct bench_way *way = first_of(rival, SIZE);
	struct bench_row row = {
		.rival = rival->name, .way = way->name, .size = SIZE, .n = n,
	};

	way->run(n);
	row.ns = way->run(n);
	return bench_add_row(&row);
}

/**
 * bench_disabled - what events cost while recording is off
 * @n: how many
 * @unused: nothing
 *
 * Of rbmap in the ring that is kept; whoever keeps it has turned it off.
 *
 * Return: 0 or an error.
 */
int bench_disabled(u32 n, unsigned int unused)
{
	const struct bench_ring ring = { .kb = 1408, .overwrite = true };
	int err;

	err = add(&bench_rbmap, n);
	err = err ?: bench_ring_buffer.begin(&ring);
	if (err)
		return err;
	bench_ring_buffer.disable();
	err = add(&bench_ring_buffer, n);
	bench_ring_buffer.end();
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Events of 16 bytes in the held ring, and in other rings while recording is off. */
#include <linux/errno.h>

#include "bench.h"

#define SIZE	16

static int add(const struct bench_rival *rival, u32 n)
{
	const struct bench_way *way = bench_first_way(rival, SIZE);
	struct bench_row row = {
		.rival = rival->name, .way = way->name, .size = SIZE, .n = n,
	};

	way->run(n);
	row.ns = way->run(n);
	return bench_add_row(&row);
}

/**
 * bench_fill - write events into the held ring
 * @n: number of events; as many are written before, uncounted
 * @unused: ignored
 *
 * Return: 0, or a negative error.
 */
int bench_fill(u32 n, unsigned int unused)
{
	return bench_is_held() ? add(&bench_rbmap, n) : -ENOENT;
}

/**
 * bench_disabled - measure events of the kernel's ring while recording is off
 * @n: number of events
 * @unused: ignored
 *
 * Only user space turns rbmap's recording off: bench_fill() measures it then.
 *
 * Return: 0, or a negative error.
 */
int bench_disabled(u32 n, unsigned int unused)
{
	const struct bench_ring ring = { .kb = 1408, .overwrite = true };
	int err;

	err = bench_ring_buffer.begin(&ring);
	if (err)
		return err;
	bench_ring_buffer.disable();
	err = add(&bench_ring_buffer, n);
	bench_ring_buffer.end();
	return err;
}

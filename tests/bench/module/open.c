// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that fill more than half of a sub-buffer, so that each one opens the next
 * sub-buffer.  Their payload is not written.
 */
#include <linux/mm.h>

#include "bench.h"

/* KiB of a sub-buffer of the held ring; 0: no ring is held */
static unsigned int held_kb;

static u64 run(const struct bench_rival *rival, size_t size, u32 n)
{
	struct bench_room room;
	unsigned long flags;
	u64 begin;
	u32 i;

	local_irq_save(flags);
	begin = ktime_get_ns();
	for (i = 0; i < n && rival->reserve(&room, size); i++)
		rival->commit(&room);
	begin = ktime_get_ns() - begin;
	local_irq_restore(flags);
	return i == n ? begin : 0;
}

/**
 * bench_open - measure events that open a sub-buffer
 * @n: number of events
 * @subbuf_kb: KiB of a sub-buffer; the kernel's ring is measured with a page only
 *
 * Return: 0, or a negative error.
 */
int bench_open(u32 n, unsigned int subbuf_kb)
{
	const struct bench_ring ring = {
		.kb = 8 * subbuf_kb, .subbuf_kb = subbuf_kb, .overwrite = true,
	};
	const struct bench_rival *const *rival;
	int err = 0;

	for (rival = bench_rivals; !err && *rival; rival++) {
		struct bench_row row = {
			.rival = (*rival)->name, .way = "open",
			.size = subbuf_kb << 9, .n = n,
		};

		if (subbuf_kb << 10 != PAGE_SIZE && *rival != &bench_rbmap)
			continue;
		err = (*rival)->begin(&ring);
		if (err)
			break;
		run(*rival, row.size, n);
		row.ns = run(*rival, row.size, n);
		(*rival)->end();
		err = row.ns ? bench_add_row(&row) : -EIO;
	}
	return err;
}

/**
 * bench_hold - make a ring and hold it, so that a program can read it
 * @subbuf_kb: KiB of its sub-buffers
 * @unused: ignored
 *
 * Return: 0, or a negative error.
 */
int bench_hold(u32 subbuf_kb, unsigned int unused)
{
	const struct bench_ring ring = {
		.kb = 8 * subbuf_kb, .subbuf_kb = subbuf_kb, .overwrite = true,
	};
	int err = bench_rbmap.begin(&ring);

	if (!err)
		held_kb = subbuf_kb;
	return err;
}

/**
 * bench_held - the same as bench_open(), in the held ring
 * @n: number of events
 * @unused: ignored
 *
 * Return: 0, or a negative error.
 */
int bench_held(u32 n, unsigned int unused)
{
	struct bench_row row = {
		.rival = bench_rbmap.name, .way = "open",
		.size = held_kb << 9, .n = n,
	};

	if (!held_kb)
		return -ENOENT;
	row.ns = run(&bench_rbmap, row.size, n);
	return row.ns ? bench_add_row(&row) : -EIO;
}

/** bench_is_held - tell whether a ring is held */
bool bench_is_held(void)
{
	return held_kb;
}

/**
 * bench_let_go - free the held ring
 * @unused: ignored
 * @unused_too: ignored
 *
 * Return: 0.
 */
int bench_let_go(u32 unused, unsigned int unused_too)
{
	if (held_kb)
		bench_rbmap.end();
	held_kb = 0;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Events of 16 bytes that find their ring outside of the nearest caches. */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

#include "bench.h"

#define SIZE	16
#define MEMORY	(8UL << 20)
#define LINE	64

/* Write to each cache line. */
static void touch(u8 *memory, u8 value)
{
	size_t at;

	for (at = 0; at < MEMORY; at += LINE)
		WRITE_ONCE(memory[at], value);
}

static int compare(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/*
 * Keep the median, so that interruptions by other work of the machine do not count.  The
 * whole run tells how long a tick is.
 */
static int add(const struct bench_rival *rival, u32 n, u8 *memory, u64 *took)
{
	struct bench_row row = {
		.rival = rival->name, .way = "cold", .size = SIZE, .n = n,
	};
	const u64 begin_ns = ktime_get_ns(), begin = bench_ticks();
	u64 ns, ticks;
	u32 i;

	for (i = 0; i < n; i++) {
		touch(memory, i);
		took[i] = rival->once();
		cond_resched();
	}
	ticks = bench_ticks() - begin;
	ns = ktime_get_ns() - begin_ns;
	sort(took, n, sizeof(*took), compare, NULL);
	row.ns = mul_u64_u64_div_u64(n * took[n / 2], ns, ticks ?: 1);
	return bench_add_row(&row);
}

/* Arguments of run() */
struct cold {
	u32	n;
	u8	*memory;
	u64	*took;
};

static int run(const struct bench_rival *rival, const void *data)
{
	const struct bench_ring ring = { .kb = 1408, .overwrite = true };
	const struct cold *cold = data;
	int err;

	err = rival->begin(&ring);
	if (err)
		return err;
	err = add(rival, cold->n, cold->memory, cold->took);
	rival->end();
	return err;
}

/**
 * bench_cold - measure events that find nothing in the nearest caches
 * @n: number of events; 8 MiB of memory are written before each
 * @unused: ignored
 *
 * Return: 0, or a negative error.
 */
int bench_cold(u32 n, unsigned int unused)
{
	u64 *took = kvmalloc_array(n, sizeof(*took), GFP_KERNEL);
	u8 *memory = vmalloc(MEMORY);
	int err = -ENOMEM;

	if (took && memory)
		err = bench_each_in_turn(run, &(struct cold){ n, memory, took });
	vfree(memory);
	kvfree(took);
	return err;
}

/**
 * bench_cycles - measure the rate of the processor's counter
 * @ms: milliseconds that the measurement takes, up to 1000
 * @unused: ignored
 *
 * The row has the cycles as the number of events.
 *
 * Return: 0, or a negative error.
 */
int bench_cycles(u32 ms, unsigned int unused)
{
	struct bench_row row = { .rival = "loop", .way = "cycles" };
	u64 begin, begin_ns;

	if (ms > 1000)
		return -EINVAL;
	begin_ns = ktime_get_ns();
	begin = bench_ticks();
	msleep(ms);
	row.n = bench_ticks() - begin;
	row.ns = ktime_get_ns() - begin_ns;
	return bench_add_row(&row);
}

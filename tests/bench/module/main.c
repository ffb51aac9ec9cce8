// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes events in each way and measures how long that takes:
 *
 *	echo N >/sys/kernel/debug/bench/FILE
 *	cat ...			RIVAL WAY SIZE N NANOSECONDS REFERENCE, a line each
 *
 * FILE is
 *	write	N events in each way, into rings that overwrite
 *	full	N events in each way, into rings that are full
 *	tsc	N events in each way of rbmap, with the time-stamp counter as clock
 *	cold	N events of 16 bytes; 8 MiB of memory are written before each
 *	cycles	the rate of the processor's counter, measured for N milliseconds
 *	disabled	N events into the kernel's ring while recording is off
 *	nested	N events with an interrupt between reserve and commit
 *	scale1, scale2, scale4	N events on each of so many CPUs at once
 *	scale	N events on each CPU at once
 *	open4, open64, ...	N events, each opens a sub-buffer of so many KiB
 *	hold	make and hold a ring with sub-buffers of N KiB
 *	held	N events that each open a sub-buffer of the held ring
 *	fill	N events of 16 bytes in the held ring, after N uncounted ones
 *	let_go	any number: free the held ring
 *
 * REFERENCE is the time of a constant loop, run before and after; the larger of the
 * two counts.  A machine that was slow meanwhile has a larger one.
 */
#include <linux/compiler.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "bench.h"

#define MAX_ROWS	128
#define RING_KB		1408
#define FULL_KB		8
#define REFERENCE_STEPS	40000

u8 bench_payload[BENCH_MAX_SIZE] __aligned(8);

static struct bench_row rows[MAX_ROWS];
static unsigned int nr_rows;
static DEFINE_MUTEX(lock);
static struct dentry *dir;

/* The empty loop, which is part of all measurements */
static __always_inline void nothing(size_t size)
{
	barrier();
}
BENCH_WAY(nothing, 0, nothing)
BENCH_ONCE(nothing)

/* The clock that rings read before each event */
static __always_inline void read_clock(size_t size)
{
	u64 now = sched_clock();

	OPTIMIZER_HIDE_VAR(now);
}
BENCH_WAY(clock, 0, read_clock)

static const struct bench_way loop_ways[] = {
	BENCH_ENTRY(nothing, 0),
	BENCH_ENTRY(clock, 0),
	{ }
};

static int loop_begin(const struct bench_ring *ring)
{
	return 0;
}

static void loop_end(void)
{
}

/* Without a ring */
const struct bench_rival bench_loop = {
	.name = "loop", .begin = loop_begin, .end = loop_end,
	.once = once, .ways = loop_ways,
};

static const struct bench_rival *const loop_and_rivals[] = {
	&bench_loop, &bench_rbmap, &bench_ring_buffer, NULL,
};
const struct bench_rival *const *const bench_rivals = loop_and_rivals + 1;

/**
 * bench_add_row - keep a measurement
 * @row: the measurement
 *
 * Return: 0, or -ENOSPC if there are too many.
 */
int bench_add_row(const struct bench_row *row)
{
	if (nr_rows == MAX_ROWS)
		return -ENOSPC;
	rows[nr_rows++] = *row;
	return 0;
}

/* A constant loop. Each step depends on the one before it. */
static u64 reference(void)
{
	u64 begin, value = 1;
	unsigned int i;

	begin = ktime_get_ns();
	for (i = 0; i < REFERENCE_STEPS; i++) {
		value = value * 5 + i;
		OPTIMIZER_HIDE_VAR(value);
	}
	return ktime_get_ns() - begin;
}

/* Run twice and keep the second time: the first fills the caches. */
static int run_way(const struct bench_rival *rival, const struct bench_way *way,
		   u32 n, const struct bench_ring *ring)
{
	struct bench_row row = {
		.rival = rival->name, .way = way->name, .size = way->size, .n = n,
	};
	u64 before;
	int err;

	err = rival->begin(ring);
	if (err)
		return err;
	way->run(n);
	before = reference();
	row.ns = way->run(n);
	row.reference = max(before, reference());
	rival->end();
	return bench_add_row(&row);
}

/**
 * bench_each_in_turn - measure the loop and each rival
 * @run: measures one of them; returns 0 or a negative error
 * @data: argument of @run
 *
 * Each call starts with another one: none is always measured first, or always after the
 * same one.
 *
 * Return: 0, or the error of @run, which is not called again then.
 */
int bench_each_in_turn(int (*run)(const struct bench_rival *rival, const void *data),
		       const void *data)
{
	const unsigned int nr = ARRAY_SIZE(loop_and_rivals) - 1;
	static unsigned int first;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < nr; i++)
		err = run(loop_and_rivals[(first + i) % nr], data);
	first++;
	return err;
}

/* Arguments of run_ways() */
struct ways {
	u32			n;
	struct bench_ring	ring;
};

static int run_ways(const struct bench_rival *rival, const void *data)
{
	const struct ways *ways = data;
	const struct bench_way *way;
	int err = 0;

	for (way = rival->ways; !err && way->name; way++)
		err = run_way(rival, way, ways->n, &ways->ring);
	return err;
}

static int run_write(u32 n, unsigned int unused)
{
	return bench_each_in_turn(run_ways, &(struct ways){
		n, { .kb = RING_KB, .overwrite = true } });
}

static int run_full(u32 n, unsigned int unused)
{
	return bench_each_in_turn(run_ways, &(struct ways){ n, { .kb = FULL_KB } });
}

static int run_tsc(u32 n, unsigned int unused)
{
	return run_ways(&bench_rbmap, &(struct ways){
		n, { .kb = RING_KB, .overwrite = true, .tsc = true } });
}

static const struct bench_file {
	const char	*name;
	int		(*run)(u32 n, unsigned int argument);
	unsigned int	argument;
} files[] = {
	{ "write", run_write },
	{ "full", run_full },
	{ "tsc", run_tsc },
	{ "cold", bench_cold },
	{ "cycles", bench_cycles },
	{ "disabled", bench_disabled },
	{ "nested", bench_nested },
	{ "scale1", bench_scale, 1 },
	{ "scale2", bench_scale, 2 },
	{ "scale4", bench_scale, 4 },
	{ "scale", bench_scale },
	{ "open4", bench_open, 4 },
	{ "open64", bench_open, 64 },
	{ "open1024", bench_open, 1024 },
	{ "hold", bench_hold },
	{ "held", bench_held },
	{ "fill", bench_fill },
	{ "let_go", bench_let_go },
};

static ssize_t bench_write(struct file *file, const char __user *text,
			   size_t len, loff_t *pos)
{
	const struct bench_file *bench = file_inode(file)->i_private;
	u32 n;
	int err;

	err = kstrtou32_from_user(text, len, 0, &n);
	if (err)
		return err;
	mutex_lock(&lock);
	nr_rows = 0;
	err = n ? bench->run(n, bench->argument) : -EINVAL;
	mutex_unlock(&lock);
	return err ?: len;
}

static int bench_show(struct seq_file *seq, void *unused)
{
	unsigned int i;

	mutex_lock(&lock);
	for (i = 0; i < nr_rows; i++)
		seq_printf(seq, "%s %s %u %u %llu %llu\n", rows[i].rival,
			   rows[i].way, rows[i].size, rows[i].n, rows[i].ns,
			   rows[i].reference);
	mutex_unlock(&lock);
	return 0;
}

static int bench_open_file(struct inode *inode, struct file *file)
{
	return single_open(file, bench_show, inode->i_private);
}

static const struct file_operations bench_fops = {
	.owner		= THIS_MODULE,
	.open		= bench_open_file,
	.read		= seq_read,
	.write		= bench_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int __init bench_init(void)
{
	unsigned int i;

	memset(bench_payload, 0x5a, sizeof(bench_payload));
	dir = debugfs_create_dir("bench", NULL);
	for (i = 0; i < ARRAY_SIZE(files); i++)
		debugfs_create_file(files[i].name, 0600, dir, (void *)&files[i],
				    &bench_fops);
	if (!bench_event_init(dir))
		return 0;
	debugfs_remove(dir);
	return -ENOMEM;
}

static void __exit bench_exit(void)
{
	debugfs_remove(dir);
	bench_event_exit();
	bench_let_go(1, 0);
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_DESCRIPTION("Benchmark of rbmap's ring and of the kernel's");
MODULE_LICENSE("GPL");

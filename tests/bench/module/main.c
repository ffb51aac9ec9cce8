// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes events in each way and says how long an event took:
 *
 *	echo N >/sys/kernel/debug/bench/write	N of each, into rings that overwrite
 *	echo N >/sys/kernel/debug/bench/full	N of each, into rings that are full
 *	cat ...			RIVAL WAY SIZE N NANOSECONDS, a line each
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "bench.h"

#define MAX_ROWS	128
#define RING_KB		1408
#define FULL_KB		8

u8 bench_payload[BENCH_MAX_SIZE] __aligned(8);

struct row {
	const struct bench_rival	*rival;
	const struct bench_way		*way;
	u32				n;
	u64				ns;
};

static struct row rows[MAX_ROWS];
static unsigned int nr_rows;
static DEFINE_MUTEX(lock);
static struct dentry *dir;

static u64 nothing_0(u32 n);
static const struct bench_way loop_ways[] = { { "nothing", 0, nothing_0 }, { } };

/* The loop alone, which all have in them. */
static __always_inline void nothing(size_t size)
{
	barrier();
}
BENCH_WAY(nothing, 0, nothing)

static int loop_begin(unsigned long kb, bool overwrite)
{
	return 0;
}

static void loop_end(void)
{
}

static const struct bench_rival loop = {
	.name = "loop", .begin = loop_begin, .end = loop_end, .ways = loop_ways,
};

static const struct bench_rival *const rivals[] = {
	&loop, &bench_rbmap, &bench_ring_buffer,
};

/* Twice: the first time the ring's memory is not in any cache yet. */
static int bench_way_run(const struct bench_rival *rival,
			 const struct bench_way *way, u32 n, bool full)
{
	struct row *row = &rows[nr_rows];
	int err;

	if (nr_rows == MAX_ROWS)
		return -ENOSPC;
	err = rival->begin(full ? FULL_KB : RING_KB, !full);
	if (err)
		return err;
	way->run(n);
	*row = (struct row){ rival, way, n, way->run(n) };
	rival->end();
	nr_rows++;
	return 0;
}

static ssize_t bench_write(struct file *file, const char __user *text,
			   size_t len, loff_t *pos)
{
	const struct bench_way *way;
	unsigned int i;
	u32 n;
	int err;

	err = kstrtou32_from_user(text, len, 0, &n);
	if (err)
		return err;
	mutex_lock(&lock);
	nr_rows = 0;
	for (i = 0; !err && i < ARRAY_SIZE(rivals); i++)
		for (way = rivals[i]->ways; !err && way->name; way++)
			err = bench_way_run(rivals[i], way, n,
					    file_inode(file)->i_private);
	mutex_unlock(&lock);
	return err ?: len;
}

static int bench_show(struct seq_file *seq, void *unused)
{
	unsigned int i;

	mutex_lock(&lock);
	for (i = 0; i < nr_rows; i++)
		seq_printf(seq, "%s %s %u %u %llu\n", rows[i].rival->name,
			   rows[i].way->name, rows[i].way->size, rows[i].n,
			   rows[i].ns);
	mutex_unlock(&lock);
	return 0;
}

static int bench_open(struct inode *inode, struct file *file)
{
	return single_open(file, bench_show, inode->i_private);
}

static const struct file_operations bench_fops = {
	.owner		= THIS_MODULE,
	.open		= bench_open,
	.read		= seq_read,
	.write		= bench_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int __init bench_init(void)
{
	memset(bench_payload, 0x5a, sizeof(bench_payload));
	dir = debugfs_create_dir("bench", NULL);
	debugfs_create_file("write", 0600, dir, NULL, &bench_fops);
	debugfs_create_file("full", 0600, dir, (void *)1, &bench_fops);
	bench_event_init(dir);
	return 0;
}

static void __exit bench_exit(void)
{
	debugfs_remove(dir);
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_DESCRIPTION("What an event costs, in rbmap's ring and in others");
MODULE_LICENSE("GPL");

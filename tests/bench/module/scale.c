// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several CPUs write at once, each n events of 16 bytes.  In a machine that counts
 * instructions, a nanosecond is one instruction of any CPU.  So the measured time is
 * the number of instructions of all CPUs.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "bench.h"

#define SIZE	16

struct scale {
	const struct bench_way	*way;
	u32			n;
	atomic_t		writing;
	struct completion	start;
	struct completion	end;
};

static int writer(void *data)
{
	struct scale *scale = data;

	wait_for_completion(&scale->start);
	scale->way->run(scale->n);
	if (atomic_dec_and_test(&scale->writing))
		complete(&scale->end);
	return 0;
}

/* Return: nanoseconds, or a negative error. */
static s64 run(struct scale *scale, unsigned int cpus)
{
	unsigned int cpu, nr = 0;
	u64 begin;

	init_completion(&scale->start);
	init_completion(&scale->end);
	atomic_set(&scale->writing, cpus);
	for_each_online_cpu(cpu) {
		struct task_struct *task;

		if (nr == cpus)
			break;
		task = kthread_create_on_cpu(writer, scale, cpu, "bench/%u");
		if (IS_ERR(task))
			break;
		wake_up_process(task);
		nr++;
	}
	begin = ktime_get_ns();
	if (nr < cpus && atomic_sub_and_test(cpus - nr, &scale->writing))
		complete(&scale->end);
	complete_all(&scale->start);
	wait_for_completion(&scale->end);
	begin = ktime_get_ns() - begin;
	return nr == cpus ? begin : -ENODEV;
}

static int run_rival(const struct bench_rival *rival, u32 n, unsigned int cpus)
{
	const struct bench_ring ring = { .kb = 1408, .overwrite = true };
	struct scale scale = { .n = n };
	struct bench_row row = {
		.rival = rival->name, .size = SIZE, .n = n * cpus,
	};
	s64 took;
	int err;

	scale.way = bench_first_way(rival, SIZE);
	row.way = scale.way->name;
	err = rival->begin(&ring);
	if (err)
		return err;
	/* Run twice and keep the second time: the first fills the caches. */
	took = run(&scale, cpus);
	if (took >= 0)
		took = run(&scale, cpus);
	rival->end();
	row.ns = took;
	return took < 0 ? took : bench_add_row(&row);
}

/**
 * bench_scale - measure events that several CPUs write at once
 * @n: number of events per CPU
 * @cpus: number of CPUs; 0: all of them
 *
 * Return: 0; -ENODEV if fewer CPUs are on line; or another negative error.
 */
int bench_scale(u32 n, unsigned int cpus)
{
	const struct bench_rival *const *rival;
	int err = 0;

	if (!cpus)
		cpus = num_online_cpus();
	for (rival = bench_rivals; !err && *rival; rival++)
		err = run_rival(*rival, n, cpus);
	return err;
}

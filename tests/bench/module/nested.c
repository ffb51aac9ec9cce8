// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures an event that an interrupt writes between reserve and commit of another
 * event, and the event that follows.  The results are differences of these:
 *
 *	nothing		reserve and commit, with an interrupt in between
 *	nested		the same, and the interrupt writes an event
 *	next		the same, and one more event follows
 */
#include <linux/irq_work.h>
#include <linux/minmax.h>

#include "bench.h"

#define SIZE	16
#define RUNS	16

struct nest {
	struct irq_work			work;
	const struct bench_rival	*rival;
	bool				writes;
	bool				done;
};

static void write_one(const struct bench_rival *rival)
{
	struct bench_room room;

	if (rival->reserve(&room, SIZE))
		rival->commit(&room);
}

static void interrupt(struct irq_work *work)
{
	struct nest *nest = container_of(work, struct nest, work);

	if (nest->writes)
		write_one(nest->rival);
	WRITE_ONCE(nest->done, true);
}

static void raise(struct nest *nest)
{
	WRITE_ONCE(nest->done, false);
	irq_work_queue(&nest->work);
	while (!READ_ONCE(nest->done))
		cpu_relax();
}

static u64 run_once(struct nest *nest, u32 n, bool next)
{
	struct bench_room room;
	u64 begin;

	preempt_disable();
	begin = ktime_get_ns();
	for (; n; n--) {
		if (!nest->rival->reserve(&room, SIZE))
			break;
		raise(nest);
		nest->rival->commit(&room);
		if (next)
			write_one(nest->rival);
	}
	begin = ktime_get_ns() - begin;
	preempt_enable();
	return n ? U64_MAX : begin;
}

/* Keep the fastest run, which no other interrupt has disturbed. */
static int run(struct nest *nest, const char *way, u32 n, bool writes, bool next)
{
	struct bench_row row = {
		.rival = nest->rival->name, .way = way, .size = SIZE, .n = n,
		.ns = U64_MAX,
	};
	unsigned int i;

	nest->writes = writes;
	for (i = 0; i < RUNS; i++)
		row.ns = min(row.ns, run_once(nest, n, next));
	return row.ns == U64_MAX ? -EIO : bench_add_row(&row);
}

/**
 * bench_nested - measure events in interrupts
 * @n: number of events in a run
 * @unused: ignored
 *
 * Return: 0, or a negative error.
 */
int bench_nested(u32 n, unsigned int unused)
{
	const struct bench_ring ring = { .kb = 1408, .overwrite = true };
	const struct bench_rival *const *rival;
	struct nest nest = { .work = IRQ_WORK_INIT_HARD(interrupt) };
	int err = 0;

	for (rival = bench_rivals; !err && *rival; rival++) {
		nest.rival = *rival;
		err = nest.rival->begin(&ring);
		if (err)
			break;
		err = run(&nest, "nothing", n, false, false);
		err = err ?: run(&nest, "nested", n, true, false);
		err = err ?: run(&nest, "next", n, true, true);
		nest.rival->end();
	}
	irq_work_sync(&nest.work);
	return err;
}

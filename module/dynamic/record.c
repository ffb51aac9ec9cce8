// SPDX-License-Identifier: GPL-2.0-only
/* A tracepoint is hit: its record, from the reservation to the commit. */
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "../event.h"
#include "dynamic_event.h"
#include "probe.h"

/*
 * In which contexts this CPU reads memory for a record, a bit each.  A read that
 * faults may be told by a tracepoint, whose record must not read in turn: what
 * comes within a context's own reads is recorded blindly.  Who interrupts sets
 * another bit and clears it before it returns, so that no more is asked of the
 * operations.
 */
static DEFINE_PER_CPU(unsigned int, rbmap_fetching);

static unsigned int rbmap_fetch_level(void)
{
	unsigned int count = preempt_count();

	if (count & NMI_MASK)
		return 8;
	if (count & HARDIRQ_MASK)
		return 4;
	return count & SOFTIRQ_OFFSET ? 2 : 1;
}

/* Preemption is off. */
static bool rbmap_fetch_begin(struct rbmap_fetch_args *args)
{
	unsigned int level = rbmap_fetch_level();

	args->blind = this_cpu_read(rbmap_fetching) & level;
	if (!args->blind)
		this_cpu_or(rbmap_fetching, level);
	return !args->blind;
}

static void rbmap_fetch_end(bool begun)
{
	if (begun)
		this_cpu_and(rbmap_fetching, ~rbmap_fetch_level());
}

static size_t rbmap_record_measure(const struct rbmap_fetch_program *program,
				   struct rbmap_fetch_args *args,
				   struct rbmap_fetch_strings *strings)
{
	size_t size;
	bool begun;

	preempt_disable_notrace();
	begun = rbmap_fetch_begin(args);
	size = rbmap_fetch_measure(program, args, strings);
	rbmap_fetch_end(begun);
	preempt_enable_notrace();
	return size;
}

/**
 * rbmap_dynamic_record - record a dynamic event
 * @data: the struct rbmap_event_target that the probe was registered with
 * @args: what the tracepoint has passed
 *
 * Context: any, NMI included.
 */
void rbmap_dynamic_record(void *data, struct rbmap_fetch_args *args)
{
	const struct rbmap_event_target *target = data;
	const struct rbmap_fetch_program *program =
		&rbmap_dynamic_event_of(target->event)->line.program;
	struct rbmap_fetch_strings strings rbmap_uninitialized;
	struct rbmap_reservation r rbmap_uninitialized;
	size_t size = program->size;
	void *record;
	bool begun;

	if (program->nr_strings)
		size += rbmap_record_measure(program, args, &strings);
	record = rbmap_event_reserve(target, &r, size);
	if (!record)
		return;
	begun = rbmap_fetch_begin(args);
	rbmap_fetch_fill(program, args, &strings, record);
	rbmap_fetch_end(begun);
	rbmap_commit(&r);
}

// SPDX-License-Identifier: GPL-2.0-only
/* A tracepoint is hit: its record, from the reservation to the commit. */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched/task_stack.h>

#include "dynamic_event.h"
#include "event/event.h"
#include "program.h"
#include "record.h"

/*
 * A bit for each context of this CPU that reads memory for a record.  A read that
 * faults may hit a tracepoint, whose record must not read memory in turn: events within
 * a context's own reads are recorded without reading.  An interrupting context sets
 * another bit and clears it before it returns, so plain operations are enough.
 */
static DEFINE_PER_CPU(unsigned int, rbmap_fetching);

static unsigned int rbmap_fetch_level(void)
{
	unsigned int count = preempt_count();

	if (count & NMI_MASK)
		return 8;
	if (count & HARDIRQ_MASK)
		return 4;
	if (count & SOFTIRQ_OFFSET)
		return 2;
	/*
	 * The kernel no longer counts an interrupt that is about to end and wakes a
	 * task.  On x86 it is still on its own stack, which tells.  On arm64 it is not:
	 * events of such an interrupt within a task's reads are recorded blindly.
	 */
	return object_is_on_stack(&count) ? 1 : 4;
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

	if (!program->nr_strings)
		return program->size;
	preempt_disable_notrace();
	begun = rbmap_fetch_begin(args);
	size = rbmap_fetch_measure(program, args, strings);
	rbmap_fetch_end(begun);
	preempt_enable_notrace();
	return program->size + size;
}

static __always_inline void
rbmap_record_fill(const struct rbmap_fetch_program *program,
		  struct rbmap_fetch_args *args,
		  struct rbmap_fetch_strings *strings, void *record)
{
	bool begun;

	if (!program->reads) {
		rbmap_fetch_fill(program, args, strings, record);
		return;
	}
	begun = rbmap_fetch_begin(args);
	rbmap_fetch_fill(program, args, strings, record);
	rbmap_fetch_end(begun);
}

/*
 * Assemble the record on the stack, if it is not too large, and reserve it only if the
 * filter accepts it.
 */
static noinline void rbmap_record_on_stack(const struct rbmap_event_file *event_file,
					   const struct rbmap_fetch_program *program,
					   struct rbmap_fetch_args *args,
					   struct rbmap_fetch_strings *strings,
					   size_t size)
{
	char stack[RBMAP_STACK_MAX] __aligned(8) rbmap_uninitialized;

	memset(stack, 0, size);
	preempt_disable_notrace();
	rbmap_record_fill(program, args, strings, stack);
	preempt_enable_notrace();
	if (args->addresses ? rbmap_record_wanted_shown(event_file, stack, stack, size,
							rbmap_fetch_hide_all, program) :
			      rbmap_record_wanted(event_file, stack, stack, size))
		rbmap_event_write(event_file, stack, size);
}

/* An event that selects tasks, or has a filter or strings. */
static noinline void rbmap_record_checked(const struct rbmap_event_file *event_file,
					  const struct rbmap_fetch_program *program,
					  struct rbmap_fetch_args *args)
{
	struct rbmap_fetch_strings strings rbmap_uninitialized;
	struct rbmap_reservation resv rbmap_uninitialized;
	u8 checks = rbmap_event_checks(event_file);
	size_t size;
	void *record;

	if (checks & RBMAP_CHECK_TASK && !rbmap_task_wanted(event_file))
		return;
	size = rbmap_record_measure(program, args, &strings);
	if (checks & RBMAP_CHECK_RECORD && size <= RBMAP_STACK_MAX) {
		args->addresses = rbmap_event_addresses(event_file);
		rbmap_record_on_stack(event_file, program, args, &strings, size);
		return;
	}
	record = rbmap_event_reserve_noinline(event_file, &resv, size);
	if (!record)
		return;
	args->addresses = rbmap_event_addresses(event_file) & RBMAP_ADDRESSES_SHOWN;
	rbmap_record_fill(program, args, &strings, record);
	if (checks & RBMAP_CHECK_RECORD &&
	    !rbmap_record_wanted(event_file, record, record, size))
		rbmap_discard(&resv);
	else
		rbmap_commit(&resv);
}

/* An event without strings that records each hit. */
static noinline void rbmap_record_unchecked(const struct rbmap_event_file *event_file,
					    const struct rbmap_fetch_program *program,
					    struct rbmap_fetch_args *args)
{
	struct rbmap_reservation resv rbmap_uninitialized;
	void *record = rbmap_event_begin(event_file, &resv, program->size);

	if (!record)
		return;
	args->addresses = rbmap_event_addresses(event_file) & RBMAP_ADDRESSES_SHOWN;
	rbmap_record_fill(program, args, NULL, record);
	rbmap_commit(&resv);
}

/**
 * rbmap_dynamic_record - record a dynamic event
 * @data: the struct rbmap_event_file that the probe was registered with
 * @args: arguments of the tracepoint
 *
 * Context: any, NMI included.
 */
void rbmap_dynamic_record(void *data, struct rbmap_fetch_args *args)
{
	const struct rbmap_event_file *event_file = data;
	const struct rbmap_fetch_program *program =
		&rbmap_dynamic_event_of(event_file->event)->line.program;

	if (unlikely(rbmap_event_has_checks(event_file)) || program->nr_strings)
		rbmap_record_checked(event_file, program, args);
	else
		rbmap_record_unchecked(event_file, program, args);
}

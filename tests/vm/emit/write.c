// SPDX-License-Identifier: GPL-2.0-only
/* Write one event, in each of the possible ways in turn. */
#include <linux/ktime.h>
#include <linux/trace_clock.h>
#include <linux/rbmap.h>
#include <rbmap/buffer.h>
#ifdef CONFIG_X86
#include <asm/msr.h>
#endif

#include "internal.h"

/* Every 13th event is preceded by a reservation that is discarded. */
#define EMIT_DISCARD	13

/* Every 5th event is written from a copy. */
#define EMIT_WHOLE	5

/* Every 32nd event has other events of the same context nested inside it. */
#define EMIT_RECURSE	32

/* Read the ring's clock. */
static u64 emit_clock(void)
{
	switch (emit_clock_id) {
	case RBMAP_CLOCK_MONO:
		return ktime_get_mono_fast_ns();
	case RBMAP_CLOCK_BOOT:
		return ktime_get_boot_fast_ns();
#ifdef CONFIG_X86
	case RBMAP_CLOCK_X86_TSC:
		return rdtsc_ordered();
#endif
	default:
		return trace_clock_local();
	}
}

static void emit_discarded(struct emit_cpu *cpu, enum emit_context context,
			   unsigned int size)
{
	struct rbmap_reservation r;
	void *payload = rbmap_reserve(emit_buffer, &r, size);

	if (!payload) {
		cpu->writer[context].discards_refused++;
		return;
	}
	memset(payload, 0xdd, size);
	emit_interrupt(cpu, context);
	rbmap_discard(&r);
}

static void emit_nested(struct emit_cpu *cpu, enum emit_context context,
			unsigned int depth)
{
	struct emit_writer *writer = &cpu->writer[context];
	u32 number = writer->attempts++;
	unsigned int size = emit_size(&emit_rule, writer->who, number);
	struct rbmap_reservation r;
	u64 before = emit_clock();
	void *payload;

	if (size <= EMIT_COPY && number % EMIT_WHOLE == 0) {
		emit_fill(writer->copy, size, writer->who, number, before, 0);
		if (rbmap_write(emit_buffer, writer->copy, size))
			writer->refused++;
		return;
	}
	payload = rbmap_reserve(emit_buffer, &r, size);
	if (!payload) {
		writer->refused++;
		return;
	}
	emit_interrupt(cpu, context);
	if (depth)
		emit_nested(cpu, context, depth - 1);
	emit_fill(payload, size, writer->who, number, before, emit_clock());
	emit_interrupt(cpu, context);
	rbmap_commit(&r);
}

void emit_one(struct emit_cpu *cpu, enum emit_context context)
{
	struct emit_writer *writer = &cpu->writer[context];
	u32 number = writer->attempts;

	if (number % EMIT_DISCARD == 0)
		emit_discarded(cpu, context,
			       min(emit_size(&emit_rule, writer->who, number),
				   emit_rule.max) / 2);
	emit_nested(cpu, context, context == EMIT_TASK &&
		    number % EMIT_RECURSE == 0 ? emit_depth : 0);
}

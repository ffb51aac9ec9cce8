// SPDX-License-Identifier: GPL-2.0-only
/* Write one event, and interrupt it by others. */
#include <linux/overflow.h>
#include <linux/smp.h>
#include <rbmap/buffer.h>

#include "nmi.h"
#include "writer.h"

DEFINE_PER_CPU(struct rbmap_selftest_cpu, rbmap_selftest_cpus);
bool rbmap_selftest_running;

/**
 * rbmap_selftest_at_home - return whether this is the CPU of the writers
 * @cpu: the writers
 *
 * A thread, a timer or a tasklet of a CPU that goes offline continues on another CPU.
 *
 * Context: preemption is off.
 * Return: true: the writers may write here.
 */
bool rbmap_selftest_at_home(const struct rbmap_selftest_cpu *cpu)
{
	return cpu->id == raw_smp_processor_id();
}

/*
 * Interrupt an event between reserve and commit.  A work item that an interrupt queues
 * runs after that interrupt, so only lower contexts queue it.  The last event is written
 * without a handler of NMIs: the kernel would report an NMI as unknown.
 */
static void rbmap_selftest_interrupt(struct rbmap_selftest_cpu *cpu,
				     enum rbmap_selftest_context context,
				     u32 number)
{
	if (context == RBMAP_SELFTEST_NMI || !READ_ONCE(rbmap_selftest_running))
		return;
	if (number % 8 == 0 && context < RBMAP_SELFTEST_IRQ)
		irq_work_queue(&cpu->irq_work);
	if (number % 16 == 1)
		rbmap_selftest_nmi_send(cpu);
}

static void rbmap_selftest_fill(struct rbmap_selftest_event *event, u32 cpu,
				u32 context, u32 number, u32 words)
{
	u32 i;

	*event = (struct rbmap_selftest_event) {
		.cpu		= cpu,
		.context	= context,
		.number		= number,
	};
	for (i = 0; i < words; i++)
		event->word[i] = rbmap_selftest_word(cpu, context, number, i);
}

/**
 * rbmap_selftest_write - write the next event of a context
 * @cpu: the writers of this CPU
 * @context: the context that calls
 *
 * Context: @context, with preemption off.
 */
void rbmap_selftest_write(struct rbmap_selftest_cpu *cpu,
			  enum rbmap_selftest_context context)
{
	struct rbmap_reservation resv rbmap_uninitialized;
	u32 number = cpu->emitted[context]++;
	u32 words = rbmap_selftest_words(cpu->id, context, number);
	struct rbmap_selftest_event *event;

	event = rbmap_reserve(cpu->buffer, &resv,
			      struct_size(event, word, words));
	if (!event) {
		cpu->refused[context]++;
		return;
	}
	rbmap_selftest_interrupt(cpu, context, number);
	rbmap_selftest_fill(event, cpu->id, context, number, words);
	rbmap_commit(&resv);
}

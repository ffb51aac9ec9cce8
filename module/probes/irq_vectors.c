// SPDX-License-Identifier: GPL-2.0-only
/* Interrupts of the local APIC, by their vector. */
#include "compat/irq_vectors.h"

#include RBMAP_IRQ_VECTORS_HEADER

#define RBMAP_PROBE_SET		irq_vectors
#define RBMAP_TRACE_HEADER	RBMAP_IRQ_VECTORS_HEADER
#define RBMAP_PROBES(event)		\
	event(local_timer_entry)		\
	event(local_timer_exit)		\
	event(reschedule_entry)		\
	event(reschedule_exit)		\
	event(call_function_entry)		\
	event(call_function_exit)		\
	event(call_function_single_entry)		\
	event(call_function_single_exit)		\
	event(irq_work_entry)		\
	event(irq_work_exit)

#include "generate.h"

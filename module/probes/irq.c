// SPDX-License-Identifier: GPL-2.0-only
/* Interrupts, hard and soft. */
#include <linux/interrupt.h>
#include <trace/events/irq.h>

#define RBMAP_PROBE_SET		irq
#define RBMAP_TRACE_HEADER	"trace/events/irq.h"
#define RBMAP_TRACE_ENUMS
#define RBMAP_PROBES(event)		\
	event(irq_handler_entry)	\
	event(irq_handler_exit)		\
	event(softirq_raise)		\
	event(softirq_entry)		\
	event(softirq_exit)		\
	event(tasklet_entry)		\
	event(tasklet_exit)

#include "generate.h"

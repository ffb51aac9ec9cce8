// SPDX-License-Identifier: GPL-2.0-only
/* Interrupts that one CPU sends to another. */
#include <linux/cpumask.h>
#include <linux/smp.h>
#include <trace/events/ipi.h>

#define RBMAP_PROBE_SET		ipi
#define RBMAP_TRACE_HEADER	"trace/events/ipi.h"
#define RBMAP_PROBES(event)		\
	event(ipi_raise)		\
	event(ipi_send_cpu)		\
	event(ipi_send_cpumask)		\
	event(ipi_entry)		\
	event(ipi_exit)

#include "generate.h"

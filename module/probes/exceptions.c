// SPDX-License-Identifier: GPL-2.0-only
/* Page faults. */
#include <linux/ptrace.h>

#include "compat/exceptions.h"

#include RBMAP_EXCEPTIONS_HEADER

/* Integers with addresses: a program's own ones are shown as they are. */
#define RBMAP_ADDRESS_address	1
#define RBMAP_ADDRESS_ip	1

#define RBMAP_PROBE_SET		exceptions
#define RBMAP_TRACE_HEADER	RBMAP_EXCEPTIONS_HEADER
#define RBMAP_PROBES(event)		\
	event(page_fault_user)		\
	event(page_fault_kernel)

#include "generate.h"

#undef RBMAP_ADDRESS_address
#undef RBMAP_ADDRESS_ip

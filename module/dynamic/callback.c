// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe for any tracepoint, with any parameters.  A kernel with control-flow
 * integrity checks the function's type at the call: rbmap_dynamic_refused() refuses
 * dynamic events there.
 */
#include "program.h"
#include "record.h"

#if RBMAP_REGISTER_ARGS == 5
static void rbmap_callback(void *data, unsigned long a1, unsigned long a2,
			   unsigned long a3, unsigned long a4,
			   unsigned long a5)
{
	struct rbmap_fetch_args args = {
		.registers	= { a1, a2, a3, a4, a5 },
		.stack		= rbmap_stack_args(),
	};

	rbmap_dynamic_record(data, &args);
}
#elif RBMAP_REGISTER_ARGS == 7
static void rbmap_callback(void *data, unsigned long a1, unsigned long a2,
			   unsigned long a3, unsigned long a4,
			   unsigned long a5, unsigned long a6,
			   unsigned long a7)
{
	struct rbmap_fetch_args args = {
		.registers	= { a1, a2, a3, a4, a5, a6, a7 },
		.stack		= rbmap_stack_args(),
	};

	rbmap_dynamic_record(data, &args);
}
#else
static void rbmap_callback(void *data)
{
}
#endif

void *const rbmap_dynamic_probe = rbmap_callback;

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What any tracepoint can call, whatever it passes.  Kernels that compare a
 * function's type with the call's do not have it: see rbmap_dynamic_refused().
 */
#include "callback.h"
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

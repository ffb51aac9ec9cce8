// SPDX-License-Identifier: GPL-2.0-only
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "syscalls.h"

#define NR_NAMES	1024	/* more than the system calls of any architecture */
#define NR_ARGS		6

const char *syscalls_name(long nr)
{
	static char *name[NR_NAMES];
	static bool asked[NR_NAMES];

	if (nr < 0 || nr >= NR_NAMES)
		return NULL;
	if (!asked[nr]) {
		asked[nr] = true;
		name[nr] = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE,
							    nr);
	}
	return name[nr];
}

static bool read_id(struct tep_event *event, struct tep_record *record,
		    struct trace_seq *s, long *id)
{
	unsigned long long value;

	if (tep_get_field_val(s, event, "id", record, &value, 0))
		return false;
	*id = value;
	return true;
}

static void print_call(struct trace_seq *s, long id)
{
	const char *name = syscalls_name(id);

	trace_seq_printf(s, "NR %ld", id);
	if (name)
		trace_seq_printf(s, " (%s)", name);
}

static int print_enter(struct trace_seq *s, struct tep_record *record,
		       struct tep_event *event, void *context)
{
	struct tep_format_field *args = tep_find_field(event, "args");
	unsigned long arg[NR_ARGS];
	long id;

	(void)context;
	if (!args || args->size < (int)sizeof(arg) ||
	    args->offset + (int)sizeof(arg) > record->size ||
	    !read_id(event, record, s, &id))
		return -1;
	memcpy(arg, (const char *)record->data + args->offset, sizeof(arg));
	print_call(s, id);
	trace_seq_printf(s, " (%lx, %lx, %lx, %lx, %lx, %lx)", arg[0], arg[1],
			 arg[2], arg[3], arg[4], arg[5]);
	return 0;
}

static int print_exit(struct trace_seq *s, struct tep_record *record,
		      struct tep_event *event, void *context)
{
	unsigned long long ret;
	long id;

	(void)context;
	if (!read_id(event, record, s, &id) ||
	    tep_get_field_val(s, event, "ret", record, &ret, 0))
		return -1;
	print_call(s, id);
	trace_seq_printf(s, " = %lld", (long long)ret);
	return 0;
}

void syscalls_register(struct tep_handle *tep)
{
	tep_register_event_handler(tep, -1, "raw_syscalls", "sys_enter",
				   print_enter, NULL);
	tep_register_event_handler(tep, -1, "raw_syscalls", "sys_exit",
				   print_exit, NULL);
}

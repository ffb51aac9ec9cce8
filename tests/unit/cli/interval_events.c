// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "base/buf.h"
#include "interval_events.h"

/* Most fields must have a value. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define REQUEST	{ { U32, "dev" }, { U64, "sector" }, { U32, "nr_sector" }, { TEXT8, "rwbs" } }

/* Sorted by system */
const struct interval_event interval_events[] = {
	{ "block", "block_rq_insert", "insert", REQUEST },
	{ "block", "block_rq_issue", "issue", REQUEST },
	{ "block", "block_rq_complete", "complete", REQUEST },
	{ "block", "block_rq_requeue", "requeue", REQUEST },
	{ "exceptions", "page_fault_user", "fault", { { U64, "address" } } },
	{ "irq", "irq_handler_entry", "irq", { { S32, "irq" }, { DYNAMIC, "name" } } },
	{ "irq", "irq_handler_exit", "irq_exit", { { S32, "irq" } } },
	{ "irq", "softirq_entry", "softirq", { { U32, "vec" } } },
	{ "irq", "softirq_exit", "softirq_exit", { { U32, "vec" } } },
	{ "irq_vectors", "local_timer_entry", "vector", { { S32, "vector" } } },
	{ "irq_vectors", "local_timer_exit", "vector_exit", { { S32, "vector" } } },
	{ "lock", "contention_begin", "lock", { { U64, "lock_addr" }, { U32, "flags" } } },
	{ "lock", "contention_end", "lock_end", { { U64, "lock_addr" }, { S32, "ret" } } },
	{ "raw_syscalls", "sys_enter", "enter", { { S64, "id" }, { ARGS, "args", "" } } },
	{ "raw_syscalls", "sys_exit", "exit", { { S64, "id" } } },
	{ "rbmap", "marker", "marker", { { TEXT16, "buf" } } },
	{ "rbmap", "other", "other", { { U64, "number" } } },
	{ "sched", "sched_switch", "switch",
	  { { TEXT16, "prev_comm" }, { PID, "prev_pid" }, { S64, "prev_state" },
	    { TEXT16, "next_comm" }, { PID, "next_pid" }, { S32, "prev_prio", "120" },
	    { S32, "next_prio", "120" } } },
	{ "sched", "sched_waking", "waking", { { TEXT16, "comm" }, { PID, "pid" } } },
	{ "sched", "sched_wakeup", "wakeup", { { TEXT16, "comm" }, { PID, "pid" } } },
	{ "sched", "sched_wakeup_new", "new", { { TEXT16, "comm" }, { PID, "pid" } } },
	{ "syscalls", "sys_enter_openat", "enter_openat", { { S32, "__syscall_nr" } } },
	{ "syscalls", "sys_exit_openat", "exit_openat", { { S32, "__syscall_nr" } } },
	{ "timer", "hrtimer_start", "hrtimer_start", { { U64, "hrtimer" }, { U64, "expires" } } },
	{ "timer", "hrtimer_expire_entry", "hrtimer",
	  { { U64, "hrtimer" }, { U64, "function" }, { U64, "now" } } },
	{ "timer", "hrtimer_expire_exit", "hrtimer_exit", { { U64, "hrtimer" } } },
	{ "timer", "timer_expire_entry", "timer", { { U64, "timer" }, { U64, "function" } } },
	{ "timer", "timer_expire_exit", "timer_exit", { { U64, "timer" } } },
	{ "vmscan", "mm_vmscan_direct_reclaim_begin", "reclaim", { { S32, "order" } } },
	{ "vmscan", "mm_vmscan_direct_reclaim_end", "reclaim_end", { { U64, "nr_reclaimed" } } },
	{ "vmscan", "mm_vmscan_memcg_reclaim_begin", "memcg", { { S32, "order" } } },
	{ "vmscan", "mm_vmscan_memcg_reclaim_end", "memcg_end", { { U64, "nr_reclaimed" } } },
	{ "workqueue", "workqueue_execute_start", "work", { { U64, "work" }, { U64, "function" } } },
	{ "workqueue", "workqueue_execute_end", "work_end", { { U64, "work" }, { U64, "function" } } },
};

const unsigned int nr_interval_events = sizeof(interval_events) / sizeof(interval_events[0]);

static const struct {
	const char *type;
	unsigned int size;
	bool is_signed;
} types[] = {
	[TEXT16]	= { "char %s[16]", 16, false },
	[TEXT8]		= { "char %s[8]", 8, false },
	[DYNAMIC]	= { "__data_loc char[] %s", 4, false },
	[PID]		= { "pid_t %s", 4, true },
	[S32]		= { "int %s", 4, true },
	[U32]		= { "unsigned int %s", 4, false },
	[S64]		= { "long %s", 8, true },
	[U64]		= { "unsigned long long %s", 8, false },
	[ARGS]		= { "unsigned long %s[6]", 48, false },
};

static unsigned int round_up(unsigned int offset, unsigned int size)
{
	return size > 8 ? offset : (offset + size - 1) / size * size;
}

char *interval_event_format(unsigned int event)
{
	const struct interval_event *e = &interval_events[event];
	unsigned int offset = sizeof(struct rbmap_event_common);
	struct buf out = { 0 };

	buf_printf(&out, "name: %s\nID: %u\nformat:\n"
		   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		   e->name, INTERVAL_EVENT_ID + event);
	for (unsigned int i = 0; i < INTERVAL_EVENT_FIELDS && e->field[i].name; i++) {
		enum interval_field_type type = e->field[i].type;
		char declared[64];

		snprintf(declared, sizeof(declared), types[type].type, e->field[i].name);
		offset = round_up(offset, types[type].size);
		buf_printf(&out, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", declared,
			   offset, types[type].size, types[type].is_signed);
		offset += types[type].size;
	}
	buf_printf(&out, "\nprint fmt: \"%s\"\n", e->name);
	buf_add(&out, "", 1);
	return out.data;
}

static void put_args(unsigned char *at, unsigned int size, const char *value)
{
	uint64_t word;
	char *end;

	for (unsigned int i = 0; *value && (i + 1) * sizeof(word) <= size; i++) {
		word = strtoull(value, &end, 0);
		memcpy(at + i * sizeof(word), &word, sizeof(word));
		value = *end == ':' ? end + 1 : end;
	}
}

size_t interval_event_record(unsigned int event, int pid, unsigned int flags,
			     char *const *value, unsigned int nr_values,
			     unsigned char record[INTERVAL_EVENT_ROOM])
{
	const struct interval_event *e = &interval_events[event];
	struct rbmap_event_common common = {
		.type = INTERVAL_EVENT_ID + event, .flags = flags, .pid = pid,
	};
	size_t end = sizeof(common), len, offset = 0;
	const char *dynamic = NULL;
	unsigned int i;

	memset(record, 0, INTERVAL_EVENT_ROOM);
	memcpy(record, &common, sizeof(common));
	for (i = 0; i < INTERVAL_EVENT_FIELDS && e->field[i].name; i++) {
		const char *given = i < nr_values ? value[i] : e->field[i].otherwise;
		unsigned int size = types[e->field[i].type].size;
		uint64_t number;

		if (!given)
			return 0;
		end = round_up(end, size);
		number = strtoull(given, NULL, 0);
		len = strlen(given);
		if (e->field[i].type == DYNAMIC) {
			dynamic = given;
			offset = end;
		} else if (e->field[i].type == TEXT16 || e->field[i].type == TEXT8) {
			memcpy(record + end, given, len < size ? len : size);
		} else if (e->field[i].type == ARGS) {
			put_args(record + end, size, given);
		} else {
			memcpy(record + end, &number, size);
		}
		end += size;
	}
	if (i < nr_values)
		return 0;
	if (dynamic) {
		uint32_t place;

		len = strlen(dynamic) + 1;
		place = end | len << 16;
		memcpy(record + offset, &place, sizeof(place));
		memcpy(record + end, dynamic, len);
		end += len;
	}
	return (end + 3) / 4 * 4;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/complain.h"
#include "kernel/control.h"
#include "record.h"

static const char *const why_events[] = {
	"sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup_new",
	/* A task that executes a program says its new name when it leaves its CPU, or here. */
	"task:task_rename",
	"raw_syscalls:sys_enter", "raw_syscalls:sys_exit",
	"irq:irq_handler_entry", "irq:irq_handler_exit", "irq:softirq_entry",
	"irq:softirq_exit",
	"block:block_rq_insert", "block:block_rq_issue", "block:block_rq_complete",
	"block:block_rq_requeue",
	"timer:hrtimer_start", "timer:hrtimer_expire_entry", "timer:hrtimer_expire_exit",
	"timer:timer_expire_entry", "timer:timer_expire_exit",
	"workqueue:workqueue_execute_start", "workqueue:workqueue_execute_end",
	"lock:contention_begin", "lock:contention_end",
	"vmscan:mm_vmscan_direct_reclaim_begin", "vmscan:mm_vmscan_direct_reclaim_end",
	"vmscan:mm_vmscan_memcg_reclaim_begin", "vmscan:mm_vmscan_memcg_reclaim_end",
	"exceptions:page_fault_user",
};

bool purpose_exists(const char *name)
{
	return !strcmp(name, "why");
}

/* Does the text have the line? */
static bool has_line(const char *text, const char *line)
{
	size_t size = strlen(line);
	const char *at = text;

	while ((at = strstr(at, line))) {
		if ((at == text || at[-1] == '\n') && (at[size] == '\n' || !at[size]))
			return true;
		at += size;
	}
	return false;
}

static void complain_missing(const struct buf *missing)
{
	if (missing->size && !missing->failed)
		complain("this kernel lacks%.*s: 'rbmap why' can tell less", (int)missing->size,
			 missing->data);
}

bool purpose_add_events(const char *name, struct patterns *patterns, bool quiet)
{
	char *available = control_read("available_events");
	struct buf missing = { 0 };
	bool ok = true;

	(void)name;
	if (!available) {
		control_complain(CONTROL_READ, "available_events", -errno);
		return false;
	}
	for (size_t i = 0; ok && i < sizeof(why_events) / sizeof(*why_events); i++) {
		if (!has_line(available, why_events[i])) {
			buf_printf(&missing, "%s %s", missing.size ? "," : "", why_events[i]);
		} else if (patterns->nr == MAX_PATTERNS) {
			complain("option --event was given more than %d times", MAX_PATTERNS);
			ok = false;
		} else {
			patterns->pattern[patterns->nr++] = (char *)why_events[i];
		}
	}
	if (!quiet)
		complain_missing(&missing);
	buf_free(&missing);
	free(available);
	return ok;
}

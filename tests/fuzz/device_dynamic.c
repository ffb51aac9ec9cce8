// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write lines to dynamic_events. Most are valid; the fetched addresses are
 * arbitrary.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device.h"

#define FILE_NAME	"/sys/kernel/rbmap/dynamic_events"
#define NR_NAMES	12	/* few, so that names are used again */

/*
 * $argN with offsets around it. The address may be invalid; the kernel must
 * find out.
 */
static void add_fetch(char *text, size_t size)
{
	unsigned int nr = pick(pick(4) ? 3 : 10);
	char closing[16] = "";
	size_t len = 0;

	for (unsigned int i = 0; i < nr; i++) {
		len += snprintf(text + len, size - len, "%c%u(",
				"++-"[pick(3)], pick(5) ? 8 * pick(64) :
				(unsigned int)next_random());
		closing[i] = ')';
	}
	snprintf(text + len, size - len, "$arg%u%s", 1 + pick(pick(8) ? 5 : 13),
		 closing);
}

static void add_field(char *text, size_t size, unsigned int i)
{
	static const char *const types[] = {
		"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "x8",
		"x16", "x32", "x64", "string", "string", "string", "u8[64]",
		"x64[7]", "s16[3]", "b3@5/8", "sb17@11/32", "b64@0/64", "int",
	};
	char fetch[256];

	add_fetch(fetch, sizeof(fetch));
	snprintf(text, size, " f%u=%s:%s", pick(30) ? i : 0, fetch,
		 pick_of(types));
}

static size_t a_line(char *text, size_t size)
{
	/*
	 * Tracepoints that are hit often, in each context; some by page faults
	 * of this process.
	 */
	static const char *const tracepoints[] = {
		"sched_switch", "sched_waking", "sys_enter", "sys_exit",
		"softirq_entry", "softirq_raise", "irq_handler_entry",
		"timer_start", "hrtimer_expire_entry", "page_fault_kernel",
		"page_fault_user", "kmem_cache_alloc", "kfree", "mm_page_alloc",
		"rcu_utilization", "cpu_idle", "local_timer_entry",
		"workqueue_execute_start", "nmi_handler", "module_load",
		"console", "there_is_none", "source_hit", "source_hit",
		"emit_fetch",
	};
	unsigned int nr = pick(pick(4) ? 5 : 34);
	size_t len;

	len = snprintf(text, size, "t:fuzz/e%u %s", pick(NR_NAMES),
		       pick_of(tracepoints));
	for (unsigned int i = 0; i < nr && len + 256 < size; i++) {
		add_field(text + len, size - len, i);
		len += strlen(text + len);
	}
	/* Some lines are damaged. */
	for (unsigned int i = pick(4) ? 0 : 1 + pick(3); i; i--)
		text[pick(len)] = pick(3) ? " :/()$+-@[]=09azs"[pick(17)] :
				  (char)next_random();
	return len;
}

static bool write_line(const char *text, size_t len)
{
	int fd = open(FILE_NAME, O_WRONLY | O_CLOEXEC);
	bool good;

	if (fd < 0)
		return false;
	good = write(fd, text, len) > 0;
	close(fd);
	return good;
}

bool do_dynamic(void)
{
	static __thread char text[8192];
	char path[192];

	switch (pick(8)) {
	case 0:
	case 1:
		return write_line(text, snprintf(text, sizeof(text),
				  "-:fuzz/e%u", pick(NR_NAMES)));
	case 2:
	case 3:
		snprintf(text, sizeof(text), "events/fuzz/e%u/enable",
			 pick(NR_NAMES));
		control_path(path, sizeof(path), a_buffer(), text);
		return write_file(path, pick(3) ? "1" : "0");
	case 4:
		return read_file(FILE_NAME, pick(5000));
	default:
		return write_line(text, a_line(text, sizeof(text)));
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/* Write filters, most of them valid, to events that are frequent; write pid lists. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "../unit/filter/filter_grammar.h"
#include "device.h"

#define NR_FIELDS	6

#define NUMBER(_name, _size, ...) {					\
	.name = (_name), .is_signed = true, .size = (_size),		\
	.samples = (const char *const[]) { __VA_ARGS__, NULL } }
#define STRING(_name, ...) {						\
	.name = (_name), .is_string = true,				\
	.samples = (const char *const[]) { __VA_ARGS__, NULL } }

#define COMMON_FIELDS							\
	NUMBER("common_pid", 4, "0", "1", "100"),			\
	NUMBER("CPU", 4, "0", "1"),					\
	STRING("COMM", "fuzz_device", "swapper/0")

/* Each event has the same number of fields; the common fields pad a shorter list. */
static const struct filtered {
	const char		*dir;
	struct grammar_field	fields[NR_FIELDS];
} filtered[] = {
	{ "raw_syscalls/sys_enter", { COMMON_FIELDS,
	  NUMBER("id", 8, "0", "9", "16", "-1"),
	  NUMBER("common_flags", 1, "0", "1"),
	  NUMBER("common_type", 2, "1", "300") } },
	{ "sched/sched_switch", { COMMON_FIELDS,
	  STRING("prev_comm", "fuzz_device", "kworker/0:1"),
	  STRING("next_comm", "swapper/0", "rcu_preempt"),
	  NUMBER("next_prio", 4, "120", "0") } },
	{ "sched", { COMMON_FIELDS,
	  STRING("comm", "fuzz_device", "sh"),
	  NUMBER("pid", 4, "1", "200"),
	  NUMBER("prio", 4, "120", "0") } },
	{ "irq/irq_handler_entry", { COMMON_FIELDS,
	  STRING("name", "virtio0", "ttyS0"),
	  NUMBER("irq", 4, "4", "24"),
	  NUMBER("common_preempt_count", 1, "0", "1") } },
	/* Events of a module that is loaded and unloaded. */
	{ "kinds/kinds_hit", { COMMON_FIELDS,
	  STRING("text", "hello", "x*"),
	  NUMBER("number", 4, "0", "3"),
	  NUMBER("common_type", 2, "1", "300") } },
	{ "rbmap/marker", { COMMON_FIELDS,
	  STRING("buf", "a", "\n"),
	  STRING("buf", "zz", "*"),
	  NUMBER("common_type", 2, "1", "300") } },
	/* do_dynamic() creates these events, with other types each time. */
	{ "fuzz/e1", { COMMON_FIELDS,
	  STRING("f0", "a", "(fault)"),
	  NUMBER("f0", 8, "0", "-1"),
	  NUMBER("f1", 4, "0", "1") } },
};

/* The path of the event in any buffer. */
static void event_path(char *path, size_t size, const struct filtered *of,
		       const char *file)
{
	char name[64];

	snprintf(name, sizeof(name), "events/%s/%s", of->dir, file);
	control_path(path, size, a_buffer(), name);
}

static bool write_filter(void)
{
	static __thread char text[GRAMMAR_TEXT + 8];
	const struct filtered *of = &pick_of(filtered);
	static __thread struct grammar grammar;
	char path[192];

	grammar.fields = of->fields;
	grammar.nr_fields = NR_FIELDS;
	grammar.seed = next_random() | 1;
	if (pick(6)) {
		grammar_make(&grammar, 1 + pick(pick(8) ? 4 : 12));
		grammar_print(&grammar, text);
		if (!pick(4))
			grammar_damage(&grammar, text);
	} else {
		strcpy(text, "0");
	}
	event_path(path, sizeof(path), of, "filter");
	return write_file(path, text);
}

/* Write numbers of tasks that exist, other numbers, and text that is not a number. */
static bool write_pids(const char *file)
{
	char text[256], path[192];
	size_t len = 0;

	for (unsigned int i = pick(12); i; i--)
		len += snprintf(text + len, sizeof(text) - len, "%u ",
				pick(8) ? pick(2000) :
				(unsigned int)next_random());
	if (!pick(8))
		text[len++] = (char)next_random();
	/*
	 * Clear the list at times, so that the events of all tasks are recorded
	 * again.
	 */
	if (!len || pick(2))
		len = snprintf(text, sizeof(text), "\n");
	text[len] = 0;
	control_path(path, sizeof(path), a_buffer(), file);
	return write_file(path, text);
}

bool do_pids(void)
{
	return write_pids("set_event_pid");
}

bool do_notrace_pids(void)
{
	return write_pids("set_event_notrace_pid");
}

/* Without a mounted hierarchy, the root is the only cgroup. */
bool do_cgroups(void)
{
	static const char *const texts[] = { "/\n", "\n", "/\n/\n", "/none\n", "x", "" };
	char path[192];

	control_path(path, sizeof(path), a_buffer(), "set_event_cgroup");
	return pick(4) ? write_file(path, texts[pick(6)]) : read_file(path, pick(5000));
}

bool do_event_fork(void)
{
	char path[192];

	control_path(path, sizeof(path), a_buffer(), "options/event-fork");
	return write_file(path, pick(2) ? "1" : "0");
}

bool do_filter(void)
{
	char path[192];

	switch (pick(6)) {
	case 0:
		event_path(path, sizeof(path), &pick_of(filtered), "filter");
		if (!pick(4))
			control_path(path, sizeof(path), a_buffer(),
				     "set_event_pid");
		return read_file(path, pick(4) ? 0 : pick(5000));
	case 1:
		event_path(path, sizeof(path), &pick_of(filtered), "enable");
		return write_file(path, pick(3) ? "1" : "0");
	default:
		return write_filter();
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/* Filters, most as they should be, of events that come often, and whose they are. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "../unit/filter_grammar.h"
#include "device.h"

#define CONTROL		"/sys/kernel/rbmap/"
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

/* As many fields each: what all have stands for none of its own. */
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
	{ "rbmap/marker", { COMMON_FIELDS,
	  STRING("buf", "a", "\n"),
	  STRING("buf", "zz", "*"),
	  NUMBER("common_type", 2, "1", "300") } },
	/* do_dynamic() makes them, of other types again and again. */
	{ "fuzz/e1", { COMMON_FIELDS,
	  STRING("f0", "a", "(fault)"),
	  NUMBER("f0", 8, "0", "-1"),
	  NUMBER("f1", 4, "0", "1") } },
};

static bool write_filter(void)
{
	static __thread char text[GRAMMAR_TEXT + 8];
	const struct filtered *of = &pick_of(filtered);
	static __thread struct grammar grammar;
	char path[128];

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
	snprintf(path, sizeof(path), CONTROL "events/%s/filter", of->dir);
	return write_file(path, text);
}

/* Numbers, of tasks that there are and others, and what is none. */
static bool write_pids(void)
{
	char text[256];
	size_t len = 0;

	for (unsigned int i = pick(12); i; i--)
		len += snprintf(text + len, sizeof(text) - len, "%u ",
				pick(8) ? pick(2000) :
				(unsigned int)next_random());
	if (!pick(8))
		text[len++] = (char)next_random();
	/* So that the events of all come back. */
	if (!len || pick(2))
		len = snprintf(text, sizeof(text), "\n");
	text[len] = 0;
	return write_file(CONTROL "set_event_pid", text);
}

bool do_filter(void)
{
	char path[128];

	switch (pick(8)) {
	case 0:
		return write_pids();
	case 1:
		return write_file(CONTROL "options/event-fork",
				  pick(2) ? "1" : "0");
	case 2:
		snprintf(path, sizeof(path), CONTROL "events/%s/filter",
			 pick_of(filtered).dir);
		return read_file(pick(4) ? path : CONTROL "set_event_pid",
				 pick(4) ? 0 : pick(5000));
	case 3:
		snprintf(path, sizeof(path), CONTROL "events/%s/enable",
			 pick_of(filtered).dir);
		return write_file(path, pick(3) ? "1" : "0");
	default:
		return write_filter();
	}
}

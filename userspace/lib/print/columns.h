/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The columns of a line before the name of the event:
 *
 *	            bash-1234    [001] d..1.  123.456789:
 *	       web:bash-1234    [web:001] d..1.  123.456789:	with hosts
 *
 * Most of them repeat from line to line. So the text of threads, of the last flags and of
 * the last second is kept and copied.
 */
#ifndef RBMAP_PRINT_COLUMNS_H
#define RBMAP_PRINT_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/rbmap.h>

#include "base/buf.h"
#include "time_view.h"

/*
 * "            bash-1234  [001]"; @size is 0 if the name is too long for @text, or has
 * characters that are escaped, or if there is a host.
 */
struct task_column {
	const char *comm;
	const char *host;	/* the host of the CPU; NULL: it is not printed */
	int pid;
	int cpu;
	unsigned int size;
	char text[64];
};

/**
 * struct columns - the layout, and the text that is kept
 * @time: how times are printed
 * @second: the first time, in ns, that is printed with this second
 * @second_ns: number of such times
 * @rounding: ns that are added to a time in this second
 */
struct columns {
	unsigned int pid_width;
	bool with_flags;
	struct time_view time;

	uint16_t flags;
	char flags_text[8];		/* " d..1." */
	uint64_t second;
	uint32_t second_ns;
	uint32_t rounding;
	unsigned int second_size;
	char second_text[32];		/* " 1234.", or " 2026-11-26 14:03:12." */
};

void columns_init(struct columns *c);

/* Set the text of a thread on a CPU. @comm and @host must stay as long as @task is used. */
void columns_set_task(const struct columns *c, struct task_column *task, const char *comm,
		      int pid, int cpu, const char *host);

/* Append all columns and a blank. */
void columns_add(struct columns *c, const struct task_column *task,
		 const struct rbmap_event_common *common, uint64_t ts, struct buf *out);

/* Append the time alone, as c->time says: seconds, a counter, or a date. */
void columns_add_time(struct columns *c, uint64_t ts, struct buf *out);

#endif /* RBMAP_PRINT_COLUMNS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* One sentence that says why a task waited. */
#ifndef RBMAP_INTERVALS_WHY_SENTENCE_H
#define RBMAP_INTERVALS_WHY_SENTENCE_H

#include "base/buf.h"
#include "cause.h"
#include "print/time_view.h"
#include "stall.h"

struct intervals;

/**
 * struct teller - how tasks and lengths are written
 * @intervals: knows the names of tasks
 * @history: knows their quotas
 * @at: tasks have the names of that time
 */
struct teller {
	const struct intervals *intervals;
	const struct history *history;
	const struct time_view *time;
	uint64_t at;
};

/* Append the sentence without its full stop. */
void tell_stall(const struct teller *t, const struct stall *stall,
		const struct analysis *analysis, struct buf *out);

/* Append what took a share of the time: "med-codec-636 ran on CPU 1 while ... could run". */
void tell_cause(const struct teller *t, const struct cause *cause, struct buf *out);

/* Append "bash-123", or "idle". */
void tell_task(const struct teller *t, int pid, struct buf *out);

/* Return a name for programs: "occupied", "disk". */
const char *cause_name(enum cause_kind kind);

#endif /* RBMAP_INTERVALS_WHY_SENTENCE_H */

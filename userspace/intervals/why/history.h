/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The intervals of a recording, kept so that they can be looked up: what a task did, what a
 * CPU did, which requests of a device were under way.
 */
#ifndef RBMAP_INTERVALS_WHY_HISTORY_H
#define RBMAP_INTERVALS_WHY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intervals/intervals.h"
#include "recording/dat_cgroups.h"

/**
 * struct piece - an interval that is kept
 * @is_selected: the event that ends it is selected
 * @waker_pid: -1: nobody is known; @waker_cpu and @waker_flags belong to it
 * @call, @has_args, @arg: the system call that the task slept in; NULL: none
 */
struct piece {
	uint8_t kind;
	bool unfinished;
	bool is_selected;
	bool has_args;
	bool again;
	int16_t prio;
	int pid;
	int cpu, left_cpu;
	int waker_pid, waker_cpu;
	unsigned int waker_flags;
	uint64_t begin, end, woken;
	const char *name;
	const char *call;
	uint64_t arg[INTERVAL_CALL_ARGS];
	uint32_t dev;
	uint64_t bytes;
	const char *device;
	uint64_t lock;
};

/* Pieces of one kind and one owner, in the order of their ends. */
struct piece_list {
	uint32_t *piece;	/* numbers of pieces */
	size_t nr;
};

struct history;

/*
 * @cgroups: those of the tasks, which belong to the caller; NULL: they are not known. Return
 * NULL if memory is lacking.
 */
struct history *history_new(const struct dat_cgroups *cgroups);
void history_free(struct history *h);

/*
 * Find the CPU quota of a task's cgroup. Return 1; 0: it has none; -ENOENT: that is not known.
 * quota->cgroup is then the task's cgroup, or NULL: that is not known either.
 */
int history_quota(const struct history *h, int pid, struct dat_quota *quota);

/*
 * Keep an interval, if causes are looked for in its kind. If there are @most of them, the
 * oldest quarter makes room. Return false if memory is lacking.
 */
bool history_add(struct history *h, const struct interval *interval, bool is_selected);

/* Set how many intervals are kept at most, before the first one. The default is four million. */
void history_keep(struct history *h, size_t most);

/* The question is about this time: keep the intervals around it in place of the newest. */
void history_set_focus(struct history *h, uint64_t time);

/**
 * struct history_cut - intervals that had no room
 * @before, @behind: their numbers, before and behind those that are kept
 * @since: the last end of those before
 * @until: the last end of those that are kept
 */
struct history_cut {
	uint64_t before, behind;
	uint64_t since, until;
};

struct history_cut history_cut(const struct history *h);

/*
 * A handler is in the list of its CPU, and a request in the list of all requests of its kind. A
 * piece of INTERVAL_IRQS_OFF is in the lists of its CPU and of all. A piece of INTERVAL_ONCPU is in
 * the lists of its task and of its CPU. Each other piece is in the list of its task.
 */
const struct piece_list *history_of_task(const struct history *h, enum interval_kind kind,
					 int pid);
const struct piece_list *history_of_cpu(const struct history *h, enum interval_kind kind,
					int cpu);
const struct piece_list *history_of_all(const struct history *h, enum interval_kind kind);

const struct piece *history_piece(const struct history *h, const struct piece_list *list,
				  size_t i);
/* Return the number of the first piece of the list that ends behind @time. */
size_t history_after(const struct history *h, const struct piece_list *list, uint64_t time);
/* Return the piece of the list that contains @time, or NULL. */
const struct piece *history_at(const struct history *h, const struct piece_list *list,
			       uint64_t time);

/* All pieces, in the order of their ends. */
size_t history_pieces(const struct history *h, const struct piece **piece);

#endif /* RBMAP_INTERVALS_WHY_HISTORY_H */

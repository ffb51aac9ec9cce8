/* SPDX-License-Identifier: LGPL-2.1-only */
/* The names of threads, by pid. */
#ifndef RBMAP_PRINT_TASK_NAMES_H
#define RBMAP_PRINT_TASK_NAMES_H

#include <stdbool.h>

struct task_names;

struct task_names *task_names_new(void);	/* NULL: out of memory */
void task_names_free(struct task_names *names);

/*
 * Keep all names that are replaced until task_names_free(). Equal names then have the same
 * address. This comes before the first name.
 */
void task_names_keep(struct task_names *names);

/* Return the name of a thread, or NULL: unknown. It is valid until the next name is set. */
const char *task_names_find(const struct task_names *names, int pid);

/* Set or replace the name of a thread. Return 1 if it differs, 0 if not, or -ENOMEM. */
int task_names_set(struct task_names *names, int pid, const char *name);

/* Has task_names_set_first() set the name of a thread? */
bool task_names_has_first(const struct task_names *names, int pid);

/*
 * Set the name that a thread has in the first event that says it: later calls for the
 * thread change nothing. It replaces a name of task_names_set(). Return 0 or -ENOMEM.
 */
int task_names_set_first(struct task_names *names, int pid, const char *name);

/* Call @each for each name, by pid. task_names_each() returns 0 or -ENOMEM. */
typedef void task_name_fn(void *data, int pid, const char *name);
int task_names_each(const struct task_names *names, task_name_fn *each, void *data);

#endif /* RBMAP_PRINT_TASK_NAMES_H */

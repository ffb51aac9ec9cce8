/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lists of threads of a buffer. Functions that return false have reported the error.
 */
#ifndef RBMAP_LIVE_PID_LIST_H
#define RBMAP_LIVE_PID_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define PID_LIST_ONLY	"set_event_pid"		/* only these are recorded */
#define PID_LIST_NONE	"set_event_notrace_pid"	/* these are not */

/* Return the text of a list, or NULL. The caller frees it. */
char *pid_list_read(const char *list);

/* Replace a list by a text of pid_list_read(). */
bool pid_list_write(const char *list, const char *text);

/*
 * Replace a list by all threads of processes. The kernel adds the threads and children of
 * listed threads if options/event-fork is 1. So no thread is missed if that was set
 * before, and the threads of each process are looked up until all are in the list.
 */
bool pid_list_set_processes(const char *list, const unsigned int *pid, size_t nr);

/* Add this process to exclude_process, or remove it. */
bool pid_list_exclude_self(bool exclude);

#endif /* RBMAP_LIVE_PID_LIST_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list set_event_pid of a buffer. Functions that return false have reported the
 * error.
 */
#ifndef RBMAP_CLI_PID_LIST_H
#define RBMAP_CLI_PID_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Return the text of the list, or NULL. The caller frees it. */
char *pid_list_read(void);

/* Replace the list by a text of pid_list_read(). */
bool pid_list_write(const char *text);

/*
 * Replace the list by all threads of processes. The kernel adds the threads and children
 * of listed threads if options/event-fork is 1. So no thread is missed if that was set
 * before, and the threads of each process are looked up until all are in the list.
 */
bool pid_list_set_processes(const unsigned int *pid, size_t nr);

#endif /* RBMAP_CLI_PID_LIST_H */

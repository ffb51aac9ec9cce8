/* SPDX-License-Identifier: GPL-2.0-only */
/* The module rbmap_selftest: its writers run in all contexts. */
#ifndef RBMAP_LIVE_SELFTEST_WRITERS_H
#define RBMAP_LIVE_SELFTEST_WRITERS_H

#include <stdbool.h>
#include <linux/rbmap_selftest.h>

/*
 * Load the module, if it is not loaded, and open its device. @path: the module's file, or
 * NULL. On failure, report the error and return -1.
 */
int writers_open(const char *path);
/* Close the device, which ends all writers, and remove the module. */
void writers_close(int fd);

/* Each function returns 0 or a negative errno. */
int writers_start(int fd, const char *buffer);
int writers_stop(int fd);
/* Write one more event on each CPU, in front of which all losses are reported. */
int writers_write_last(int fd);
/* Count the events that were emitted on a CPU. */
int writers_count(int fd, unsigned int cpu, struct rbmap_selftest_counts *counts);

#endif /* RBMAP_LIVE_SELFTEST_WRITERS_H */

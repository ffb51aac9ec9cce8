/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs of a buffer whose devices are not in /dev, as in a container with a part of /dev/rbmap */
#ifndef RBMAP_KERNEL_HIDDEN_CPUS_H
#define RBMAP_KERNEL_HIDDEN_CPUS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Compare the CPUs of a buffer's control files with its devices, and store those that have no
 * device in *cpus, from malloc(). @snapshot: the devices are those of the snapshot, in which
 * not each CPU is. Return their number, 0 without control files or without any device.
 */
size_t hidden_cpus_find(int **cpus, const char *control, const char *devices, bool snapshot);

/* Report them, if there are any. */
void hidden_cpus_complain(const char *devices, const int *cpus, size_t nr);

/* Find and report those of the rings, and return true if there are any. */
bool complain_hidden_cpus(const char *control, const char *devices);

#endif /* RBMAP_KERNEL_HIDDEN_CPUS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs of a buffer whose devices are not in /dev, as in a container with a part of /dev/rbmap */
#ifndef RBMAP_KERNEL_HIDDEN_CPUS_H
#define RBMAP_KERNEL_HIDDEN_CPUS_H

#include <stdbool.h>

/*
 * Compare the CPUs of a buffer's control files with its devices. Report those that have no
 * device, and return true if there are any. Without control files nothing can be compared.
 */
bool complain_hidden_cpus(const char *control, const char *devices);

#endif /* RBMAP_KERNEL_HIDDEN_CPUS_H */

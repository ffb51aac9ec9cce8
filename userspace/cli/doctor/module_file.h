/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the rbmap module that is installed for a kernel, and read its modinfo.
 */
#ifndef RBMAP_DOCTOR_MODULE_FILE_H
#define RBMAP_DOCTOR_MODULE_FILE_H

#include <stdbool.h>

#include "sysroot.h"

struct module_file {
	char *path;		/* NULL: not installed */
	char *release;		/* release of the kernel it was built for */
	char *version;
	bool is_signed;
	char *signer;		/* name of the key; NULL: unknown */
	bool indexed;		/* depmod lists it, so modprobe finds it */
};

/* Find the rbmap module that is installed for a kernel of @m. */
bool module_file_find(struct module_file *file, const struct sysroot *m,
		      const char *release);
void module_file_free(struct module_file *file);

#endif /* RBMAP_DOCTOR_MODULE_FILE_H */

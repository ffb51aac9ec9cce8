/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module rbmap that is installed for a kernel, and what it says of itself.
 */
#ifndef RBMAP_CLI_MODULE_FILE_H
#define RBMAP_CLI_MODULE_FILE_H

#include <stdbool.h>

#include "sysroot.h"

struct module_file {
	char *path;		/* NULL: there is none */
	char *release;		/* that it was built for */
	char *version;
	bool is_signed;
	char *signer;		/* the name of the key; NULL: not known */
	bool indexed;		/* depmod knows it, so modprobe finds it */
};

/* The module rbmap that is installed for a kernel of @m. */
bool module_file_find(struct module_file *file, const struct sysroot *m,
		      const char *release);
void module_file_free(struct module_file *file);

#endif /* RBMAP_CLI_MODULE_FILE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names in messages. They become names of files and of subjects, so only a few characters
 * are valid, and no name begins with a dot.
 */
#ifndef RBMAP_FLEET_NAMES_H
#define RBMAP_FLEET_NAMES_H

#include <stdbool.h>

#define HOST_NAME_SIZE		64	/* with the final 0 */
#define BOOT_ID_SIZE		33
#define SOURCE_NAME_SIZE	128

/* Return whether the name consists of letters, digits, '-' and '_', at most 63 of them. */
bool is_host_name(const char *name);

/* Return whether the name is 32 hexadecimal digits, in lower case. */
bool is_boot_id(const char *name);

/* Return whether the name consists of letters, digits and "-_.:", at most 127 of them. */
bool is_source_name(const char *name);

/*
 * Store the name of this host. Dots become '_', which host names do not have. Return
 * whether it is a valid name.
 */
bool this_host(char name[HOST_NAME_SIZE]);

/*
 * Store the id of this boot, without dashes. Return 0 or a negative errno. -EBADMSG: the
 * kernel has none.
 */
int this_boot(char id[BOOT_ID_SIZE]);

#endif /* RBMAP_FLEET_NAMES_H */

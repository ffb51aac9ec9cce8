// SPDX-License-Identifier: GPL-2.0-only
/*
 * class_create() gets the name without the module.
 * Linux 6.4: 1aaba11da9aa ("driver core: class: remove module * from class_create()")
 */
#include <linux/device.h>

/* A macro of the older kernels takes two, and one is an error there. */
struct class *class_create_no_owner_create(void);
struct class *class_create_no_owner_create(void)
{
	return class_create("name");
}

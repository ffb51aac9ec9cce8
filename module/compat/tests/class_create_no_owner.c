// SPDX-License-Identifier: GPL-2.0-only
/* class_create() wants no module. */
#include <linux/device.h>

/* A macro of the older kernels takes two, and one is an error there. */
struct class *create(void);
struct class *create(void)
{
	return class_create("name");
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The devnode() callback of a class gets a const device.
 * Linux 6.2: ff62b8e6588f ("driver core: make struct class.devnode() take a const *")
 */
#include <linux/device.h>

static char *devnode_const_node(const struct device *dev, umode_t *mode)
{
	return NULL;
}

struct class devnode_const_a_class = { .devnode = devnode_const_node };

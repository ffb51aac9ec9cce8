/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The names of block devices, by their numbers, as they were when the recording ended. A
 * recording has them as a text of DAT_OPTION_CPUSTAT, which other programs skip or show:
 *
 *	rbmap devices
 *	253:1 vda1
 *	254:0 mapper/vg-root
 *
 * A name is that of the file below /dev.
 */
#ifndef RBMAP_DAT_DEVICES_H
#define RBMAP_DAT_DEVICES_H

#include <stddef.h>
#include <stdint.h>

struct dat_devices;

#define DAT_DEVICE_NAME	128	/* bytes of the longest name, with its 0 byte */
#define DAT_DEVICES_MAX	4096	/* devices of a table */

/* A device as events have it: the kernel's own dev_t. */
#define DAT_DEV(major, minor)	((uint32_t)(major) << 20 | (minor))
#define DAT_DEV_MAJOR(dev)	((dev) >> 20)
#define DAT_DEV_MINOR(dev)	((dev) & ((1u << 20) - 1))

/* NULL: no memory */
struct dat_devices *dat_devices_new(void);
void dat_devices_free(struct dat_devices *devices);

/*
 * Add a device. A name that is empty or too long, and a device that is there already, are
 * ignored. Return 0, -ENOMEM or -E2BIG: DAT_DEVICES_MAX are there.
 */
int dat_devices_add(struct dat_devices *devices, uint32_t dev, const char *name);

/* Return the name, or NULL: it is not known. @devices may be NULL. */
const char *dat_devices_name(const struct dat_devices *devices, uint32_t dev);

/* Return the number of devices, and that of one of them, in their order. */
size_t dat_devices_count(const struct dat_devices *devices);
uint32_t dat_devices_number(const struct dat_devices *devices, size_t i);

/* The first line of the text. */
#define DAT_DEVICES_HEAD	"rbmap devices\n"

/* Add the devices of a text. Return 1; 0: it is another kind of text; -ENOMEM. */
int dat_devices_parse(struct dat_devices *devices, const char *text);

#endif /* RBMAP_DAT_DEVICES_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/kernel/rbmap, and the directory of each named buffer in it */
#ifndef RBMAP_CONTROL_H
#define RBMAP_CONTROL_H

#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "buffer/buffer.h"

struct rbmap_event_set;

/**
 * struct rbmap_control - the files of a buffer
 * @buffer: the buffer
 * @events: its events; NULL: it has none
 * @owner: the module that has made it; "": none
 * @dir: the directory
 * @events_dir: events
 * @system_dirs: events/SYSTEM; under the registry's lock
 * @options_dir: options
 * @cpus_dir: per_cpu
 * @cpu_dir: per_cpu/cpuN, by CPU
 */
struct rbmap_control {
	struct rbmap_buffer	*buffer;
	struct rbmap_event_set	*events;
	const char		*owner;
	struct kobject		*dir;
	struct kobject		*events_dir;
	struct list_head	system_dirs;
	struct kobject		*options_dir;
	struct kobject		*cpus_dir;
	struct kobject		**cpu_dir;
};

/* @control: @buffer and @events are filled, the rest are zeroes. */
int rbmap_control_init(struct rbmap_control *control, const char *name,
		       struct kobject *parent);
void rbmap_control_exit(struct rbmap_control *control);

/*
 * Files are for root and the group, as in tracefs, whose directory others can't
 * enter.  A directory of sysfs is open to everyone: so each file says it itself.
 */
#define RBMAP_MODE_RO		0440
#define RBMAP_MODE_RW		0640
#define RBMAP_ATTR_RO(_name)	__ATTR_RO_MODE(_name, RBMAP_MODE_RO)
#define RBMAP_ATTR_RW(_name)	__ATTR_RW_MODE(_name, RBMAP_MODE_RW)

int rbmap_control_number(const char *name, const char *buf, size_t len,
			 unsigned long max, unsigned long *value);
int rbmap_control_refuse(const char *name, const char *buf, size_t len,
			 const char *wanted);
ssize_t rbmap_control_text_read(char *text, char *buf, loff_t pos, size_t len);
int rbmap_control_clock(const char *name, const char *buf, size_t len,
			enum rbmap_clock *clock);

#endif /* RBMAP_CONTROL_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/kernel/rbmap, and the directory of each named buffer in it. */
#ifndef RBMAP_CONTROL_H
#define RBMAP_CONTROL_H

#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "buffer/buffer.h"
#include "lib/text.h"

struct pid;
struct rbmap_event_set;

/**
 * struct rbmap_control - the files of a buffer
 * @buffer: the buffer
 * @events: events of the buffer, or NULL
 * @owner: name of the module that created the buffer, or ""
 * @keeper_pid: process that the buffer ends with, or NULL
 * @copies_marker: whether the buffer gets what is written to the default buffer's marker
 * @is_shared: may others than root open a device that shows events of the buffer?
 * @dir: the buffer's directory
 * @events_dir: directory events
 * @system_dirs: directories events/SYSTEM; under the registry's lock
 * @options_dir: directory options
 * @cpus_dir: directory per_cpu
 * @cpu_dir: directories per_cpu/cpuN, by CPU number
 * @available: text of available_events while somebody reads it page by page
 * @ends: whether the files are being removed, so that nobody gets another such text
 */
struct rbmap_control {
	struct rbmap_buffer	*buffer;
	struct rbmap_event_set	*events;
	const char		*owner;
	struct pid		*keeper_pid;
	bool			*copies_marker;
	bool			(*is_shared)(const struct rbmap_control *control);
	struct kobject		*dir;
	struct kobject		*events_dir;
	struct list_head	system_dirs;
	struct kobject		*options_dir;
	struct kobject		*cpus_dir;
	struct kobject		**cpu_dir;
	struct rbmap_text	available;
	bool			ends;
};

/*
 * @control: the members up to @is_shared are filled in, the rest is zeroed.
 */
int rbmap_control_init(struct rbmap_control *control, const char *name,
		       struct kobject *parent);
void rbmap_control_exit(struct rbmap_control *control);

/*
 * Only root and the group may access the files.  In tracefs others cannot enter the
 * directory.  Everyone can enter a directory of sysfs, so that the mode of each file
 * must forbid the access.
 */
#define RBMAP_MODE_RO		0440
#define RBMAP_MODE_RW		0640
#define RBMAP_ATTR_RO(_name)	__ATTR_RO_MODE(_name, RBMAP_MODE_RO)
#define RBMAP_ATTR_RW(_name)	__ATTR_RW_MODE(_name, RBMAP_MODE_RW)

int rbmap_control_number(struct rbmap_buffer *buffer, const char *name,
			 const char *buf, size_t len, unsigned long max,
			 unsigned long *value);
int rbmap_control_refuse(struct rbmap_buffer *buffer, const char *name,
			 const char *buf, size_t len, const char *wanted);
ssize_t rbmap_control_text_read(char *text, char *buf, loff_t pos, size_t len);
int rbmap_control_clock(struct rbmap_buffer *buffer, const char *name,
			const char *buf, size_t len, enum rbmap_clock *clock);

#endif /* RBMAP_CONTROL_H */

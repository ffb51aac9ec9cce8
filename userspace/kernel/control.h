/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files and events below /sys/kernel/rbmap.
 *
 * Names of files are relative to the root. Functions return 0 or more for
 * success, or a negative errno, which control_complain() reports.
 */
#ifndef RBMAP_KERNEL_CONTROL_H
#define RBMAP_KERNEL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct command;

/* Return the root, without a slash at its end. Tests set another root. */
const char *control_root(void);
void control_set_root(const char *root);

/*
 * Select the buffer that files belong to; NULL: the default buffer. A name of a
 * file that begins with a slash always belongs to the module.
 */
void control_set_buffer(const char *name);
const char *control_buffer(void);

/* The option that selects the buffer of control_set_buffer(). */
int set_buffer(const struct command *cmd, void *to, char *value);

#define BUFFER_OPTION {							\
	.name = "buffer", .letter = 'B', .arg = "NAME", .kind = "buffer", \
	.target = { .set = set_buffer },				\
	.help = "use the buffer NAME of 'rbmap create'" }

/*
 * Return whether the buffer has the raw events of a kernel module, without
 * rbmap's fields.
 */
bool control_is_raw(void);

/*
 * Return whether the buffer's events have formats, which a recording needs. If
 * not, report that.
 */
bool control_has_formats(void);

/* Return the module that created the buffer, or NULL. The caller frees it. */
char *control_owner(void);

/* Return the directory of the buffer's control files. */
const char *control_dir(void);
const char *control_devices(void);
const char *control_snapshot_devices(void);

/* Return whether the module and the buffer exist. If not, report the remedy. */
bool control_present(void);

/*
 * Return the contents of a file without the last newline. On failure, return
 * NULL and set errno. The caller frees the text.
 */
char *control_read(const char *file);
int control_read_u64(const char *file, uint64_t *value);
int control_write(const char *file, const char *value);
/*
 * Write a list of words. The kernel takes a page of it with each write. Return 0 or a
 * negative errno: a part may have been written then.
 */
int control_write_list(const char *file, const char *value, bool append);

/* the kernel's lockdown state, if it can be read */
enum control_lockdown { LOCKDOWN_NONE, LOCKDOWN_INTEGRITY,
			LOCKDOWN_CONFIDENTIALITY };
enum control_lockdown control_lockdown(void);

/*
 * A kernel that is locked down for confidentiality refuses tracing to everyone.
 * Report that if it is the reason of an error.
 */
bool control_complain_lockdown(void);

/*
 * The remedy in a container. A list of devices, as `docker --device` makes of a folder, has
 * those of the container's start alone.
 */
#define WHOLE_DEVICES	"run this command outside, or give the container the folder /dev/rbmap of the machine as a volume, and the right to its devices"

/*
 * Report that a device of the loaded module does not exist. A module of this command's version,
 * @version, has it, so /dev is that of a container. So it is without the directory of devices.
 */
void complain_no_device(const char *path, const char *version);

/* Report that @path may not be read, and who may read it. */
void complain_unreadable(const char *path);

enum control_verb { CONTROL_READ, CONTROL_WRITE };
/* Report a file that could not be read or written. */
void control_complain(enum control_verb verb, const char *file, int error);

/* Write a file. On failure, report the error and return false. */
bool control_set(const char *file, const char *value);

#define CONTROL_CPUS_MAX	65536

/* Return the number of a device or directory "cpuN", or -1. */
int control_cpu_of(const char *name);

/* Return the number of CPUs that can come online, or 0 if it is unknown. */
unsigned int control_possible_cpus(void);

/* Read a line "key: number" of a file stats. Return -ENOENT without such a line. */
int control_read_stat(const char *file, const char *key, uint64_t *value);
/* Like control_read_stat(), of per_cpu/cpuN/stats */
int control_cpu_stat(unsigned int cpu, const char *key, uint64_t *value);
/*
 * Return the name of the clock in brackets in trace_clock, such as "local". The
 * caller frees it.
 */
char *control_clock(void);

/*
 * Find that clock in text from trace_clock. Return an enum rbmap_clock, or -1.
 */
int control_clock_of(const char *text);
const char *control_clock_name(int clock);
/* Print such text, with a clock in brackets. */
void control_print_clocks(struct buf *out, int clock);

struct control_event {
	char *system;
	char *name;
	int id;			/* control_event_id() reads it */
	bool has_id;
	bool enabled;
	char *unavailable;	/* reason why it is unavailable; NULL: it is available */
	char *waiting;		/* the reason why it waits; NULL: it is there, or unavailable */
	bool on_demand;		/* the buffer has no directory of it yet */
	bool selected;		/* by control_select() */
	bool changed;		/* its state differs from `enabled` */
};

struct control_events {
	struct control_event *v;	/* sorted by system, then by name */
	size_t nr;
};

/* Read all events that the buffer has. On failure, report the error. */
int control_events_read(struct control_events *events);
void control_events_free(struct control_events *events);

/*
 * Read them, and the names of those that the buffer does not have yet, because nobody has
 * named them. On failure, report the error.
 */
int control_events_read_available(struct control_events *events);

/*
 * Where a probe does not fit, let the kernel's own event take its place if there is one: it is
 * available then. On failure, report the error.
 */
int control_events_replace(struct control_events *events);

/*
 * Let the buffer have the events of the kernel that @patterns name, and add them to
 * @events. A name without an event is left to control_select(). On failure, report the
 * error.
 */
int control_events_demand(struct control_events *events, char *const *patterns, size_t nr);

/* How records of the kernel's own events arrive: as well as possible, worse, or not at all */
enum control_way { CONTROL_WAY_BEST, CONTROL_WAY_WORSE, CONTROL_WAY_NONE };

/* Add a sentence about the text of the file kernel_events. */
enum control_way control_way_describe(const char *text, struct buf *sentence);

/* Read an event of the buffer, or only note a name. control_events_sort() follows. */
int control_events_add(struct control_events *events, const char *system, const char *name);
int control_events_add_name(struct control_events *events, const char *system,
			    const char *name);
/* Return the number of an event in the records, or -1: unknown. */
int control_event_id(struct control_event *event);
/* Read an event of the buffer again. */
int control_event_update(struct control_event *event);
void control_events_sort(struct control_events *events);
/* Find an event among the first @nr, which are sorted. */
struct control_event *control_events_find(const struct control_events *events, size_t nr,
					  const char *system, const char *name);

/*
 * Return whether @pattern names the event: system:event, system:*, event or
 * system, with the wildcards of the shell; or CONTROL_ALL_EVENTS.
 */
#define CONTROL_ALL_EVENTS	"all"
bool control_match(const char *pattern, const char *system, const char *name);

/*
 * Select the events that match a pattern. If a pattern matches none, report
 * that with suggestions and return -ENOENT.
 */
int control_select(struct control_events *events, char *const *patterns,
		   size_t nr_patterns);

/* Enable or disable an event. On failure, report the error. */
int control_event_enable(const struct control_event *event, bool on);

/*
 * Enable or disable the selected events. Unavailable events that a wildcard
 * matched are left alone; if there are only such events, return -ENODEV. Report
 * the first error and stop.
 */
int control_enable_selected(struct control_events *events, bool on);

/*
 * Enable exactly the selected events for a while: disable all others, enable
 * the selected ones. Afterwards control_restore() gives each changed event its
 * old state from `enabled`. control_disable_ours() only does the half of it
 * that stops new events.
 */
int control_disable_others(struct control_events *events);
int control_disable_ours(struct control_events *events);
int control_restore(struct control_events *events);

/*
 * Read what the module logs from now on. A refused load has one errno for many
 * reasons; the log names the reason.
 */
int klog_open(void);		/* -1: not readable */
/*
 * Store the last line "rbmap: ..." since klog_open() without its prefix, or "".
 * Close @fd.
 */
void klog_last(int fd, char *line, size_t size);

/* Call control_write(), and store the module's log line about it. */
int klog_write(const char *file, const char *text, char *message, size_t size);

/*
 * The CPUs, lists of threads and of cgroups, and filters that restrict what a buffer
 * records. A user has set them, or a recorder of a shared buffer that was killed has left
 * them: selection.c.
 */

/*
 * Describe what restricts the buffer, for a message. Return false if nothing does. The
 * text ends with a 0 byte.
 */
bool selection_describe(struct buf *text, const struct control_events *events);

/* Note on stderr what restricts the buffer, if anything does. */
void selection_tell(const struct control_events *events);

#endif /* RBMAP_KERNEL_CONTROL_H */

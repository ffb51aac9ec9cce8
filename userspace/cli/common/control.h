/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /sys/kernel/rbmap: its files, and the events to switch.
 *
 * Names of files are relative to the root.  Functions return 0 or more for
 * success and a negative errno; control_complain() puts that into words.
 */
#ifndef RBMAP_CLI_CONTROL_H
#define RBMAP_CLI_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The root, without a slash at its end; tests set another one. */
const char *control_root(void);
void control_set_root(const char *root);

/*
 * Files are of the default buffer, or of a named one from here on; a name that
 * begins with a slash is of the module.  NULL: the default one.
 */
void control_set_buffer(const char *name);
const char *control_buffer(void);

/* Its events are a kernel module's own, without any of rbmap's fields. */
bool control_is_raw(void);

/* Complains where it is raw: a recording needs formats. */
bool control_has_formats(void);

/* The module that has made it; to be freed.  NULL: none has. */
char *control_owner(void);

/* Where the files of the buffer are, and where its devices are. */
const char *control_dir(void);
const char *control_devices(void);
const char *control_snapshot_devices(void);

/* Are the module and the buffer there?  Complains with the cure if not. */
bool control_present(void);

/*
 * The contents of a file, without the newline at the end; NULL with errno.
 * The caller frees it.
 */
char *control_read(const char *file);
int control_read_u64(const char *file, uint64_t *value);
int control_write(const char *file, const char *value);

/* How far the kernel is locked down, as far as that can be seen. */
enum control_lockdown { LOCKDOWN_NONE, LOCKDOWN_INTEGRITY,
			LOCKDOWN_CONFIDENTIALITY };
enum control_lockdown control_lockdown(void);

/*
 * A kernel that is locked down for confidentiality has nobody trace: says so,
 * where that is why something was refused.
 */
bool control_complain_lockdown(void);

/* @path may not be read: by whom it may. */
void complain_unreadable(const char *path);

enum control_verb { CONTROL_READ, CONTROL_WRITE };
/* One line about a file that could not be read or written. */
void control_complain(enum control_verb verb, const char *file, int error);

/*
 * A line "key: number" of per_cpu/cpuN/stats; -ENOENT without such a line.
 */
int control_cpu_stat(unsigned int cpu, const char *key, uint64_t *value);

/* The clock between brackets in trace_clock: "local".  The caller frees it. */
char *control_clock(void);

/* That one in a text that was read from there: enum rbmap_clock, or -1. */
int control_clock_of(const char *text);
const char *control_clock_name(int clock);
/* A text like that, with a clock chosen. */
struct buf;
void control_print_clocks(struct buf *out, int clock);

struct control_event {
	char *system;
	char *name;
	int id;			/* -1: not known */
	bool enabled;
	char *unavailable;	/* the reason, or NULL: available */
	bool selected;		/* by control_select() */
	bool changed;		/* it is not what `enabled` says */
};

struct control_events {
	struct control_event *v;	/* by system, then name */
	size_t nr;
};

/* All events that the module has.  Complains when it fails. */
int control_events_read(struct control_events *events);
void control_events_free(struct control_events *events);

/*
 * Does @pattern name the event?  system:event, system:*, event or system, each
 * with the wildcards of the shell.
 */
bool control_match(const char *pattern, const char *system, const char *name);

/*
 * Select the events that any of @patterns names; -ENOENT, and a complaint with
 * suggestions, if a pattern names none.
 */
int control_select(struct control_events *events, char *const *patterns,
		   size_t nr_patterns);

/* Switch one event; complains when it fails. */
int control_event_enable(const struct control_event *event, bool on);

/*
 * Switch the selected events.  What a wildcard names may be unavailable and is
 * left alone; nothing but unavailable events is an error, -ENODEV.  Complains,
 * and stops, at the first one that fails.
 */
int control_enable_selected(struct control_events *events, bool on);

/*
 * To have exactly the selected events on for a while: disable the others,
 * enable the selected ones.  control_restore() then makes each event that was
 * changed what `enabled` says it was; control_disable_ours() is the half of it
 * that makes no new events.
 */
int control_disable_others(struct control_events *events);
int control_disable_ours(struct control_events *events);
int control_restore(struct control_events *events);

#endif /* RBMAP_CLI_CONTROL_H */

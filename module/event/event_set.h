/* SPDX-License-Identifier: GPL-2.0-only */
/* A buffer's events: whether each is enabled, and where its probe is registered. */
#ifndef RBMAP_EVENT_EVENT_SET_H
#define RBMAP_EVENT_EVENT_SET_H

#include "event.h"

/*
 * Protects the list of events of a set, the members `enabled` and `hooked` of each,
 * and the place where an event's probe is attached (origin and preempt of struct
 * rbmap_event_type).  The list and that place are changed with the registry's lock
 * held, too.  Callbacks of files may take this lock.
 */
extern struct mutex rbmap_event_files_lock;

struct rbmap_event_set *rbmap_event_set_create(struct rbmap_buffer *buf);
void rbmap_event_set_stop(struct rbmap_event_set *set);
void rbmap_event_set_destroy(struct rbmap_event_set *set);
struct rbmap_event_file *
rbmap_event_set_find(struct rbmap_event_set *set,
		     const struct rbmap_event_type *event);
int rbmap_event_set_add(struct rbmap_event_set *set,
			const struct rbmap_event_type *event);
void rbmap_event_set_remove(struct rbmap_event_set *set,
			    const struct rbmap_event_type *event,
			    struct list_head *removed);
void rbmap_event_set_hook(struct rbmap_event_set *set,
			  const struct rbmap_event_type *event);
void rbmap_event_set_unhook(struct rbmap_event_set *set,
			    const struct rbmap_event_type *event);
void rbmap_event_files_free(struct list_head *event_files);

int rbmap_event_enable(struct rbmap_event_file *event_file, bool on);
/**
 * struct rbmap_event_match - which events are meant
 * @system: their system, or NULL for any
 * @name: their name, or NULL for any
 * @either: their system or their name, or NULL for any
 *
 * If all three are NULL, events with the flag `apart` are not meant.
 */
struct rbmap_event_match {
	const char	*system;
	const char	*name;
	const char	*either;
};

/* Whether a whole name is meant, so that a table of names has the event. */
static inline bool rbmap_event_match_is_one(const struct rbmap_event_match *match)
{
	return match->system && match->name;
}

u32 rbmap_event_hash(const char *system, const char *name);
bool rbmap_event_matches(const struct rbmap_event_match *match, const char *system,
			 const char *name);
int rbmap_event_set_switch(struct rbmap_event_set *set,
			   const struct rbmap_event_match *match, bool on);
bool rbmap_event_set_has(struct rbmap_event_set *set, const struct rbmap_event_match *match);
char *rbmap_event_set_list(struct rbmap_event_set *set, bool enabled);
u64 rbmap_event_set_missed(struct rbmap_event_set *set, int cpu);
void rbmap_event_set_missed_reset(struct rbmap_event_set *set, int cpu);
char rbmap_event_set_state(struct rbmap_event_set *set, const char *system);

void rbmap_event_file_update_checks(struct rbmap_event_file *event_file);
void rbmap_event_set_update_checks(struct rbmap_event_set *set);

#endif /* RBMAP_EVENT_EVENT_SET_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events on demand: a source has far more of them than anybody wants, and an event costs
 * memory and a directory in each buffer.  So the event is made when somebody first names
 * it, and a buffer has it after it was named there.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "demand.h"
#include "event.h"
#include "event_set.h"
#include "lib/text.h"
#include "registry.h"
#include "source.h"

static const struct rbmap_source *const rbmap_demand_sources[] = {
	&rbmap_kernel_source,
	&rbmap_syscall_source,
	&rbmap_foreign_source,
};

/* Make an event by the first source that can.  Return -ENOENT if none can. */
static int rbmap_demand_make_one(const char *system, const char *name)
{
	unsigned int i;
	int err = -ENOENT;

	if (rbmap_event_registered(system, name))
		return 0;
	for (i = 0; i < ARRAY_SIZE(rbmap_demand_sources); i++) {
		err = rbmap_demand_sources[i]->make(system, name);
		if (!err || err == -ENOMEM || err == -EEXIST)
			break;
	}
	return err == -EEXIST ? 0 : err;
}

/* The names that the first source knows are those of all of them. */
static char *rbmap_demand_names(void)
{
	return rbmap_demand_sources[0]->names ? rbmap_demand_sources[0]->names() : NULL;
}

/* Split the next line SYSTEM:EVENT in place.  Return the system, or NULL after the last. */
static char *rbmap_demand_next(char **rest, char **name)
{
	char *line;

	while ((line = strsep(rest, "\n"))) {
		*name = strchr(line, ':');
		if (*name) {
			*(*name)++ = 0;
			break;
		}
	}
	return line;
}

/*
 * Make all events that match.  One that no source can have does not stop the others: its name
 * is missing afterwards.
 */
static int rbmap_demand_make_some(const struct rbmap_event_match *match)
{
	char *names = rbmap_demand_names(), *rest = names, *system, *name;
	int err = 0;

	while (err != -ENOMEM && (system = rbmap_demand_next(&rest, &name))) {
		if (rbmap_event_matches(match, system, name))
			err = rbmap_demand_make_one(system, name);
		cond_resched();
	}
	kvfree(names);
	return err == -ENOMEM ? err : 0;
}

static int rbmap_demand_make(const struct rbmap_event_match *match)
{
	int err;

	if (!rbmap_event_match_is_one(match))
		return rbmap_demand_make_some(match);
	err = rbmap_demand_make_one(match->system, match->name);
	return err == -ENOMEM ? err : 0;
}

/**
 * rbmap_event_set_demand - let a buffer have events that somebody names
 * @set: the buffer's set
 * @match: the events.  Names that no source has are ignored
 *
 * Context: may sleep; without locks that are taken while a module is loaded or unloaded.
 * Return: 0, -ENOMEM, or -ENODEV if the buffer is being destroyed.
 */
int rbmap_event_set_demand(struct rbmap_event_set *set,
			   const struct rbmap_event_match *match)
{
	int err = rbmap_demand_make(match);

	if (err)
		return err;
	return rbmap_event_set_add_some(set, match);
}

/**
 * rbmap_event_demand_knows - test whether the kernel has an event
 * @match: the events; buffers need not have any of them
 *
 * Context: may sleep; as rbmap_event_set_demand().
 * Return: whether there is one.
 */
bool rbmap_event_demand_knows(const struct rbmap_event_match *match)
{
	char *names = rbmap_demand_names(), *rest = names, *system, *name;
	bool knows = false;

	while (!knows && (system = rbmap_demand_next(&rest, &name))) {
		knows = rbmap_event_matches(match, system, name);
		cond_resched();
	}
	kvfree(names);
	return knows;
}

/**
 * rbmap_event_demand_way - how records of the kernel's own events arrive
 * @reason: set to what is wrong with a better way, or to NULL
 *
 * Context: may sleep.
 * Return: a word of &struct rbmap_source.
 */
const char *rbmap_event_demand_way(const char **reason)
{
	return rbmap_kernel_source.way(reason);
}

/**
 * rbmap_event_demand_refused - why no event of the kernel can be made
 *
 * Context: may sleep.
 * Return: the reason; NULL: events can be made, or nobody has tried.
 */
const char *rbmap_event_demand_refused(void)
{
	const char *reason, *way = rbmap_event_demand_way(&reason);

	return strcmp(way, RBMAP_SOURCE_NO_WAY) ? NULL : reason;
}

/*
 * A set of lines that may have more lines than were added.  The kernel has fifteen hundred
 * events, and a buffer a hundred: without the set, each of the many is looked for in the buffer,
 * under its lock.  An event that the buffer has got since its list was made would be left out.
 */
#define RBMAP_LINES_BITS	4096

static unsigned int rbmap_line_bit(const char *line, size_t len)
{
	return full_name_hash(NULL, line, len) % RBMAP_LINES_BITS;
}

static unsigned long *rbmap_lines_of(const char *text)
{
	unsigned long *lines = bitmap_zalloc(RBMAP_LINES_BITS, GFP_KERNEL);
	size_t len;

	for (; lines && *text; text += len + !!text[len]) {
		len = strcspn(text, "\n");
		__set_bit(rbmap_line_bit(text, len), lines);
	}
	return lines;
}

static bool rbmap_demand_is_shown(struct rbmap_event_set *set, const unsigned long *shown,
				  char *system, char *name)
{
	const struct rbmap_event_match match = { .system = system, .name = name };
	const char *line = system;
	bool may_be;

	name[-1] = ':';
	may_be = test_bit(rbmap_line_bit(line, strlen(line)), shown);
	name[-1] = 0;
	return may_be && rbmap_event_set_has(set, &match);
}

/* Add the names that the buffer does not have yet. */
static void rbmap_demand_list(struct rbmap_event_set *set, const unsigned long *shown,
			      char *names, struct rbmap_text *text)
{
	char *system, *name;

	while ((system = rbmap_demand_next(&names, &name))) {
		if (!rbmap_demand_is_shown(set, shown, system, name)) {
			name[-1] = ':';
			rbmap_text_copy(text, system, strlen(system));
			rbmap_text_copy(text, "\n", 1);
		}
		cond_resched();
	}
}

/**
 * rbmap_event_set_available - list all events that the buffer has or can have
 * @set: the buffer's set
 *
 * Context: may sleep; as rbmap_event_set_demand().
 * Return: a line SYSTEM:EVENT for each, for kvfree(); NULL without memory.
 */
char *rbmap_event_set_available(struct rbmap_event_set *set)
{
	char *shown = rbmap_event_set_list(set, false), *names;
	unsigned long *lines = shown ? rbmap_lines_of(shown) : NULL;
	struct rbmap_text text = { 0 };

	if (!lines) {
		kfree(shown);
		return NULL;
	}
	names = rbmap_demand_names();
	text.size = strlen(shown) + (names ? strlen(names) : 0) + 1;
	text.buf = kvzalloc(text.size, GFP_KERNEL);
	if (text.buf) {
		rbmap_text_copy(&text, shown, strlen(shown));
		rbmap_demand_list(set, lines, names, &text);
	}
	kvfree(names);
	bitmap_free(lines);
	kfree(shown);
	return text.buf;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a recording that the user wants. All commands that read a recording have these
 * options, and the same meaning of them:
 *
 *	--event, --filter	which events
 *	--cpu			those of which CPUs
 *	--pid, --comm		those of which tasks
 *	--cgroup		those of the tasks of which cgroups
 *
 * An event must fit each of these kinds that is given. A command that prints events leaves out
 * all others. A command that prints intervals uses all events, and prints the intervals of the
 * tasks that end with such an event.
 */
#ifndef RBMAP_INPUT_SELECTION_H
#define RBMAP_INPUT_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

#include "base/units.h"
#include "command/options.h"

struct input;

#define MOST_TASKS	256	/* words of all --pid options, and --comm options */

/**
 * struct selected_task - a word of --pid
 * @name: pattern for the name of a task; NULL: it is a pid
 */
struct selected_task {
	const char *name;
	int pid;
};

/**
 * struct selection - the options
 * @filter: an expression, or NULL
 */
struct selection {
	struct patterns events;
	const char *filter;
	struct selected_task task[MOST_TASKS];
	size_t nr_tasks;
	const char *comm[MOST_TASKS];
	size_t nr_comms;
	const char *cgroup[MOST_TASKS];
	size_t nr_cgroups;
	uint32_t cpus[CPU_LIST_WORDS];
	bool has_cpus;
};

set_option_fn selection_add_tasks, selection_add_comm, selection_add_cgroup, selection_add_cpus;

/* The structure has a member in, a struct input. The texts are those of --help. */
#define SELECTION_TABLE(structure, of_tasks, on_cpus, of_event, if_true)	\
	{ .name = "pid", .letter = 'p', .arg = "TASK", .kind = "pid",	\
	  .target = OPTION_TO(selection_add_tasks, struct selection, structure, in.selection), \
	  .help = of_tasks ", by their pids or\nnames; may be given more than once" }, \
	{ .name = "comm", .arg = "PATTERN", .kind = "text",		\
	  .target = OPTION_TO(selection_add_comm, struct selection, structure, in.selection), \
	  .help = of_tasks " with such a name:\n'kworker*'; may be given more than once" }, \
	{ .name = "cgroup", .arg = "GROUP", .kind = "text",		\
	  .target = OPTION_TO(selection_add_cgroup, struct selection, structure, in.selection), \
	  .help = of_tasks " in such a cgroup, or below\nit: a path, or a name; may be given more than once" }, \
	{ .name = "cpu", .letter = 'c', .arg = "LIST", .kind = "text",	\
	  .target = OPTION_TO(selection_add_cpus, struct selection, structure, in.selection), \
	  .help = on_cpus ": 0-3,8; may be given\nmore than once" },	\
	{ .name = "event", .letter = 'e', .arg = "EVENT", .kind = "event", \
	  .target = PATTERNS(structure, in.selection.events),		\
	  .help = of_event ":\nSYSTEM:EVENT, wildcards are allowed; may be given\n" \
		  "more than once" },					\
	{ .name = "filter", .arg = "EXPR", .kind = "text",		\
	  .target = STRING(structure, in.selection.filter),		\
	  .help = if_true "\nEXPR is true, in ftrace's syntax: 'prev_prio < 100'" }

#define SELECTION_CPUS_OPTION(structure)				\
	{ .name = "cpus", .arg = "LIST", .kind = "text",		\
	  .target = OPTION_TO(selection_add_cpus, struct selection, structure, in.selection), \
	  .help = "the same as --cpu" }

/* Options of a command that leaves out other events. @verb: print */
#define EVENT_SELECTION_OPTIONS(structure, verb)			\
	SELECTION_TABLE(structure, verb " only events of tasks",	\
			verb " only events of CPUs", verb " only EVENT", \
			verb " only events for which"),			\
	SELECTION_CPUS_OPTION(structure)

/* Options of a command that prints what it makes of all events. @noun: intervals */
#define RESULT_SELECTION_OPTIONS(structure, noun)			\
	SELECTION_TABLE(structure, "only " noun " of tasks",		\
			"only " noun " that end on CPUs",		\
			"only " noun " that end with EVENT",		\
			"only " noun " that end with an event for which")

/**
 * struct selector - what a selection chooses in one recording
 */
struct selector;

/*
 * Set the selector of each input, as the selection of the first one says; NULL: all events are
 * wanted. Formats of the recordings are read, so this belongs to the sandbox. Return STATUS_OK,
 * or another status after an error that was reported.
 */
int selection_begin(struct input *const *in, unsigned int nr);

/* The same without a recording: --event, --filter and --cgroup must not be given. */
int selection_begin_live(struct input *in);

/* Must the functions below get the names of tasks? */
bool selector_needs_comm(const struct selector *selector);

bool selector_has_cpu(const struct selector *selector, int cpu);

/*
 * Return whether an event fits --event, --filter and --cpu. @comm: the name of its task; NULL:
 * not known.
 */
bool selector_has_event(const struct selector *selector, const struct rbmap_event *ev,
			const char *comm);

/*
 * Return whether an interval that ends on @cpu with an event fits these options. @ev: NULL: it
 * has not ended, so it fits no --event and no --filter.
 */
bool selector_ends(const struct selector *selector, int cpu, const struct rbmap_event *ev,
		   const char *comm);

/* Return whether a task fits --pid, --comm and --cgroup. */
bool selector_has_task(const struct selector *selector, int pid, const char *comm);

/*
 * Return whether an event is to be shown: it fits all options. Events of the scheduler about a
 * task belong to the task, too: a switch to it, and its wake-ups.
 */
bool selector_wants(const struct selector *selector, const struct rbmap_event *ev,
		    const char *comm);

/* Return true if --pid, --comm or --cgroup was given. */
bool selection_names_tasks(const struct selection *selection);

#endif /* RBMAP_INPUT_SELECTION_H */

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "command/command.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_read.h"
#include "selector.h"

/* ---- options */

static int add_task(const struct command *cmd, struct selection *s, const char *word)
{
	struct selected_task task = { 0 };
	uint64_t pid;

	if (!*word)
		return usage_error(cmd, "a word of --pid is empty");
	if (s->nr_tasks == MOST_TASKS)
		return usage_error(cmd, "--pid has more than %d tasks: use a wildcard", MOST_TASKS);
	if (strspn(word, "0123456789") != strlen(word))
		task.name = word;
	else if (parse_u64(word, &pid) && pid <= INT_MAX)
		task.pid = pid;
	else
		return usage_error(cmd, "invalid pid '%s': 0 to %d", word, INT_MAX);
	s->task[s->nr_tasks++] = task;
	return STATUS_OK;
}

int selection_add_tasks(const struct command *cmd, void *to, char *value)
{
	int status = STATUS_OK;
	char *word;

	while (!status && (word = strsep(&value, ",")))
		status = add_task(cmd, to, word);
	return status;
}

int selection_add_comm(const struct command *cmd, void *to, char *value)
{
	struct selection *s = to;

	if (s->nr_comms == MOST_TASKS)
		return usage_error(cmd, "option --comm was given more than %d times", MOST_TASKS);
	s->comm[s->nr_comms++] = value;
	return STATUS_OK;
}

int selection_add_cgroup(const struct command *cmd, void *to, char *value)
{
	size_t len = strlen(value);
	struct selection *s = to;

	if (s->nr_cgroups == MOST_TASKS)
		return usage_error(cmd, "option --cgroup was given more than %d times", MOST_TASKS);
	/* The path of a directory may end with /. */
	while (len > 1 && value[len - 1] == '/')
		value[--len] = '\0';
	if (!len)
		return usage_error(cmd, "option --cgroup needs a path or a name");
	s->cgroup[s->nr_cgroups++] = value;
	return STATUS_OK;
}

int selection_add_cpus(const struct command *cmd, void *to, char *value)
{
	struct selection *s = to;

	s->has_cpus = true;
	if (parse_cpus(value, s->cpus))
		return STATUS_OK;
	return usage_error(cmd, "invalid list of CPUs '%s': want numbers and ranges, such as 0-3,8",
			   value);
}

bool selection_names_tasks(const struct selection *selection)
{
	return selection->nr_tasks || selection->nr_comms || selection->nr_cgroups;
}

static bool is_empty(const struct selection *s)
{
	return !s->events.nr && !s->filter && !selection_names_tasks(s) && !s->has_cpus;
}

/* A CPU that no recording has is an error of the user. */
static bool check_cpus(const struct selection *s, struct input *const *in, unsigned int nr)
{
	unsigned int cpus = 0, last = CPU_LIST_MAX;

	for (unsigned int i = 0; i < nr; i++)
		if (cpus < rbmap_recording_cpus(in[i]->reader))
			cpus = rbmap_recording_cpus(in[i]->reader);
	while (last && !(s->cpus[(last - 1) / 32] & 1U << (last - 1) % 32))
		last--;
	if (!s->has_cpus || last <= cpus)
		return true;
	complain("%s has no CPU %u: it has %u CPUs, from 0 on", in[0]->path, last - 1, cpus);
	return false;
}

/* ---- --cgroup */

/* Does a directory of the path have a name that fits? */
static bool has_directory(const char *path, const char *pattern)
{
	char name[NAME_MAX + 1];

	while (*path) {
		size_t len = strcspn(++path, "/");

		snprintf(name, sizeof(name), "%.*s", (int)(len < NAME_MAX ? len : NAME_MAX), path);
		if (len && !fnmatch(pattern, name, 0))
			return true;
		path += len;
	}
	return false;
}

/* Does the path, or the beginning of it, fit a pattern that begins with /? */
static bool is_in_cgroup(const char *path, const char *pattern)
{
	if (*pattern != '/')
		return has_directory(path, pattern);
	return dat_cgroup_is_below(path, pattern) || !fnmatch(pattern, path, FNM_LEADING_DIR);
}

/* Choose the cgroups that the pattern fits. Offer the last directories of all. */
static bool choose_cgroups(struct selector *selector, const char *pattern,
			   struct suggest *suggest)
{
	bool found = false;

	for (unsigned int i = 0; i < dat_cgroups_count(selector->cgroups); i++) {
		const char *path = dat_cgroups_path(selector->cgroups, i);

		if (is_in_cgroup(path, pattern))
			found = selector->chosen_cgroup[i] = true;
		suggest_offer(suggest, strrchr(path, '/') + 1, path);
	}
	return found;
}

static bool choose_cgroup(struct input *const *in, unsigned int nr, const char *pattern)
{
	const char *name = strrchr(pattern, '/');
	struct suggest suggest = { .wanted = name ? name + 1 : pattern };
	char list[512];
	bool found = false;

	for (unsigned int i = 0; i < nr; i++)
		found |= choose_cgroups(in[i]->selector, pattern, &suggest);
	if (found)
		return true;
	suggest_list(&suggest, list, sizeof(list));
	complain("%s has no task in a cgroup '%s'%s%s", in[0]->path, pattern,
		 *list ? ": similar names: " : "", list);
	return false;
}

/* Only rbmap records the cgroups of tasks. */
static bool find_cgroups(struct selector *selector, const struct input *in)
{
	selector->cgroups = dat_cgroups(in->reader);
	if (!selector->cgroups) {
		complain("--cgroup: %s does not have the cgroups of its tasks: 'rbmap record' stores them",
			 in->path);
		return false;
	}
	selector->chosen_cgroup = calloc(dat_cgroups_count(selector->cgroups) + 1,
					 sizeof(*selector->chosen_cgroup));
	return selector->chosen_cgroup || out_of_memory();
}

static bool check_cgroups(const struct selection *s, struct input *const *in, unsigned int nr)
{
	for (unsigned int i = 0; i < nr && s->nr_cgroups; i++)
		if (!find_cgroups(in[i]->selector, in[i]))
			return false;
	for (size_t i = 0; i < s->nr_cgroups; i++)
		if (!choose_cgroup(in, nr, s->cgroup[i]))
			return false;
	return true;
}

/* ---- --pid and --comm */

/* The kernel selects these events by such fields, too (set_event_pid). */
static const struct about {
	const char *name, *pid, *comm;
} about[] = {
	{ "sched_switch", "next_pid", "next_comm" },
	{ "sched_waking", "pid", "comm" },
	{ "sched_wakeup", "pid", "comm" },
	{ "sched_wakeup_new", "pid", "comm" },
};

static bool find_about(struct selector *selector)
{
	for (size_t i = 0; i < sizeof(about) / sizeof(*about); i++) {
		const struct rbmap_format *format =
			rbmap_formats_by_name(selector->formats, "sched", about[i].name);
		struct rule *rule = format ? selector_rule_of_format(selector, format) : NULL;

		if (!format)
			continue;
		if (!rule)
			return out_of_memory();
		rule->pid = rbmap_format_field_by_name(format, about[i].pid);
		rule->comm = rbmap_format_field_by_name(format, about[i].comm);
	}
	return true;
}

/* ---- recordings */

static bool load_formats(struct selector *selector, const struct input *in)
{
	const struct dat_text *formats;
	size_t nr = dat_formats(in->reader, &formats);

	if (!selector->chooses_events && !selector->chooses_tasks)
		return true;
	if (rbmap_formats_new(&selector->formats))
		return out_of_memory();
	/* An event whose format is not valid has no name. */
	for (size_t i = 0; i < nr; i++)
		if (rbmap_formats_add(selector->formats, formats[i].system, formats[i].text,
				      formats[i].size) == -ENOMEM)
			return out_of_memory();
	return !selector->chooses_tasks || find_about(selector);
}

static struct selector *selector_new(const struct selection *s)
{
	struct selector *selector = calloc(1, sizeof(*selector));

	if (!selector) {
		out_of_memory();
		return NULL;
	}
	selector->selection = s;
	selector->chooses_events = s->events.nr || s->filter;
	selector->chooses_tasks = selection_names_tasks(s);
	return selector;
}

int selection_begin(struct input *const *in, unsigned int nr)
{
	const struct selection *s = &in[0]->selection;

	if (is_empty(s))
		return STATUS_OK;
	for (unsigned int i = 0; i < nr; i++) {
		in[i]->selector = selector_new(s);
		if (!in[i]->selector || !load_formats(in[i]->selector, in[i]))
			return STATUS_ERROR;
		in[i]->selector->hosts = dat_hosts(in[i]->reader);
	}
	if (!selection_choose_events(s, in, nr) || !check_cpus(s, in, nr) ||
	    !check_cgroups(s, in, nr) || !selection_compile(s, in, nr))
		return STATUS_ERROR;
	return STATUS_OK;
}

int selection_begin_live(struct input *in)
{
	if (is_empty(&in->selection))
		return STATUS_OK;
	in->selector = selector_new(&in->selection);
	return in->selector ? STATUS_OK : STATUS_ERROR;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/rbmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/suggest.h"
#include "command/command.h"
#include "filter/event_filter.h"
#include "input.h"
#include "kernel/control.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"
#include "recording/dat_read.h"
#include "selection.h"

#define NR_IDS		65536	/* common_type has 16 bits */
#define IDLE_COMM	"<idle>"
#define UNKNOWN_COMM	"<...>"
#define COMM_ROOM	32

/**
 * struct rule - what the selection does with the events of a format
 * @chosen: --event and --filter have chosen it
 * @filter: the events must fit it; NULL: all do
 * @pid, @comm: fields with the task that an event of the scheduler is about; NULL: none
 */
struct rule {
	const struct rbmap_format *format;
	bool chosen;
	struct event_filter *filter;
	const struct rbmap_format_field *pid, *comm;
};

/**
 * struct selector - what a selection chooses in one recording
 * @chooses_events: the events are those of some rules
 * @cgroups: those of the recording, with --cgroup
 * @chosen_cgroup: whether --cgroup has chosen a cgroup, by its number; NULL: all
 * @rule: by the id of the format
 */
struct selector {
	const struct selection *selection;
	struct rbmap_formats *formats;
	const struct dat_cgroups *cgroups;
	const struct dat_hosts *hosts;
	bool *chosen_cgroup;
	bool chooses_events;
	bool chooses_tasks;
	struct rule *rule[NR_IDS];
};

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

/* ---- --cpu */
bool selector_has_cpu(const struct selector *selector, int cpu)
{
	const struct selection *s = selector->selection;

	if (!s->has_cpus)
		return true;
	return cpu >= 0 && cpu < CPU_LIST_MAX && s->cpus[cpu / 32] & 1U << cpu % 32;
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

/* ---- --event */
static struct rule *rule_of_format(struct selector *selector, const struct rbmap_format *format)
{
	struct rule **rule = &selector->rule[format->id];

	if (!*rule)
		*rule = calloc(1, sizeof(**rule));
	if (*rule)
		(*rule)->format = format;
	return *rule;
}

/* Return the formats that a pattern fits, or -1: no memory. */
static int choose(struct selector *selector, const char *pattern, struct suggest *suggest)
{
	const struct rbmap_format *format = NULL;
	struct rule *rule;
	int nr = 0;

	while ((format = rbmap_formats_next(selector->formats, format))) {
		if (!pattern || control_match(pattern, format->system, format->name)) {
			rule = rule_of_format(selector, format);
			if (!rule)
				return -1;
			rule->chosen = true;
			nr++;
		}
		if (pattern)
			suggest_offer_event(suggest, format->system, format->name);
	}
	return nr;
}

static bool out_of_memory(void)
{
	complain("out of memory");
	return false;
}

static bool choose_events(const struct selection *s, struct input *const *in, unsigned int nr)
{
	/* Without --event, --filter is for all events. */
	size_t nr_patterns = s->events.nr || !s->filter ? s->events.nr : 1;

	for (size_t i = 0; i < nr_patterns; i++) {
		const char *pattern = s->events.nr ? s->events.pattern[i] : NULL;
		struct suggest suggest = suggest_events(pattern ? pattern : "");
		char list[512];
		int found = 0, ret;

		for (unsigned int k = 0; k < nr; k++) {
			ret = choose(in[k]->selector, pattern, &suggest);
			if (ret < 0)
				return out_of_memory();
			found += ret;
		}
		if (found || !pattern)
			continue;
		suggest_list(&suggest, list, sizeof(list));
		complain("%s has no event '%s'%s%s", in[0]->path, pattern,
			 *list ? ": similar names: " : "", list);
		return false;
	}
	return true;
}

/* ---- --filter */
/**
 * struct compilation - the expression in the formats of all recordings
 * @nr: number of formats that have all its fields
 * @invalid: the first error that is not a missing field
 * @missing: a field that no chosen format has; NULL: no such field
 */
struct compilation {
	const char *expression;
	struct input *const *in;
	unsigned int nr_in;
	unsigned int nr;
	struct event_filter_error invalid;
	const char *missing;
	size_t missing_len;
};

typedef bool each_rule_fn(struct compilation *c, struct rule *rule, void *data);

/* Call @each for each chosen format, until it returns false. */
static bool each_rule(struct compilation *c, each_rule_fn *each, void *data)
{
	for (unsigned int i = 0; i < c->nr_in; i++)
		for (int id = 0; id < NR_IDS; id++) {
			struct rule *rule = c->in[i]->selector->rule[id];

			if (rule && rule->chosen && !each(c, rule, data))
				return false;
		}
	return true;
}

struct name {
	const char *text;
	size_t len;
};

static bool lacks_field(struct compilation *c, struct rule *rule, void *data)
{
	const struct rbmap_format_field *field;
	const struct name *name = data;

	(void)c;
	for (uint32_t i = 0; (field = rbmap_format_field(rule->format, i)); i++)
		if (strlen(field->name) == name->len && !memcmp(field->name, name->text, name->len))
			return false;
	return true;
}

static void note_missing(struct compilation *c, const struct event_filter_error *error)
{
	struct name name = { error->field, error->field_len };

	if (c->missing || !each_rule(c, lacks_field, &name))
		return;
	c->missing = error->field;
	c->missing_len = error->field_len;
}

static bool compile_rule(struct compilation *c, struct rule *rule, void *data)
{
	struct event_filter_error error;
	int ret = event_filter_new(&rule->filter, c->expression, rule->format, &error);

	(void)data;
	if (!ret)
		c->nr++;
	else if (ret == -ENOENT)
		note_missing(c, &error);
	else if (ret == -EINVAL && !c->invalid.message)
		c->invalid = error;
	return ret != -ENOMEM;
}

/* An event that lacks a field of the expression is not selected. */
static bool drop_rule(struct compilation *c, struct rule *rule, void *data)
{
	(void)c;
	(void)data;
	rule->chosen = rule->filter;
	return true;
}

/* Fields of several formats have one name. */
static bool is_offered(const struct suggest *suggest, const char *name)
{
	for (unsigned int i = 0; i < suggest->nr; i++)
		if (!strcmp(suggest->found[i].name, name))
			return true;
	return false;
}

static bool offer_fields(struct compilation *c, struct rule *rule, void *data)
{
	const struct rbmap_format_field *field;
	struct suggest *suggest = data;

	(void)c;
	for (uint32_t i = 0; (field = rbmap_format_field(rule->format, i)); i++)
		if (!is_offered(suggest, field->name))
			suggest_offer(suggest, field->name, field->name);
	return true;
}

static void complain_missing(struct compilation *c)
{
	char *name = strndup(c->missing, c->missing_len), list[512] = "";
	struct suggest suggest = { .wanted = name };

	if (!name) {
		out_of_memory();
		return;
	}
	each_rule(c, offer_fields, &suggest);
	suggest_list(&suggest, list, sizeof(list));
	complain("--filter: no selected event of %s has the field '%s'%s%s", c->in[0]->path, name,
		 *list ? ": similar names: " : "", list);
	free(name);
}

static bool compile(const struct selection *s, struct input *const *in, unsigned int nr)
{
	struct compilation c = { .expression = s->filter, .in = in, .nr_in = nr };

	if (!s->filter)
		return true;
	if (!each_rule(&c, compile_rule, NULL))
		return out_of_memory();
	if (c.missing) {
		complain_missing(&c);
		return false;
	}
	each_rule(&c, drop_rule, NULL);
	if (c.nr)
		return true;
	if (c.invalid.message)
		complain("--filter '%s': %s, at character %zu", s->filter, c.invalid.message,
			 c.invalid.at + 1);
	else
		complain("--filter '%s': no event of %s has all these fields", s->filter,
			 in[0]->path);
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

static bool fits_cgroup(const struct selector *selector, int pid)
{
	const struct dat_task *task;

	if (!selector->chosen_cgroup)
		return true;
	task = dat_cgroups_find(selector->cgroups, pid);
	return task && selector->chosen_cgroup[task->number];
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
		struct rule *rule = format ? rule_of_format(selector, format) : NULL;

		if (!format)
			continue;
		if (!rule)
			return out_of_memory();
		rule->pid = rbmap_format_field_by_name(format, about[i].pid);
		rule->comm = rbmap_format_field_by_name(format, about[i].comm);
	}
	return true;
}

static const char *shown_comm(int pid, const char *comm)
{
	return !pid ? IDLE_COMM : comm && *comm ? comm : UNKNOWN_COMM;
}

/* Leave out the host, with which a name can begin in a merged recording: "web:server". */
static const char *without_host(const struct dat_host *host, const char *comm)
{
	size_t len = host ? strlen(host->name) : 0;

	return host && comm && !strncmp(comm, host->name, len) && comm[len] == ':' ?
	       comm + len + 1 : comm;
}

/* A pattern may be for a name with its host, or for the name alone. */
static bool fits_name(const char *pattern, const struct dat_host *host, const char *comm)
{
	char whole[DAT_HOST_NAME + COMM_ROOM];

	if (!host)
		return !fnmatch(pattern, comm, 0);
	comm = without_host(host, comm);
	snprintf(whole, sizeof(whole), "%s:%s", host->name, comm);
	return !fnmatch(pattern, comm, 0) || !fnmatch(pattern, whole, 0);
}

static bool fits_task(const struct selector *selector, int pid, const struct dat_host *host,
		      const char *comm)
{
	const struct selection *s = selector->selection;

	for (size_t i = 0; i < s->nr_tasks; i++)
		if (s->task[i].name ? fits_name(s->task[i].name, host, comm) :
				      s->task[i].pid == pid)
			return true;
	return !s->nr_tasks;
}

static bool fits_comm(const struct selector *selector, const struct dat_host *host,
		      const char *comm)
{
	const struct selection *s = selector->selection;

	for (size_t i = 0; i < s->nr_comms; i++)
		if (fits_name(s->comm[i], host, comm))
			return true;
	return !s->nr_comms;
}

/* @cpu: that of an idle task tells which host it belongs to; -1: unknown */
static bool has_task_on(const struct selector *selector, int pid, int cpu, const char *comm)
{
	const struct dat_host *host = dat_hosts_of_task(selector->hosts, pid, cpu);

	comm = shown_comm(pid, comm);
	return fits_task(selector, pid, host, comm) && fits_comm(selector, host, comm) &&
	       fits_cgroup(selector, pid);
}

bool selector_has_task(const struct selector *selector, int pid, const char *comm)
{
	return has_task_on(selector, pid, -1, comm);
}

/* Is a task that the event is about wanted? */
static bool is_about_wanted(const struct selector *selector, const struct rule *rule,
			    const struct rbmap_event *ev)
{
	char comm[COMM_ROOM] = "";
	const char *text;
	uint64_t pid;
	size_t len;

	if (!rule || !rule->pid || rbmap_field_number(rule->pid, ev, 0, &pid))
		return false;
	if (rule->comm && !rbmap_field_string(rule->comm, ev, &text, &len))
		snprintf(comm, sizeof(comm), "%.*s", (int)len, text);
	return has_task_on(selector, pid, ev->cpu, comm);
}

bool selector_needs_comm(const struct selector *selector)
{
	const struct selection *s = selector->selection;
	bool needs = s->nr_comms;

	for (size_t i = 0; i < s->nr_tasks; i++)
		needs |= s->task[i].name != NULL;
	for (int id = 0; id < NR_IDS && !needs; id++)
		needs = selector->rule[id] && selector->rule[id]->filter &&
			event_filter_needs_comm(selector->rule[id]->filter);
	return needs;
}

/* ---- events */
static bool read_common(const struct rbmap_event *ev, struct rbmap_event_common *common)
{
	if (ev->size < sizeof(*common))
		return false;
	memcpy(common, ev->data, sizeof(*common));
	return true;
}

/* The kernel's name of an idle task has the CPU's number on its host. */
static bool fits_filter(const struct selector *selector, const struct rule *rule,
			const struct rbmap_event *ev, int pid, const char *comm)
{
	const struct dat_host *host = dat_hosts_of_task(selector->hosts, pid, ev->cpu);
	char idle[COMM_ROOM];

	if (!rule->filter)
		return true;
	comm = without_host(host, comm);
	if (!pid)
		snprintf(idle, sizeof(idle), "swapper/%d",
			 ev->cpu - (host ? (int)host->first_cpu : 0));
	return event_filter_match(rule->filter, ev, pid ? comm ? comm : "" : idle);
}

bool selector_has_event(const struct selector *selector, const struct rbmap_event *ev,
			const char *comm)
{
	struct rbmap_event_common common;
	const struct rule *rule;

	if (!selector_has_cpu(selector, ev->cpu))
		return false;
	if (!selector->chooses_events)
		return true;
	if (!read_common(ev, &common))
		return false;
	rule = selector->rule[common.type];
	return rule && rule->chosen &&
	       fits_filter(selector, rule, ev, common.pid, comm);
}

bool selector_ends(const struct selector *selector, int cpu, const struct rbmap_event *ev,
		   const char *comm)
{
	if (!selector_has_cpu(selector, cpu))
		return false;
	return !selector->chooses_events || (ev && selector_has_event(selector, ev, comm));
}

bool selector_wants(const struct selector *selector, const struct rbmap_event *ev,
		    const char *comm)
{
	struct rbmap_event_common common;

	if (!selector_has_event(selector, ev, comm))
		return false;
	if (!selector->chooses_tasks)
		return true;
	if (!read_common(ev, &common))
		return false;
	return has_task_on(selector, common.pid, ev->cpu, comm) ||
	       is_about_wanted(selector, selector->rule[common.type], ev);
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
	if (!choose_events(s, in, nr) || !check_cpus(s, in, nr) || !check_cgroups(s, in, nr) ||
	    !compile(s, in, nr))
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

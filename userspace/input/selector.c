// SPDX-License-Identifier: GPL-2.0-only
/* Does an event, an interval or a task fit the options? */
#include <fnmatch.h>
#include <linux/rbmap.h>
#include <stdio.h>
#include <string.h>

#include "event_common.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"
#include "selector.h"

#define IDLE_COMM	"<idle>"
#define UNKNOWN_COMM	"<...>"
#define COMM_ROOM	32

bool selector_has_cpu(const struct selector *selector, int cpu)
{
	const struct selection *s = selector->selection;

	if (!s->has_cpus)
		return true;
	return cpu >= 0 && cpu < CPU_LIST_MAX && s->cpus[cpu / 32] & 1U << cpu % 32;
}

static bool fits_cgroup(const struct selector *selector, int pid)
{
	const struct dat_task *task;

	if (!selector->chosen_cgroup)
		return true;
	task = dat_cgroups_find(selector->cgroups, pid);
	return task && selector->chosen_cgroup[task->number];
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
	if (!event_common(ev, &common))
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
	if (!event_common(ev, &common))
		return false;
	return has_task_on(selector, common.pid, ev->cpu, comm) ||
	       is_about_wanted(selector, selector->rule[common.type], ev);
}

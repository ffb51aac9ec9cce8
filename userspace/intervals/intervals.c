// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "base/printable.h"
#include "event_common.h"
#include "parts.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_devices.h"
#include "recording/dat_hosts.h"

void intervals_set_uname(struct intervals *intervals, const char *uname)
{
	intervals->machine = syscalls_machine_of(uname);
}

struct intervals *intervals_new(interval_fn *each, void *data)
{
	struct intervals *intervals = calloc(1, sizeof(*intervals));

	if (!intervals)
		return NULL;
	intervals->each = each;
	intervals->data = data;
	intervals->layouts = layouts_new();
	intervals->machine = syscalls_machine(NULL);
	intervals->comms = task_names_new();
	if (!intervals->layouts || !intervals->comms) {
		intervals_free(intervals);
		return NULL;
	}
	/* Many tasks have one name. */
	task_names_keep(intervals->comms);
	return intervals;
}

void intervals_free(struct intervals *intervals)
{
	if (!intervals)
		return;
	for (unsigned int i = 0; i < MAX_CPUS; i++)
		free(intervals->cpu[i]);
	layouts_free(intervals->layouts);
	names_free(&intervals->names);
	task_names_free(intervals->comms);
	free(intervals->old_comm);
	free(intervals->tasks.slot);
	free(intervals->requests.slot);
	free(intervals->chunks.slot);
	free(intervals->other_devices.slot);
	syscall_states_free(intervals->first_calls);
	free(intervals);
}

int intervals_add_format(struct intervals *intervals, const char *system, const char *format,
			 size_t size)
{
	return layouts_add(intervals->layouts, system, format, size);
}

const struct layout *intervals_layout(const struct intervals *intervals,
				      const struct rbmap_event *ev)
{
	return layouts_find(intervals->layouts, ev);
}

/* The event that ends an interval of each kind. The CPU's own vectors are INTERVAL_IRQ, too. */
static const enum layout_role end_role[NR_INTERVAL_KINDS] = {
	[INTERVAL_RUNQUEUE]	= ROLE_SWITCH,
	[INTERVAL_OFFCPU]	= ROLE_SWITCH,
	[INTERVAL_IRQ]		= ROLE_IRQ_EXIT,
	[INTERVAL_SOFTIRQ]	= ROLE_SOFTIRQ_EXIT,
	[INTERVAL_SYSCALL]	= ROLE_SYS_EXIT,
	[INTERVAL_BLOCK_QUEUE]	= ROLE_INSERT,
	[INTERVAL_BLOCK_DEVICE]	= ROLE_COMPLETE,
	[INTERVAL_HRTIMER]	= ROLE_HRTIMER_EXIT,
	[INTERVAL_TIMER]	= ROLE_TIMER_EXIT,
	[INTERVAL_WORK]		= ROLE_WORK_END,
	[INTERVAL_LOCK]		= ROLE_LOCK_END,
	[INTERVAL_RECLAIM]	= ROLE_RECLAIM_END,
	[INTERVAL_FAULT]	= ROLE_FAULT,
	[INTERVAL_THROTTLED]	= ROLE_SWITCH,
	[INTERVAL_IRQS_OFF]	= ROLE_HRTIMER_START,
	[INTERVAL_ONCPU]	= ROLE_SWITCH,
};

bool intervals_has_kind(const struct intervals *intervals, enum interval_kind kind)
{
	return layouts_has_role(intervals->layouts, end_role[kind]) ||
	       (kind == INTERVAL_IRQ && layouts_has_role(intervals->layouts, ROLE_VECTOR_EXIT));
}

bool intervals_saw_kind(const struct intervals *intervals, enum interval_kind kind)
{
	return intervals->last[end_role[kind]] ||
	       (kind == INTERVAL_IRQ && intervals->last[ROLE_VECTOR_EXIT]);
}

void intervals_set_gaps(struct intervals *intervals, interval_gap_fn *gap, const void *data)
{
	intervals->gap = gap;
	intervals->gap_data = data;
}

void intervals_set_symbols(struct intervals *intervals, interval_symbol_fn *symbol, void *data)
{
	intervals->symbol = symbol;
	intervals->symbol_data = data;
}

void intervals_pass_sleepers(struct intervals *intervals)
{
	intervals->passes_sleepers = true;
}

const char *intervals_function(struct intervals *intervals, uint64_t address)
{
	const char *name =
		intervals->symbol ? intervals->symbol(intervals->symbol_data, address) : NULL;
	char text[32];

	if (name)
		return name;
	snprintf(text, sizeof(text), "%016" PRIx64, address);
	return intervals_name(intervals, text);
}

uint64_t intervals_discarded(const struct intervals *intervals, enum interval_kind kind)
{
	return intervals->discarded[kind];
}

const char *intervals_name(struct intervals *intervals, const char *text)
{
	const char *name = names_add(&intervals->names, text);

	if (!name)
		intervals->failed = true;
	return name;
}

static bool is_in_gap(const struct intervals *intervals, int cpu)
{
	return intervals->gap && intervals->gap(intervals->gap_data, cpu, intervals->at_end);
}

/* A CPU has lost events. Return true if it is one of the interval's host. */
static bool host_is_in_gap(const struct intervals *intervals, const struct interval *interval)
{
	const struct dat_host *host = dat_hosts_of_task(intervals->hosts, interval->pid,
							interval->cpu);

	for (unsigned int i = 0; host && i < host->nr_cpus; i++)
		if (is_in_gap(intervals, host->first_cpu + i))
			return true;
	return !host;
}

static bool has_losses(const struct intervals *intervals, const struct interval *interval,
		       const struct cpu *cpu)
{
	if (cpu)
		return cpu->in_gap || interval->begin < cpu->lossless_since;
	return interval->begin < intervals->lossless_since ||
	       (intervals->in_gap && host_is_in_gap(intervals, interval));
}

void intervals_pass(struct intervals *intervals, const struct interval *interval,
		    const struct cpu *cpu)
{
	if (has_losses(intervals, interval, cpu))
		intervals->discarded[interval->kind]++;
	else if (interval->end >= interval->begin)
		intervals->each(intervals->data, interval);
}

void intervals_pass_unfinished(struct intervals *intervals, struct interval *interval,
			       const struct cpu *cpu, enum layout_role end)
{
	interval->unfinished = true;
	interval->end = intervals->last[end];
	if (interval->end > interval->begin)
		intervals_pass(intervals, interval, cpu);
}

/* The lost events may have ended any interval that began before. */
static void forget(struct intervals *intervals, struct cpu *cpu, uint64_t ts)
{
	struct task *task = cpu->pid > 0 ? intervals_task(intervals, cpu->pid) : NULL;

	if (task)
		task->running = false;
	cpu->pid = -1;
	cpu->lossless_since = ts;
	intervals->lossless_since = ts;
	intervals_requests_forget(intervals);
}

/*
 * The event shows which task runs, if that was not known. A recorder leaves out switches
 * between two of its own threads: the time until now belongs to the first one.
 */
static void learn_task(struct intervals *intervals, int number, int pid, uint64_t ts)
{
	struct cpu *cpu = intervals->cpu[number];
	struct task *task;

	if (cpu->pid == pid)
		return;
	if (cpu->pid >= 0) {
		struct interval run = { .pid = cpu->pid, .end = ts, .prio = INTERVAL_PRIO_NONE };

		intervals_pass_run(intervals, &run, number);
		intervals_add_run(cpu, cpu->pid, ts);
	}
	cpu->pid = pid;
	cpu->since = ts;
	task = pid > 0 ? intervals_task(intervals, pid) : NULL;
	if (task)
		task_runs(task);
}

static struct cpu *find_cpu(struct intervals *intervals, int number)
{
	struct cpu *cpu;

	if (number < 0 || number >= MAX_CPUS)
		return NULL;
	if (!intervals->cpu[number]) {
		cpu = calloc(1, sizeof(*cpu));
		if (!cpu)
			intervals->failed = true;
		else
			cpu->pid = -1;
		intervals->cpu[number] = cpu;
	}
	return intervals->cpu[number];
}

typedef void process_fn(struct intervals *intervals, const struct event_context *m);
static process_fn *const process[NR_ROLES] = {
	[ROLE_SWITCH]		= intervals_sched_switch,
	[ROLE_WAKING]		= intervals_sched_wake,
	[ROLE_WAKEUP]		= intervals_sched_wake,
	[ROLE_WAKEUP_NEW]	= intervals_sched_wake,
	[ROLE_SYS_ENTER]	= intervals_sys_enter,
	[ROLE_SYS_EXIT]		= intervals_sys_exit,
	[ROLE_IRQ_ENTRY]	= intervals_handler_entry,
	[ROLE_IRQ_EXIT]		= intervals_handler_exit,
	[ROLE_VECTOR_ENTRY]	= intervals_handler_entry,
	[ROLE_VECTOR_EXIT]	= intervals_handler_exit,
	[ROLE_SOFTIRQ_ENTRY]	= intervals_handler_entry,
	[ROLE_SOFTIRQ_EXIT]	= intervals_handler_exit,
	[ROLE_INSERT]		= intervals_request_insert,
	[ROLE_ISSUE]		= intervals_request_issue,
	[ROLE_COMPLETE]		= intervals_request_complete,
	[ROLE_REQUEUE]		= intervals_request_requeue,
	[ROLE_HRTIMER_START]	= intervals_hrtimer_start,
	[ROLE_HRTIMER_ENTRY]	= intervals_handler_entry,
	[ROLE_HRTIMER_EXIT]	= intervals_handler_exit,
	[ROLE_TIMER_ENTRY]	= intervals_handler_entry,
	[ROLE_TIMER_EXIT]	= intervals_handler_exit,
	[ROLE_WORK_BEGIN]	= intervals_stage_begin,
	[ROLE_WORK_END]		= intervals_stage_end,
	[ROLE_LOCK_BEGIN]	= intervals_stage_begin,
	[ROLE_LOCK_END]		= intervals_stage_end,
	[ROLE_RECLAIM_BEGIN]	= intervals_stage_begin,
	[ROLE_RECLAIM_END]	= intervals_stage_end,
	[ROLE_FAULT]		= intervals_fault,
};

int intervals_event(struct intervals *intervals, const struct rbmap_event *ev)
{
	struct cpu *cpu = find_cpu(intervals, ev->cpu);
	struct rbmap_event_common common;
	struct event_context m;

	if (!cpu)
		return intervals->failed ? -ENOMEM : 0;
	intervals->in_gap = is_in_gap(intervals, -1);
	if (ev->lost)
		forget(intervals, cpu, ev->ts);
	intervals->nr_events++;
	m.layout = intervals_layout(intervals, ev);
	if (!m.layout) {
		intervals_learn_comms(intervals, ev);
		return intervals->failed ? -ENOMEM : 0;
	}
	memcpy(&common, ev->data, sizeof(common));
	m.ev = ev;
	m.cpu = cpu;
	m.pid = common.pid;
	m.flags = common.flags;
	learn_task(intervals, ev->cpu, common.pid, ev->ts);
	process[m.layout->role](intervals, &m);
	intervals->last[m.layout->role] = ev->ts;
	intervals->now = ev->ts;
	return intervals->failed ? -ENOMEM : 0;
}

/* A task that runs to the end has switches behind it on no CPU. */
static void end_run(struct intervals *intervals, int cpu)
{
	struct interval run = {
		.pid = intervals->cpu[cpu]->pid, .end = intervals->now, .unfinished = true,
	};
	const struct task *task = run.pid > 0 ? intervals_find_task(intervals, run.pid) : NULL;

	run.prio = task ? task->prio : INTERVAL_PRIO_NONE;
	if (run.pid >= 0 && layouts_has_role(intervals->layouts, ROLE_SWITCH))
		intervals_pass_run(intervals, &run, cpu);
}

static void end_gaps(struct intervals *intervals)
{
	intervals->at_end = true;
	intervals->in_gap = false;
	for (int i = 0; intervals->gap && i < MAX_CPUS; i++) {
		bool in_gap = is_in_gap(intervals, i);

		intervals->in_gap |= in_gap;
		if (intervals->cpu[i])
			intervals->cpu[i]->in_gap = in_gap;
	}
}

int intervals_end(struct intervals *intervals)
{
	end_gaps(intervals);
	intervals_sort_comms(intervals);
	intervals_tasks_end(intervals);
	intervals_requests_end(intervals);
	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!intervals->cpu[cpu])
			continue;
		intervals_handlers_end(intervals, cpu);
		end_run(intervals, cpu);
	}
	return intervals->failed ? -ENOMEM : 0;
}

/* ---- who ran */
const char *intervals_comm(const struct intervals *intervals, int pid)
{
	const struct task *task = pid > 0 ? intervals_find_task(intervals, pid) : NULL;
	const char *comm = task || pid <= 0 ? NULL : task_names_find(intervals->comms, pid);

	if (task)
		return task->comm;
	return comm ? comm : "";
}

void intervals_set_cgroups(struct intervals *intervals, const struct dat_cgroups *cgroups)
{
	intervals->cgroups = cgroups;
}

void intervals_set_hosts(struct intervals *intervals, const struct dat_hosts *hosts)
{
	intervals->hosts = hosts;
}

const struct dat_hosts *intervals_hosts(const struct intervals *intervals)
{
	return intervals->hosts;
}

void intervals_print_cpu(const struct intervals *intervals, int cpu, struct buf *out)
{
	const struct dat_host *host = intervals ? dat_hosts_of_cpu(intervals->hosts, cpu) : NULL;

	buf_printf(out, "CPU %d", cpu);
	if (host) {
		buf_add(out, " of ", 4);
		buf_add_printable(out, host->name, strlen(host->name));
	}
}

void intervals_set_devices(struct intervals *intervals, const struct dat_devices *devices)
{
	intervals->devices = devices;
}

const char *intervals_device(const struct intervals *intervals, uint32_t dev)
{
	return dat_devices_name(intervals->devices, dev);
}

const struct dat_task *intervals_recorded_task(const struct intervals *intervals, int pid)
{
	return intervals->cgroups && pid > 0 ? dat_cgroups_find(intervals->cgroups, pid) : NULL;
}

int intervals_ns_pid(const struct intervals *intervals, int pid)
{
	const struct dat_task *task = intervals_recorded_task(intervals, pid);

	return task ? task->ns_pid : 0;
}

const char *intervals_comm_of(const struct intervals *intervals, const struct rbmap_event *ev)
{
	struct rbmap_event_common common;

	return event_common(ev, &common) ? intervals_comm(intervals, common.pid) : "";
}

static void add_share(const struct intervals *intervals, struct interval_share *share,
		      unsigned int *nr, unsigned int room, int pid, uint64_t time)
{
	unsigned int i;

	for (i = 0; i < *nr && share[i].pid != pid; i++)
		;
	if (i == *nr) {
		if (*nr == room)
			return;
		share[i] = (struct interval_share){ .pid = pid };
		snprintf(share[i].comm, sizeof(share[i].comm), "%s",
			 intervals_comm(intervals, pid));
		++*nr;
	}
	share[i].time += time;
}

static int longest_first(const void *a, const void *b)
{
	const struct interval_share *x = a, *y = b;

	return (x->time < y->time) - (x->time > y->time);
}

/* Return the time in which handlers ran. The rings go back as far as those of the runs. */
static uint64_t handled_in(const struct cpu *cpu, uint64_t begin, uint64_t end)
{
	uint64_t oldest = cpu->nr_handled > NR_RUNS ? cpu->nr_handled - NR_RUNS : 0, sum = 0;

	for (uint64_t i = cpu->nr_handled; i > oldest; i--) {
		const struct handled *handled = &cpu->handled[(i - 1) % NR_RUNS];
		uint64_t from = handled->begin > begin ? handled->begin : begin;
		uint64_t to = handled->end < end ? handled->end : end;

		if (handled->end <= begin)
			break;
		if (to > from)
			sum += to - from;
	}
	return sum;
}

#define MOST_SHARES	64

unsigned int intervals_ran(const struct intervals *intervals, int number, uint64_t begin,
			   uint64_t end, struct interval_share *share, unsigned int room,
			   uint64_t *interrupts)
{
	const struct cpu *cpu = number >= 0 && number < MAX_CPUS ? intervals->cpu[number] : NULL;
	struct interval_share found[MOST_SHARES];
	uint64_t oldest, handled;
	unsigned int nr = 0;

	*interrupts = 0;
	if (!cpu)
		return 0;
	oldest = cpu->nr_runs > NR_RUNS ? cpu->nr_runs - NR_RUNS : 0;
	for (uint64_t i = cpu->nr_runs; i > oldest; i--) {
		const struct run *run = &cpu->run[(i - 1) % NR_RUNS];
		uint64_t from = run->begin > begin ? run->begin : begin;
		uint64_t to = run->end < end ? run->end : end;

		if (run->end <= begin)
			break;
		if (to <= from)
			continue;
		handled = handled_in(cpu, from, to);
		*interrupts += handled;
		add_share(intervals, found, &nr, MOST_SHARES, run->pid, to - from - handled);
	}
	/* The task that runs now */
	if (cpu->pid >= 0 && cpu->since < end) {
		begin = cpu->since > begin ? cpu->since : begin;
		handled = handled_in(cpu, begin, end);
		*interrupts += handled;
		add_share(intervals, found, &nr, MOST_SHARES, cpu->pid, end - begin - handled);
	}
	qsort(found, nr, sizeof(*found), longest_first);
	if (nr > room)
		nr = room;
	memcpy(share, found, nr * sizeof(*share));
	return nr;
}

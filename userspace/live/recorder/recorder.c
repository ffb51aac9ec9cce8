// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/complain.h"
#include "device_watch.h"
#include "kernel/control.h"
#include "kernel/cpustats.h"
#include "kernel/hidden_cpus.h"
#include "live/loss.h"
#include "recorder_parts.h"

#define SWITCH_NS	1000000	/* then look again whether the threads write another file */

/* Let each datagram send a signal to this process. */
static bool send_signals(int fd, int signal)
{
	return !fcntl(fd, F_SETOWN, getpid()) && !fcntl(fd, F_SETSIG, signal) &&
	       !fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC);
}

/* Nobody needs the datagrams. ENOBUFS: the socket was full, and has lost some of them. */
static void drop_datagrams(int fd)
{
	char datagram[4096];

	while (recv(fd, datagram, sizeof(datagram), 0) >= 0 || errno == ENOBUFS)
		;
}

/* Without this the caller looks for CPUs now and then. */
static void watch_devices(struct recorder *rec)
{
	rec->watch = device_watch_open();
	if (rec->watch >= 0 && !send_signals(rec->watch, rec->signal)) {
		close(rec->watch);
		rec->watch = -1;
	}
}

int recorder_start(struct recorder *rec, struct dat_writer *writer,
		   const struct comm_fields *fields, int clock)
{
	uint64_t first;
	int ret;

	rec->writer = writer;
	rec->clock = clock;
	rec->fields = fields;
	rec->begins_counts = true;
	if (rec->signal)
		watch_devices(rec);
	for (unsigned int i = 0; i < rec->nr_cpus; i++) {
		struct cpu_recorder *c = &rec->cpu[i];

		if (!c->map)
			continue;
		if (!control_cpu_stat(i, "generation", &first))
			c->first = first;
		for (int k = 0; k < NR_RECORDER_COUNTS; k++) {
			control_cpu_stat(i, recorder_count_name(k), &c->count_before[k]);
			c->file_before[k] = c->count_before[k];
		}
		c->looks = fields;
		ret = cpu_recorder_start(rec, i);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Record a CPU that came online: all of its ring belongs to the recording. Return 0 or an
 * error for rbmap_strerror().
 */
static int add_late_cpu(struct recorder *rec, unsigned int cpu)
{
	struct cpu_recorder *c = &rec->cpu[cpu];
	int ret = cpu < rec->max_cpus ? cpu_recorder_open(rec, cpu) : -E2BIG;

	if (ret || !c->map)
		return ret;
	ret = dat_add_cpu(rec->writer, cpu);
	if (!ret)
		ret = cpu_recorder_start(rec, cpu);
	if (!ret) {
		if (cpu >= rec->nr_cpus)
			rec->nr_cpus = cpu + 1;
		return 0;
	}
	cpu_recorder_close(c);
	*c = (struct cpu_recorder){ 0 };
	return ret;
}

static void add_unopened(struct recorder *rec, int cpu, int error)
{
	complain("CPU %d came online, and the recording has no events of it: %s", cpu,
		 rbmap_strerror(error));
	rec->incomplete = true;
	if (array_grow(rec->unopened, rec->nr_unopened))
		rec->unopened[rec->nr_unopened++] = cpu;
	else
		complain("out of memory");
}

/* A CPU can lack its ring at first, because memory is short. Return whether all are recorded. */
static bool look_for_cpus(struct recorder *rec, bool last)
{
	DIR *dir = opendir(rec->dir);
	struct dirent *entry;
	bool all = dir;

	while (dir && (entry = readdir(dir))) {
		int cpu = control_cpu_of(entry->d_name), ret;

		if (cpu < 0 || (cpu < (int)rec->max_cpus && rec->cpu[cpu].map))
			continue;
		ret = add_late_cpu(rec, cpu);
		if (ret || !rec->cpu[cpu].map)
			all = false;
		if (ret && last)
			add_unopened(rec, cpu, ret);
	}
	if (dir)
		closedir(dir);
	return all;
}

void recorder_set_patient(struct recorder *rec, bool patient)
{
	rec->patient = patient;
}

void recorder_set_signal(struct recorder *rec, int signal)
{
	rec->signal = signal;
}

/* The watch is emptied first: a device that comes meanwhile sends another signal. */
bool recorder_look_for_cpus(struct recorder *rec)
{
	if (rec->watch >= 0)
		drop_datagrams(rec->watch);
	return look_for_cpus(rec, false) && rec->watch >= 0;
}

bool recorder_ended(const struct recorder *rec)
{
	return rec->failed || rec->gone || rec->new_clock >= 0;
}

bool recorder_buffer_is_gone(const struct recorder *rec)
{
	return rec->gone;
}

uint64_t recorder_events(const struct recorder *rec)
{
	uint64_t sum = 0, missing;

	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		sum += rec->cpu[i].events;
	missing = rec->unwritten + rec->too_large + dat_unwritten(rec->writer) +
		  dat_too_large(rec->writer);
	/* The threads publish their sums later than the file's counts. */
	return sum > missing ? sum - missing : 0;
}

uint64_t recorder_lost(const struct recorder *rec)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		sum += rec->cpu[i].lost;
	return sum;
}

/* Let the file say that a CPU of which it has no events has lost some. */
static void lose_cpu(struct recorder *rec, unsigned int cpu, uint64_t lost)
{
	const struct rbmap_subbuf only_lost = { .lost = lost };

	if (lost && !dat_add_cpu(rec->writer, cpu))
		dat_add(rec->writer, cpu, &only_lost);
}

void recorder_look_for_hidden(struct recorder *rec)
{
	bool snapshot = !strcmp(rec->dir, control_snapshot_devices());
	size_t nr;
	int *cpus;

	if (rec->looked_for_hidden)
		return;
	rec->looked_for_hidden = true;
	nr = hidden_cpus_find(&cpus, control_dir(), rec->dir, snapshot);
	hidden_cpus_complain(rec->dir, cpus, nr);
	for (size_t i = 0; i < nr; i++)
		lose_cpu(rec, cpus[i], RBMAP_LOST_UNKNOWN);
	rec->hides_cpus = nr;
	if (nr)
		rec->incomplete = true;
	free(cpus);
}

/* Return how many events of a CPU without a recorded ring are lost, and add the causes. */
static uint64_t lost_of(const struct recorder *rec, unsigned int cpu, struct recorder_result *result)
{
	uint64_t before = result->loss.total, missed, unread;

	missed = cpu < rec->max_cpus ? recorder_count(rec, cpu, RECORDER_MISSED) : 0;
	result->unopened += loss_add_unopened(&result->loss, cpu, &unread);
	result->missed += missed;
	return result->loss.total - before + missed;
}

static void lose_unopened(struct recorder *rec)
{
	struct recorder_result unused = { 0 };

	for (size_t i = 0; i < rec->nr_unopened; i++)
		lose_cpu(rec, rec->unopened[i], lost_of(rec, rec->unopened[i], &unused));
}

void recorder_stop(struct recorder *rec)
{
	/* A CPU can have come a moment ago. */
	if (!recorder_ended(rec)) {
		look_for_cpus(rec, true);
		lose_unopened(rec);
		recorder_look_for_hidden(rec);
	}
	rec->stop = true;
	for (unsigned int i = 0; i < rec->nr_cpus; i++) {
		struct cpu_recorder *c = &rec->cpu[i];

		if (c->running)
			rbmap_wake(c->map);
	}
	for (unsigned int i = 0; i < rec->nr_cpus; i++) {
		if (rec->cpu[i].running)
			pthread_join(rec->cpu[i].thread, NULL);
		rec->cpu[i].running = false;
	}
}

static bool all_have_switched(const struct recorder *rec)
{
	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		if (rec->cpu[i].running && cpu_recorder_must_switch(&rec->cpu[i]))
			return false;
	return true;
}

void recorder_switch(struct recorder *rec, struct dat_writer *writer)
{
	const struct timespec pause = { .tv_nsec = SWITCH_NS };
	struct dat_writer *before = rec->writer;

	rec->writer = writer;
	while (!all_have_switched(rec) && !rec->stop) {
		for (unsigned int i = 0; i < rec->nr_cpus; i++)
			if (rec->cpu[i].running && cpu_recorder_must_switch(&rec->cpu[i]))
				rbmap_wake(rec->cpu[i].map);
		nanosleep(&pause, NULL);
	}
	/* A thread that gives up does not switch. */
	if (rec->stop)
		recorder_stop(rec);
	rec->unwritten += dat_unwritten(before);
	rec->too_large += dat_too_large(before);
}

void recorder_add_names(const struct recorder *rec, struct cmdlines *cmdlines)
{
	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		if (rec->cpu[i].cmdlines)
			cmdlines_merge(cmdlines, rec->cpu[i].cmdlines);
}

const char *recorder_count_name(enum recorder_count count)
{
	return count == RECORDER_MISSED ? "missed" : "excluded";
}

void recorder_end_file(struct recorder *rec)
{
	uint64_t now;

	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		for (int k = 0; k < NR_RECORDER_COUNTS; k++) {
			struct cpu_recorder *c = &rec->cpu[i];

			c->file_count[k] = 0;
			if (!c->map || control_cpu_stat(i, recorder_count_name(k), &now))
				continue;
			/* A reset sets the counter to 0. */
			c->file_count[k] = now - (now < c->file_before[k] ? 0 : c->file_before[k]);
			c->file_before[k] = now;
		}
}

uint64_t recorder_file_count(const struct recorder *rec, unsigned int cpu,
			     enum recorder_count count)
{
	return rec->cpu[cpu].file_count[count];
}

uint64_t recorder_count(const struct recorder *rec, unsigned int cpu,
			enum recorder_count count)
{
	uint64_t before = rec->cpu[cpu].count_before[count], now;

	if (control_cpu_stat(cpu, recorder_count_name(count), &now))
		return 0;
	/* A reset sets the counter to 0. */
	return now < before ? now : now - before;
}

bool recorder_counts_init(struct recorder_counts *counts)
{
	struct cpustats *stats;
	bool ok = true;
	size_t nr;

	*counts = (struct recorder_counts){ 0 };
	stats = cpustats_read(&nr);
	for (size_t i = 0; stats && ok && i < nr; i++) {
		ok = array_extend(counts->at, counts->nr, (size_t)stats[i].cpu + 1);
		if (!ok)
			break;
		counts->at[stats[i].cpu][RECORDER_EXCLUDED] = stats[i].value[CPUSTAT_EXCLUDED];
		counts->at[stats[i].cpu][RECORDER_MISSED] = stats[i].value[CPUSTAT_MISSED];
	}
	if (!ok)
		complain("out of memory");
	ok = ok && stats;
	free(stats);
	return ok;
}

void recorder_counts_free(struct recorder_counts *counts)
{
	free(counts->at);
	*counts = (struct recorder_counts){ 0 };
}

bool recorder_begin_counts(struct recorder *rec, struct recorder_counts *counts)
{
	if (!array_extend(counts->at, counts->nr, rec->nr_cpus)) {
		complain("out of memory");
		return false;
	}
	rec->begins_counts = true;
	for (unsigned int i = 0; i < rec->nr_cpus; i++) {
		memcpy(rec->cpu[i].count_before, counts->at[i], sizeof(counts->at[i]));
		memcpy(rec->cpu[i].file_before, counts->at[i], sizeof(counts->at[i]));
	}
	return true;
}

void recorder_keep_counts(const struct recorder *rec, struct recorder_counts *counts)
{
	for (unsigned int i = 0; i < rec->nr_cpus && i < counts->nr; i++)
		memcpy(counts->at[i], rec->cpu[i].file_before, sizeof(counts->at[i]));
}

void recorder_result(const struct recorder *rec, struct cmdlines *cmdlines,
		     struct recorder_result *result)
{
	struct rbmap_loss now;

	*result = (struct recorder_result){
		.new_clock = rec->new_clock, .incomplete = rec->incomplete,
		.gone = rec->gone, .since_begin = !rec->begins_counts,
	};
	for (unsigned int i = 0; i < rec->nr_cpus; i++) {
		const struct cpu_recorder *c = &rec->cpu[i];

		if (!c->cmdlines)
			continue;
		cmdlines_merge(cmdlines, c->cmdlines);
		if (c->error && !result->error) {
			result->error = c->error;
			result->reading = c->reading;
			result->cpu = i;
		}
		result->earlier += c->earlier;
		result->other_clock += c->other_clock;
		if (c->map && !rbmap_loss(c->map, &now))
			loss_add(&result->loss, &now, &c->before);
		if (c->map) {
			result->excluded += recorder_count(rec, i, RECORDER_EXCLUDED);
			result->missed += recorder_count(rec, i, RECORDER_MISSED);
		}
	}
	for (size_t i = 0; i < rec->nr_unopened; i++)
		lost_of(rec, rec->unopened[i], result);
	result->more = rec->hides_cpus;
	result->loss.total += result->earlier + result->missed;
	if (rec->writer) {
		result->unwritten = rec->unwritten + dat_unwritten(rec->writer);
		result->too_large = rec->too_large + dat_too_large(rec->writer);
		result->loss.total += result->too_large;
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * libtracefs, unmodified, reads a ring through a directory that looks like
 * tracefs, and uses the instances, filters, options and markers in it.
 *
 *	tracefs [--mapped] DIR
 *
 * --mapped: this version of libtracefs can map rings, and must do so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <traceevent/kbuffer.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define EVENTS		3000	/* fewer than the ring holds */
#define MANY		9000	/* more than the ring holds */
#define EVENT_LEN	60
#define MAX_CPUS	64
#define CPU_SHIFT	32	/* a number contains its CPU, too */

static struct tep_handle *tep;
static int nr_cpus;

static uint64_t number_of(int cpu, uint64_t i)
{
	return (uint64_t)cpu << CPU_SHIFT | i;
}

static void emit_all(uint64_t count)
{
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		pin(cpu);
		emit(number_of(cpu, 0), count, EVENT_LEN);
	}
}

/* ---- events */

static bool understood(const char *system, const char *format, int size)
{
	struct tep_handle *alone = tep_alloc();
	bool good = !tep_parse_event(alone, format, size, system);

	tep_free(alone);
	return good;
}

/*
 * @lacking: number of events that this kernel cannot have; they have no format
 * file.
 */
static void check_formats(int *lacking, int *wrong)
{
	char **systems = tracefs_event_systems(NULL);

	*lacking = *wrong = 0;
	for (char **s = systems; s && *s; s++) {
		char **events = tracefs_system_events(NULL, *s);

		for (char **e = events; e && *e; e++) {
			int size;
			char *format = tracefs_event_file_read(NULL, *s, *e,
							       "format", &size);

			if (!format) {
				++*lacking;
			} else if (!understood(*s, format, size)) {
				diag("%s:%s is not understood", *s, *e);
				++*wrong;
			}
			free(format);
		}
		tracefs_list_free(events);
	}
	tracefs_list_free(systems);
}

static void check_events(const char *dir)
{
	static const char *const wanted[][2] = {
		{ "rbmap", "marker" }, { "sched", "sched_switch" },
		{ "irq", "softirq_entry" }, { "raw_syscalls", "sys_enter" },
	};
	char **systems, **events;
	int failures = -1, lacking, wrong;

	systems = tracefs_event_systems(NULL);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		bool found = false;

		for (char **s = systems; s && *s; s++)
			found |= !strcmp(*s, wanted[i][0]);
		ok(found, "system %s is found", wanted[i][0]);
	}
	tracefs_list_free(systems);
	events = tracefs_system_events(NULL, "sched");
	ok(events && events[0], "sched has events");
	tracefs_list_free(events);

	tep = tracefs_local_events(dir);
	if (!ok(tep, "tracefs_local_events"))
		bail_out("no event can be read without the local events");
	tep_free(tep);
	tep = tep_alloc();
	is(tracefs_fill_local_events(NULL, tep, &failures), 0,
	   "tracefs_fill_local_events");
	check_formats(&lacking, &wrong);
	ok(failures <= lacking, "%d fail, %d have no format", failures,
	   lacking);
	is(wrong, 0, "every format is understood");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		ok(tep_find_event_by_name(tep, wanted[i][0], wanted[i][1]),
		   "%s:%s is known", wanted[i][0], wanted[i][1]);
	is(tep_get_sub_buffer_size(tep),
	   1024 * strtoull(tracefs_instance_file_read(NULL,
			"buffer_subbuf_size_kb", NULL), NULL, 10),
	   "the size of a sub-buffer");
}

/* ---- all CPUs */

struct seen {
	uint64_t events[MAX_CPUS];
	uint64_t next[MAX_CPUS];
	uint64_t lost[MAX_CPUS];
	uint64_t last_ts;
	uint64_t others;
	uint64_t switches;
	bool back;	/* time or numbers went back */
	bool unreported;	/* a number is missing, and no loss was reported */
	bool pending;
};

static void see_number(struct seen *seen, int cpu, uint64_t number, bool told)
{
	uint64_t i = number & ((1ULL << CPU_SHIFT) - 1);

	if (number >> CPU_SHIFT != (uint64_t)cpu || i < seen->next[cpu])
		seen->back = true;
	if (i > seen->next[cpu] && !told) {
		diag("CPU %d: %" PRIu64 " where %" PRIu64 " was next", cpu, i,
		     seen->next[cpu]);
		seen->unreported = true;
	}
	seen->lost[cpu] += i - seen->next[cpu];
	seen->next[cpu] = i + 1;
	seen->events[cpu]++;
}

static int see_event(struct tep_event *event, struct tep_record *record,
		     int cpu, void *data)
{
	struct record r = { .payload = record->data, .size = record->size };
	struct seen *seen = data;
	unsigned long long pid;
	uint64_t number;

	if (record->ts < seen->last_ts)
		seen->back = true;
	seen->last_ts = record->ts;
	if (!strcmp(event->name, "marker") && record_number(&r, &number)) {
		see_number(seen, cpu, number, record->missed_events);
		return 0;
	}
	seen->others++;
	seen->switches += !strcmp(event->name, "sched_switch") &&
			  !tep_get_field_val(NULL, event, "prev_pid", record,
					     &pid, 0);
	return 0;
}

static uint64_t sum(const uint64_t *counts)
{
	uint64_t total = 0;

	for (int cpu = 0; cpu < nr_cpus; cpu++)
		total += counts[cpu];
	return total;
}

static void check_iterate(void)
{
	struct seen seen = { 0 };

	reset();
	emit_all(EVENTS);
	is(tracefs_iterate_raw_events(tep, NULL, NULL, 0, see_event, &seen), 0,
	   "tracefs_iterate_raw_events");
	is(sum(seen.events), (uint64_t)EVENTS * nr_cpus,
	   "the ring's events are all there");
	is(seen.others, 0, "only the ring's events are there");
	ok(!seen.back, "in order");
	ok(!seen.unreported, "no event is missing");

	memset(&seen, 0, sizeof(seen));
	is(tracefs_iterate_raw_events(tep, NULL, NULL, 0, see_event, &seen), 0,
	   "a second iteration succeeds");
	is(sum(seen.events), 0, "no event is read twice");
}

static void check_iterate_lost(void)
{
	struct seen seen = { 0 };
	uint64_t overrun = 0, read = 0;

	reset();
	emit_all(MANY);
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		overrun += stat_of(cpu, "overrun");
	ok(overrun, "events are overwritten");
	is(tracefs_iterate_raw_events(tep, NULL, NULL, 0, see_event, &seen), 0,
	   "tracefs_iterate_raw_events");
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		read += stat_of(cpu, "read events");
	is(sum(seen.events), read, "all remaining events are read");
	is(sum(seen.lost), overrun,
	   "the missing events are the overwritten ones");
	ok(!seen.back, "in order");
	ok(!seen.unreported, "where events are missing, the library says so");
}

static void check_enable(void)
{
	struct seen seen = { 0 };

	reset();
	is(tracefs_event_enable(NULL, "sched", "sched_switch"), 0,
	   "tracefs_event_enable");
	for (int i = 0; i < 100; i++)
		nap(1);
	is(tracefs_event_disable(NULL, "sched", "sched_switch"), 0,
	   "tracefs_event_disable");
	is(tracefs_iterate_raw_events(tep, NULL, NULL, 0, see_event, &seen), 0,
	   "tracefs_iterate_raw_events");
	ok(seen.switches >= 100, "sched_switch events are there (%llu)",
	   (unsigned long long)seen.switches);
	is(seen.switches, seen.others, "no other events are there");
}

/* ---- instances */

static bool has_name(char **list, const char *name)
{
	bool found = false;

	for (char **each = list; each && *each; each++)
		found |= !strcmp(*each, name);
	tracefs_list_free(list);
	return found;
}

static int count_name(const char *name, void *count)
{
	*(int *)count += !strcmp(name, "mine");
	return 0;
}

/* A program that was told where a directory is: it has no other way to an instance there. */
static void check_instance_path(void)
{
	const char *dir = tracefs_tracing_dir();
	struct tracefs_instance *mine = tracefs_instance_alloc(dir, "mine");
	char *text, *path, wanted[256];

	if (!ok(mine, "tracefs_instance_alloc finds an instance by its path"))
		return;
	ok(!tracefs_instance_is_new(mine), "it was there");
	snprintf(wanted, sizeof(wanted), "%s/instances/mine/set_event", dir);
	path = tracefs_instance_get_file(mine, "set_event");
	ok(path && !strcmp(path, wanted), "tracefs_instance_get_file");
	tracefs_put_tracing_file(path);
	ok(tracefs_dir_exists(mine, "events/sched"), "tracefs_dir_exists");
	text = tracefs_instance_file_read(mine, "snapshot", NULL);
	ok(text && strstr(text, "# * Snapshot is freed *"), "tracefs_instance_file_read");
	free(text);
	tracefs_instance_free(mine);
	ok(!tracefs_instance_alloc(dir, "other"), "and none that is not there");
}

static void check_instances(void)
{
	struct tracefs_instance *mine;
	struct seen seen = { 0 };
	int count = 0;

	/* tracefs_instance_exists() always asks /sys/kernel/tracing. */
	ok(!has_name(tracefs_instances(NULL), "mine"), "instance: it does not exist");
	mine = tracefs_instance_create("mine");
	if (!ok(mine, "tracefs_instance_create"))
		return;
	ok(tracefs_instance_is_new(mine), "tracefs_instance_is_new");
	ok(has_name(tracefs_instances(NULL), "mine"), "tracefs_instances");
	is(tracefs_instances_walk(count_name, &count), 0, "tracefs_instances_walk");
	is(count, 1, "tracefs_instances_walk finds it");
	ok(tracefs_file_exists(mine, "events/sched/sched_switch/enable"),
	   "tracefs_file_exists");
	check_instance_path();
	is(tracefs_trace_off(mine), 0, "instance: tracefs_trace_off");
	is(tracefs_trace_is_on(mine), 0, "instance: tracing is off");
	is(tracefs_trace_is_on(NULL), 1, "instance: the other buffer is on");
	is(tracefs_trace_on(mine), 0, "instance: tracefs_trace_on");
	ok(tracefs_instance_set_affinity(mine, "0") >= 0, "tracefs_instance_set_affinity");
	ok(tracefs_instance_set_affinity(mine, NULL) >= 0, "affinity to all CPUs");
	ok(!tracefs_instance_set_buffer_size(mine, 256, -1), "tracefs_instance_set_buffer_size");
	ok(tracefs_instance_get_buffer_size(mine, 0) >= 256, "tracefs_instance_get_buffer_size");

	is(tracefs_event_enable(mine, "sched", "sched_switch"), 0,
	   "instance: tracefs_event_enable");
	for (int i = 0; i < 100; i++)
		nap(1);
	is(tracefs_event_disable(mine, "sched", "sched_switch"), 0,
	   "instance: tracefs_event_disable");
	is(tracefs_iterate_raw_events(tep, mine, NULL, 0, see_event, &seen), 0,
	   "instance: tracefs_iterate_raw_events");
	ok(seen.switches >= 100, "instance: its events are there");
	memset(&seen, 0, sizeof(seen));
	tracefs_iterate_raw_events(tep, NULL, NULL, 0, see_event, &seen);
	is(seen.switches, 0, "instance: the other buffer has none");

	is(tracefs_instance_destroy(mine), 0, "tracefs_instance_destroy");
	tracefs_instance_free(mine);
	ok(!has_name(tracefs_instances(NULL), "mine"), "instance: it is gone");
	ok(!tracefs_instance_create("no name"), "a bad name is refused");
	is_error(errno, EINVAL, "with EINVAL");
}

/* ---- settings */

static void check_file(const char *file, const char *wanted)
{
	char *text = tracefs_instance_file_read(NULL, file, NULL);

	if (!ok(text && strstr(text, wanted), "%s has %s", file, wanted))
		diag("%s", text ? text : "(none)");
	free(text);
}

static void check_filter(void)
{
	struct tep_event *event = tep_find_event_by_name(tep, "sched", "sched_switch");
	char *filter = NULL, *error;

	is(tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_COMPARE,
					"prev_pid", TRACEFS_COMPARE_GT, "0"), 0,
	   "tracefs_filter_string_append");
	is(tracefs_filter_string_verify(event, filter, NULL), 0,
	   "tracefs_filter_string_verify");
	ok(tracefs_event_filter_apply(NULL, event, filter) >= 0,
	   "tracefs_event_filter_apply");
	check_file("events/sched/sched_switch/filter", "prev_pid > 0");
	ok(tracefs_event_filter_clear(NULL, event) >= 0, "tracefs_event_filter_clear");
	check_file("events/sched/sched_switch/filter", "none");
	free(filter);

	is(tracefs_error_clear(NULL), 0, "tracefs_error_clear");
	ok(!tracefs_error_last(NULL), "no error is left");
	ok(tracefs_event_filter_apply(NULL, event, "nothing > 0") < 0,
	   "a filter with an unknown field is refused");
	error = tracefs_error_last(NULL);
	ok(error && strstr(error, "Field not found"), "tracefs_error_last");
	free(error);
	tracefs_event_filter_clear(NULL, event);
	tracefs_error_clear(NULL);
}

static void check_clock(void)
{
	char *clock;

	ok(tracefs_instance_file_write(NULL, "trace_clock", "mono") > 0,
	   "the clock is set");
	clock = tracefs_get_clock(NULL);
	ok(clock && !strcmp(clock, "mono"), "tracefs_get_clock");
	free(clock);
	tracefs_instance_file_write(NULL, "trace_clock", "local");
}

static void check_options(const char *dir)
{
	ok(tracefs_option_is_supported(NULL, TRACEFS_OPTION_OVERWRITE),
	   "tracefs_option_is_supported");
	is(tracefs_option_disable(NULL, TRACEFS_OPTION_OVERWRITE), 0,
	   "tracefs_option_disable");
	ok(!tracefs_option_is_enabled(NULL, TRACEFS_OPTION_OVERWRITE),
	   "tracefs_option_is_enabled: no");
	is(tracefs_option_enable(NULL, TRACEFS_OPTION_OVERWRITE), 0,
	   "tracefs_option_enable");
	ok(tracefs_option_is_enabled(NULL, TRACEFS_OPTION_OVERWRITE),
	   "tracefs_option_is_enabled: yes");
	/* The function leaves nop out. */
	ok(!has_name(tracefs_tracers(dir), "function"), "tracefs_tracers");
	is(tracefs_tracer_clear(NULL), 0, "tracefs_tracer_clear");
}

typedef int filter_pid_fn(struct tracefs_instance *, int, bool, bool);

/* libtracefs 1.8 has a function for the list of tasks. */
static void check_pids(void)
{
	filter_pid_fn *filter_pid =
		(filter_pid_fn *)dlsym(RTLD_DEFAULT, "tracefs_filter_pid_events");
	char own[16];

	snprintf(own, sizeof(own), "%d", getpid());
	if (filter_pid)
		ok(filter_pid(NULL, getpid(), true, false) >= 0,
		   "tracefs_filter_pid_events");
	else
		ok(tracefs_instance_file_write(NULL, "set_event_pid", own) > 0,
		   "set_event_pid is written");
	check_file("set_event_pid", own);
	tracefs_instance_file_write(NULL, "set_event_pid", "\n");
}

/* ---- markers */

struct marked {
	int texts, datas;
	bool good_data;
};

static int see_mark(struct tep_event *event, struct tep_record *record, int cpu,
		    void *data)
{
	struct marked *marked = data;
	unsigned long long id;

	(void)cpu;
	if (!strcmp(event->name, "marker_raw")) {
		marked->datas++;
		marked->good_data = !tep_get_field_val(NULL, event, "id", record,
						       &id, 1) &&
				    id == 0x1234 &&
				    !memcmp((char *)record->data +
					    tep_find_field(event, "buf")->offset,
					    "data", 4);
	} else if (!strcmp(event->name, "marker")) {
		int len;
		char *text = tep_get_field_raw(NULL, event, "buf", record, &len, 1);

		marked->texts += text && !strncmp(text, "number 42", 9);
	}
	return 0;
}

static void check_markers(void)
{
	struct { int id; char text[4]; } data = { 0x1234, "data" };
	struct marked marked = { 0 };

	reset();
	is(tracefs_print_init(NULL), 0, "tracefs_print_init");
	ok(tracefs_printf(NULL, "number %d", 42) >= 0, "tracefs_printf");
	tracefs_print_close(NULL);
	is(tracefs_binary_init(NULL), 0, "tracefs_binary_init");
	ok(tracefs_binary_write(NULL, &data, sizeof(data)) >= 0,
	   "tracefs_binary_write");
	tracefs_binary_close(NULL);
	is(tracefs_iterate_raw_events(tep, NULL, NULL, 0, see_mark, &marked), 0,
	   "markers: tracefs_iterate_raw_events");
	is(marked.texts, 1, "the text is there");
	is(marked.datas, 1, "the data is there");
	ok(marked.good_data, "the data has its id and its bytes");
}

/* ---- iterators */

static int count_and_stop(struct tep_event *event, struct tep_record *record,
			  int cpu, void *count)
{
	(void)event;
	(void)record;
	(void)cpu;
	if (++*(int *)count == 10)
		tracefs_iterate_stop(NULL);
	return 0;
}

static void check_follow(void)
{
	int count = 0;

	reset();
	is(tracefs_follow_event(tep, NULL, "sched", "sched_switch", count_and_stop,
				&count), 0, "tracefs_follow_event");
	tracefs_event_enable(NULL, "sched", "sched_switch");
	for (int i = 0; i < 100; i++)
		nap(1);
	tracefs_event_disable(NULL, "sched", "sched_switch");
	tracefs_iterate_raw_events(tep, NULL, NULL, 0, NULL, NULL);
	ok(count >= 10, "the followed event was seen (%d)", count);
	reset();
}

typedef int snap_fn(struct tracefs_instance *);
typedef int iterate_snapshot_fn(struct tep_handle *, struct tracefs_instance *,
				cpu_set_t *, int,
				int (*)(struct tep_event *, struct tep_record *, int, void *),
				void *);

/* For libtracefs 1.8, which has functions for snapshots and can map */
static void check_snapshot(void)
{
	snap_fn *snap = (snap_fn *)dlsym(RTLD_DEFAULT, "tracefs_snapshot_snap");
	snap_fn *clear = (snap_fn *)dlsym(RTLD_DEFAULT, "tracefs_snapshot_clear");
	snap_fn *drop = (snap_fn *)dlsym(RTLD_DEFAULT, "tracefs_snapshot_free");
	iterate_snapshot_fn *iterate = (iterate_snapshot_fn *)
		dlsym(RTLD_DEFAULT, "tracefs_iterate_snapshot_events");
	struct seen seen = { 0 };

	if (!ok(snap && clear && drop && iterate, "this libtracefs has snapshots"))
		return;
	reset();
	emit_all(100);
	is(snap(NULL), 0, "tracefs_snapshot_snap");
	emit_all(10);
	is(iterate(tep, NULL, NULL, 0, see_event, &seen), 0,
	   "tracefs_iterate_snapshot_events");
	is(sum(seen.events), 100ULL * nr_cpus, "the snapshot's events are there");
	ok(!seen.back && !seen.unreported, "snapshot: in order");
	is(clear(NULL), 0, "tracefs_snapshot_clear");
	is(drop(NULL), 0, "tracefs_snapshot_free");
	check_file("snapshot", "# * Snapshot is freed *");
	reset();
}

/* ---- one CPU */

typedef struct tracefs_cpu *open_fn(struct tracefs_instance *, int, bool);
typedef bool is_mapped_fn(struct tracefs_cpu *);

static open_fn *open_mapped;
static is_mapped_fn *is_mapped;

/* The call that reads a sub-buffer. */
enum way { READ, BUFFERED, WRITE };

static int fetch(struct tracefs_cpu *tcpu, enum way way, void *subbuf,
		 int file, int *size)
{
	int got;

	switch (way) {
	case READ:
		return tracefs_cpu_read(tcpu, subbuf, true);
	case BUFFERED:
		return tracefs_cpu_buffered_read(tcpu, subbuf, true);
	case WRITE:
		break;
	}
	/* The call moves several sub-buffers at once; they are checked afterwards. */
	got = tracefs_cpu_write(tcpu, file, true);
	if (got > 0)
		*size += got;
	return got;
}

static void see_subbuf(struct seen *seen, struct kbuffer *kbuf, int cpu,
		       void *subbuf)
{
	unsigned long long ts;
	struct record r;
	uint64_t number;
	bool told;

	kbuffer_load_subbuffer(kbuf, subbuf);
	told = kbuffer_missed_events(kbuf);
	for (r.payload = kbuffer_read_event(kbuf, &ts); r.payload;
	     r.payload = kbuffer_next_event(kbuf, &ts), told = false) {
		r.size = kbuffer_event_size(kbuf);
		if (record_number(&r, &number))
			see_number(seen, cpu, number, told);
		else
			seen->others++;
	}
}

static void check_cpu(int cpu, open_fn *open_cpu, enum way way,
		      const char *what)
{
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_8,
					     KBUFFER_ENDIAN_LITTLE);
	int size = tep_get_sub_buffer_size(tep), written = 0, got;
	struct seen seen = { 0 };
	struct tracefs_cpu *tcpu;
	char *subbuf = malloc(size);
	FILE *file = tmpfile();

	reset();
	pin(cpu);
	emit(number_of(cpu, 0), EVENTS, EVENT_LEN);
	tcpu = open_cpu(NULL, cpu, true);
	if (!ok(tcpu, "%s: open", what))
		return;
	is(tracefs_cpu_read_size(tcpu), size, "%s: size", what);
	if (open_cpu == open_mapped)
		ok(is_mapped(tcpu), "%s: it is mapped", what);
	while ((got = fetch(tcpu, way, subbuf, fileno(file), &written)) > 0)
		if (way != WRITE)
			see_subbuf(&seen, kbuf, cpu, subbuf);
	if (!ok(!got || errno == EAGAIN, "%s: ends with nothing, no error",
		what))
		diag("%s", error_name(errno));
	for (int at = 0; at < written; at += size) {
		if (pread(fileno(file), subbuf, size, at) != size)
			break;
		see_subbuf(&seen, kbuf, cpu, subbuf);
	}
	/* splice() leaves the sub-buffer that is being written. */
	while (way != READ && (got = tracefs_cpu_flush(tcpu, subbuf)) > 0)
		see_subbuf(&seen, kbuf, cpu, subbuf);
	is(seen.events[cpu], EVENTS, "%s: all events are there", what);
	ok(!seen.back && !seen.unreported, "%s: in order", what);
	tracefs_cpu_close(tcpu);
	kbuffer_free(kbuf);
	free(subbuf);
	fclose(file);
}

static void *stop_later(void *tcpu)
{
	nap(300);
	tracefs_cpu_stop(tcpu);
	return NULL;
}

static void check_stop(open_fn *open_cpu, const char *what)
{
	char *subbuf = malloc(tep_get_sub_buffer_size(tep));
	struct tracefs_cpu *tcpu;
	pthread_t thread;
	int got;

	reset();
	tcpu = open_cpu(NULL, 0, false);
	if (!ok(tcpu, "%s: open, to wait", what))
		return;
	pthread_create(&thread, NULL, stop_later, tcpu);
	got = tracefs_cpu_read(tcpu, subbuf, false);
	pthread_join(thread, NULL);
	ok(got <= 0, "%s: tracefs_cpu_stop ends a read that waits", what);
	tracefs_cpu_close(tcpu);
	free(subbuf);
}

int main(int argc, char **argv)
{
	bool mapped = argc > 2 && !strcmp(argv[1], "--mapped");
	const char *dir = argv[1 + mapped];

	if (argc != 2 + mapped)
		bail_out("usage: tracefs [--mapped] DIR");
	snprintf(target.control, sizeof(target.control), "%s", dir);
	snprintf(target.marker, sizeof(target.marker), "%s/trace_marker", dir);
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	open_mapped = (open_fn *)dlsym(RTLD_DEFAULT, "tracefs_cpu_open_mapped");
	is_mapped = (is_mapped_fn *)dlsym(RTLD_DEFAULT,
					  "tracefs_cpu_is_mapped");
	is(!!open_mapped, mapped, "this libtracefs can%s map",
	   mapped ? "" : "not");
	is(tracefs_set_tracing_dir((char *)dir), 0, "tracefs_set_tracing_dir");

	check_events(dir);
	check_iterate();
	check_iterate_lost();
	check_enable();
	check_instances();
	check_filter();
	check_clock();
	check_options(dir);
	check_pids();
	check_markers();
	check_follow();
	if (mapped)
		check_snapshot();
	for (int cpu = 0; cpu < nr_cpus; cpu += nr_cpus > 1 ? nr_cpus - 1 : 1) {
		check_cpu(cpu, tracefs_cpu_open, READ, "read");
		check_cpu(cpu, tracefs_cpu_open, BUFFERED,
			  "buffered read, by splice");
		check_cpu(cpu, tracefs_cpu_open, WRITE, "write, by splice");
		if (mapped) {
			check_cpu(cpu, open_mapped, READ, "mapped read");
			check_cpu(cpu, open_mapped, BUFFERED,
				  "mapped buffered read");
			check_cpu(cpu, open_mapped, WRITE, "mapped write");
		}
	}
	check_stop(tracefs_cpu_open, "read");
	if (mapped)
		check_stop(open_mapped, "mapped read");
	tep_free(tep);
	return done_testing();
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passes arbitrary events to the converters. libprotobuf-c must unpack Perfetto's format, with
 * each event on its CPU, in its order, and with its time, and with the sums of lost events.
 * The text must have a line for each event.
 *
 * RBMAP_FUZZ_EVENTS has the formats. The first two bytes of the input choose the clock, the
 * moments and the number of CPUs. An event begins with four bytes. They are its format, the
 * CPU with bits for lost events, the time since the last event, and the size of its record,
 * which follows.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "convert/conversion.h"
#include "convert/perfetto_event.h"
#include "input/input.h"
#include "print/line.h"
#include "print/session_formats.h"
#include "print/session_recording.h"
#include "recording/dat_hosts.h"
#include "recording/dat_read.h"

#define MOST_CPUS	8
#define MOST_EVENTS	256
#define LOST		0x40	/* in the CPU */
#define LOST_UNKNOWN	0x80
#define ROOM		128	/* bytes of a record */

void libprotobuf_c_load(void);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct print_session *session;
static uint16_t id[65536];
static unsigned int nr_ids;

/* ---- the recording, for the converters */
static struct {
	const char *clock, *uname;
	struct dat_times times;
	unsigned int cpus;
	const struct dat_hosts *hosts;	/* NULL: it is that of one host */
} recording;

const char *rbmap_recording_clock(const struct rbmap_recording *reader)
{
	(void)reader;
	return recording.clock;
}

const char *rbmap_recording_uname(const struct rbmap_recording *reader)
{
	(void)reader;
	return recording.uname;
}

const struct dat_times *dat_times(const struct rbmap_recording *reader)
{
	(void)reader;
	return &recording.times;
}

unsigned int rbmap_recording_cpus(const struct rbmap_recording *reader)
{
	(void)reader;
	return recording.cpus;
}

const struct dat_hosts *dat_hosts(const struct rbmap_recording *reader)
{
	(void)reader;
	return recording.hosts;
}

/* The session has its formats from the beginning: to parse one takes longer than all else. */
int print_session_load_recording(struct print_session *s, struct rbmap_recording *r)
{
	(void)s;
	(void)r;
	return 0;
}

/* ---- formats */
static void add_format(const char *dir, const char *path)
{
	char *system = strdup(path + strlen(dir) + 1);
	struct buf format = { 0 };

	*strchr(system, '/') = '\0';
	if (!buf_read_file(&format, path))
		print_session_add_format(session, system, format.data, format.size);
	buf_free(&format);
	free(system);
}

static void free_session(void)
{
	print_session_free(session);
}

/* The library is linked. */
void libprotobuf_c_load(void)
{
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *dir = getenv("RBMAP_FUZZ_EVENTS");
	char pattern[4096];
	glob_t found;

	(void)argc;
	(void)argv;
	session = print_session_new();
	atexit(free_session);
	snprintf(pattern, sizeof(pattern), "%s/*/*/format", dir ? dir : "/sys/kernel/rbmap/events");
	if (!glob(pattern, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			add_format(dir, found.gl_pathv[i]);
		globfree(&found);
	}
	for (int i = 0; i < NR_EVENT_IDS; i++)
		if (print_session_event(session, i))
			id[nr_ids++] = i;
	if (!nr_ids) {
		fputs("no formats: set RBMAP_FUZZ_EVENTS\n", stderr);
		exit(1);
	}
	return 0;
}

/* ---- events */
/* The events and losses of a CPU that the output must have */
struct expected {
	uint64_t ts[MOST_EVENTS];
	unsigned int events;
	uint64_t lost;
};

struct run {
	struct conversion c;
	struct input in;
	struct expected cpu[MOST_CPUS];
};

static void add_lost(struct run *r, unsigned int cpu, uint64_t lost)
{
	if (r->c.to->lost(&r->c, cpu, lost))
		abort();
	if (lost != RBMAP_LOST_UNKNOWN)
		r->cpu[cpu].lost += lost;
	r->c.lost += lost;
}

static void add_event(struct run *r, struct rbmap_event *ev)
{
	struct expected *cpu = &r->cpu[ev->cpu];
	struct event_parts parts;
	int ret = print_session_find_parts(session, ev, &parts);

	if (r->c.to->event(&r->c, ev, ret ? NULL : &parts) || output_go_on(&r->c.out))
		abort();
	cpu->ts[cpu->events++] = ev->ts;
	r->c.events++;
}

static void add_events(struct run *r, const uint8_t *data, size_t size)
{
	uint64_t ts = 0;

	while (size >= 4 && r->c.events < MOST_EVENTS) {
		unsigned int len = data[3] % ROOM, format = data[0] % (nr_ids + 1);
		struct rbmap_event ev = { .ts = ts += data[2] * 1000003ULL, .size = len };
		char *record;

		ev.cpu = data[1] % recording.cpus;
		if (data[1] & (LOST | LOST_UNKNOWN))
			add_lost(r, ev.cpu, data[1] & LOST ? data[2] : RBMAP_LOST_UNKNOWN);
		data += 4;
		size -= 4;
		/* The record ends where the sanitizer sees a read beyond it. */
		record = calloc(1, len + 1);
		record = realloc(record, len ? len : 1);
		memcpy(record, data, len < size ? len : size);
		if (format < nr_ids && len >= sizeof(id[0]))
			memcpy(record, &id[format], sizeof(id[0]));
		ev.data = record;
		add_event(r, &ev);
		free(record);
		data += len < size ? len : size;
		size -= len < size ? len : size;
	}
}

/* ---- the output */
static void check_bundle(struct run *r, unsigned int next[MOST_CPUS],
			 const Perfetto__FtraceEventBundle *bundle)
{
	struct expected *cpu = &r->cpu[bundle->cpu];

	if (bundle->cpu >= recording.cpus)
		abort();
	for (size_t i = 0; i < bundle->n_event; i++) {
		if (next[bundle->cpu] == cpu->events ||
		    bundle->event[i]->timestamp != cpu->ts[next[bundle->cpu]++])
			abort();
	}
}

static void check_stats(const struct run *r, const Perfetto__FtraceStats *stats)
{
	if (stats->n_cpu_stats != recording.cpus)
		abort();
	for (unsigned int cpu = 0; cpu < recording.cpus; cpu++)
		if (stats->cpu_stats[cpu]->overrun != r->cpu[cpu].lost ||
		    stats->cpu_stats[cpu]->read_events != r->cpu[cpu].events)
			abort();
}

static void check_perfetto(struct run *r, const char *data, size_t size)
{
	Perfetto__Trace *trace = perfetto__trace__unpack(NULL, size, (const uint8_t *)data);
	unsigned int next[MOST_CPUS] = { 0 };

	if (!trace || !trace->n_packet || !trace->packet[trace->n_packet - 1]->ftrace_stats)
		abort();
	for (size_t i = 0; i < trace->n_packet; i++)
		if (trace->packet[i]->ftrace_events)
			check_bundle(r, next, trace->packet[i]->ftrace_events);
	for (unsigned int cpu = 0; cpu < recording.cpus; cpu++)
		if (next[cpu] != r->cpu[cpu].events)
			abort();
	check_stats(r, trace->packet[trace->n_packet - 1]->ftrace_stats);
	perfetto__trace__free_unpacked(trace, NULL);
}

static void check_systrace(const struct run *r, const char *data, size_t size)
{
	uint64_t events = 0;

	for (const char *end = data + size; data < end; data = memchr(data, '\n', end - data) + 1) {
		if (!memchr(data, '\n', end - data))
			abort();
		events += *data != '#';
	}
	if (events != r->c.events)
		abort();
}

static void check(struct run *r)
{
	off_t size = lseek(r->c.out.fd, 0, SEEK_END);
	char *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, r->c.out.fd, 0);

	if (data == MAP_FAILED)
		abort();
	if (r->c.to == &convert_to_perfetto)
		check_perfetto(r, data, size);
	else
		check_systrace(r, data, size);
	munmap(data, size);
}

static void convert(const struct converter *to, const uint8_t *data, size_t size)
{
	struct run *r = calloc(1, sizeof(*r));

	r->c.in = &r->in;
	r->c.to = to;
	r->c.session = session;
	r->c.out.fd = memfd_create("output", MFD_CLOEXEC);
	r->in.time.boot = recording.times.end.boot;
	r->in.time.ring = recording.times.end.ring;
	if (r->c.out.fd < 0 || to->begin(&r->c))
		abort();
	add_events(r, data, size);
	if (to->end(&r->c) || output_flush(&r->c.out))
		abort();
	check(r);
	to->free(&r->c);
	print_line_free(r->c.line);
	buf_free(&r->c.out.data);
	close(r->c.out.fd);
	free(r);
}

/* Two hosts, and CPUs of none. */
static const struct dat_hosts *two_hosts(void)
{
	static struct dat_hosts *hosts;

	if (!hosts && dat_hosts_parse(&hosts, DAT_HOSTS_HEAD "0 2 0 web\n3 4 4194304 db\n") != 1)
		abort();
	return hosts;
}

static void choose_recording(const uint8_t *data)
{
	static const char *const clocks[] = { NULL, "local", "mono", "boot", "x86-tsc" };
	static const char *const names[] = { NULL, "", "Linux", "Linux host 6.12 x86_64" };

	recording.clock = clocks[data[0] % 5];
	recording.uname = names[data[1] / 64];
	recording.cpus = 1 + data[1] % MOST_CPUS;
	recording.hosts = data[0] & 0x10 ? two_hosts() : NULL;
	recording.times = (struct dat_times){ 0 };
	if (data[0] & 0x20)
		recording.times.begin = (struct rbmap_moment){ 1, data[0], 3, 37, 4 };
	if (data[0] & 0x40)
		recording.times.trigger = (struct rbmap_moment){ 5, 6, data[0] % 8, 37, 8 };
	if (data[0] & 0x80)
		recording.times.end = (struct rbmap_moment){ 9, 10, 11, 37, 8 };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	choose_recording(data);
	convert(&convert_to_perfetto, data + 2, size - 2);
	convert(&convert_to_systrace, data + 2, size - 2);
	return 0;
}

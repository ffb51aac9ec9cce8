// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "perfetto_head.h"
#include "perfetto_packet.h"
#include "perfetto_value.h"
#include "print/session_names.h"
#include "recording/dat_hosts.h"

#define MOST_THREADS	1000	/* in a packet */
#define MOST_BYTES	64	/* that a thread's name has at most */

/* ---- clocks */
static void add_clock(Perfetto__ClockSnapshot *snapshot, Perfetto__ClockSnapshot__Clock *clock,
		      uint32_t id, uint64_t timestamp)
{
	perfetto__clock_snapshot__clock__init(clock);
	clock->has_clock_id = true;
	clock->clock_id = id;
	clock->has_timestamp = true;
	clock->timestamp = timestamp;
	snapshot->clocks[snapshot->n_clocks++] = clock;
}

static void add_moment(struct buf *out, const struct rbmap_moment *m, bool is_mono)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__ClockSnapshot__Clock clock[3], *clocks[3];

	if (!m->real)
		return;
	snapshot.clocks = clocks;
	add_clock(&snapshot, &clock[0], PERFETTO__BUILTIN_CLOCK__BOOTTIME, m->boot);
	add_clock(&snapshot, &clock[1], PERFETTO__BUILTIN_CLOCK__REALTIME, m->real);
	if (is_mono)
		add_clock(&snapshot, &clock[2], PERFETTO__BUILTIN_CLOCK__MONOTONIC, m->ring);
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = PERFETTO__BUILTIN_CLOCK__BOOTTIME;
	packet.clock_snapshot = &snapshot;
	perfetto_add_packet(out, &packet);
}

/* The file of a snapshot begins after its rings were frozen. */
void perfetto_add_clocks(struct buf *out, const struct dat_times *times, bool is_mono)
{
	bool trigger_first = times->trigger.boot < times->begin.boot;

	add_moment(out, trigger_first ? &times->trigger : &times->begin, is_mono);
	add_moment(out, trigger_first ? &times->begin : &times->trigger, is_mono);
	add_moment(out, &times->end, is_mono);
}

/* ---- the system */
static void set_text(protobuf_c_boolean *has, ProtobufCBinaryData *to, const char *text)
{
	*has = *text != '\0';
	*to = (ProtobufCBinaryData){ strlen(text), (uint8_t *)text };
}

void perfetto_add_system(struct buf *out, const char *uname)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__SystemInfo system = PERFETTO__SYSTEM_INFO__INIT;
	Perfetto__Utsname names = PERFETTO__UTSNAME__INIT;
	struct utsname u = { 0 };

	_Static_assert(sizeof(u.sysname) > 64 && sizeof(u.release) > 64 && sizeof(u.machine) > 64,
		       "the sizes below fit");
	if (!uname || sscanf(uname, "%64s %*s %64s %64s", u.sysname, u.release, u.machine) < 1)
		return;
	set_text(&names.has_sysname, &names.sysname, u.sysname);
	set_text(&names.has_release, &names.release, u.release);
	set_text(&names.has_machine, &names.machine, u.machine);
	system.utsname = &names;
	packet.system_info = &system;
	perfetto_add_packet(out, &packet);
}

/* ---- CPUs */
static void set_processor(Perfetto__CpuInfo__Cpu *cpu, unsigned int number,
			  const struct dat_host *host, struct buf *text)
{
	size_t begin = text->size;
	char name[3 * DAT_HOST_NAME + 1];

	perfetto__cpu_info__cpu__init(cpu);
	if (!host)
		return;
	*perfetto_put_utf8(name, (const unsigned char *)host->name, strlen(host->name)) = '\0';
	buf_printf(text, "CPU %u of %s", number, name);
	if (text->failed)
		return;
	cpu->has_processor = true;
	cpu->processor.len = text->size - begin;
}

/* Perfetto has the host of a CPU as its model, in the table cpu. */
int perfetto_add_cpus(struct buf *out, const struct dat_hosts *hosts, unsigned int nr)
{
	Perfetto__CpuInfo__Cpu *cpu = calloc(nr + 1, sizeof(*cpu)), **pointer;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__CpuInfo info = PERFETTO__CPU_INFO__INIT;
	struct buf text = { 0 };
	size_t at = 0;
	bool ok;

	pointer = calloc(nr + 1, sizeof(*pointer));
	ok = cpu && pointer;
	for (unsigned int i = 0; ok && i < nr; i++) {
		set_processor(&cpu[i], i, dat_hosts_of_cpu(hosts, i), &text);
		pointer[i] = &cpu[i];
	}
	ok = ok && !text.failed;
	/* The text has its place now. */
	for (unsigned int i = 0; ok && i < nr; i++) {
		cpu[i].processor.data = (uint8_t *)text.data + at;
		at += cpu[i].processor.len;
	}
	info.n_cpus = nr;
	info.cpus = pointer;
	packet.cpu_info = &info;
	if (ok)
		perfetto_add_packet(out, &packet);
	buf_free(&text);
	free(cpu);
	free(pointer);
	return ok ? 0 : -ENOMEM;
}

/* ---- threads */
struct threads {
	struct buf *out;
	char name[MOST_THREADS][3 * MOST_BYTES + 1];
	Perfetto__ProcessTree tree;
	Perfetto__ProcessTree__Thread thread[MOST_THREADS];
	Perfetto__ProcessTree__Thread *pointer[MOST_THREADS];
};

static void add_tree(struct threads *t)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	if (!t->tree.n_threads)
		return;
	packet.process_tree = &t->tree;
	perfetto_add_packet(t->out, &packet);
	t->tree.n_threads = 0;
}

static void add_thread(void *data, int pid, const char *comm)
{
	struct threads *t = data;
	Perfetto__ProcessTree__Thread *thread = &t->thread[t->tree.n_threads];
	char *name = t->name[t->tree.n_threads];

	perfetto__process_tree__thread__init(thread);
	thread->has_tid = true;
	thread->tid = pid;
	thread->has_tgid = true;
	thread->tgid = pid;
	*perfetto_put_utf8(name, (const unsigned char *)comm, strnlen(comm, MOST_BYTES)) = '\0';
	set_text(&thread->has_name, &thread->name, name);
	t->pointer[t->tree.n_threads++] = thread;
	if (t->tree.n_threads == MOST_THREADS)
		add_tree(t);
}

int perfetto_add_threads(struct buf *out, const struct print_session *session)
{
	struct threads *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return -ENOMEM;
	t->out = out;
	perfetto__process_tree__init(&t->tree);
	t->tree.threads = t->pointer;
	ret = print_session_each_comm(session, add_thread, t);
	add_tree(t);
	free(t);
	return ret;
}

/* ---- sums */
static void set_cpu(Perfetto__FtraceCpuStats *cpu, unsigned int number,
		    const struct perfetto_cpu_sums *sums)
{
	perfetto__ftrace_cpu_stats__init(cpu);
	cpu->has_cpu = true;
	cpu->cpu = number;
	cpu->has_overrun = true;
	cpu->overrun = sums->lost;
	cpu->has_read_events = true;
	cpu->read_events = sums->events;
}

int perfetto_add_stats(struct buf *out, const struct perfetto_cpu_sums *sums, unsigned int nr,
		       bool at_end)
{
	Perfetto__FtraceCpuStats *cpu = calloc(nr + 1, sizeof(*cpu)), **pointer;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__FtraceStats stats = PERFETTO__FTRACE_STATS__INIT;
	bool ok;

	pointer = calloc(nr + 1, sizeof(*pointer));
	ok = cpu && pointer;
	for (unsigned int i = 0; ok && i < nr; i++) {
		set_cpu(&cpu[i], i, &sums[i]);
		pointer[i] = &cpu[i];
	}
	stats.has_phase = true;
	stats.phase = at_end ? PERFETTO__FTRACE_STATS__PHASE__END_OF_TRACE :
			       PERFETTO__FTRACE_STATS__PHASE__START_OF_TRACE;
	stats.n_cpu_stats = nr;
	stats.cpu_stats = pointer;
	packet.ftrace_stats = &stats;
	if (ok)
		perfetto_add_packet(out, &packet);
	free(cpu);
	free(pointer);
	return ok ? 0 : -ENOMEM;
}

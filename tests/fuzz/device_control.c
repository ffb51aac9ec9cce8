// SPDX-License-Identifier: GPL-2.0-only
/* Steps with the control files of all buffers. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device.h"

/* Buffers that do_instance_*() and do_module_*() create; "" is the default buffer. */
static const char *const buffers[] = {
	"", "", "", "", "", "fuzz0", "fuzz1", "fuzz2", "driver_ring", "mine",
	"churn0",
};

const char *a_buffer(void)
{
	return pick_of(buffers);
}

/* Copy @name, with a CPU's number behind each "cpu" in the path. */
static void add_cpus(char *to, size_t size, const char *name)
{
	const char *begin = name;
	size_t len = 0;

	while (*name && len + 8 < size) {
		if (!strncmp(name, "cpu", 3) && (!name[3] || name[3] == '/') &&
		    (name == begin || name[-1] == '/')) {
			len += snprintf(to + len, size - len, "cpu%u",
					pick(nr_cpus));
			name += 3;
		} else {
			to[len++] = *name++;
		}
	}
	to[len] = 0;
}

void device_path(char *path, size_t size, const char *buffer, const char *name)
{
	char whole[64];

	add_cpus(whole, sizeof(whole), name);
	snprintf(path, size, "/dev/rbmap/%s%s%s", buffer, *buffer ? "/" : "",
		 whole);
}

void control_path(char *path, size_t size, const char *buffer, const char *name)
{
	char whole[96];

	add_cpus(whole, sizeof(whole), name);
	snprintf(path, size, "/sys/kernel/rbmap/%s%s%s%s",
		 *buffer ? "instances/" : "", buffer, *buffer ? "/" : "", whole);
}

static bool write_control(const char *name, const char *text)
{
	char path[192];

	control_path(path, sizeof(path), a_buffer(), name);
	return write_file(path, text);
}

static bool write_number(const char *name, unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return write_control(name, text);
}

/* A write to a file that the buffer does not have fails. */
bool do_control(void)
{
	static const char *const switches[] = {
		"tracing_on", "overwrite", "events/enable", "events/sched/enable",
		"events/irq/enable", "events/raw_syscalls/enable",
		"events/rbmap/enable", "events/sched/sched_switch/enable",
		"self_cost", "kptr",
	};
	static const char *const clocks[] = { "local", "mono", "boot", "x86-tsc",
					      "none" };
	char text[32];

	switch (pick(8)) {
	case 0:
		return write_control("trace_clock", pick_of(clocks));
	case 1:
		return write_number("buffer_percent", pick(110));
	case 2:
		return write_number("retired_size_kb", pick(3) ? pick(2000) : 0);
	default:
		snprintf(text, sizeof(text), "%u", pick(3) > 0);
		if (!pick(10))
			snprintf(text, sizeof(text), "%lx", next_random());
		return write_control(pick_of(switches), text);
	}
}

/* Read a little of the text, without waiting.  Another step may have changed all of it. */
bool do_text(void)
{
	static const char *const names[] = { "trace", "trace_pipe", "snapshot/trace" };
	static const char *const of_cpu[] = { "trace", "trace_pipe", "snapshot" };
	char name[48], path[192], text[8192];
	int fd, flags = O_RDONLY | O_NONBLOCK;
	bool done = false;

	snprintf(name, sizeof(name), "%s", pick_of(names));
	if (pick(2))
		snprintf(name, sizeof(name), "per_cpu/%u/%s", pick(nr_cpus), pick_of(of_cpu));
	device_path(path, sizeof(path), a_buffer(), name);
	if (!pick(8))
		flags = O_RDWR | O_TRUNC;
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		return false;
	do {
		done |= read(fd, text, 1 + pick(sizeof(text))) > 0;
		if (!pick(4))
			lseek(fd, pick(3) ? 0 : (off_t)next_random(), pick(4));
	} while (pick(4));
	close(fd);
	return done;
}

bool do_reset(void)
{
	return write_number("reset", 1);
}

bool do_resize(void)
{
	if (pick(3))
		return write_number("buffer_size_kb", 1U << pick(11));
	return write_number("buffer_subbuf_size_kb", 4U << pick(5));
}

bool do_resize_cpu(void)
{
	if (pick(3))
		return write_number("per_cpu/cpu/buffer_size_kb", 1U << pick(11));
	return write_number("per_cpu/cpu/buffer_subbuf_size_kb", 4U << pick(5));
}

bool do_snapshot_file(void)
{
	return write_number(pick(2) ? "snapshot" : "per_cpu/cpu/snapshot",
			    pick(4) > 0);
}

/* Each of these retires rings, unless nothing changes. */
void replace_rings(void)
{
	switch (pick(4)) {
	case 0:
		do_resize();
		break;
	case 1:
		do_resize_cpu();
		break;
	case 2:
		do_snapshot_file();
		break;
	default:
		do_reset();
	}
}

bool read_stats(void)
{
	char path[192];

	control_path(path, sizeof(path), pick(3) ? "" : a_buffer(),
		     "per_cpu/cpu/stats");
	return read_file(path, 0);
}

bool do_stats(void)
{
	bool good = false;

	for (unsigned int i = 1 + pick(10); i; i--)
		good |= read_stats();
	return good;
}

/* Open a control file and keep it among the common files. */
bool do_open_control(void)
{
	static const char *const names[] = {
		"tracing_on", "trace_clock", "overwrite", "buffer_percent",
		"buffer_size_kb", "buffer_subbuf_size_kb", "snapshot", "reset",
		"per_cpu/cpu/stats", "per_cpu/cpu/buffer_size_kb",
		"per_cpu/cpu/snapshot", "set_event_pid",
		"set_event_notrace_pid", "set_event_cgroup", "options/event-fork",
		"options/copy_trace_marker", "tracing_cpumask",
		"dynamic_events", "events/enable", "events/sched/enable",
		"events/sched/filter", "events/sched/sched_switch/enable",
		"events/sched/sched_switch/filter",
		"events/sched/sched_switch/format", "events/kinds/enable",
		"events/kinds/kinds_hit/status", "events/header_page",
	};
	static const int flags[] = { O_RDONLY, O_WRONLY, O_RDWR,
				     O_WRONLY | O_TRUNC, O_RDWR | O_APPEND };
	char path[192];
	int fd;

	control_path(path, sizeof(path), a_buffer(), pick_of(names));
	fd = open(path, pick_of(flags) | O_CLOEXEC);
	if (fd < 0)
		return false;
	keep_file(fd);
	return true;
}

/* Write to a common file, whatever it is. */
bool do_write(void)
{
	static const char *const texts[] = { "0", "1", "64", "128", "\n", "local",
					     "mono", "1 2 3", "prev_pid != 0",
					     "-:fuzz/e1", "" };
	const char *text = pick_of(texts);

	return write(a_file(), text, strlen(text)) >= 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <rbmap.h>

#include "agent.h"
#include "agent/uplink/clocks.h"
#include "agent/uplink/files.h"
#include "base/units.h"
#include "command/command.h"
#include "kernel/control.h"
#include "message/message.h"

#define INCIDENTS_MAX	64
#define STREAMS_MAX	256
/*
 * Ids repeat after this number of seconds. So a directory that nobody reads gets a bounded
 * number of files, and an engine has forgotten the id and does not drop the message.
 */
#define HELLO_IDS	600
#define NS_PER_S	1000000000ULL

struct sum {
	uint64_t events;
	uint64_t lost;
	unsigned int cpus;
};

static int add_cpu(void *data, int dir, const char *name)
{
	uint64_t cpu, events, lost, missed;
	struct sum *sum = data;

	(void)dir;
	if (strncmp(name, "cpu", 3) || !parse_u64(name + 3, &cpu) || cpu > UINT32_MAX)
		return 0;
	if (control_cpu_stat(cpu, "emitted", &events) ||
	    control_cpu_stat(cpu, "lost events", &lost) ||
	    control_cpu_stat(cpu, "missed", &missed))
		return -1;
	sum->events += events;
	sum->lost += lost + missed;
	sum->cpus++;
	return 0;
}

/* Add the CPUs of a buffer, which a path below the root names. */
static int add_buffer(struct sum *sum, const char *buffer)
{
	char path[2300];
	int dir, ret;

	control_set_buffer(buffer);
	snprintf(path, sizeof(path), "%s/per_cpu", control_dir());
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	ret = files_each(dir, add_cpu, sum);
	close(dir);
	return ret;
}

static int add_instance(void *data, int dir, const char *name)
{
	(void)dir;
	return is_buffer_name(name) ? add_buffer(data, name) : 0;
}

bool rings_read(uint64_t *events, uint64_t *lost)
{
	struct sum sum = { 0 };
	char path[2048];
	int dir, ret = add_buffer(&sum, NULL);

	snprintf(path, sizeof(path), "%s/instances", control_root());
	dir = ret ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0) {
		ret = files_each(dir, add_instance, &sum);
		close(dir);
	}
	control_set_buffer(NULL);
	*events = sum.events;
	*lost = sum.lost;
	return !ret && sum.cpus;
}

static void add_incidents(struct agent *a, struct buf *out)
{
	const struct spool *s = &a->spool;
	char text[SOURCE_NAME_SIZE + 32];

	for (a->offered = 0; a->offered < s->nr && a->offered < INCIDENTS_MAX; a->offered++) {
		snprintf(text, sizeof(text), "%s %" PRIu64, s->v[a->offered].id, s->v[a->offered].size);
		text_add(out, "incident", text);
	}
}

uint64_t hello_number(void)
{
	return clock_real() / NS_PER_S % HELLO_IDS;
}

/*
 * A HELLO takes the same way as the parts, so it arrives behind those that were sent before
 * it. On a faster way it would list incidents whose parts the collector has not read yet, and
 * the collector would ask for them again.
 */
int agent_say_hello(struct agent *a)
{
	uint64_t events, lost, tai, number = hello_number();
	struct buf text = { 0 };
	struct utsname name;
	int ret;

	text_add(&text, "version", rbmap_version());
	if (!uname(&name))
		text_add(&text, "kernel", name.release);
	text_add_u64(&text, "spool-bytes", a->spool.bytes);
	add_incidents(a, &text);
	if (rings_read(&events, &lost)) {
		text_add_u64(&text, "events", events);
		text_add_u64(&text, "lost", lost);
	}
	if (a->has_streams)
		stream_spool_list(&a->streams, &text, STREAMS_MAX);
	clock_add_error(&text);
	if (clock_tai(&tai))
		text_add_u64(&text, "time-tai", tai);
	ret = uplink_add(&a->uplink, MESSAGE_HELLO, "", number, 0, text.data, text.size,
			 "hello.%" PRIu64, number);
	buf_free(&text);
	if (!ret)
		ret = uplink_publish(&a->uplink);
	if (!ret)
		a->hello_number = number;
	return ret;
}

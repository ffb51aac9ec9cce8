// SPDX-License-Identifier: GPL-2.0-only
/* Triggers of a flight recorder, in directories that look like those of the module. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rbmap.h>

#include <cmocka.h>

#include <linux/rbmap.h>

#include "cli_directory.h"
#include "kernel/anonymous_buffer.h"
#include "record/trigger.h"

#define BUFFER		"instances/trigger-1"

/* The buffer of the trigger is there already. */
int anonymous_buffer_create(struct anonymous_buffer *kept, const char *prefix,
			    const char *settings, char *told, size_t size)
{
	(void)prefix;
	(void)settings;
	(void)size;
	*told = '\0';
	strcpy(kept->name, "trigger-1");
	return 0;
}

void anonymous_buffer_destroy(struct anonymous_buffer *kept)
{
	kept->name[0] = '\0';
}

/* The devices are below the directory of the test. */
DIR *opendir(const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s%s", strncmp(name, "/dev/", 5) ? "" : dir, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? NULL : fdopendir(fd);
}

/* The library's side: an observer of a CPU's ring */
struct rbmap_map {
	unsigned int cpu;
	bool came;		/* an event of the trigger is there */
	uint64_t lost;		/* before it */
};

static struct rbmap_map rings[200];
static unsigned int nr_open;
static int observe_error;
static unsigned int generation = 1;

int rbmap_observe_path(struct rbmap_map **map, const char *path, unsigned int flags)
{
	unsigned int cpu = strtoul(strrchr(path, '/') + 4, NULL, 10);

	assert_int_equal(flags, 0);
	assert_true(cpu < 200);
	if (observe_error)
		return observe_error;
	*map = &rings[cpu];
	(*map)->cpu = cpu;
	nr_open++;
	return 0;
}

void rbmap_close(struct rbmap_map *map)
{
	(void)map;
	nr_open--;
}

int rbmap_next_event(struct rbmap_map *map, struct rbmap_event *ev)
{
	static const struct rbmap_event_common common = { .type = 7 };

	if (!map->came)
		return 0;
	map->came = false;
	*ev = (struct rbmap_event){
		.cpu = map->cpu, .ts = 1, .data = &common, .size = sizeof(common),
		.lost = map->lost,
	};
	map->lost = 0;
	return 1;
}

unsigned int rbmap_generation(const struct rbmap_map *map)
{
	(void)map;
	return generation;
}

/* The writer had overwritten 30 events before. */
uint64_t rbmap_observer_number(const struct rbmap_map *map)
{
	(void)map;
	return 31;
}

uint64_t rbmap_events_read(const struct rbmap_map *map)
{
	(void)map;
	return 1;
}

static void put(const char *file, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void run(const char *command)
{
	char text[1024];

	snprintf(text, sizeof(text), "cd %s && %s", dir, command);
	assert_int_equal(system(text), 0);
}

static int begin_module(void **state)
{
	int ret = begin(state);

	if (ret)
		return ret;
	control_set_root(dir);
	run("mkdir -p dev/rbmap/trigger-1 " BUFFER " events/rbmap/marker options");
	put("events/enable", "X\n");
	put("events/header_page", "\n");
	put("events/rbmap/enable", "X\n");
	put("events/rbmap/marker/enable", "1\n");
	put("events/rbmap/marker/id", "7\n");
	put("events/rbmap/marker/status", "available\n");
	put("events/rbmap/marker/filter", "none\n");
	put("trace_clock", "[local] mono\n");
	put("tracing_cpumask", "3\n");
	put("options/event-fork", "0\n");
	put("set_event_pid", "");
	put("set_event_notrace_pid", "");
	put("set_event_cgroup", "");
	put("exclude_process", "");
	run("cp -r events options " BUFFER " && cp * " BUFFER " 2>/dev/null || :");
	return 0;
}

static int end_module(void **state)
{
	run("rm -rf ./*");
	return end(state);
}

/* Return the text of a file of the buffer. */
static const char *written(const char *file)
{
	static char text[256];
	char path[512];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/" BUFFER "/%s", dir, file);
	f = fopen(path, "r");
	assert_non_null(f);
	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = '\0';
	fclose(f);
	return text;
}

static bool all_events(const void *data, const struct control_event *event)
{
	(void)data;
	(void)event;
	return true;
}

/* Open and close a trigger with a filter. */
static void open_filtered(bool self)
{
	const struct trigger_options options = {
		.pattern = "marker", .filter = "x == 1", .self = self,
	};
	struct control_events events = { 0 };
	struct trigger *trigger;

	assert_int_equal(control_events_read(&events), 0);
	trigger = trigger_open(&options, &events, all_events, NULL);
	assert_non_null(trigger);
	trigger_close(trigger);
	control_events_free(&events);
}

/* Events that the recording leaves out do not trigger. */
static void test_selection(void **state)
{
	(void)state;
	put("set_event_pid", "12\n34\n");
	put("set_event_notrace_pid", "56\n");
	put("set_event_cgroup", "/system.slice/web.service\n/user.slice\n");
	open_filtered(false);
	assert_string_equal(written("set_event_pid"), "12\n34");
	assert_string_equal(written("set_event_notrace_pid"), "56");
	/* A line is written at a time. The first one ends the list of before. */
	assert_string_equal(written("set_event_cgroup"), "\n/system.slice/web.service/user.slice");
}

/* A list without lines selects all, and is not written. */
static void test_no_selection(void **state)
{
	(void)state;
	open_filtered(false);
	assert_string_equal(written("set_event_pid"), "");
	assert_string_equal(written("set_event_notrace_pid"), "");
	assert_string_equal(written("set_event_cgroup"), "");
}

/* Events of this process do not trigger, unless the recording has them. */
static void test_self(void **state)
{
	(void)state;
	open_filtered(true);
	assert_string_equal(written("exclude_process"), "");
	open_filtered(false);
	/* The process that writes */
	assert_string_equal(written("exclude_process"), "0");
}

/* A CPU that comes during the recording triggers, too. Numbers can have gaps. */
static void test_late_cpu(void **state)
{
	const struct trigger_options options = { .pattern = "marker" };
	struct control_events events = { 0 };
	struct trigger *trigger;
	bool fired = false, more;
	char reason[256];

	(void)state;
	memset(rings, 0, sizeof(rings));
	run("touch dev/rbmap/cpu0 dev/rbmap/cpu150 dev/rbmap/marker");
	assert_int_equal(control_events_read(&events), 0);
	trigger = trigger_open(&options, &events, all_events, NULL);
	assert_non_null(trigger);
	assert_int_equal(nr_open, 2);
	rings[150].came = true;
	assert_true(trigger_fires(trigger, reason, sizeof(reason)));
	assert_non_null(strstr(reason, "event rbmap:marker of CPU 150 at 1"));

	/* The ring of a CPU can come after its device. */
	run("touch dev/rbmap/cpu180");
	rings[180].came = true;
	observe_error = -ENODATA;
	usleep(1100000);
	assert_false(trigger_fires(trigger, reason, sizeof(reason)));
	observe_error = 0;
	for (int i = 0; i < 1000 && !fired; i++) {
		fired = trigger_fires(trigger, reason, sizeof(reason));
		usleep(10000);
	}
	assert_true(fired);
	assert_non_null(strstr(reason, "of CPU 180 at 1"));
	assert_int_equal(nr_open, 3);
	/* It has written 30 events before it was looked at. */
	assert_int_equal(trigger_missed(trigger, &more), 30);
	assert_false(more);

	/* Its first ring is gone. */
	run("touch dev/rbmap/cpu190");
	rings[190].came = true;
	generation = 2;
	fired = false;
	for (int i = 0; i < 1000 && !fired; i++) {
		fired = trigger_fires(trigger, reason, sizeof(reason));
		usleep(10000);
	}
	assert_true(fired);
	assert_int_equal(trigger_missed(trigger, &more), 30);
	assert_true(more);
	generation = 1;
	trigger_close(trigger);
	assert_int_equal(nr_open, 0);
	control_events_free(&events);
}

static bool misses(struct trigger *trigger, unsigned int cpu, uint64_t lost, uint64_t wanted)
{
	char reason[256];
	bool more;

	rings[cpu].came = true;
	rings[cpu].lost = lost;
	assert_true(trigger_fires(trigger, reason, sizeof(reason)));
	assert_int_equal(trigger_missed(trigger, &more), wanted);
	return more;
}

/* Events that nobody could look at are counted, those of all CPUs together. */
static void test_missed(void **state)
{
	const struct trigger_options options = { .pattern = "marker" };
	struct control_events events = { 0 };
	struct trigger *trigger;

	(void)state;
	memset(rings, 0, sizeof(rings));
	/* The losses before the trigger are none of its own. */
	rings[0].came = true;
	rings[0].lost = RBMAP_LOST_UNKNOWN;
	run("touch dev/rbmap/cpu0 dev/rbmap/cpu1");
	assert_int_equal(control_events_read(&events), 0);
	trigger = trigger_open(&options, &events, all_events, NULL);
	assert_non_null(trigger);
	assert_false(misses(trigger, 0, 0, 0));
	assert_false(misses(trigger, 0, 5, 5));
	assert_false(misses(trigger, 1, 2, 7));
	assert_true(misses(trigger, 1, RBMAP_LOST_UNKNOWN, 7));
	assert_true(misses(trigger, 0, 1, 8));
	trigger_close(trigger);
	control_events_free(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_selection, begin_module, end_module),
		cmocka_unit_test_setup_teardown(test_no_selection, begin_module, end_module),
		cmocka_unit_test_setup_teardown(test_self, begin_module, end_module),
		cmocka_unit_test_setup_teardown(test_late_cpu, begin_module, end_module),
		cmocka_unit_test_setup_teardown(test_missed, begin_module, end_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events by name, switched and restored, in a directory that looks like
 * /sys/kernel/rbmap.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "cli_stderr.h"
#include "command/command.h"
#include "kernel/control.h"
#include "kernel/cpustats.h"
#include "kernel/hidden_cpus.h"

static char root[] = "/tmp/rbmap-cli-control.XXXXXX";

static void put(const char *file, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void drop(const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, file);
	assert_int_equal(unlink(path), 0);
}

static void make_dir(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void put_event(const char *name, const char *enable, const char *status)
{
	char file[256];

	snprintf(file, sizeof(file), "events/%s", name);
	make_dir(file);
	snprintf(file, sizeof(file), "events/%s/enable", name);
	put(file, enable);
	snprintf(file, sizeof(file), "events/%s/id", name);
	put(file, "7\n");
	snprintf(file, sizeof(file), "events/%s/status", name);
	put(file, status);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return 1;
	control_set_root(root);
	make_dir("events");
	put("events/enable", "X\n");
	put("events/header_page", "\n");
	make_dir("events/sched");
	put("events/sched/enable", "X\n");
	put_event("sched/sched_switch", "1\n", "available\n");
	put_event("sched/sched_wakeup", "0\n", "waiting: for a module\n");
	make_dir("events/irq");
	put_event("irq/irq_entry", "0\n", "available\n");
	put_event("irq/softirq", "0\n", "unavailable: no such tracepoint\n");
	make_dir("per_cpu");
	make_dir("per_cpu/cpu0");
	put("per_cpu/cpu0/stats",
	    "entries: 5\nlost reported: 12\nlost events: 13\nnow ts:  1.5\n");
	put("trace_clock", "local [mono] boot\n");
	put("buffer_size_kb", "1408\n");
	put("version", "0.2.0\n");
	make_dir("instances");
	make_dir("instances/a");
	put("instances/a/buffer_size_kb", "64\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static bool is_on(const char *name)
{
	char file[256], *text;
	bool on;

	snprintf(file, sizeof(file), "events/%s/enable", name);
	text = control_read(file);
	assert_non_null(text);
	on = *text == '1';
	free(text);
	return on;
}

/* The list says which events are enabled, and not the files of the events. */
static void test_list_of_enabled(void **state)
{
	struct control_events ev;

	(void)state;
	put("set_event", "irq:irq_entry\ngone:event\nsched:sched_wakeup\n");
	assert_int_equal(control_events_read(&ev), 0);
	assert_int_equal(ev.nr, 4);
	assert_true(ev.v[0].enabled);
	assert_false(ev.v[1].enabled);
	assert_false(ev.v[2].enabled);
	assert_true(ev.v[3].enabled);
	control_events_free(&ev);
	drop("set_event");
}

static void test_read(void **state)
{
	struct control_events ev;

	(void)state;
	assert_int_equal(control_events_read(&ev), 0);
	assert_int_equal(ev.nr, 4);
	assert_string_equal(ev.v[0].name, "irq_entry");
	assert_string_equal(ev.v[1].unavailable, "no such tracepoint");
	assert_string_equal(ev.v[2].system, "sched");
	assert_string_equal(ev.v[2].name, "sched_switch");
	assert_true(ev.v[2].enabled);
	assert_false(ev.v[3].enabled);
	assert_null(ev.v[2].waiting);
	assert_string_equal(ev.v[3].waiting, "for a module");
	assert_int_equal(control_event_id(&ev.v[3]), 7);
	control_events_free(&ev);
}

/* A probe does not fit, and the kernel has an event of that name. */
static void test_replace(void **state)
{
	struct control_events ev;

	(void)state;
	put("available_events", "irq:irq_entry\nirq:tasklet\n");
	assert_int_equal(control_events_read(&ev), 0);
	assert_int_equal(control_events_replace(&ev), 0);
	assert_non_null(ev.v[1].unavailable);
	put("available_events", "irq:irq_entry\nirq:softirq\nirq:tasklet\n");
	assert_int_equal(control_events_replace(&ev), 0);
	assert_int_equal(ev.nr, 4);
	assert_null(ev.v[1].unavailable);
	control_events_free(&ev);
	drop("available_events");
}

static void test_match(void **state)
{
	(void)state;
	assert_true(control_match("sched:sched_switch", "sched", "sched_switch"));
	assert_true(control_match("sched_switch", "sched", "sched_switch"));
	assert_true(control_match("sched", "sched", "sched_switch"));
	assert_true(control_match("sched:", "sched", "sched_switch"));
	assert_true(control_match("sched:*", "sched", "sched_switch"));
	assert_true(control_match("*:*switch", "sched", "sched_switch"));
	assert_true(control_match("*", "sched", "sched_switch"));
	assert_true(control_match("*swi*", "sched", "sched_switch"));
	assert_false(control_match("sched:switch", "sched", "sched_switch"));
	assert_false(control_match("irq:sched_switch", "sched", "sched_switch"));
	assert_false(control_match("switch", "sched", "sched_switch"));
	assert_false(control_match("", "sched", "sched_switch"));
}

static void test_switch_and_restore(void **state)
{
	char *patterns[] = { "irq", "sched_wakeup" };
	struct control_events ev;

	(void)state;
	assert_int_equal(control_events_read(&ev), 0);
	assert_int_equal(control_select(&ev, patterns, 2), 0);
	assert_int_equal(control_disable_others(&ev), 0);
	assert_false(is_on("sched/sched_switch"));
	assert_int_equal(control_enable_selected(&ev, true), 0);
	assert_true(is_on("irq/irq_entry"));
	assert_true(is_on("sched/sched_wakeup"));
	/* A wildcard doesn't mind what is unavailable. */
	assert_false(is_on("irq/softirq"));
	assert_int_equal(control_disable_ours(&ev), 0);
	assert_false(is_on("irq/irq_entry"));
	assert_false(is_on("sched/sched_switch"));
	assert_int_equal(control_restore(&ev), 0);
	assert_true(is_on("sched/sched_switch"));
	assert_false(is_on("sched/sched_wakeup"));
	control_events_free(&ev);
}

static void test_select_errors(void **state)
{
	char *unknown[] = { "sched:sched_swich" }, *none[] = { "softirq" };
	struct control_events ev;

	(void)state;
	assert_int_equal(control_events_read(&ev), 0);
	assert_int_equal(control_select(&ev, unknown, 1), -ENOENT);
	assert_int_equal(control_select(&ev, none, 1), 0);
	assert_int_equal(control_enable_selected(&ev, true), -ENODEV);
	assert_int_equal(control_enable_selected(&ev, false), 0);
	control_events_free(&ev);
}

/* Return what control_select() says about a pattern that names no event. */
static const char *said_about(const char *name)
{
	static char text[512];
	struct control_events ev;
	char *patterns[] = { (char *)name };
	struct kept_stderr kept;

	assert_int_equal(control_events_read_available(&ev), 0);
	keep_stderr(&kept);
	assert_int_equal(control_select(&ev, patterns, 1), -ENOENT);
	end_stderr(&kept, text, sizeof(text));
	control_events_free(&ev);
	return text;
}

static void test_unknown_names(void **state)
{
	(void)state;
	assert_non_null(strstr(said_about("syscalls:sys_enter_opena"), "raw_syscalls:sys_enter"));
	put("available_events", "sched:sched_switch\nsyscalls:sys_enter_openat\nksm:ksm_exit\n");
	assert_non_null(strstr(said_about("syscalls:sys_enter_opena"),
			       ": similar names: syscalls:sys_enter_openat\n"));
	assert_non_null(strstr(said_about("sys_enter_opena"), "syscalls:sys_enter_openat\n"));
	assert_non_null(strstr(said_about("kvm:kvm_exit"), "no event 'kvm:kvm_exit': neither the kernel nor "
			       "a loaded module has a system 'kvm'; similar names: ksm:ksm_exit"));
	assert_non_null(strstr(said_about("kvm:*"), "has a system 'kvm'; 'rbmap list' lists"));
	assert_null(strstr(said_about("sched:nosuch"), "a system"));
	assert_null(strstr(said_about("k*m:nosuch"), "a system"));
	assert_non_null(strstr(said_about("kvm"), "of a module while it is loaded"));
	drop("available_events");
}

static void test_files(void **state)
{
	uint64_t value;
	char *clock;

	(void)state;
	clock = control_clock();
	assert_string_equal(clock, "mono");
	free(clock);
	assert_int_equal(control_read_u64("buffer_size_kb", &value), 0);
	assert_int_equal(value, 1408);
	assert_int_equal(control_read_u64("trace_clock", &value), -EINVAL);
	assert_int_equal(control_read_u64("nothing", &value), -ENOENT);
	assert_int_equal(control_cpu_stat(0, "lost reported", &value), 0);
	assert_int_equal(value, 12);
	assert_int_equal(control_cpu_stat(0, "entries", &value), 0);
	assert_int_equal(value, 5);
	assert_int_equal(control_cpu_stat(0, "lost", &value), -ENOENT);
	assert_int_equal(control_cpu_stat(9, "entries", &value), -ENOENT);
}

static void test_buffer(void **state)
{
	uint64_t value;
	char *text;

	(void)state;
	assert_string_equal(control_devices(), "/dev/rbmap");
	assert_string_equal(control_dir(), root);
	control_set_buffer("a");
	assert_true(control_present());
	assert_string_equal(control_devices(), "/dev/rbmap/a");
	assert_int_equal(control_read_u64("buffer_size_kb", &value), 0);
	assert_int_equal(value, 64);
	assert_int_equal(control_read_u64("trace_clock", &value), -ENOENT);
	text = control_read("/version");
	assert_string_equal(text, "0.2.0");
	free(text);
	assert_int_equal(control_write("buffer_size_kb", "32"), 0);
	control_set_buffer("b");
	assert_false(control_present());
	control_set_buffer(NULL);
	assert_int_equal(control_read_u64("buffer_size_kb", &value), 0);
	assert_int_equal(value, 1408);
}

static void test_buffer_name(void **state)
{
	(void)state;
	assert_true(is_buffer_name("a"));
	assert_true(is_buffer_name("A.b-c_9"));
	assert_true(is_buffer_name("cpu"));
	assert_true(is_buffer_name("cpux1"));
	assert_true(is_buffer_name("abcdefghijklmnopqrstuvwxyz012345"));
	assert_false(is_buffer_name("abcdefghijklmnopqrstuvwxyz0123456"));
	assert_false(is_buffer_name(""));
	assert_false(is_buffer_name(".."));
	assert_false(is_buffer_name("a/b"));
	assert_false(is_buffer_name("caf\303\251"));
	assert_false(is_buffer_name("cpu12"));
	assert_false(is_buffer_name("cpu1x"));
	assert_false(is_buffer_name("marker"));
	assert_false(is_buffer_name("per_cpu"));
	assert_false(is_buffer_name("trace_pipe"));
	assert_false(is_buffer_name("destroy"));
}

/* A container has a part of the devices, or no control files to compare them with. */
static void test_hidden_cpus(void **state)
{
	char command[512], control[64], devices[64];
	int *cpus;

	(void)state;
	snprintf(control, sizeof(control), "%s/hidden", root);
	snprintf(devices, sizeof(devices), "%s/hidden/dev", root);
	snprintf(command, sizeof(command), "cd %s && mkdir hidden && mkdir hidden/dev", root);
	assert_int_equal(system(command), 0);
	assert_false(complain_hidden_cpus(control, devices));
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p per_cpu/cpu0 per_cpu/cpu12 && touch dev/cpu0 dev/cpu12", control);
	assert_int_equal(system(command), 0);
	assert_false(complain_hidden_cpus(control, devices));
	snprintf(command, sizeof(command), "rm %s/cpu12", devices);
	assert_int_equal(system(command), 0);
	assert_true(complain_hidden_cpus(control, devices));
	/* A snapshot lacks the CPUs that came later. */
	assert_int_equal(hidden_cpus_find(&cpus, control, devices, true), 0);
	free(cpus);
	snprintf(command, sizeof(command),
		 "cd %s/per_cpu && echo 1 >cpu0/snapshot && echo 0 >cpu12/snapshot", control);
	assert_int_equal(system(command), 0);
	assert_int_equal(hidden_cpus_find(&cpus, control, devices, true), 0);
	free(cpus);
	snprintf(command, sizeof(command), "echo 1 >%s/per_cpu/cpu12/snapshot", control);
	assert_int_equal(system(command), 0);
	assert_int_equal(hidden_cpus_find(&cpus, control, devices, true), 1);
	assert_int_equal(cpus[0], 12);
	free(cpus);
	/* Others report that there are no devices at all. */
	assert_false(complain_hidden_cpus(control, "/nowhere"));
	snprintf(command, sizeof(command), "rm -r %s", control);
	assert_int_equal(system(command), 0);
	assert_false(complain_hidden_cpus(control, devices));
}

static void check_selection(const struct control_events *events, const char *wanted)
{
	struct buf text = { 0 };
	bool restricted = selection_describe(&text, events);

	assert_int_equal(restricted, wanted != NULL);
	if (wanted)
		assert_string_equal(text.data, wanted);
	buf_free(&text);
}

/* A buffer is restricted by a mask of CPUs, lists of threads and of cgroups, and filters. */
static void test_restrictions(void **state)
{
	struct control_events events = { 0 };

	(void)state;
	assert_int_equal(control_events_read(&events), 0);
	put("events/sched/sched_switch/filter", "none\n");
	put("set_event_pid", "");
	check_selection(&events, NULL);
	put("tracing_cpumask", "ffffffff,ffffffff,ffffffff\n");
	check_selection(&events, NULL);
	put("tracing_cpumask", "00000000,00000000\n");
	check_selection(&events, "only events of 0 CPUs (tracing_cpumask)");
	put("tracing_cpumask", "\n");
	put("set_event_pid", "12\n7\n");
	put("events/sched/sched_switch/filter", "prev_pid == 1\n");
	check_selection(&events, "only events of 0 CPUs (tracing_cpumask), only events of 2 threads (set_event_pid), 1 event has a filter");
	drop("tracing_cpumask");
	put("set_event_cgroup", "/system.slice\n");
	check_selection(&events, "only events of 2 threads (set_event_pid), only events of 1 cgroup (set_event_cgroup), 1 event has a filter");
	drop("set_event_cgroup");
	drop("set_event_pid");
	drop("events/sched/sched_switch/filter");
	control_events_free(&events);
}

/* The lost events of a CPU are those of its ring and those that never came to a ring. */
static void test_cpustats(void **state)
{
	struct cpustats *before, *now;
	size_t nr_before, nr;

	(void)state;
	make_dir("per_cpu/cpu10");
	put("per_cpu/cpu10/stats", "entries: 4\nemitted: 30\nlost events: 2\nmissed: 3\nexcluded: 8\n");
	before = cpustats_read(&nr_before);
	assert_non_null(before);
	assert_int_equal(nr_before, 2);
	assert_int_equal(before[0].cpu, 0);
	assert_int_equal(before[0].value[CPUSTAT_LOST], 13);
	assert_int_equal(before[1].cpu, 10);
	assert_int_equal(before[1].value[CPUSTAT_LOST], 5);
	assert_int_equal(before[1].value[CPUSTAT_MISSED], 3);
	assert_int_equal(before[1].value[CPUSTAT_EXCLUDED], 8);
	assert_int_equal(cpustats_sum(CPUSTAT_LOST), 18);
	/* The number of unread events is no counter; one that a reset has set to 0 counts anew. */
	put("per_cpu/cpu10/stats", "entries: 6\nemitted: 37\nlost events: 1\nmissed: 0\nexcluded: 9\n");
	now = cpustats_read(&nr);
	assert_non_null(now);
	cpustats_subtract(now, nr, before, nr_before);
	assert_int_equal(now[1].value[CPUSTAT_UNREAD], 6);
	assert_int_equal(now[1].value[CPUSTAT_EMITTED], 7);
	assert_int_equal(now[1].value[CPUSTAT_LOST], 1);
	assert_int_equal(now[1].value[CPUSTAT_EXCLUDED], 1);
	free(before);
	free(now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list_of_enabled),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_replace),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_switch_and_restore),
		cmocka_unit_test(test_select_errors),
		cmocka_unit_test(test_unknown_names),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_buffer),
		cmocka_unit_test(test_buffer_name),
		cmocka_unit_test(test_hidden_cpus),
		cmocka_unit_test(test_restrictions),
		cmocka_unit_test(test_cpustats),
	};

	return cmocka_run_group_tests_name("cli_control", tests, set_up,
					   tear_down);
}

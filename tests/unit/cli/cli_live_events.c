// SPDX-License-Identifier: GPL-2.0-only
/* The end of a command that reads a running kernel: which events it reads, and what it counts. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/process.h"
#include "cli_stderr.h"
#include "live/live_events.h"
#include "stream/output.h"

#define COMMITTED	5000	/* events that came to the rings */

static char dir[] = "/tmp/rbmap-cli-live.XXXXXX";
static unsigned int given;
static struct private_buffer own;
static struct rbmap_loss reported;
static unsigned int nr_unopened;
static int unread_dir;
static struct rlimit files;	/* when the rings are opened */
static bool has_devices;	/* the folder is there, and no device in it */

/* The library's side: a number of events, and a signal behind the first of them. */
int rbmap_merge_next(struct rbmap_merge *merge, struct rbmap_event *ev)
{
	(void)merge;
	if (given == COMMITTED)
		return 0;
	if (!given++)
		raise(SIGINT);
	memset(ev, 0, sizeof(*ev));
	return 1;
}

int rbmap_merge_wait(struct rbmap_merge *merge, int timeout_ms)
{
	(void)merge;
	(void)timeout_ms;
	return 0;
}

int rbmap_merge_loss(struct rbmap_merge *merge, struct rbmap_loss *loss)
{
	(void)merge;
	*loss = reported;
	return 0;
}

/* CPU 0 still has to report a part. */
int rbmap_merge_lost_last(const struct rbmap_merge *merge, unsigned int i, int *cpu,
			  uint64_t *lost)
{
	(void)merge;
	*cpu = i;
	*lost = reported.unreported;
	return !i;
}

/* A CPU has come online, and its ring cannot be opened. */
int rbmap_merge_unopened(const struct rbmap_merge *merge, unsigned int i, int *cpu)
{
	(void)merge;
	*cpu = i < nr_unopened ? (int)i + 1 : -1;
	return i < nr_unopened ? -ENOMEM : i == nr_unopened ? unread_dir : 0;
}

int access(const char *path, int mode)
{
	if (!strncmp(path, "/dev/rbmap/record-1", 19))
		return has_devices && !path[19] ? 0 : -1;
	return faccessat(AT_FDCWD, path, mode, 0);
}

/* The tests open nothing. */
int rbmap_merge_open_path(struct rbmap_merge **merge, const char *path, unsigned int flags)
{
	(void)merge;
	(void)path;
	(void)flags;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	return -ENOSYS;
}

int rbmap_merge_observe_path(struct rbmap_merge **merge, const char *path, unsigned int flags)
{
	return rbmap_merge_open_path(merge, path, flags);
}

int rbmap_merge_pace(struct rbmap_merge *merge, const char *buffer_percent)
{
	(void)merge;
	(void)buffer_percent;
	return -ENOSYS;
}

void rbmap_merge_close(struct rbmap_merge *merge)
{
	(void)merge;
}

/* The kernel has given some events out, a whole piece of a ring at once, and missed some. */
static void write_stats(unsigned int read, unsigned int missed)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "mkdir -p %s/per_cpu/cpu0 && printf 'entries: %u\nread events: %u\nmissed: %u\n' >%s/per_cpu/cpu0/stats",
		 dir, COMMITTED - read, read, missed, dir);
	assert_int_equal(system(command), 0);
}

/* Store what the sums say on stderr. */
static bool print_loss(struct live_events *live, uint64_t events, char *text, size_t size)
{
	struct kept_stderr kept;
	struct live_loss loss;
	bool whole;

	keep_stderr(&kept);
	loss = live_events_loss(live);
	whole = live_events_print_loss(live, events, &loss);
	end_stderr(&kept, text, size);
	return whole;
}

static void add_lost_last(void *data, int cpu, uint64_t lost)
{
	uint64_t *sum = data;

	assert_in_range(cpu, 0, 1);
	*sum = lost == RBMAP_LOST_UNKNOWN ? lost : *sum + lost;
}

/* Return the losses that no event has carried. */
static uint64_t lost_last(const struct live_events *live)
{
	uint64_t sum = 0;

	live_events_lost_last(live, add_lost_last, &sum);
	return sum;
}

static bool each_event(void *data, const struct rbmap_event *ev)
{
	(void)data;
	(void)ev;
	return true;
}

static int begin(void **state)
{
	(void)state;
	given = 0;
	reported = (struct rbmap_loss){ 0 };
	nr_unopened = 0;
	unread_dir = 0;
	own = (struct private_buffer){ .kept.name = "record-1" };
	live_events_catch_signals();
	live_events_continue();
	return 0;
}

/* Nobody else reads a buffer of the command's own, and it ends with the command. */
static void test_deadline(void **state)
{
	struct live_events live = { .own = &own };
	double before = now(), deadline;

	(void)state;
	assert_true(live_events_last_deadline(&live) > before + 1000000);
	own.kept.name[0] = 0;
	before = now();
	deadline = live_events_last_deadline(&live);
	assert_true(deadline > before);
	assert_true(deadline < now() + 2);
}

/* A signal cuts the last events off. They are counted. */
static void test_cut(void **state)
{
	struct live_events live = { .own = &own };
	struct rbmap_event ev;
	char text[512];

	(void)state;
	write_stats(400, 0);
	for (int i = 0; i < 300; i++)
		assert_int_equal(live_events_next(&live, &ev), 1);
	print_loss(&live, 300, text, sizeof(text));
	assert_non_null(strstr(text, "300 events read, 0 lost\n"));
	assert_non_null(strstr(text, "\n  4700 more events were not read"));

	/* They stay in a buffer of others. */
	own.kept.name[0] = 0;
	print_loss(&live, 300, text, sizeof(text));
	assert_null(strstr(text, "not read"));
}

/* All are read, also if the deadline of the recording is over. */
static void test_whole(void **state)
{
	struct live_events live = { .own = &own };
	char text[512];

	(void)state;
	assert_true(live_events_drain(&live, 0, each_event, NULL));
	live_events_continue();
	assert_true(live_events_drain(&live, live_events_last_deadline(&live), each_event, NULL));
	assert_int_equal(given, COMMITTED);
	write_stats(COMMITTED, 0);
	/* A signal that comes behind the last event cuts nothing off. */
	raise(SIGINT);
	print_loss(&live, COMMITTED, text, sizeof(text));
	assert_string_equal(text, "5000 events read, 0 lost\n");
}

/* Losses that no event carries are in the sum, which is that of stderr and of JSON. */
static void test_loss(void **state)
{
	struct cpustats stats = { .value[CPUSTAT_MISSED] = 2 };
	struct live_events live = {
		.own = &own, .stats_before = &stats, .nr_stats_before = 1, .before = { .overrun = 1, .total = 1 },
	};
	char text[512];

	(void)state;
	write_stats(COMMITTED, 7);
	reported = (struct rbmap_loss){ .overrun = 31, .total = 31, .reported = 20 };
	assert_int_equal(live_events_loss(&live).sum.total, 35);
	print_loss(&live, 10, text, sizeof(text));
	assert_non_null(strstr(text, "10 events read, 35 lost\n"));
	assert_non_null(strstr(text, "\n  30 overwritten "));
	assert_non_null(strstr(text, "\n  5 missed"));

	/* Events also carry what was lost before the command. */
	reported.reported = 50;
	assert_int_equal(live_events_loss(&live).sum.total, 55);

	/* The ring still has to report a part of that, as no event came after it, or all of it. */
	live.before.unreported = 20;
	reported.reported = 30;
	reported.unreported = 20;
	assert_int_equal(live_events_loss(&live).sum.total, 55);
	assert_int_equal(live_events_loss(&live).earlier, 20);
	reported = (struct rbmap_loss){ .overrun = 1, .total = 1, .unreported = 20 };
	assert_int_equal(live_events_loss(&live).sum.total, 25);
	print_loss(&live, 0, text, sizeof(text));
	assert_non_null(strstr(text, "0 events read, 25 lost\n"));
	assert_non_null(strstr(text, "\n  20 before this began, "));
	assert_int_equal(lost_last(&live), 25);
	/* Events that were lost while the ring was asked are not older. */
	reported.unreported = 23;
	assert_int_equal(live_events_loss(&live).earlier, 20);
	reported.reported = RBMAP_LOST_UNKNOWN;
	assert_int_equal(live_events_loss(&live).earlier, 20);
	live.before.unreported = 0;
	reported = (struct rbmap_loss){ .overrun = 31, .total = 31, .reported = 50 };

	/* A reset has set the kernel's counter to 0 meanwhile. */
	stats.value[CPUSTAT_MISSED] = 100;
	assert_int_equal(live_events_loss(&live).sum.total, 57);
	stats.value[CPUSTAT_MISSED] = 2;

	live.observe = true;
	assert_int_equal(live_events_loss(&live).sum.total, 36);
	print_loss(&live, 10, text, sizeof(text));
	assert_non_null(strstr(text, "10 events seen, 36 missed\n"));
	assert_false(live_events_loss(&live).more);

	/* The observer has skipped a ring. Nobody has counted the events of that ring. */
	reported = (struct rbmap_loss){ .reported = RBMAP_LOST_UNKNOWN };
	write_stats(COMMITTED, 2);
	assert_true(live_events_loss(&live).more);
	print_loss(&live, 10, text, sizeof(text));
	assert_non_null(strstr(text, "10 events seen, more than 0 missed\n"));
	assert_non_null(strstr(text, "\n  overwritten before"));

	/* The kernel counts what a reader loses. */
	live.observe = false;
	assert_false(live_events_loss(&live).more);
}

/* A container has a part of the devices: the losses of the others are unknown. */
static void test_hidden(void **state)
{
	struct live_events live = { .own = &own };
	char command[256], text[1024];

	(void)state;
	control_set_buffer("record-1");
	snprintf(command, sizeof(command),
		 "mkdir -p %s/instances/record-1/per_cpu/cpu1 %s/dev", dir, dir);
	assert_int_equal(system(command), 0);
	assert_false(live_events_loss(&live).more);
	has_devices = true;
	assert_false(print_loss(&live, 10, text, sizeof(text)));
	assert_non_null(strstr(text, "10 events read, more than 0 lost\n"));
	assert_true(lost_last(&live) == RBMAP_LOST_UNKNOWN);
	has_devices = false;
	control_set_buffer(NULL);
}

/* A CPU that came online without a ring that can be read is named, and its events are lost. */
static void test_unopened(void **state)
{
	struct live_events live = { .own = &own };
	char command[256], text[1024];

	(void)state;
	write_stats(COMMITTED, 0);
	assert_true(print_loss(&live, COMMITTED, text, sizeof(text)));
	snprintf(command, sizeof(command),
		 "mkdir %s/per_cpu/cpu1 && printf 'entries: 4\nlost events: 33\ndropped no ring: 30\n' >%s/per_cpu/cpu1/stats",
		 dir, dir);
	assert_int_equal(system(command), 0);
	nr_unopened = 1;
	for (int i = 0; i < 2; i++) {
		live.observe = i;
		assert_false(print_loss(&live, COMMITTED, text, sizeof(text)));
		assert_non_null(strstr(text, i ? "5000 events seen, 37 missed\n" :
					       "5000 events read, 37 lost\n"));
		assert_non_null(strstr(text, "\n  7 in rings of CPUs that came online"));
		assert_int_equal(lost_last(&live), 37);
		assert_non_null(strstr(text, "\nrbmap: CPU 1 came online, and none of its events"));
	}
	/* Its unread events are no part of those that a signal leaves unread. */
	live = (struct live_events){ .own = &own, .taken = COMMITTED };
	raise(SIGINT);
	assert_false(print_loss(&live, COMMITTED, text, sizeof(text)));
	assert_null(strstr(text, "more events were not read"));
	live_events_continue();
	nr_unopened = 0;
	unread_dir = -EMFILE;
	assert_false(print_loss(&live, COMMITTED, text, sizeof(text)));
	assert_non_null(strstr(text, "5000 events read, more than 0 lost\n"));
	assert_non_null(strstr(text, "\nrbmap: CPUs that have come online may be missing"));
	snprintf(command, sizeof(command), "rm -r %s/per_cpu/cpu1", dir);
	assert_int_equal(system(command), 0);
}

/* A ring of each CPU needs more files than are usually allowed. */
static void test_open_files(void **state)
{
	struct live_events live = { .own = &own, .observe = true };
	struct rlimit limit, few;

	(void)state;
	own = (struct private_buffer){ .use_default = true };
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = (struct rlimit){ .rlim_cur = 20, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_false(live_events_open(&live));
	assert_int_equal(files.rlim_cur, limit.rlim_max);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

#define LINE	"an event\n"
#define LINES	20000	/* more than a pipe has room for */

/* A command that writes events into a pipe. Its status is whether all are written. */
struct writer {
	pid_t pid;
	int pipe;
	int result;	/* a pipe with the number of events that are not written */
};

/* The output of `rbmap stream`, with the text of many events at once */
static int write_events(uint64_t *unwritten)
{
	struct output o = { 0 };
	bool ok = true;

	for (int i = 0; ok && i < LINES; i++) {
		buf_add(&o.text, LINE, strlen(LINE));
		ok = output_end_event(&o);
	}
	ok = ok && output_write(&o);
	*unwritten = o.unwritten;
	if (!ok && o.error != EINTR)
		*unwritten = UINT64_MAX;
	output_free(&o);
	return !ok;
}

/* The output of `rbmap top` and `rbmap latency` */
static int print_events(uint64_t *unwritten)
{
	(void)unwritten;
	for (int i = 0; i < LINES; i++)
		fputs(LINE, stdout);
	return fflush(stdout) || ferror(stdout);
}

static struct writer writer_begin(int (*act)(uint64_t *unwritten))
{
	struct writer w = { 0 };
	int ends[2], results[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(pipe2(results, O_CLOEXEC), 0);
	fflush(stdout);
	w.pid = fork();
	assert_true(w.pid >= 0);
	if (!w.pid) {
		uint64_t unwritten = 0;
		int status;

		if (dup2(ends[1], STDOUT_FILENO) < 0)
			_exit(2);
		close(ends[0]);
		close(ends[1]);
		status = act(&unwritten);
		if (write(results[1], &unwritten, sizeof(unwritten)) < 0)
			status = 3;
		_exit(status);
	}
	close(ends[1]);
	close(results[1]);
	w.pipe = ends[0];
	w.result = results[0];
	return w;
}

/* Does the writer sleep, and has it got all signals? */
static bool waits(const struct writer *w)
{
	char path[64], line[256], state = 0;
	unsigned long pending = 1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)w->pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "ShdPnd: %lx", &pending);
	}
	if (file)
		fclose(file);
	return state == 'Z' || (state == 'S' && !pending);
}

static void wait_until_full(const struct writer *w)
{
	int room = fcntl(w->pipe, F_GETPIPE_SZ), filled = 0;

	do {
		usleep(1000);
		assert_int_equal(ioctl(w->pipe, FIONREAD, &filled), 0);
	} while (filled < room - 4096 || !waits(w));
}

static void send_signal(const struct writer *w)
{
	assert_int_equal(kill(w->pid, SIGINT), 0);
	while (!waits(w))
		usleep(1000);
}

/* Return the number of whole lines, and store the status and the result of the writer. */
static unsigned int writer_end(struct writer *w, int *status, uint64_t *unwritten)
{
	unsigned int lines = 0;
	char data[4096];
	ssize_t size;

	while ((size = read(w->pipe, data, sizeof(data))) > 0)
		for (ssize_t i = 0; i < size; i++)
			lines += data[i] == '\n';
	assert_int_equal(read(w->result, unwritten, sizeof(*unwritten)), sizeof(*unwritten));
	assert_int_equal(waitpid(w->pid, status, 0), w->pid);
	close(w->pipe);
	close(w->result);
	return lines;
}

/* The first signal does not end a write: the events have been read. */
static void test_write_goes_on(void **state)
{
	int (*const acts[])(uint64_t *) = { write_events, print_events };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct writer w = writer_begin(acts[i]);
		uint64_t unwritten;
		int status;

		wait_until_full(&w);
		send_signal(&w);
		assert_int_equal(writer_end(&w, &status, &unwritten), LINES);
		assert_int_equal(status, 0);
		assert_int_equal(unwritten, 0);
	}
}

/* The second one does, and whatever has not been written is counted. */
static void test_write_ends(void **state)
{
	struct writer w = writer_begin(write_events);
	uint64_t unwritten;
	unsigned int lines;
	int status;

	(void)state;
	wait_until_full(&w);
	send_signal(&w);
	send_signal(&w);
	lines = writer_end(&w, &status, &unwritten);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	assert_in_range(lines, 1, LINES - 1);
	assert_int_equal(unwritten, LINES - lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_deadline, begin),
		cmocka_unit_test_setup(test_cut, begin),
		cmocka_unit_test_setup(test_whole, begin),
		cmocka_unit_test_setup(test_loss, begin),
		cmocka_unit_test_setup(test_hidden, begin),
		cmocka_unit_test_setup(test_unopened, begin),
		cmocka_unit_test_setup(test_open_files, begin),
		cmocka_unit_test_setup(test_write_goes_on, begin),
		cmocka_unit_test_setup(test_write_ends, begin),
	};
	char command[64];
	int ret;

	if (!mkdtemp(dir))
		return 1;
	control_set_root(dir);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || ret;
}

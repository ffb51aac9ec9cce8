// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random system calls on the module's devices and files, by several threads at
 * once, in one process after another.
 *
 *	fuzz_device [--seed N] [--seconds N] [--rounds N] [--threads N]
 *		    [--steps N] [--module FILE] [--modules DIR] [--hotplug]
 *		    [--faults]
 *
 * A round is a process whose threads take the given number of steps each. The
 * seed and the thread's number choose the steps; the scheduler decides the
 * rest. The seed of each round is printed and written to the kernel's log:
 * --seed N --rounds 1 repeats the round. Some processes are killed while they
 * run. The rounds end after --seconds (60), or after --rounds. With --rounds 0
 * each kind of step is taken alone.
 *
 * With --module, steps unload and load the module as well. --modules does so
 * with the modules in DIR that write to rbmap or have events. --hotplug takes
 * CPUs offline. --faults makes allocations fail, if the kernel supports that.
 *
 * In some rounds the module was just loaded, and the default buffer has no rings yet.
 *
 * In some processes the threads choose among all steps, in others among a few
 * steps. Some processes are a crowd around one ring: observers, readers, one
 * thread that replaces the ring, and threads that read `stats` all the time.
 *
 * The kernel's log reports most faults. The program checks three things: each
 * kind of step has succeeded, every process ends, and no step has called
 * wrong().
 *
 * Whether a kind of step succeeds among others is chance. A kind that has not, is
 * taken alone at the end: in a process with one thread, which opens, maps, makes
 * and loads what the step may need. Its random numbers are always the same.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "device.h"
#include "tap.h"

#define MAX_THREADS	32
#define NR_STATS	3	/* threads that read `stats` all the time */
#define STEP_SECONDS	30	/* seconds after which threads take no step */
#define END_SECONDS	150	/* seconds after which each process must have ended */
#define UNUSED_EVERY	4	/* the steps of so many rounds find a buffer without rings once */
#define ALONE_TRIES	2000	/* steps of a kind that is taken alone */

static bool do_fork(void);

/**
 * struct step - one kind of step
 * @must: the run fails if the step never succeeds
 */
static const struct step {
	const char	*name;
	bool		(*take)(void);
	unsigned int	weight;
	enum { MAY, MUST, MUST_WITH_MODULES, MUST_WITH_FAULTS } must;
} steps[] = {
	{ "open",	do_open,	16, MUST },
	{ "close",	do_close,	6, MUST },
	{ "dup",	do_dup,		2, MUST },
	{ "fcntl",	do_fcntl,	4, MUST },
	{ "seek",	do_seek,	1, MAY },
	{ "mmap",	do_mmap,	14, MUST },
	{ "munmap",	do_munmap,	6, MUST },
	{ "mremap",	do_mremap,	5, MUST },
	{ "mprotect",	do_mprotect,	4, MUST },
	{ "madvise",	do_madvise,	8, MUST },
	{ "mlock",	do_mlock,	6, MUST },
	{ "touch",	do_touch,	6, MUST },
	{ "peek",	do_peek,	4, MUST },
	{ "map over",	do_map_over,	2, MUST },
	{ "ioctl",	do_ioctl,	14, MUST },
	{ "read",	do_read,	12, MUST },
	{ "splice",	do_splice,	12, MUST },
	{ "poll",	do_poll,	12, MUST },
	{ "marker",	do_marker,	8, MUST },
	{ "observe",	do_observe,	8, MUST },
	{ "turn observer", do_turn_observer, 3, MUST },
	{ "snapshot",	do_snapshot,	4, MUST },
	{ "snapshot fd", do_snapshot_fd, 3, MUST },
	{ "snapshot file", do_snapshot_file, 4, MUST },
	{ "control",	do_control,	6, MUST },
	{ "reset",	do_reset,	2, MUST },
	{ "text",	do_text,	4, MUST },
	{ "resize",	do_resize,	3, MUST },
	{ "resize a CPU", do_resize_cpu, 3, MUST },
	{ "stats",	do_stats,	4, MUST },
	{ "open control", do_open_control, 6, MUST },
	{ "write",	do_write,	10, MUST },
	{ "dynamic",	do_dynamic,	6, MUST },
	{ "filter",	do_filter,	5, MUST },
	{ "pids",	do_pids,	2, MUST },
	{ "notrace pids", do_notrace_pids, 2, MUST },
	{ "cgroups",	do_cgroups,	2, MUST },
	{ "event-fork",	do_event_fork,	1, MUST },
	{ "create instance", do_instance_create, 3, MUST },
	{ "create kept instance", do_instance_kept, 3, MUST },
	{ "destroy instance", do_instance_destroy, 3, MUST },
	{ "open instance", do_instance_open, 4, MUST },
	{ "mount instances", do_instance_mount, 3, MUST },
	{ "load",	do_load,	1, MAY },
	{ "probes in",	do_probes_in,	2, MUST_WITH_MODULES },
	{ "probes out",	do_probes_out,	1, MUST_WITH_MODULES },
	{ "producer in", do_producer_in, 2, MUST_WITH_MODULES },
	{ "producer out", do_producer_out, 1, MUST_WITH_MODULES },
	{ "hit",	do_hit,		3, MUST_WITH_MODULES },
	{ "proc",	do_proc,	1, MUST },
	{ "pin",	do_pin,		2, MUST },
	{ "hotplug",	do_hotplug,	1, MAY },
	{ "failed allocation", do_fault, 12, MUST_WITH_FAULTS },
	{ "fork",	do_fork,	2, MUST },
};

#define NR_STEPS	(sizeof(steps) / sizeof(*steps))

/* Memory shared by all processes. */
static struct counts {
	uint64_t tried[NR_STEPS];
	uint64_t good[NR_STEPS];
	uint64_t wrong;
	uint64_t seed;
	uint64_t unused;	/* rounds that began with a default buffer without rings */
} *counts;

static bool must(const struct step *step)
{
	switch (step->must) {
	case MAY:
		return false;
	case MUST_WITH_MODULES:
		return modules_dir;
	case MUST_WITH_FAULTS:
		return may_fail;
	default:
		return true;
	}
}

void wrong(const char *format, ...)
{
	char text[256];
	va_list args;
	int len;

	if (__atomic_add_fetch(&counts->wrong, 1, __ATOMIC_RELAXED) > 100)
		return;
	len = snprintf(text, sizeof(text), "<3>fuzz_device: seed %llu: ",
		       (unsigned long long)counts->seed);
	va_start(args, format);
	vsnprintf(text + len, sizeof(text) - len, format, args);
	va_end(args);
	write_file("/dev/kmsg", text);
	diag("%s", text + 3);
}

/* The weights by which this thread chooses its steps. */
static __thread unsigned int weights[NR_STEPS];

static void weigh_all(void)
{
	for (size_t i = 0; i < NR_STEPS; i++)
		weights[i] = steps[i].weight;
}

static bool is_missing(size_t i)
{
	return must(&steps[i]) && !counts->good[i];
}

/* A few steps alone run concurrently with each other much more often. */
static void weigh_few(void)
{
	memset(weights, 0, sizeof(weights));
	for (unsigned int i = 3 + pick(6); i; i--)
		weights[pick(NR_STEPS)] += 2;
	weights[0] += 3;
}

static void weigh_some(bool (*const *some)(void), size_t nr)
{
	memset(weights, 0, sizeof(weights));
	for (size_t i = 0; i < NR_STEPS; i++) {
		for (size_t k = 0; k < nr; k++)
			weights[i] += steps[i].take == some[k];
	}
}

/* Set the weights for the thread's part in a crowd around one ring. */
static void weigh_part(unsigned int thread)
{
	static bool (*const observers[])(void) = { do_observe };
	static bool (*const changers[])(void) = {
		do_resize, do_resize_cpu, do_snapshot_file, do_snapshot_fd,
		do_open, do_reset,
	};
	static bool (*const readers[])(void) = {
		do_open, do_read, do_read, do_splice, do_close, do_ioctl,
		do_poll, do_turn_observer, do_marker,
	};

	if (!(thread % 4))
		weigh_some(changers, sizeof(changers) / sizeof(*changers));
	else if (thread % 4 < 3)
		weigh_some(observers, sizeof(observers) / sizeof(*observers));
	else
		weigh_some(readers, sizeof(readers) / sizeof(*readers));
}

void take_step(unsigned int without)
{
	unsigned int total = 0, at;
	size_t i;

	for (i = 0; i < NR_STEPS; i++)
		total += weights[i];
	at = pick(total);
	for (i = 0; at >= weights[i]; i++)
		at -= weights[i];
	if ((steps[i].take == do_fork && without & STEP_NO_FORK) ||
	    (steps[i].take == do_fault && without & STEP_NO_FAULT))
		return;
	__atomic_add_fetch(&counts->tried[i], 1, __ATOMIC_RELAXED);
	if (steps[i].take())
		__atomic_add_fetch(&counts->good[i], 1, __ATOMIC_RELAXED);
}

/*
 * The child has the files, and the maps that madvise() has allowed. The child
 * must not call functions of the C library that take locks.
 */
static bool do_fork(void)
{
	pid_t pid = fork();
	unsigned int i;

	if (pid < 0)
		return false;
	if (!pid) {
		signal(SIGALRM, SIG_DFL);
		alarm(2);
		for (i = pick(20); i; i--)
			take_step(STEP_NO_FORK);
		_exit(0);
	}
	if (!pick(4))
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return true;
}

/* ---- processes */

static void on_fault(int signal)
{
	if (!may_fault) {
		/* The fault is not an access to a map: let it kill the process. */
		struct sigaction plain = { .sa_handler = SIG_DFL };

		sigaction(signal, &plain, NULL);
		return;
	}
	siglongjmp(fault, 1);
}

static void on_alarm(int signal)
{
	(void)signal;
}

enum manner { ALL_STEPS, FEW_STEPS, CROWD, NR_MANNERS, ONE_STEP };

struct fuzz_thread {
	pthread_t	thread;
	uint64_t	seed;
	unsigned int	number;
	unsigned int	steps;
	enum manner	manner;
	size_t		step;		/* the only one, with ONE_STEP */
	bool		may_fail_often;
};

static time_t now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/*
 * Take the steps on which others depend.  Modules go, too, so that one is left that can be
 * loaded.
 */
static void prepare(void)
{
	static bool (*const first[])(void) = {
		do_load, do_probes_out, do_probes_in, do_producer_out,
		do_producer_in, do_instance_create, do_control,
		do_open_control, do_marker, do_snapshot_file,
	};

	for (size_t i = 0; i < 4 * sizeof(first) / sizeof(*first); i++)
		first[i % (sizeof(first) / sizeof(*first))]();
	for (int i = 0; i < 2 * NR_FILES; i++)
		do_open();
	for (int i = 0; i < 4 * NR_MAPS; i++)
		do_mmap();
}

/* Take steps of one kind until one succeeds. */
static void take_alone(size_t i, unsigned int tries)
{
	weigh_all();
	for (unsigned int n = 0; n < tries && !counts->good[i]; n++) {
		if (n % 20 == 0)
			prepare();
		counts->tried[i]++;
		if (steps[i].take())
			counts->good[i]++;
	}
}

static void *run_thread(void *arg)
{
	struct fuzz_thread *thread = arg;
	time_t end;

	random_state = thread->seed;
	faults_begin(thread->may_fail_often);
	switch (thread->manner) {
	case ONE_STEP:
		take_alone(thread->step, thread->steps);
		return NULL;
	case FEW_STEPS:
		weigh_few();
		break;
	case CROWD:
		weigh_part(thread->number);
		break;
	default:
		weigh_all();
	}
	end = now_seconds() + STEP_SECONDS * slowness();
	for (unsigned int i = 0; i < thread->steps && now_seconds() < end; i++)
		take_step(0);
	return NULL;
}

/* Read `stats` until the process ends. */
static void *run_stats(void *arg)
{
	random_state = (uintptr_t)arg;
	for (;;) {
		read_stats();
		usleep(pick(2000));
	}
	return NULL;
}

/* @step: the only kind of step, or NR_STEPS */
static void run_process(uint64_t seed, unsigned int threads,
			unsigned int nr_steps, size_t step)
{
	struct fuzz_thread thread[MAX_THREADS];
	struct sigaction action = { 0 };
	pthread_t stats;

	action.sa_handler = on_fault;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	action.sa_handler = on_alarm;
	sigaction(SIGALRM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);

	for (int i = 0; i < NR_FILES; i++)
		files[i] = -1;
	if (pipe2(pipes, O_NONBLOCK))
		_exit(2);
	epoll_fd = epoll_create1(0);
	/* An open marker pins the module, and gives the default buffer its rings. */
	marker = step == NR_STEPS && seed % 3 && seed % UNUSED_EVERY ? open("/dev/rbmap/marker", O_WRONLY) : -1;
	scratch = open("/dev/null", O_WRONLY);
	for (unsigned int i = 0; i < threads; i++) {
		thread[i].seed = seed * 1000003 + i;
		thread[i].number = i;
		thread[i].steps = nr_steps;
		thread[i].manner = step == NR_STEPS ? seed % NR_MANNERS : ONE_STEP;
		thread[i].step = step;
		thread[i].may_fail_often = !(seed % 8);
		if (pthread_create(&thread[i].thread, NULL, run_thread,
				   &thread[i]))
			_exit(3);
	}
	for (uintptr_t i = 0; thread[0].manner == CROWD && i < NR_STATS; i++) {
		if (pthread_create(&stats, NULL, run_stats, (void *)(seed + i)))
			_exit(3);
	}
	/* Interrupt threads that wait in a system call. */
	for (unsigned int i = 0; i < threads; usleep(30000)) {
		for (unsigned int k = i; k < threads; k++)
			pthread_kill(thread[k].thread, SIGALRM);
		if (!pthread_tryjoin_np(thread[i].thread, NULL))
			i++;
	}
	_exit(0);
}

static void tell_kernel_log(uint64_t seed)
{
	char text[64];

	snprintf(text, sizeof(text), "fuzz_device: seed %llu\n",
		 (unsigned long long)seed);
	write_file("/dev/kmsg", text);
}

static bool wait_seconds(pid_t pid, unsigned int seconds, int *status)
{
	const time_t end = now_seconds() + seconds;

	do {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		usleep(10000);
	} while (now_seconds() < end);
	return false;
}

/* The module may be unloaded, if a process ended between unloading and loading it. */
static void load_again(uint64_t seed)
{
	if (!module_path)
		return;
	random_state = seed;
	if (!pick(3) || !(seed % UNUSED_EVERY))
		unload_all();
	for (int i = 0; i < 100 && access("/dev/rbmap/marker", F_OK); i++)
		do_load();
}

/*
 * Wait for a process of a round. Return false if it does not end, or ends in an
 * unexpected way.
 */
static bool ends_well(pid_t pid, uint64_t seed)
{
	unsigned int seconds = END_SECONDS * slowness();
	int status = 0;

	if (!wait_seconds(pid, seconds, &status)) {
		/* Print the stack of each task to the kernel's log. */
		write_file("/proc/sysrq-trigger", "l");
		write_file("/proc/sysrq-trigger", "t");
		kill(pid, SIGKILL);
		diag("seed %llu: not through after %u s",
		     (unsigned long long)seed, seconds);
		if (!wait_seconds(pid, seconds, &status))
			diag("and cannot be killed");
		return false;
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return true;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	diag("seed %llu: ended with status %x", (unsigned long long)seed,
	     status);
	return false;
}

/* Has CPU 0 no ring in the default buffer? */
static bool is_unused(void)
{
	char text[4096];
	int fd = open("/sys/kernel/rbmap/per_cpu/cpu0/stats", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[len < 0 ? 0 : len] = 0;
	return strstr(text, "\ngeneration: 0\n");
}

static bool run_round(uint64_t seed, unsigned int threads,
		      unsigned int nr_steps)
{
	pid_t pid;

	load_again(seed);
	counts->unused += is_unused();
	tell_kernel_log(seed);
	counts->seed = seed;
	random_state = seed;
	pid = fork();
	if (!pid)
		run_process(seed, threads, nr_steps, NR_STEPS);
	/* One process in four is killed while it runs. */
	if (!pick(4)) {
		usleep(1000 * pick(500));
		kill(pid, SIGKILL);
	}
	return ends_well(pid, seed);
}

/* Take a step of a kind that has not succeeded, on a module that was just loaded. */
static bool run_alone(size_t step)
{
	pid_t pid;

	for (int i = 0; module_path && i < 100 && !access("/dev/rbmap/marker", F_OK); i++)
		unload_all();
	load_again(1);
	diag("step %s, alone", steps[step].name);
	tell_kernel_log(step);
	counts->seed = step;
	pid = fork();
	if (!pid)
		run_process(step, 1, ALONE_TRIES, step);
	return ends_well(pid, step);
}

static unsigned long long number_of(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 0);

	if (!*text || *end)
		bail_out("'%s' is no number", text);
	return value;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "threads", required_argument, NULL, 'n' },
		{ "steps", required_argument, NULL, 'k' },
		{ "module", required_argument, NULL, 'm' },
		{ "modules", required_argument, NULL, 'd' },
		{ "hotplug", no_argument, NULL, 'p' },
		{ "faults", no_argument, NULL, 'f' },
		{ 0 }
	};
	unsigned long long seed = time(NULL), rounds = -1ULL, threads = 4;
	unsigned long long seconds = 0, nr_steps = 300, done = 0;
	time_t end;
	bool good = true;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			seed = number_of(optarg);
			break;
		case 't':
			seconds = number_of(optarg);
			break;
		case 'r':
			rounds = number_of(optarg);
			break;
		case 'n':
			threads = number_of(optarg);
			break;
		case 'k':
			nr_steps = number_of(optarg);
			break;
		case 'm':
			module_path = optarg;
			break;
		case 'd':
			modules_dir = optarg;
			break;
		case 'p':
			may_hotplug = true;
			break;
		case 'f':
			may_fail = true;
			break;
		default:
			bail_out("the head of device.c has the options");
		}
	}
	if (!threads || threads > MAX_THREADS || optind < argc)
		bail_out("1 to %d threads, and options only", MAX_THREADS);
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	page = sysconf(_SC_PAGESIZE);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		bail_out("no memory to count in");

	diag("first seed %llu, %llu threads, %llu steps each", seed, threads,
	     nr_steps);
	if (!seconds)
		seconds = rounds == -1ULL ? 60 : INT32_MAX;
	end = now_seconds() + seconds;
	for (; good && done < rounds && now_seconds() < end; done++)
		good = run_round(seed + done, threads, nr_steps);
	/* A single round repeats an earlier one. */
	for (size_t i = 0; good && rounds != 1 && i < NR_STEPS; i++)
		if (is_missing(i))
			good = run_alone(i);
	load_again(seed);
	ok(good && (done || !rounds), "%llu rounds, the last of seed %llu: each process ends", done,
	   seed + done - 1);
	is(counts->wrong, 0, "faults that the steps found");
	if (module_path && done >= 2 * UNUSED_EVERY)
		ok(counts->unused, "%llu rounds began without rings",
		   (unsigned long long)counts->unused);
	else
		diag("%llu rounds began without rings", (unsigned long long)counts->unused);
	for (size_t i = 0; i < NR_STEPS; i++) {
		if (must(&steps[i]) && rounds != 1)
			ok(counts->good[i], "step %s: %llu of %llu succeeded",
			   steps[i].name, (unsigned long long)counts->good[i],
			   (unsigned long long)counts->tried[i]);
		else
			diag("step %s: %llu of %llu succeeded", steps[i].name,
			     (unsigned long long)counts->good[i],
			     (unsigned long long)counts->tried[i]);
	}
	return done_testing();
}

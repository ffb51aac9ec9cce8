// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random system calls on the module's devices and files, by several threads at
 * once, in process after process.
 *
 *	fuzz_device [--seed N] [--seconds N] [--rounds N] [--threads N]
 *		    [--steps N] [--module FILE] [--hotplug]
 *
 * A round is a process whose threads each take so many steps; what they are
 * depends on the seed and the thread alone, the rest is up to the scheduler.
 * Each round's seed is printed and written to the kernel's log: --seed N
 * --rounds 1 does it again.  Some processes are killed in between.  --module
 * has it unload and load the module as well, --hotplug take CPUs off line.
 *
 * What is wrong is for the kernel's log to tell; here it counts that each kind
 * of step has been taken with success, and that every process ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "tap.h"

#define MAX_THREADS	32
#define END_SECONDS	300	/* a process that was killed must be gone */

static bool do_fork(void);

/**
 * struct step - something to do
 * @must: it is strange if it never works
 */
static const struct step {
	const char	*name;
	bool		(*take)(void);
	unsigned int	weight;
	bool		must;
} steps[] = {
	{ "open",	do_open,	12, true },
	{ "close",	do_close,	4, true },
	{ "dup",	do_dup,		2, true },
	{ "fcntl",	do_fcntl,	4, true },
	{ "seek",	do_seek,	1, false },
	{ "mmap",	do_mmap,	14, true },
	{ "munmap",	do_munmap,	6, true },
	{ "mremap",	do_mremap,	5, true },
	{ "mprotect",	do_mprotect,	4, true },
	{ "madvise",	do_madvise,	8, true },
	{ "mlock",	do_mlock,	3, true },
	{ "touch",	do_touch,	6, true },
	{ "peek",	do_peek,	4, true },
	{ "map over",	do_map_over,	2, true },
	{ "ioctl",	do_ioctl,	14, true },
	{ "read",	do_read,	10, true },
	{ "splice",	do_splice,	10, true },
	{ "poll",	do_poll,	6, true },
	{ "marker",	do_marker,	8, true },
	{ "control",	do_control,	6, true },
	{ "dynamic",	do_dynamic,	6, true },
	{ "filter",	do_filter,	6, true },
	{ "proc",	do_proc,	1, true },
	{ "pin",	do_pin,		2, true },
	{ "load",	do_load,	1, false },
	{ "hotplug",	do_hotplug,	1, false },
	{ "fork",	do_fork,	2, true },
};

#define NR_STEPS	(sizeof(steps) / sizeof(*steps))

/* Of all processes: shared memory. */
static struct counts {
	uint64_t tried[NR_STEPS];
	uint64_t good[NR_STEPS];
} *counts;

static void take_step(bool may_fork)
{
	unsigned int total = 0, at;
	size_t i;

	for (i = 0; i < NR_STEPS; i++)
		total += steps[i].weight;
	at = pick(total);
	for (i = 0; at >= steps[i].weight; i++)
		at -= steps[i].weight;
	if (steps[i].take == do_fork && !may_fork)
		return;
	__atomic_add_fetch(&counts->tried[i], 1, __ATOMIC_RELAXED);
	if (steps[i].take())
		__atomic_add_fetch(&counts->good[i], 1, __ATOMIC_RELAXED);
}

/*
 * The child has the files, and of the maps what madvise() has let through.  It
 * must not ask the C library for anything that takes locks.
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
			take_step(false);
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
		/* Not while we touch a map: let it end us. */
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

struct fuzz_thread {
	pthread_t	thread;
	uint64_t	seed;
	unsigned int	steps;
};

static void *run_thread(void *arg)
{
	struct fuzz_thread *thread = arg;

	random_state = thread->seed;
	for (unsigned int i = 0; i < thread->steps; i++)
		take_step(true);
	return NULL;
}

static void run_process(uint64_t seed, unsigned int threads,
			unsigned int nr_steps)
{
	struct fuzz_thread thread[MAX_THREADS];
	struct sigaction action = { 0 };

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
	/* Who has it open keeps the module. */
	marker = seed % 3 ? open("/dev/rbmap/marker", O_WRONLY) : -1;
	scratch = open("/dev/null", O_WRONLY);
	for (unsigned int i = 0; i < threads; i++) {
		thread[i].seed = seed * 1000003 + i;
		thread[i].steps = nr_steps;
		if (pthread_create(&thread[i].thread, NULL, run_thread,
				   &thread[i]))
			_exit(3);
	}
	/* Whoever waits in a system call is interrupted. */
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
	for (unsigned int i = 0; i < 100 * seconds; i++) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		usleep(10000);
	}
	return false;
}

/* The module may be gone with the process that took it away. */
static void load_again(uint64_t seed)
{
	if (!module_path)
		return;
	random_state = seed;
	if (!pick(3))
		syscall(SYS_delete_module, "rbmap", O_NONBLOCK);
	for (int i = 0; i < 100 && access("/dev/rbmap/marker", F_OK); i++)
		do_load();
}

/* false: it does not end, or ended in a way that it should not */
static bool run_round(uint64_t seed, unsigned int threads,
		      unsigned int nr_steps)
{
	unsigned int seconds = END_SECONDS;
	int status = 0;
	pid_t pid;

	load_again(seed);
	tell_kernel_log(seed);
	random_state = seed;
	pid = fork();
	if (!pid)
		run_process(seed, threads, nr_steps);
	/* One in four is killed while it runs. */
	if (!pick(4)) {
		usleep(1000 * pick(500));
		kill(pid, SIGKILL);
	}
	if (!wait_seconds(pid, seconds, &status)) {
		/* Into the kernel's log: who is where. */
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

static void find_devices(void)
{
	glob_t found;

	if (glob("/dev/rbmap/*cpu*", 0, NULL, &found) ||
	    glob("/dev/rbmap/*/cpu*", GLOB_APPEND, NULL, &found) == GLOB_NOSPACE)
		bail_out("no device below /dev/rbmap");
	devices = found.gl_pathv;
	nr_devices = found.gl_pathc;
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
		{ "hotplug", no_argument, NULL, 'p' },
		{ 0 }
	};
	unsigned long long seed = time(NULL), rounds = -1ULL, threads = 4;
	unsigned long long seconds = 60, nr_steps = 300, done = 0;
	struct timespec now;
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
		case 'p':
			may_hotplug = true;
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
	find_devices();

	diag("first seed %llu, %llu threads, %llu steps each", seed, threads,
	     nr_steps);
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + seconds;
	for (; good && done < rounds && now.tv_sec < end; done++) {
		good = run_round(seed + done, threads, nr_steps);
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
	load_again(seed);
	ok(good && done, "%llu rounds, the last of seed %llu: each ends", done,
	   seed + done - 1);
	for (size_t i = 0; i < NR_STEPS; i++) {
		if (steps[i].must && rounds == -1ULL)
			ok(counts->good[i], "%s: %llu of %llu did it",
			   steps[i].name, (unsigned long long)counts->good[i],
			   (unsigned long long)counts->tried[i]);
		else
			diag("%s: %llu of %llu did it", steps[i].name,
			     (unsigned long long)counts->good[i],
			     (unsigned long long)counts->tried[i]);
	}
	return done_testing();
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults that rbmap why has to name:
 *
 *	planted [/dev/DISK] FAULT...
 *
 * runs one after the other, each in a process of its own. The victim of FAULT is the thread
 * v-FAULT; the thread at fault has a name of its own. CPU 1 is the one where tasks compete.
 */
#define _GNU_SOURCE

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ULL

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int asking_tasks;
static volatile bool taken, asking, spun, over;
static char victim[16];
static const char *disk = "";

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 * MS + ts.tv_nsec;
}

static void spin(unsigned int ms)
{
	uint64_t end = now() + ms * MS;

	while (now() < end)
		;
}

/* Work until the thread has had @ms of a CPU. A look at that clock is a system call. */
static void work(unsigned int ms)
{
	struct timespec begin, ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		for (volatile unsigned int i = 0; i < 200000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	} while ((ts.tv_sec - begin.tv_sec) * 1000 + (ts.tv_nsec - begin.tv_nsec) / (long)MS < (long)ms);
}

static void rest(unsigned int ms)
{
	usleep(ms * 1000);
}

static void be(const char *name, int cpu, int priority)
{
	struct sched_param param = { .sched_priority = priority };
	cpu_set_t set;

	prctl(PR_SET_NAME, name);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("sched_setaffinity");
	if (priority && sched_setscheduler(0, SCHED_FIFO, &param))
		perror("sched_setscheduler");
}

static pthread_t start(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg))
		exit(1);
	return thread;
}

static int put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	ssize_t ret = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (ret < 0)
		perror(file);
	if (fd >= 0)
		close(fd);
	return ret < 0 ? 1 : 0;
}

/* 5 MiB of the disk, which no other fault reads */
#define THRASH_BLOCKS	80
#define THRASH_PLACE	(1LL << 30)
#define SLOW "/sys/module/slow/parameters/"

/* ---- a lock of a program */
static void *wait_for_lock(void *arg)
{
	be(victim, 0, *(int *)arg);
	while (!taken)
		rest(1);
	asking = true;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	over = true;
	return NULL;
}

static int holder_sleeps(void)
{
	int priority = 0;
	pthread_t waiter;

	be("holder", 1, 0);
	pthread_mutex_lock(&lock);
	waiter = start(wait_for_lock, &priority);
	taken = true;
	while (!asking)
		rest(1);
	rest(60);
	pthread_mutex_unlock(&lock);
	return pthread_join(waiter, NULL);
}

static void *between(void *arg)
{
	be("codec", 1, 20);
	/* The victim has left this CPU by then. */
	while (!asking)
		rest(1);
	rest(10);
	spin(80);
	spun = true;
	return arg;
}

static int inversion(void)
{
	pthread_t waiter, codec;
	int priority = 50;

	be("holder", 1, 0);
	codec = start(between, NULL);
	waiter = start(wait_for_lock, &priority);
	pthread_mutex_lock(&lock);
	taken = true;
	/* However late the others come: they find the lock taken and its holder able to run. */
	while (!spun)
		work(5);
	work(10);
	pthread_mutex_unlock(&lock);
	pthread_join(codec, NULL);
	return pthread_join(waiter, NULL);
}

/* Names that must not confuse anybody, and more than one victim: each one names the holder. */
static void *one_of_two(void *arg)
{
	be(arg, 0, 0);
	while (!taken)
		rest(1);
	__atomic_add_fetch(&asking_tasks, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int two_victims(void)
{
	pthread_t one, other;

	be("holder (\xc3\xbc) 7", 1, 0);
	pthread_mutex_lock(&lock);
	one = start(one_of_two, "v-two a)");
	other = start(one_of_two, "v-two [b] 1");
	taken = true;
	while (__atomic_load_n(&asking_tasks, __ATOMIC_SEQ_CST) < 2)
		rest(1);
	rest(60);
	pthread_mutex_unlock(&lock);
	pthread_join(one, NULL);
	return pthread_join(other, NULL);
}

/* The victim waits for one that waits for another lock. */
static void *in_the_middle(void *arg)
{
	be("middle", 1, 0);
	pthread_mutex_lock(&lock);
	taken = true;
	while (!asking)
		rest(1);
	pthread_mutex_lock(&inner);
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&lock);
	return arg;
}

static int chained(void)
{
	pthread_t middle, waiter;
	int priority = 0;

	be("innermost", 0, 0);
	pthread_mutex_lock(&inner);
	middle = start(in_the_middle, NULL);
	waiter = start(wait_for_lock, &priority);
	while (!asking)
		rest(1);
	rest(80);
	pthread_mutex_unlock(&inner);
	pthread_join(middle, NULL);
	return pthread_join(waiter, NULL);
}

/* A lock that is not given in time: what ends the wait is the timer, and not the holder. */
static void *not_for_long(void *arg)
{
	struct timespec until;

	be(victim, 0, 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 60 * MS;
	until.tv_sec += until.tv_nsec / (1000 * MS);
	until.tv_nsec %= 1000 * MS;
	pthread_mutex_timedlock(&lock, &until);
	return arg;
}

static int timed(void)
{
	pthread_t waiter;

	be("holder", 1, 0);
	pthread_mutex_lock(&lock);
	waiter = start(not_for_long, NULL);
	pthread_join(waiter, NULL);
	return pthread_mutex_unlock(&lock);
}

/* Return two flags that a process shares with its children. */
static volatile bool *shared_flags(void)
{
	void *at = mmap(NULL, 2 * sizeof(bool), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	return at;
}

/* A task of real time keeps the writer, for which the victim waits, from its CPU. */
static int late_writer(void)
{
	volatile bool *reached = shared_flags();
	int pipes[2], wrong;
	char byte;

	if (pipe(pipes))
		return 1;
	/* However late the hog comes: it finds the writer at work. */
	if (!fork()) {
		be("writer", 1, 0);
		rest(20);
		reached[0] = true;
		while (!reached[1])
			work(5);
		work(10);
		_exit(write(pipes[1], "x", 1) != 1);
	}
	if (!fork()) {
		be("rt-hog", 1, 10);
		while (!reached[0])
			rest(1);
		spin(90);
		reached[1] = true;
		_exit(0);
	}
	be(victim, 0, 0);
	wrong = read(pipes[0], &byte, 1) != 1;
	wait(NULL);
	wait(NULL);
	return wrong;
}

static void *in_line(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "member%d", *(int *)arg);
	be(name, 0, 0);
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&lock);
		rest(6);
		pthread_mutex_unlock(&lock);
		/* The lock goes to the one who has waited longest. */
		rest(3);
	}
	return NULL;
}

static int convoy(void)
{
	static int number[7] = { 1, 2, 3, 4, 5, 6, 7 };
	pthread_t member[7];

	be(victim, 1, 0);
	for (int i = 0; i < 7; i++)
		member[i] = start(in_line, &number[i]);
	rest(4);
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; i < 7; i++)
		pthread_join(member[i], NULL);
	return 0;
}

/* ---- a CPU */
static void *hog(void *arg)
{
	be("hog", 1, 30);
	spin(*(int *)arg);
	over = true;
	return NULL;
}

static int starved(void)
{
	int ms = 60;
	pthread_t thread;

	be(victim, 1, 0);
	thread = start(hog, &ms);
	while (!over)
		;
	return pthread_join(thread, NULL);
}

/* The victim is in the group already; it works more than the quota allows. */
static int quota(void)
{
	be(victim, 1, 0);
	work(60);
	return 0;
}

static void *ordinary(void *arg)
{
	be("ordinary", 1, 0);
	while (!over)
		;
	return arg;
}

static int rt_throttling(void)
{
	pthread_t thread = start(ordinary, NULL);

	be(victim, 1, 30);
	spin(2500);
	over = true;
	return pthread_join(thread, NULL);
}

/* ---- the kernel */
static void *sleeper(void *arg)
{
	be(victim, 1, 0);
	while (!over)
		rest(2);
	return arg;
}

static int irqs_off(void)
{
	pthread_t waiter = start(sleeper, NULL);
	int ret;

	be("driver", 1, 0);
	rest(20);
	ret = put(SLOW "irqs_off_ms", "40");
	rest(20);
	over = true;
	pthread_join(waiter, NULL);
	return ret;
}

static int hrtimer(void)
{
	int ret;

	be(victim, 1, 0);
	ret = put(SLOW "hrtimer_ms", "60");
	spin(30);
	return ret;
}

static int irq(void)
{
	be(victim, 1, 0);
	spin(5);
	return put(SLOW "irq_ms", "30");
}

static int network(void)
{
	be(victim, 1, 0);
	spin(5);
	return put(SLOW "net_ms", "40");
}

static int busy_worker(void)
{
	be(victim, 1, 0);
	return put(SLOW "work_ms", "80") || put(SLOW "flush_work", "0");
}

/* ---- memory and disks */
static int slow_fsync(void)
{
	static char block[65536] __attribute__((aligned(4096)));
	int fd = open(disk, O_RDWR), ret;

	be(victim, 1, 0);
	if (fd < 0 || write(fd, block, sizeof(block)) < 0)
		return 1;
	ret = fsync(fd);
	close(fd);
	return ret ? 1 : 0;
}

static int slow_read(void)
{
	static char block[4096] __attribute__((aligned(4096)));
	int fd = open(disk, O_RDONLY | O_DIRECT), ret;

	be(victim, 1, 0);
	if (fd < 0)
		return 1;
	ret = pread(fd, block, sizeof(block), 65536) < 0;
	close(fd);
	return ret;
}

static int faults(void)
{
	int fd = open(disk, O_RDONLY);
	const volatile char *map;
	unsigned int sum = 0;

	be(victim, 1, 0);
	map = fd < 0 ? MAP_FAILED : mmap(NULL, 64 << 20, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED || madvise((void *)map, 64 << 20, MADV_RANDOM))
		return 1;
	for (unsigned int i = 0; i < 12; i++)
		sum += map[i * (5 << 20)];
	return sum == 1;
}

/* Read again and again what the group's memory does not hold; at first with readahead. */
static int thrash(void)
{
	static char block[65536];
	int fd = open(disk, O_RDONLY), wrong = fd < 0;

	be(victim, 1, 0);
	for (int i = 0; !wrong && i < 3 * THRASH_BLOCKS; i++) {
		if (i == THRASH_BLOCKS)
			wrong = posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
		wrong |= pread(fd, block, sizeof(block),
			       THRASH_PLACE + (off_t)(i % THRASH_BLOCKS) * sizeof(block)) !=
			 sizeof(block);
	}
	return wrong;
}

static int memory_high(void)
{
	uint64_t begin = now();
	char *memory;

	be(victim, 1, 0);
	memory = mmap(NULL, 12 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	/* Each wait can take two seconds. */
	for (size_t i = 0; i < 12 << 20 && now() - begin < 500 * MS; i += 4096)
		memory[i] = 1;
	return 0;
}

static int stopped(void)
{
	volatile bool *reached = shared_flags();
	int pipes[2];
	char byte;
	pid_t pid;

	if (pipe(pipes))
		return 1;
	pid = fork();
	if (!pid) {
		be("producer", 1, 0);
		for (;;) {
			if (write(pipes[1], "x", 1) != 1)
				_exit(0);
			rest(5);
		}
	}
	be(victim, 0, 0);
	if (!fork()) {
		be("debugger", 0, 0);
		rest(30);
		kill(pid, SIGSTOP);
		rest(200);
		reached[0] = true;
		kill(pid, SIGCONT);
		_exit(0);
	}
	/* However late the debugger comes: the victim still reads. */
	for (int i = 0; i < 20 || !reached[0]; i++)
		if (read(pipes[0], &byte, 1) != 1)
			break;
	kill(pid, SIGKILL);
	wait(NULL);
	wait(NULL);
	return 0;
}

/* Two distractors: one that works, and one that sleeps. */
static void distract(void)
{
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		be("worker", 0, 0);
		for (;;) {
			work(3);
			rest(1);
		}
	}
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		be("napper", 1, 0);
		for (;;)
			rest(7);
	}
}

static const struct {
	const char *name;
	int (*run)(void);
} fault[] = {
	{ "holder", holder_sleeps }, { "inversion", inversion }, { "convoy", convoy },
	{ "starved", starved }, { "quota", quota }, { "rt-throttling", rt_throttling },
	{ "irqs-off", irqs_off }, { "hrtimer", hrtimer }, { "irq", irq },
	{ "network", network }, { "thrash", thrash },
	{ "worker", busy_worker }, { "fsync", slow_fsync }, { "read", slow_read },
	{ "faults", faults }, { "memory-high", memory_high }, { "stopped", stopped },
	{ "two", two_victims }, { "chained", chained }, { "timed", timed }, { "late-writer", late_writer },
};

static int run(const char *name)
{
	int status = 2;
	pid_t pid;

	for (size_t i = 0; i < sizeof(fault) / sizeof(*fault); i++) {
		if (strcmp(name, fault[i].name))
			continue;
		pid = fork();
		if (!pid) {
			snprintf(victim, sizeof(victim), "v-%s", name);
			exit(fault[i].run());
		}
		waitpid(pid, &status, 0);
	}
	if (status)
		fprintf(stderr, "planted: %s ended with status %#x\n", name, status);
	return status != 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	distract();
	rest(20);
	for (int i = 1; i < argc; i++)
		if (*argv[i] == '/')
			disk = argv[i];
		else
			failed |= run(argv[i]);
	return failed;
}

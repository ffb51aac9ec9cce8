// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs each act of a writer and of a reader in many states of the ring. Other acts
 * interrupt it at each instruction boundary, and are interrupted themselves.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "listing.h"
#include "scenario.h"
#include "tap.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Memory that the processes share. */
static struct shared {
	u32		next_group;
	bool		failed;
	struct counts	sum;
	u8		hits[];
} *shared;

static struct counts counts;	/* counts of the running scenario */

/* Failures */

static void say_and_exit(const char *message)
{
	signal(SIGPROF, SIG_IGN);
	if (__atomic_exchange_n(&shared->failed, true, __ATOMIC_SEQ_CST))
		for (;;)
			pause();	/* another process reports a failure */
	ok(false, "%s", scenario_name());
	diag("%s", message);
	machine_print(listing_print_where);
	fflush(stdout);
	_exit(1);
}

static void crashed(int signal)
{
	static char message[100];

	snprintf(message, sizeof(message), "signal %d: %s", signal,
		 strsignal(signal));
	say_and_exit(message);
}

/* Called after each second of CPU time, not of wall-clock time. */
static void watch(int signal)
{
	static u64 last_runs;
	static u32 same;

	(void)signal;
	same = counts.runs == last_runs ? same + 1 : 0;
	last_runs = counts.runs;
	if (same == 5)
		say_and_exit("a run did not end within 5 s of CPU time");
}

static void set_handlers(void)
{
	static const int crashes[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
	};
	const struct itimerval second = { { 1, 0 }, { 1, 0 } };
	struct sigaction action = {
		.sa_handler = crashed,
		.sa_flags = SA_ONSTACK | SA_NODEFER,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &action, NULL);
	action.sa_handler = watch;
	action.sa_flags = SA_ONSTACK | SA_RESTART;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &second, NULL);
	rig_on_failure = say_and_exit;
}

static const char *only;	/* run only scenarios with this text in their name */

static void add_counts(struct counts *to, const struct counts *from)
{
	__atomic_add_fetch(&to->boundaries, from->boundaries, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->inside, from->inside, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->after, from->after, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->thirds, from->thirds, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->runs, from->runs, __ATOMIC_RELAXED);
}

__attribute__((format(printf, 2, 3)))
static void add_text(char text[200], const char *format, ...)
{
	size_t len = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + len, 200 - len, format, args);
	va_end(args);
}

static const char *describe(const struct counts *of)
{
	static char text[200];

	text[0] = '\0';
	add_text(text, "%llu boundaries", (unsigned long long)of->boundaries);
	if (of->inside)
		add_text(text, ", %llu nested pairs",
			 (unsigned long long)of->inside);
	if (of->after)
		add_text(text, ", %llu pairs in sequence",
			 (unsigned long long)of->after);
	if (of->thirds)
		add_text(text, ", %llu triples",
			 (unsigned long long)of->thirds);
	add_text(text, ", %llu runs", (unsigned long long)of->runs);
	return text;
}

static void count_scenario(struct counts *sum, bool print)
{
	if (only && !strstr(scenario_name(), only))
		return;
	scenario_run(&counts);
	add_counts(sum, &counts);
	if (print)
		diag("%s: %s", scenario_name(), describe(&counts));
}

/*
 * Groups of scenarios. First, one act at each boundary, in all places and with all
 * clocks: this finds most faults soon.  Then two acts, place by place. An outer act
 * meets two acts in one mode in every other place, and in the other mode in the places
 * between. If scenario_everything is set, it meets them everywhere, and three acts
 * follow.
 */
static const struct {
	u32	slots, room;
} shapes[] = {
	{ 2, 48 }, { 3, 48 }, { 2, 240 },
};
#define NR_SINGLES	(2 * ARRAY_SIZE(shapes))
#define NR_PAIRS	(2 * NR_PLACES)
#define NR_THREES	2

static void run_singles(u32 shape, struct counts *sum)
{
	u32 place, outer, clock;

	/* The short sweep has the first shape in both modes, and the others in one. */
	if (scenario_short && shape && shape % 2 != scenario.mode)
		return;
	scenario.slots = shapes[shape].slots;
	scenario.room = shapes[shape].room;
	/* Whichever process takes the group, its cases are the same. */
	scenario.turn = shape * NR_PLACES * NR_OUTERS * NR_CLOCKS;
	scenario_one_act();
	for (place = 0; place < NR_PLACES; place++)
	for (outer = 0; outer < NR_OUTERS; outer++)
	for (clock = 0; clock < NR_CLOCKS; clock++) {
		scenario.place = &places[place];
		scenario.outer = outers[outer];
		scenario.clock = &clocks[clock];
		scenario.turn++;
		count_scenario(sum, false);
	}
}

static void run_threes(enum steps first, struct counts *sum)
{
	scenario.slots = shapes[0].slots;
	scenario.room = shapes[0].room;
	scenario.place = &places[1];
	scenario.outer = outers[0];
	scenario.clock = &clocks[2];
	scenario.turn = 0;
	scenario_three_acts(first);
	count_scenario(sum, true);
}

static void run_pairs(u32 place, struct counts *sum)
{
	u32 outer;

	scenario.slots = shapes[0].slots;
	scenario.room = shapes[0].room;
	scenario.place = &places[place];
	scenario.turn = (2 * place + scenario.mode) * NR_OUTERS;
	for (outer = 0; outer < NR_OUTERS; outer++, scenario.turn++) {
		if (!scenario_everything && (place + scenario.mode + outer) % 2 == 0)
			continue;
		/* The short sweep has one outer act at each place, in one of the modes. */
		if (scenario_short && (outer / 2 != place % (NR_OUTERS / 2) ||
				       (place / 4 + scenario.mode) % 2))
			continue;
		scenario.outer = outers[outer];
		scenario.clock = &clocks[scenario.turn % NR_CLOCKS];
		scenario_two_acts();
		count_scenario(sum, true);
	}
}

static void run_group(u32 group)
{
	struct counts sum = { 0 };
	char name[100];

	scenario.mode = group % 2;
	if (group < NR_SINGLES) {
		run_singles(group / 2, &sum);
		snprintf(name, sizeof(name), "one act, %u slots of %u bytes",
			 scenario.slots, scenario.room);
	} else if (group < NR_SINGLES + NR_PAIRS) {
		run_pairs((group - NR_SINGLES) / 2, &sum);
		snprintf(name, sizeof(name), "two acts, %s",
			 scenario.place->name);
	} else {
		run_threes(group % 2 ? STEP_INSIDE : STEP_AFTER, &sum);
		snprintf(name, sizeof(name), "three acts, %s",
			 scenario.place->name);
	}
	if (!sum.runs)
		return;
	ok(true, "%s, %s: %s",
	   scenario.mode == RBMAP_MODE_DISCARD ? "discard" : "overwrite", name,
	   describe(&sum));
	add_counts(&shared->sum, &sum);
}

static void work(void)
{
	const u32 n = NR_SINGLES + NR_PAIRS +
		      (scenario_everything ? NR_THREES : 0);
	u32 group;

	set_handlers();
	while ((group = __atomic_fetch_add(&shared->next_group, 1,
					   __ATOMIC_RELAXED)) < n)
		run_group(group);
	exit(0);
}

static bool run_groups(void)
{
	pid_t pids[64];
	u32 n = sysconf(_SC_NPROCESSORS_ONLN), i;
	bool failed = false;
	int status;
	pid_t pid;

	if (n > ARRAY_SIZE(pids))
		n = ARRAY_SIZE(pids);
	fflush(stdout);
	for (i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			return ok(false, "fork() failed");
		if (!pids[i])
			work();
	}
	while ((pid = wait(&status)) > 0) {
		for (i = 0; i < n && pids[i] != pid; i++)
			;
		pids[i] = pids[--n];
		if (!status || failed)
			continue;
		failed = true;
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 1)
			ok(false, "process %d ended with status %x", pid,
			   status);
		for (i = 0; i < n; i++)
			kill(pids[i], SIGKILL);
	}
	return !failed;
}

int main(int argc, char **argv)
{
	const size_t size = __stop_ring_text - __start_ring_text;
	u32 missing;
	int status;

	scenario_everything = getenv("RBMAP_TEST_ALL");
	scenario_short = !scenario_everything && getenv("RBMAP_TEST_SHORT");
	only = argc > 1 ? argv[1] : NULL;
	shared = mmap(NULL, sizeof(*shared) + size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || !listing_load()) {
		ok(false, "objdump or mmap() failed");
		return done_testing();
	}
	machine_hits = shared->hits;
	if (!machine_init()) {
		skip("this machine does not single-step", "sweep");
		return done_testing();
	}
	if (!run_groups())
		return done_testing();
	diag("sum: %s", describe(&shared->sum));
	missing = listing_print_coverage(machine_hits);
	/* A part of the scenarios does not reach each instruction. */
	if (only || scenario_short)
		return done_testing();
	ok(!missing, "each instruction of the writer was interrupted");
	status = done_testing();
	return missing ? 2 : status;
}

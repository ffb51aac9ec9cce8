// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stress test: one thread writes, signals nest writers in it, two threads read in turn,
 * and another thread reads hints and counters.  It runs for some seconds, in rounds of
 * random shapes.
 *
 * The thread sanitizer delays signals until they interrupt nothing.  Therefore the
 * clock, which is read inside the ring, also nests writers.  With ring_points.h each
 * access to shared memory does so, too.
 */
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "ring_fixture.h"
#include "tap.h"

#define FIRST_CALL	3	/* levels: task, SIGUSR1, SIGUSR2, then nested calls */
#define NR_LEVELS	(FIRST_CALL + RBMAP_MAX_NEST)
#define ROUND_MS	250
#define MAX_CALLS	30	/* most nested calls per event of task or signal */
#define HANGS_S		300	/* CPU time after which a round counts as hung */

/* Runs of this length must reach all kinds of events and losses. */
#define LONG_S		20

struct payload {
	u32	size;
	u32	level;
	u64	number;		/* number of the event at this level */
	u64	time;
	u8	pattern[];
} __attribute__((packed, aligned(4)));

/* The random shape of a round. */
static struct {
	bool	nested;
	bool	exact_time;	/* the clock does not step back */
	bool	skips;		/* readers skip and reset */
	bool	reports;		/* readers report drops without a sub-buffer */
	bool	slow_reader;
	bool	slow_writer;
	bool	slow_sender;
	u32	calls;		/* one of this many chances nests a writer */
	u32	clock_shift;
	u32	discards;	/* one of this many events is discarded */
	u32	max_size;
} shape;

static bool stop_writing, stop_reading;
static pthread_t writer_thread;
static __thread bool writes;	/* this thread is the writer */
static u64 closing = U64_MAX;	/* seq of the sub-buffer that a reader wants closed */

static struct {
	u64	discarded;
	u64	closes;
	u64	attempts[NR_LEVELS];
} written;

static struct {
	u64	last_number[NR_LEVELS];
	u64	lost;		/* reported losses */
	bool	first;		/* the next event is the first of a sub-buffer */
	bool	unmarked;	/* a loss is not marked in the sub-buffer yet */
	u64	last_time;
	u64	events;
} seen;

/* Counts over all rounds. */
enum reached {
	READ_EVENTS,
	OVERWRITTEN,
	FULL,
	LAPPED,
	TOO_DEEP,
	BY_SIGNALS,
	BY_CALLS,
	CLOSES,
	MARKS,
	REPORTS,
	SKIPS,
	RESETS,
	EXCHANGES,
	NR_REACHED
};

static const char *const reached_names[] = {
	"events read", "overwritten", "dropped as full", "dropped as lapped",
	"dropped as nested too deep", "nested by signals", "nested by calls",
	"closed for a reader", "losses marked", "drops reported alone",
	"skipped", "reset", "exchanged",
};

static u64 reached[NR_REACHED];
static u64 rounds, seed;
static const char *program;

static void say_round(void)
{
	diag("round %llu: %u slots, %u bytes, mode %u, nested %d\n"
	     "again: %s --seed %llu --same --seconds 60",
	     (unsigned long long)rounds, rig.config.nr_slots,
	     rig.config.subbuf_size, rig.config.mode, shape.nested, program,
	     (unsigned long long)seed);
}

static void say_and_exit(const char *message)
{
	static bool said;

	if (!said) {
		said = true;
		ok(false, "ring_stress: %s", message);
		say_round();
		done_testing();
	}
	_exit(1);
}

static void hangs(int signal)
{
	(void)signal;
	say_and_exit("a round did not end within 300 s of CPU time");
}

/* A sanitizer calls this function before it ends the process. */
void __sanitizer_set_death_callback(void (*callback)(void))
	__attribute__((weak));

static void sanitizer_found(void)
{
	say_and_exit("a sanitizer has reported an error");
}

/* Writers.  Each level has its own state, because levels nest in each other. */

static u64 random_of[NR_LEVELS];
static int level;
static int calls_left;
static u64 clock_said[NR_LEVELS];
static u64 ticks;

static u32 below(int at, u32 n)
{
	random_of[at] = random_of[at] * 6364136223846793005ULL + 1442695040888963407ULL;
	return (random_of[at] >> 33) % n;
}

static void emit(int at)
{
	struct rbmap_ring *ring = rig.ring;
	bool discard = !below(at, shape.discards);
	u32 size = sizeof(struct payload) +
		   below(at, shape.max_size + 1 - sizeof(struct payload));
	struct rbmap_reservation room;
	enum rbmap_drop drop = RBMAP_DROP_NESTED;
	struct payload *payload;
	int outer = level;
	u64 number = 0;
	u32 i;

	level = at;
	if (at < FIRST_CALL)
		calls_left = MAX_CALLS;
	if (discard)
		written.discarded++;
	else
		number = ++written.attempts[at];
	payload = rbmap_ring_reserve_fast(ring, rbmap_event_len(size), 0, false, &room);
	if (!payload && READ_ONCE(ring->nest) <= RBMAP_MAX_NEST)
		payload = rbmap_ring_reserve(ring, size, &room, &drop);
	if (!payload) {
		/* A dropped event was not discarded. */
		if (discard) {
			written.discarded--;
			__atomic_fetch_add(&written.attempts[at], 1,
					   __ATOMIC_RELAXED);
		}
		rbmap_ring_drop(ring, drop);
		level = outer;
		if (at == 0)
			sched_yield();	/* let the readers run */
		return;
	}
	payload->size = size;
	payload->level = at;
	payload->number = number;
	payload->time = clock_said[at];
	for (i = 0; i < size - sizeof(*payload); i++)
		payload->pattern[i] = rig_pattern(number, i);
	if (discard)
		rbmap_ring_discard(ring, &room);
	else
		rbmap_ring_commit(ring, &room);
	level = outer;
}

/* A level runs once at a time, because its events are numbered in order. */
static void emit_by_call(void)
{
	static int inside;

	if (!writes || !shape.nested || inside == NR_LEVELS - FIRST_CALL ||
	    calls_left <= 0 || below(level, shape.calls))
		return;
	calls_left--;
	reached[BY_CALLS]++;
	emit(FIRST_CALL + inside++);
	inside--;
}

#ifdef RING_POINTS_H
void ring_point(void)
{
	emit_by_call();
}
#endif

static u64 clock_of_round(void)
{
	u64 now;

	if (!writes)		/* a reader closes an empty sub-buffer */
		return __atomic_load_n(&ticks, __ATOMIC_RELAXED) >>
		       shape.clock_shift;
	emit_by_call();
	now = __atomic_fetch_add(&ticks, below(level, 5000) ? 1 : 1 << 28,
				 __ATOMIC_RELAXED) >> shape.clock_shift;
	if (!shape.exact_time)
		now -= below(level, 100);
	emit_by_call();
	clock_said[level] = now;
	return now;
}

static void on_signal(int signal)
{
	int at = signal == SIGUSR1 ? 1 : 2;
	int n = 1 + !below(at, 8) * below(at, 20);
	u64 seq = __atomic_load_n(&closing, __ATOMIC_ACQUIRE);
	int saved_errno = errno;

	if (seq != U64_MAX) {
		__atomic_store_n(&closing, U64_MAX, __ATOMIC_RELAXED);
		rbmap_ring_close(rig.ring, seq);
		if (below(at, 2))	/* an empty sub-buffer may report drops */
			rbmap_ring_close(rig.ring, rbmap_seq_add(
					 seq, 1, rig.ring->modulus));
		written.closes++;
	}
	if (shape.nested) {
		reached[BY_SIGNALS]++;
		while (n--)
			emit(at);
	}
	errno = saved_errno;
}

static void pause_us(u32 us)
{
	struct timespec t = { .tv_nsec = us * 1000L };

	nanosleep(&t, NULL);
}

static void *write_events(void *unused)
{
	sigset_t set;

	(void)unused;
	writes = true;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	while (!__atomic_load_n(&stop_writing, __ATOMIC_RELAXED)) {
		emit(0);
		if (shape.slow_writer && !below(0, 50))
			pause_us(below(0, 200));
	}
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return NULL;
}

static void *send_signals(void *unused)
{
	u64 random = rig.random;

	(void)unused;
	while (!__atomic_load_n(&stop_writing, __ATOMIC_RELAXED)) {
		u32 i;

		random = random * 6364136223846793005ULL + 1;
		pthread_kill(writer_thread, random >> 62 ? SIGUSR1 : SIGUSR2);
		if (shape.slow_sender)
			pause_us(random >> 56);
		for (i = 0; i < random >> 54; i++)
			barrier();
	}
	return NULL;
}

/* Readers */

static pthread_mutex_t reader_lock = PTHREAD_MUTEX_INITIALIZER;

static void check_payload(const struct decoded *event)
{
	const struct payload *payload = (const void *)event->data;
	u64 *last;
	u32 i;

	rig_check(event->size >= sizeof(*payload));
	rig_check(rig_size_is_right(payload->size, event->size));
	rig_check(payload->level < NR_LEVELS);
	for (i = 0; i < payload->size - sizeof(*payload); i++)
		rig_check(payload->pattern[i] == rig_pattern(payload->number, i));

	last = &seen.last_number[payload->level];
	rig_check(payload->number > *last);
	/*
	 * Drops are reported with a later sub-buffer: where one event does not
	 * fit, a later, smaller one still may.
	 */
	if (!shape.nested && !shape.skips && !shape.reports &&
	    (seen.first || rig.config.mode == RBMAP_MODE_OVERWRITE) &&
	    payload->number != seen.events + seen.lost + 1)
		rig_fail("event %llu comes after %llu read and %llu lost",
			 (unsigned long long)payload->number,
			 (unsigned long long)seen.events,
			 (unsigned long long)seen.lost);
	seen.first = false;
	*last = payload->number;

	rig_check(seen.events == 0 || event->time >= seen.last_time);
	if (shape.exact_time)
		rig_check(event->time == payload->time);
	seen.last_time = event->time;
	seen.events++;
}

/* As GET_READER: mark the loss once the writer has left the sub-buffer. */
static void mark_lost(bool close)
{
	struct rbmap_ring *ring = rig.ring;
	const struct rbmap_subbuf_header *header =
		ring->subbuf[ring->reader.id].header;
	unsigned long lost;
	u32 size;

	if (!rbmap_ring_mark_lost(ring)) {
		if (close)
			__atomic_store_n(&closing, ring->reader.seq,
					 __ATOMIC_RELEASE);
		return;
	}
	seen.unmarked = false;
	reached[MARKS]++;
	size = header->commit & RBMAP_COMMIT_MASK;
	rig_check(header->commit & RBMAP_MISSED_EVENTS);
	rig_check(!(header->commit & RBMAP_MISSED_STORED) ==
		  (ring->capacity - size < sizeof(lost)));
	if (header->commit & RBMAP_MISSED_STORED) {
		memcpy(&lost, rbmap_subbuf_data(ring->subbuf[
			      ring->reader.id].header) + size, sizeof(lost));
		rig_check(lost == ring->reader.lost);
	}
}

static void read_some(u64 *random)
{
	static struct decoded events[65536 / 8];
	struct rbmap_ring *ring = rig.ring;
	struct rbmap_subbuf_header *header;
	enum rbmap_get result;
	u32 from, to, n, i;

	result = rbmap_ring_get(ring);
	if (result != RBMAP_GET_NEXT && result != RBMAP_GET_MORE)
		return;
	header = ring->subbuf[ring->reader.id].header;
	if (result == RBMAP_GET_NEXT) {
		seen.lost += ring->reader.lost;
		seen.first = true;
		seen.unmarked = ring->reader.lost;
	}
	if (seen.unmarked)
		mark_lost(*random >> 60 == 0);
	from = ring->reader.offset;
	to = from + rbmap_ring_unread(ring);
	if (*random >> 56 == 1)
		n = rig_decode(header, to, events, 65536 / 8);
	else
		n = rig_decode_in_place(header, to, events, 65536 / 8);
	for (i = 0; i < n; i++) {
		if (events[i].offset < from)
			continue;
		if (i && events[i - 1].offset >= from && *random % 61 == 7) {
			to = events[i].offset;
			break;
		}
		check_payload(&events[i]);
	}
	rbmap_ring_consume(ring, to);
	if (*random >> 61 == 3 && rig_exchange())
		reached[EXCHANGES]++;
}

static void report_drops(void)
{
	u64 reported = rbmap_ring_report_drops(rig.ring);

	seen.lost += reported;
	reached[REPORTS] += !!reported;
}

/* As the module's reset; but report the losses, so that the sums stay right. */
static void reset(void)
{
	struct rbmap_ring *ring = rig.ring;

	reached[RESETS]++;
	rbmap_ring_skip(ring);
	if (rbmap_ring_reader_at_writer(ring))
		__atomic_store_n(&closing, ring->reader.seq, __ATOMIC_RELEASE);
	report_drops();
	ring->reader.lost = 0;
	seen.unmarked = false;
}

static void read_or_else(u64 *random)
{
	*random = *random * 6364136223846793005ULL + 1;
	switch (*random >> 58) {
	case 0:
		if (!shape.skips)
			break;
		reached[SKIPS]++;
		rbmap_ring_skip(rig.ring);
		seen.unmarked = false;
		return;
	case 1:
		if (!shape.skips)
			break;
		reset();
		return;
	case 2:
		if (!shape.reports)
			break;
		report_drops();
		return;
	}
	read_some(random);
}

static void *read_events(void *which)
{
	u64 random = rig.random + (uintptr_t)which;

	while (!__atomic_load_n(&stop_reading, __ATOMIC_RELAXED)) {
		u32 times;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		pthread_mutex_lock(&reader_lock);
		for (times = random >> 60; times; times--)
			read_or_else(&random);
		pthread_mutex_unlock(&reader_lock);
		if (shape.slow_reader)
			pause_us(random >> 54);
	}
	return NULL;
}

/* Read hints and counters, without a lock. */
static void *look_on(void *unused)
{
	const struct rbmap_ring *ring = rig.ring;

	(void)unused;
	while (!__atomic_load_n(&stop_reading, __ATOMIC_RELAXED)) {
		rbmap_ring_has_event(ring);
		rbmap_ring_has_closed(ring);
		rig_check(rbmap_ring_closed_unread(ring) <= ring->nr_slots);
		rbmap_ring_reader_at_writer(ring);
		rbmap_ring_entries(ring);
		rbmap_ring_unreported_drops(ring);
		pause_us(50);
	}
	return NULL;
}

/* Check the sums after all writers have ended. */
static void check_accounts(void)
{
	const struct rbmap_ring *ring = rig.ring;
	u64 attempts = 0, random = 0, overrun = local_read(&ring->overrun);
	u64 dropped = rbmap_ring_dropped(ring);
	u32 i;

	rig_check_published();
	while (rbmap_ring_has_event(ring))
		read_some(&random);
	report_drops();
	for (i = 0; i < NR_LEVELS; i++)
		attempts += written.attempts[i];
	rig_check(ring->nest == 0);
	rig_check(rbmap_ring_entries(ring) + dropped == attempts);
	rig_check(ring->reader.read + overrun + dropped == attempts);
	rig_check(ring->reader.reported == overrun + dropped);
	if (!shape.skips) {
		rig_check(ring->reader.read == seen.events);
		rig_check(ring->reader.reported == seen.lost);
	}
	rig_check_ids();

	rounds++;
	reached[CLOSES] += written.closes;
	reached[READ_EVENTS] += seen.events;
	reached[OVERWRITTEN] += overrun;
	reached[FULL] += local_read(&ring->dropped[RBMAP_DROP_FULL]);
	reached[LAPPED] += local_read(&ring->dropped[RBMAP_DROP_LAPPED]);
	reached[TOO_DEEP] += local_read(&ring->dropped[RBMAP_DROP_NESTED]);
}

static void play_round(u64 random)
{
	static const u32 sizes[] = { 64, 128, 256, 1024, 4096, 65536 };
	static const u32 slots[] = { 2, 2, 3, 4, 5, 8, 37 };
	pthread_t readers[2], onlooker, sender;
	u64 modulus;
	u32 nr_slots;
	u32 i;

	rig_open(2, 64, 0, 0);
	rig.random = random;
	nr_slots = slots[rig_below(7)];
	modulus = rbmap_seq_modulus(nr_slots);
	i = rig_below(6);
	shape.nested = rig_below(4);
	shape.exact_time = rig_below(4);
	shape.skips = !rig_below(8);
	shape.reports = !rig_below(4);
	shape.slow_reader = rig_below(2);
	shape.slow_writer = rig_below(2);
	shape.slow_sender = rig_below(2);
	shape.calls = 8 << rig_below(7);
	shape.clock_shift = rig_below(3) * 4;
	shape.discards = rig_below(2) ? 3 + rig_below(20) : ~0u;
	rig_open(nr_slots, sizes[i], rig_below(2), modulus - 1 - rig_below(2000));
	rig.random = random * 2 + 1;
	rig.clock = clock_of_round;
	rig.clock_alone = true;
	shape.max_size = rbmap_ring_max_event(rig.ring);
	if (rig_below(2) && shape.max_size > 60)
		shape.max_size = 60;

	memset(&written, 0, sizeof(written));
	memset(&seen, 0, sizeof(seen));
	closing = U64_MAX;
	ticks = 1 << 20;
	level = 0;
	for (i = 0; i < NR_LEVELS; i++)
		random_of[i] = random + i;
	stop_writing = stop_reading = false;

	pthread_create(&writer_thread, NULL, write_events, NULL);
	pthread_create(&sender, NULL, send_signals, NULL);
	for (i = 0; i < 2; i++)
		pthread_create(&readers[i], NULL, read_events,
			       (void *)(uintptr_t)i);
	pthread_create(&onlooker, NULL, look_on, NULL);

	usleep(ROUND_MS * 1000);
	__atomic_store_n(&stop_writing, true, __ATOMIC_RELAXED);
	pthread_join(sender, NULL);
	pthread_join(writer_thread, NULL);
	__atomic_store_n(&stop_reading, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(readers[i], NULL);
	pthread_join(onlooker, NULL);
	check_accounts();
	rig_close();
}

static void say_reached(void)
{
	int i;

	printf("# %llu rounds", (unsigned long long)rounds);
	for (i = 0; i < NR_REACHED; i++)
		printf("%s %llu %s", i % 4 ? "," : i ? "\n#  " : ":",
		       (unsigned long long)reached[i], reached_names[i]);
	printf("\n");
	fflush(stdout);
}

static void check_reached(void)
{
	int i, missing = 0;

	for (i = 0; i < NR_REACHED; i++) {
		if (reached[i])
			continue;
		diag("none: %s", reached_names[i]);
		missing++;
	}
	ok(!missing, "ring_stress reached each kind of nesting, loss and reading");
}

static void be_called(int signal, void (*handler)(int), int masked)
{
	struct sigaction action = { .sa_handler = handler };

	sigemptyset(&action.sa_mask);
	if (masked)
		sigaddset(&action.sa_mask, masked);
	sigaction(signal, &action, NULL);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "seed", required_argument, NULL, 'r' },
		{ "same", no_argument, NULL, 'a' },
		{ 0 }
	};
	static const struct itimerval watch = { .it_value.tv_sec = HANGS_S };
	const char *text;
	time_t end, said;
	sigset_t nested;
	long seconds = 10;
	bool same = false;
	int option;

	program = argv[0];
	text = getenv("RBMAP_TEST_SEED");
	if (text)
		seed = strtoull(text, NULL, 0);
	else
		seed = getenv("RBMAP_TEST_SHORT") ? 1 : time(NULL);
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			seconds = strtol(optarg, NULL, 0);
		else if (option == 'r')
			seed = strtoull(optarg, NULL, 0);
		else if (option == 'a')
			same = true;	/* repeat the same round */
		else
			return 2;
	}
	rig_on_failure = say_and_exit;
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(sanitizer_found);
	be_called(SIGPROF, hangs, 0);

	/* Only the writer gets these signals; SIGUSR2 can interrupt SIGUSR1. */
	be_called(SIGUSR2, on_signal, SIGUSR1);
	be_called(SIGUSR1, on_signal, 0);
	sigemptyset(&nested);
	sigaddset(&nested, SIGUSR1);
	sigaddset(&nested, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &nested, NULL);

	diag("seed %llu", (unsigned long long)seed);
	said = time(NULL);
	end = said + seconds;
	do {
		setitimer(ITIMER_PROF, &watch, NULL);
		play_round(seed * 2 + 1);
		if (!same)
			seed++;
		if (time(NULL) - said >= 60) {
			said = time(NULL);
			say_reached();
		}
	} while (time(NULL) < end);

	say_reached();
	ok(true, "ring_stress: no error in %ld s", seconds);
	if (seconds >= LONG_S && !same)
		check_reached();
	return done_testing();
}

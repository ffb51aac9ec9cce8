// SPDX-License-Identifier: GPL-2.0-only
/*
 * One thread writes, signals nest writers in it, two threads take turns in
 * reading and another one looks on; for some seconds, in rounds of all shapes.
 *
 * A thread sanitizer puts signals off until it is safe, so that nothing nests:
 * therefore the clock, which is read inside the ring, nests writers as well.
 */
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "ring_fixture.h"

#define NR_LEVELS	4	/* task, SIGUSR1, SIGUSR2, the clock */
#define ROUND_MS	250

struct payload {
	u32	size;
	u32	level;
	u64	number;		/* attempts of this level */
	u64	time;
	u8	pattern[];
} __attribute__((packed, aligned(4)));

/* What a round is like. */
static struct {
	bool	nested;
	bool	exact_time;	/* the clock does not step back */
	bool	skips;
	bool	slow_reader;
	bool	slow_writer;
	u32	clock_shift;
	u32	discards;	/* one in so many */
	u32	max_size;
} shape;

static bool stop_writing, stop_reading;
static pthread_t writer_thread;
static u64 closing = U64_MAX;	/* seq that a reader wants closed */

static struct {
	u64	discarded;
	u64	closes;
	u64	attempts[NR_LEVELS];
} written;

static struct {
	u64	last_number[NR_LEVELS];
	u64	gaps;
	u64	lost;		/* all that was told */
	bool	first;		/* of a sub-buffer comes next */
	u64	last_time;
	u64	events;
} seen;

static struct {
	u64	rounds, events, overrun, dropped[RBMAP_NR_DROPS], nested;
} total;

static void say_and_exit(const char *message)
{
	printf("# round %llu: %u slots, %u bytes, mode %u, nested %d\n",
	       (unsigned long long)total.rounds, rig.config.nr_slots,
	       rig.config.subbuf_size, rig.config.mode, shape.nested);
	printf("not ok 1 - ring_stress: %s\n", message);
	fflush(stdout);
	_exit(1);
}

/* Writers.  Each level has a state of its own, as it nests in the others. */

static u64 random_of[NR_LEVELS];
static int level;
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
	if (discard)
		written.discarded++;
	else
		number = ++written.attempts[at];
	if (!rbmap_ring_enter(ring) ||
	    !(payload = rbmap_ring_reserve(ring, size, &room, &drop))) {
		/* What is dropped was not taken back. */
		if (discard) {
			written.discarded--;
			__atomic_fetch_add(&written.attempts[at], 1,
					   __ATOMIC_RELAXED);
		}
		rbmap_ring_drop(ring, drop);
		level = outer;
		if (at == 0)
			sched_yield();	/* let the readers come */
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

/* Once at a time, as the numbers of a level count up. */
static void emit_from_clock(void)
{
	static bool inside;

	if (!shape.nested || inside || below(level, 40))
		return;
	inside = true;
	emit(NR_LEVELS - 1);
	inside = false;
}

static u64 clock_of_round(void)
{
	u64 now;

	emit_from_clock();
	now = __atomic_fetch_add(&ticks, below(level, 5000) ? 1 : 1 << 28,
				 __ATOMIC_RELAXED) >> shape.clock_shift;
	if (!shape.exact_time)
		now -= below(level, 100);
	emit_from_clock();
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
		written.closes++;
	}
	if (shape.nested) {
		total.nested++;
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
	 * Drops are told before a later sub-buffer: one event may find no
	 * room where a smaller one still does.
	 */
	if (!shape.nested && !shape.skips &&
	    (seen.first || rig.config.mode == RBMAP_MODE_OVERWRITE) &&
	    payload->number != seen.events + seen.lost + 1)
		rig_fail("event %llu comes after %llu read and %llu lost",
			 (unsigned long long)payload->number,
			 (unsigned long long)seen.events,
			 (unsigned long long)seen.lost);
	seen.first = false;
	seen.gaps += payload->number - *last - 1;
	*last = payload->number;

	rig_check(seen.events == 0 || event->time >= seen.last_time);
	if (shape.exact_time)
		rig_check(event->time == payload->time);
	seen.last_time = event->time;
	seen.events++;
}

static void read_some(u64 *random)
{
	static struct decoded events[65536 / 8];
	struct rbmap_ring *ring = rig.ring;
	struct rbmap_subbuf_header *header;
	enum rbmap_take took;
	u32 from, to, n, i;

	took = rbmap_ring_take(ring);
	if (took != RBMAP_TAKE_NEXT && took != RBMAP_TAKE_MORE)
		return;
	header = ring->subbuf[ring->reader.id].header;
	if (took == RBMAP_TAKE_NEXT) {
		seen.lost += ring->reader.lost;
		seen.first = true;
		if (ring->reader.lost && !rbmap_ring_mark_lost(ring) &&
		    *random >> 60 == 0)
			__atomic_store_n(&closing, ring->reader.seq,
					 __ATOMIC_RELEASE);
	}
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
}

static void *read_events(void *which)
{
	u64 random = rig.random + (uintptr_t)which;

	while (!__atomic_load_n(&stop_reading, __ATOMIC_RELAXED)) {
		u32 times;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		pthread_mutex_lock(&reader_lock);
		for (times = random >> 60; times; times--) {
			random = random * 6364136223846793005ULL + 1;
			if (shape.skips && random >> 58 == 0)
				rbmap_ring_skip(rig.ring);
			else
				read_some(&random);
		}
		pthread_mutex_unlock(&reader_lock);
		if (shape.slow_reader)
			pause_us(random >> 54);
	}
	return NULL;
}

/* Hints and counters need no lock. */
static void *look_on(void *unused)
{
	const struct rbmap_ring *ring = rig.ring;

	(void)unused;
	while (!__atomic_load_n(&stop_reading, __ATOMIC_RELAXED)) {
		rbmap_ring_has_event(ring);
		rig_check(rbmap_ring_closed_unread(ring) <= ring->nr_slots);
		rbmap_ring_reader_at_writer(ring);
		rbmap_ring_entries(ring);
		rbmap_ring_untold_drops(ring);
		pause_us(50);
	}
	return NULL;
}

/* Nobody writes any more. */
static void check_accounts(void)
{
	const struct rbmap_ring *ring = rig.ring;
	u64 attempts = 0, random = 0, overrun = local_read(&ring->overrun);
	u64 dropped = rbmap_ring_dropped(ring);
	u32 i;

	rig_check_published();
	while (rbmap_ring_has_event(ring))
		read_some(&random);
	rbmap_ring_tell_drops(rig.ring);
	for (i = 0; i < NR_LEVELS; i++)
		attempts += written.attempts[i];
	rig_check(ring->nest == 0);
	rig_check(rbmap_ring_entries(ring) + dropped == attempts);
	rig_check(ring->reader.read + overrun + dropped == attempts);
	rig_check(ring->reader.told == overrun + dropped);
	if (!shape.skips)
		rig_check(ring->reader.read == seen.events);
	rig_check_ids();

	total.rounds++;
	total.events += ring->reader.read;
	total.overrun += overrun;
	for (i = 0; i < RBMAP_NR_DROPS; i++)
		total.dropped[i] += local_read(&ring->dropped[i]);
}

static void play_round(u64 seed)
{
	static const u32 sizes[] = { 64, 128, 256, 1024, 4096, 65536 };
	static const u32 slots[] = { 2, 2, 3, 4, 5, 8, 37 };
	pthread_t readers[2], onlooker, sender;
	u64 modulus;
	u32 nr_slots;
	u32 i;

	rig_open(2, 64, 0, 0);
	rig.random = seed;
	nr_slots = slots[rig_below(7)];
	modulus = rbmap_seq_modulus(nr_slots);
	i = rig_below(6);
	shape.nested = rig_below(4);
	shape.exact_time = rig_below(4);
	shape.skips = !rig_below(8);
	shape.slow_reader = rig_below(2);
	shape.slow_writer = rig_below(2);
	shape.clock_shift = rig_below(3) * 4;
	shape.discards = rig_below(2) ? 3 + rig_below(20) : ~0u;
	rig_open(nr_slots, sizes[i], rig_below(2), modulus - 1 - rig_below(2000));
	rig.random = seed * 2 + 1;
	rig.clock = clock_of_round;
	shape.max_size = rbmap_ring_max_event(rig.ring);
	if (rig_below(2) && shape.max_size > 60)
		shape.max_size = 60;

	memset(&written, 0, sizeof(written));
	memset(&seen, 0, sizeof(seen));
	closing = U64_MAX;
	ticks = 1 << 20;
	level = 0;
	for (i = 0; i < NR_LEVELS; i++)
		random_of[i] = seed + i;
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

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "seed", required_argument, NULL, 'r' },
		{ 0 }
	};
	struct sigaction action = { .sa_handler = on_signal };
	u64 seed = time(NULL);
	long seconds = 10;
	time_t end;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			seconds = strtol(optarg, NULL, 0);
		else if (option == 'r')
			seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	rig_on_failure = say_and_exit;

	/* Only the writer gets them; the second nests in the first. */
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(SIGUSR2, &action, NULL);
	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	sigaddset(&action.sa_mask, SIGUSR1);
	sigaddset(&action.sa_mask, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &action.sa_mask, NULL);

	printf("1..1\n# seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	end = time(NULL) + seconds;
	do {
		play_round(seed++ * 2 + 1);
	} while (time(NULL) < end);

	printf("# %llu rounds, %llu signals nested\n",
	       (unsigned long long)total.rounds,
	       (unsigned long long)total.nested);
	printf("# events: %llu read, %llu overwritten, dropped: full %llu, lapped %llu, nested %llu\n",
	       (unsigned long long)total.events,
	       (unsigned long long)total.overrun,
	       (unsigned long long)total.dropped[RBMAP_DROP_FULL],
	       (unsigned long long)total.dropped[RBMAP_DROP_LAPPED],
	       (unsigned long long)total.dropped[RBMAP_DROP_NESTED]);
	printf("ok 1 - ring_stress\n");
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * librbmap on a kernel: each loss is reported, on each CPU and with merged
 * CPUs, and another decoder finds the same events in the same map.
 *
 *	lib_reader			with the module
 *	lib_reader --tracefs		the kernel's own ring, where it can be mapped
 *	lib_reader --not-loaded		the errors without the module
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <traceevent/kbuffer.h>
#include <unistd.h>

#include "../../../userspace/lib/rbmap.h"
#include "client.h"
#include "tap.h"

#define MAX_CPUS	64
#define MARKERS		3000
#define MARKER_LEN	48
#define CPU_SHIFT	48	/* a number contains its CPU, too */

static int nr_cpus;

static struct rbmap_map *open_cpu(int cpu)
{
	struct rbmap_map *map;
	char path[300];
	int ret;

	if (target.own) {
		ret = rbmap_open(&map, cpu, 0);
	} else {
		snprintf(path, sizeof(path),
			 "%s/per_cpu/cpu%d/trace_pipe_raw", target.control, cpu);
		ret = rbmap_open_path(&map, path, 0);
	}
	if (ret)
		bail_out("cpu %d: %s", cpu, rbmap_strerror(ret));
	return map;
}

struct writer {
	pthread_t thread;
	int cpu;
	uint64_t count;
	uint64_t taken;
	volatile bool done;
};

static void *write_markers(void *arg)
{
	struct writer *w = arg;

	pin(w->cpu);
	w->taken = emit((uint64_t)w->cpu << CPU_SHIFT, w->count, MARKER_LEN);
	__atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void start(struct writer *w, int cpu, uint64_t count)
{
	*w = (struct writer){ .cpu = cpu, .count = count };
	if (pthread_create(&w->thread, NULL, write_markers, w))
		bail_out("no thread");
}

/* The results of reading one CPU's markers. */
struct tally {
	uint64_t got, lost, next, last_ts;
	uint64_t wrong_order, wrong_loss, wrong_time, wrong_cpu, others;
	uint64_t gap;
	bool began;
};

static void count_event(struct tally *t, int cpu, const struct rbmap_event *ev)
{
	struct record record = { ev->ts, ev->data, ev->size };
	uint64_t number;

	t->wrong_cpu += ev->cpu != cpu;
	t->wrong_time += ev->ts < t->last_ts;
	t->last_ts = ev->ts;
	if (ev->lost != RBMAP_LOST_UNKNOWN) {
		t->lost += ev->lost;
		t->gap += ev->lost;
	}
	if (!record_number(&record, &number)) {
		t->others++;
		return;
	}
	if ((int)(number >> CPU_SHIFT) != cpu) {
		t->wrong_cpu++;
		return;
	}
	number &= (1ULL << CPU_SHIFT) - 1;
	t->wrong_order += number < t->next;
	t->wrong_loss += number != t->next + t->gap;
	t->next = number + 1;
	t->gap = 0;
	t->got++;
}

static void judge(const struct tally *t, const struct writer *w,
		  const struct rbmap_loss *loss, const char *what)
{
	uint64_t refused = w->count - w->taken;

	ok(t->got > 0, "%s: events are received", what);
	is(t->wrong_order, 0, "%s: in order", what);
	is(t->wrong_time, 0, "%s: time never steps back", what);
	is(t->wrong_cpu, 0, "%s: each event is of the right CPU", what);
	is(t->others, 0, "%s: no other events are received", what);
	if (!target.own)
		return;
	is(t->wrong_loss, 0, "%s: each gap is reported at its place", what);
	is(t->got + loss->reported, w->count,
	   "%s: received + reported as lost = emitted (%llu + %llu)", what,
	   (unsigned long long)t->got, (unsigned long long)loss->reported);
	is(loss->total, loss->reported, "%s: each loss was reported", what);
	if (refused)
		is(loss->full, refused, "%s: a full ring refused events", what);
}

/* Wait until the writer has filled the ring, however slow it is. */
static void nap_until_loss(struct rbmap_map *map, const struct writer *w)
{
	struct rbmap_loss loss = { 0 };

	do {
		nap(10);
		if (target.own)
			rbmap_loss(map, &loss);
	} while (target.own && !loss.total && !w->done);
}

/* @nap_every: sleep after so many events, so that the reader must lose some. */
static void one_cpu(int cpu, bool overwrite, unsigned int nap_every,
		    const char *what)
{
	struct rbmap_map *map;
	struct tally t = { 0 };
	struct rbmap_event ev;
	struct rbmap_loss loss;
	struct writer w;
	bool done;
	int ret;

	set_overwrite(overwrite);
	reset();
	map = open_cpu(cpu);
	is(rbmap_cpu(map), cpu, "%s: the map knows its CPU", what);
	start(&w, cpu, MARKERS);
	do {
		done = __atomic_load_n(&w.done, __ATOMIC_ACQUIRE);
		while ((ret = rbmap_next_event(map, &ev)) == 1) {
			count_event(&t, cpu, &ev);
			if (nap_every && t.got % nap_every == 0)
				nap_until_loss(map, &w);
		}
		if (ret < 0)
			bail_out("%s: %s", what, rbmap_strerror(ret));
		if (!done)
			rbmap_wait(map, 10);
	} while (!done);
	pthread_join(w.thread, NULL);
	rbmap_loss(map, &loss);
	judge(&t, &w, &loss, what);
	if (nap_every && target.own)
		ok(loss.total > 0, "%s: some events were lost", what);
	rbmap_close(map);
	set_overwrite(true);
}

/* Count the events of a sub-buffer from byte @from to @end, after a loss. */
static void count_part(struct tally *t, const void *subbuf, size_t size, size_t from,
		       size_t end, uint64_t lost)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;

	while (cursor.offset < end && rbmap_decode(subbuf, size, &cursor, &ev) == 1) {
		if (cursor.offset <= from)
			continue;
		ev.cpu = 0;
		ev.lost = lost;
		lost = 0;
		count_event(t, 0, &ev);
	}
	t->lost += lost;
	t->gap += lost;
}

/* Return the number of sub-buffers that went through the pipe. */
static unsigned int take_spliced(struct rbmap_map *map, const int *ends, struct tally *t)
{
	size_t size = rbmap_subbuf_size(map);
	ssize_t left = rbmap_splice(map, ends[1], 1 << 20);
	unsigned int nr = left > 0 ? left / size : 0;
	char *subbuf = malloc(size);

	if (left < 0)
		bail_out("rbmap_splice: %s", rbmap_strerror(left));
	for (; left > 0; left -= size) {
		if (read(ends[0], subbuf, size) != (ssize_t)size)
			bail_out("the pipe has no whole sub-buffer");
		count_part(t, subbuf, size, 0, size, rbmap_decode_lost(subbuf, size));
	}
	free(subbuf);
	return nr;
}

static unsigned int take_pieces(struct rbmap_map *map, struct tally *t)
{
	struct rbmap_subbuf sb;
	unsigned int nr;
	int ret;

	for (nr = 0; (ret = rbmap_next_subbuf(map, &sb)) == 1; nr++)
		count_part(t, sb.start, rbmap_subbuf_size(map), sb.offset, sb.size, sb.lost);
	if (ret < 0)
		bail_out("rbmap_next_subbuf: %s", rbmap_strerror(ret));
	return nr;
}

/* Return whether more than one sub-buffer came from the pipe, and from the map. */
static bool take_by_turns(void)
{
	unsigned int turn, spliced = 0, pieces = 0;
	struct tally t = { 0 };
	struct rbmap_loss loss;
	struct rbmap_map *map;
	struct writer w;
	int ends[2];
	bool done;

	reset();
	map = open_cpu(0);
	if (pipe(ends))
		bail_out("pipe: %s", error_name(errno));
	start(&w, 0, 3 * MARKERS);
	for (turn = 0, done = false; !done; turn++) {
		done = __atomic_load_n(&w.done, __ATOMIC_ACQUIRE);
		rbmap_wait(map, 10);
		spliced += take_spliced(map, ends, &t);
		if (done || turn % 2)
			pieces += take_pieces(map, &t);
		if (turn % 8 == 7 && !done)
			set_number("buffer_size_kb", turn % 16 == 7 ? 128 : 64);
	}
	pthread_join(w.thread, NULL);
	pieces += take_pieces(map, &t);
	rbmap_loss(map, &loss);
	judge(&t, &w, &loss, "by turns");
	diag("by turns: %u sub-buffers from a pipe, %u pieces from a map", spliced, pieces);
	is(rbmap_events_read(map), t.got, "by turns: the events are counted");
	close(ends[0]);
	close(ends[1]);
	rbmap_close(map);
	set_number("buffer_size_kb", 64);
	return spliced > 1 && pieces > 1;
}

/* A reader that gets sub-buffers by turns from the map and from a pipe; resized rings */
static void by_turns(void)
{
	bool both = false;

	/* If the writer ends before the reader runs, nothing comes by turns, and it is repeated. */
	for (int tries = 0; tries < 20 && !both; tries++)
		both = take_by_turns();
	ok(both, "by turns: sub-buffers from a pipe, and pieces from a map");
}

/* A reader that throws away what it is behind with; resized rings */
static void discards(void)
{
	uint64_t before = stat_of(0, "discarded");
	struct tally t = { 0 };
	struct rbmap_event ev;
	struct rbmap_map *map;
	unsigned int turn;
	struct writer w;
	bool done;
	int ret = 0;

	reset();
	map = open_cpu(0);
	start(&w, 0, MARKERS);
	for (turn = 0, done = false; !done && !ret; turn++) {
		done = __atomic_load_n(&w.done, __ATOMIC_ACQUIRE);
		rbmap_wait(map, 10);
		for (int i = 0; i < 50 && rbmap_next_event(map, &ev) == 1; i++)
			count_event(&t, 0, &ev);
		if (turn % 4 == 3)
			set_number("buffer_size_kb", turn % 8 == 3 ? 128 : 64);
		ret = rbmap_discard_unread(map);
	}
	pthread_join(w.thread, NULL);
	is(ret, 0, "discards: rbmap_discard_unread() succeeds");
	while (rbmap_next_event(map, &ev) == 1)
		count_event(&t, 0, &ev);
	is(t.wrong_order + t.wrong_time + t.wrong_cpu + t.others, 0,
	   "discards: the events between are in order");
	is(rbmap_events_read(map) + stat_of(0, "lost events") + stat_of(0, "discarded") - before,
	   w.count, "discards: read + lost + discarded = emitted");

	emit(MARKERS, 1, MARKER_LEN);
	rbmap_discard_unread(map);
	emit(MARKERS + 1, 1, MARKER_LEN);
	t = (struct tally){ .next = MARKERS + 1 };
	if (rbmap_next_event(map, &ev) == 1)
		count_event(&t, 0, &ev);
	is(t.got - t.wrong_loss - t.lost, 1, "discards: the next event is the one after the call");
	is(rbmap_next_event(map, &ev), 0, "discards: no other event is there");
	rbmap_close(map);
	set_number("buffer_size_kb", 64);
}

static void each_cpu(void)
{
	char what[64];

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		snprintf(what, sizeof(what), "cpu %d", cpu);
		one_cpu(cpu, true, 0, what);
		snprintf(what, sizeof(what), "cpu %d, slow reader", cpu);
		one_cpu(cpu, true, 100, what);
		if (!target.own)
			continue;
		snprintf(what, sizeof(what), "cpu %d, discard", cpu);
		one_cpu(cpu, false, 100, what);
	}
}

static void merged(void)
{
	uint64_t back = 0, last = 0, told = 0, emitted = 0, got = 0;
	struct tally t[MAX_CPUS] = { 0 };
	struct writer w[MAX_CPUS];
	struct rbmap_merge *merge;
	struct rbmap_event ev;
	struct rbmap_loss loss;
	bool done;
	int ret;

	reset();
	ret = rbmap_merge_open(&merge, 0);
	if (ret)
		bail_out("merge: %s", rbmap_strerror(ret));
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		start(&w[cpu], cpu, MARKERS);
	do {
		done = true;
		for (int cpu = 0; cpu < nr_cpus; cpu++)
			done &= __atomic_load_n(&w[cpu].done, __ATOMIC_ACQUIRE);
		if (done)
			rbmap_merge_set_hold(merge, 0);
		while ((ret = rbmap_merge_next(merge, &ev)) == 1) {
			if (ev.cpu < 0 || ev.cpu >= nr_cpus)
				bail_out("merge: an event of CPU %d", ev.cpu);
			back += ev.ts < last;
			last = ev.ts;
			count_event(&t[ev.cpu], ev.cpu, &ev);
		}
		if (ret < 0)
			bail_out("merge: %s", rbmap_strerror(ret));
		if (!done)
			rbmap_merge_wait(merge, 100);
	} while (!done);
	rbmap_merge_loss(merge, &loss);
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		pthread_join(w[cpu].thread, NULL);
		is(t[cpu].wrong_order + t[cpu].wrong_loss, 0,
		   "merge: cpu %d in order, gaps are reported", cpu);
		got += t[cpu].got;
		told += t[cpu].lost;
		emitted += w[cpu].count;
	}
	is(got + loss.reported, emitted,
	   "merge: received + reported as lost = emitted");
	ok(told <= loss.reported,
	   "merge: events report no more losses than there were");
	/* The host may suspend a processor of the guest for long. */
	if (back)
		diag("%llu times a step back", (unsigned long long)back);
	ok(back * 1000 <= got, "merge: by time (%llu of %llu late)",
	   (unsigned long long)back, (unsigned long long)got);
	rbmap_merge_close(merge);
}

/* Decode the map with libtraceevent's decoder and with librbmap's. */
static void other_decoder(void)
{
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST,
					     KBUFFER_ENDIAN_SAME_AS_HOST);
	uint64_t events = 0, differ = 0, pieces = 0, emitted = 0;
	unsigned long long ts;
	struct rbmap_subbuf sb;
	struct rbmap_map *map;
	struct rbmap_event ev;
	void *data;

	reset();
	map = open_cpu(0);
	pin(0);
	for (size_t len = 24; len < 1000; len += 19)
		emitted += emit_one(len, len);
	while (rbmap_next_subbuf(map, &sb) == 1) {
		struct rbmap_cursor c = { 0 };

		pieces++;
		if (kbuffer_load_subbuffer(kbuf, (void *)sb.start)) {
			differ++;
			continue;
		}
		for (data = kbuffer_read_event(kbuf, &ts); data;
		     data = kbuffer_next_event(kbuf, &ts)) {
			events++;
			if (rbmap_decode(sb.start, rbmap_subbuf_size(map), &c,
					 &ev) != 1 || ev.data != data ||
			    ev.ts != ts ||
			    (int)ev.size != kbuffer_event_size(kbuf))
				diag("kbuffer %p %llu %d, librbmap %p %llu %u",
				     data, ts, kbuffer_event_size(kbuf),
				     ev.data, (unsigned long long)ev.ts,
				     ev.size), differ++;
		}
		differ += rbmap_decode(sb.start, rbmap_subbuf_size(map), &c,
				       &ev) != 0;
	}
	is(events, emitted, "another decoder reads all events (in %llu sub-buffers)",
	   (unsigned long long)pieces);
	is(differ, 0, "the other decoder finds the same events as librbmap");
	rbmap_close(map);
	kbuffer_free(kbuf);
}

static void second_map(void)
{
	struct rbmap_map *map;
	struct rbmap_event ev;
	struct record record;
	uint64_t number = 0, next = 0, wrong = 0;

	reset();
	pin(0);
	emit(0, 10, MARKER_LEN);
	for (int turn = 0; turn < 3; turn++) {
		map = open_cpu(0);
		while (rbmap_next_event(map, &ev) == 1) {
			record = (struct record){ ev.ts, ev.data, ev.size };
			wrong += !record_number(&record, &number) ||
				 number != next;
			next++;
		}
		rbmap_close(map);
		is(next, 10 * (turn + 1),
		   "map %d reads the new events", turn + 1);
		emit(next, 10, MARKER_LEN);
	}
	is(wrong, 0, "no event is read twice or left out");
}

/* Pages of the ring that this process has mapped. */
static unsigned long mapped_pages(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to, sum = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "/dev/rbmap/") && sscanf(line, "%lx-%lx", &from, &to) == 2)
			sum += to - from;
	if (maps)
		fclose(maps);
	return sum / sysconf(_SC_PAGESIZE);
}

/* Return how many of the next events have the numbers from @next on. */
static uint64_t events_from(struct rbmap_map *map, uint64_t next)
{
	struct rbmap_event ev;
	struct record record;
	uint64_t number, good = 0;

	while (rbmap_next_event(map, &ev) == 1) {
		record = (struct record){ ev.ts, ev.data, ev.size };
		good += record_number(&record, &number) && number == next + good;
	}
	return good;
}

static void mapped_parts(void)
{
	struct rbmap_map *map;
	uint64_t sum;

	reset();
	pin(0);
	map = open_cpu(0);
	emit(0, 10, MARKER_LEN);
	is(events_from(map, 0), 10, "a reader of few events gets all");
	ok(mapped_pages() >= 2 && mapped_pages() <= 3,
	   "it maps the meta-page and the sub-buffers with these events (%lu pages)",
	   mapped_pages());
	/* A lap, in parts: the reader comes to all sub-buffers. */
	for (sum = 10; sum < MARKERS; sum += 20) {
		emit(sum, 20, MARKER_LEN);
		if (events_from(map, sum) != 20)
			break;
	}
	ok(sum >= MARKERS, "a reader of many events gets all (%lu)", (unsigned long)sum);
	ok(mapped_pages() > rbmap_nr_subbufs(map), "it maps the whole ring (%lu pages)",
	   mapped_pages());
	rbmap_close(map);
	is(mapped_pages(), 0, "no map is left");
}

static void on_signal(int sig)
{
	(void)sig;
}

static void *wake_later(void *map)
{
	nap(300);
	rbmap_wake(map);
	return NULL;
}

static void waiting(void)
{
	struct sigaction act = { .sa_handler = on_signal };
	struct rbmap_map *map;
	struct rbmap_event ev;
	struct writer w;
	pthread_t thread;
	uint64_t begin;

	set_number("buffer_percent", 0);
	reset();
	map = open_cpu(0);
	begin = now();
	is(rbmap_wait(map, 200), 0, "a wait without an event ends by timeout");
	ok(now() - begin >= 199000000,
	   "a wait without an event does not end before its timeout");

	start(&w, 0, 1);
	is(rbmap_wait(map, -1), 1, "an event ends a wait without a timeout");
	pthread_join(w.thread, NULL);
	is(rbmap_next_event(map, &ev), 1,
	   "the event that ended the wait can be read");
	is(rbmap_next_event(map, &ev), 0,
	   "only one event can be read after the wait");

	pthread_create(&thread, NULL, wake_later, map);
	is(rbmap_wait(map, -1), 0, "rbmap_wake() ends a wait");
	pthread_join(thread, NULL);

	sigaction(SIGALRM, &act, NULL);
	alarm_each_second(true);
	is(rbmap_wait(map, -1), -EINTR, "a signal ends a wait");
	alarm_each_second(false);
	rbmap_close(map);

	set_number("buffer_percent", 50);
	map = open_cpu(0);
	start(&w, 0, 1);
	pthread_join(w.thread, NULL);
	is(rbmap_wait(map, 100), 0, "one event is below the watermark");
	is(rbmap_next_event(map, &ev), 1,
	   "an event below the watermark can be read");
	rbmap_close(map);
}

static int open_as_nobody(void)
{
	struct rbmap_map *map;
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(2);
		_exit(rbmap_open(&map, 0, 0) != RBMAP_ERR_PERMISSION);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void errors(void)
{
	struct rbmap_merge *merge;
	struct rbmap_map *map;
	int loaded = RBMAP_ERR_NO_CPU;

	is(rbmap_open(&map, 4095, 0), loaded,
	   "a CPU that does not exist is refused");
	is(open_as_nobody(), 0,
	   "a user without the right to read gets the error");
	is(rbmap_merge_open(&merge, 1), -EINVAL, "an unknown flag is refused");
	if (!rbmap_observe(&map, 0, 0)) {
		is(rbmap_splice(map, 1, 4096), -EBADF, "an observer cannot splice");
		rbmap_close(map);
	}
	map = open_cpu(0);
	is(rbmap_splice(map, -1, 1 << 20), -EBADF, "splice to a file that is not open");
	rbmap_close(map);
}

static int not_loaded(void)
{
	struct rbmap_merge *merge;
	struct rbmap_map *map;

	is(rbmap_open(&map, 0, 0), RBMAP_ERR_NOT_LOADED,
	   "without the module: %s", rbmap_strerror(RBMAP_ERR_NOT_LOADED));
	is(rbmap_merge_open(&merge, 0), RBMAP_ERR_NOT_LOADED,
	   "without the module: opening all CPUs fails");
	return done_testing();
}

static bool can_map(void)
{
	struct rbmap_map *map;
	char path[300];
	int ret;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu0/trace_pipe_raw",
		 target.control);
	ret = rbmap_open_path(&map, path, 0);
	if (!ret)
		rbmap_close(map);
	else
		is(ret, RBMAP_ERR_NOT_RBMAP, "this kernel's ring: %s",
		   rbmap_strerror(ret));
	return !ret;
}

int main(int argc, char **argv)
{
	int rest = target_options(argc, argv);

	if (rest < argc && !strcmp(argv[rest], "--not-loaded"))
		return not_loaded();
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_cpus > MAX_CPUS)
		nr_cpus = MAX_CPUS;
	if (!target.own && !can_map())
		return done_testing();
	each_cpu();
	other_decoder();
	second_map();
	if (target.own) {
		mapped_parts();
		by_turns();
		discards();
		merged();
		waiting();
		errors();
	}
	return done_testing();
}

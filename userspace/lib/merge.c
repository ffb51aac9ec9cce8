// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The rings of all CPUs as one stream, in time order.
 *
 * A heap holds the rings whose next event is known.  The other rings were empty
 * when they were checked; GET_READER stores the ring's time of that check.  An
 * empty ring releases the event at the top if it was empty a hold time after the
 * event.  The ring's clock decides that, or our clock, counted from the read of the
 * event.  An older event would have been uncommitted for the whole hold time.  A
 * check costs a system call for each empty ring, so a ring is checked only when the
 * result can release the top.
 *
 * A ring without a time in its meta-page (ftrace's) must be empty after the event
 * at the top was read.  Then only events that were being written at that moment
 * can be late.  The same rule applies for a while when a ring is filled to its
 * watermark, because events would be lost during the wait.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define SCAN_NS		1000000000ULL	/* period of the scan for new devices */
#define RUSH_EVENTS	1024		/* events returned before the next poll() */
#define NSEC_PER_MSEC	1000000ULL

struct source {
	struct rbmap_map	*map;		/* NULL: closed */
	int			cpu;
	struct rbmap_event	head;		/* next event, while in the heap */
	uint64_t		seen_turn;	/* turn in which the head was read */
	uint64_t		seen_ns;	/* our time of that */
	/* While empty: */
	uint64_t		empty_turn;	/* turn of the last check */
	uint64_t		empty_now;	/* the ring's time of that; 0: unknown */
	uint64_t		empty_ns;	/* our time of that */
	struct rbmap_loss	loss;		/* losses of a closed ring */
};

/*
 * When a buffer of the caller's own is idle, any event ends a wait, and is held for a short
 * time: writers that are interrupted are rare. When it is busy, events come by the watermark
 * or the timeout, so that an event costs a fraction of a wake-up.
 */
#define PACE_NS		100000000ULL	/* events are counted for so long */
#define PACE_BUSY	64		/* so many events: busy */
#define PACE_IDLE	32		/* fewer: idle */
#define PACE_HOLD_NS	25000ULL	/* at most, while idle */
#define PACE_MS		100		/* a wait lasts at most so long while busy */

struct pace {
	int		fd;		/* buffer_percent; -1: the watermark is not changed */
	bool		busy;
	uint64_t	since_ns;
	unsigned int	events;		/* since then */
};

struct rbmap_merge {
	struct source		**source;
	unsigned int		nr;
	struct source		**heap;
	unsigned int		nr_heap;
	struct source		**empty;
	unsigned int		nr_empty;
	struct pollfd		*fds;		/* one more than rings: for wake_fd */
	struct rbmap_map	**maps;		/* maps of fds[] */
	int			wake_fd;	/* rbmap_merge_wake() ends rbmap_merge_wait() */
	uint64_t		(*clock)(void);	/* our clock, in ns */
	struct source		*out;		/* the caller holds its head */
	uint64_t		turn;		/* number of reads and checks of rings */
	uint64_t		hold_ns;
	struct pace		pace;
	unsigned int		rush;		/* events to return without waiting */
	/* The top may go up to this bound.  A change of an empty ring invalidates it. */
	bool			bound_known;
	uint64_t		bound_ts;
	uint64_t		bound_turn;
	/* Rate of a clock that does not count ns, measured between two checks. */
	uint64_t		tick_now;
	uint64_t		tick_ns;
	double			ticks_per_ns;
	bool			observes;
	char			*dir;		/* directory to scan for devices, or NULL */
	uint64_t		scanned_ns;
	bool			scan_due;	/* at the next rbmap_merge_next() */
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static bool before(const struct source *a, const struct source *b)
{
	if (a->head.ts != b->head.ts)
		return a->head.ts < b->head.ts;
	return a->cpu < b->cpu;
}

static void sift_down(struct rbmap_merge *m, unsigned int at)
{
	struct source *s = m->heap[at];

	for (;;) {
		unsigned int child = 2 * at + 1;

		if (child >= m->nr_heap)
			break;
		if (child + 1 < m->nr_heap &&
		    before(m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m->heap[child], s))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = s;
}

static void heap_add(struct rbmap_merge *m, struct source *s)
{
	unsigned int at = m->nr_heap++;

	while (at && before(s, m->heap[(at - 1) / 2])) {
		m->heap[at] = m->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	m->heap[at] = s;
}

static void heap_drop_top(struct rbmap_merge *m)
{
	m->heap[0] = m->heap[--m->nr_heap];
	if (m->nr_heap)
		sift_down(m, 0);
}

static void drop(struct source *s)
{
	rbmap_loss(s->map, &s->loss);
	rbmap_close(s->map);
	s->map = NULL;
}

/*
 * Read the next event of a ring into s->head.  Return: 1: success.  0: the ring is
 * empty, and s->empty_* have the time.  A negative error: the ring is empty or
 * closed.
 */
static int look(struct rbmap_merge *m, struct source *s)
{
	unsigned int pieces = s->map->pieces;
	int ret;

	/* Read our clock first: the check may miss an event of a later time. */
	if (!rbmap_map_pending(s->map))
		s->empty_ns = m->clock();
	ret = rbmap_next_event(s->map, &s->head);
	if (ret == 1) {
		/* Read our clock afterwards, once for all events of a piece. */
		if (s->map->pieces != pieces) {
			s->seen_turn = ++m->turn;
			s->seen_ns = m->clock();
			m->scan_due |= s->seen_ns - m->scanned_ns > SCAN_NS;
		}
		return 1;
	}
	s->empty_turn = ++m->turn;
	s->empty_now = rbmap_map_now(s->map);
	if (ret == RBMAP_ERR_GONE)
		drop(s);
	return ret;
}

static void measure_ticks(struct rbmap_merge *m, const struct source *s)
{
	if (rbmap_map_counts_ns(s->map)) {
		m->ticks_per_ns = 1;
	} else if (!m->tick_ns || s->empty_now < m->tick_now) {
		m->tick_now = s->empty_now;
		m->tick_ns = s->empty_ns;
	} else if (s->empty_ns - m->tick_ns > NSEC_PER_MSEC) {
		double rate = (double)(s->empty_now - m->tick_now) /
			      (double)(s->empty_ns - m->tick_ns);

		if (rate > 1e-6 && rate < 1e6)
			m->ticks_per_ns = rate;
	}
}

static void add_empty(struct rbmap_merge *m, struct source *s)
{
	m->empty[m->nr_empty++] = s;
	m->bound_known = false;
}

/* Return @error, and the CPU that it belongs to in *ev. */
static int source_error(struct source *s, struct rbmap_event *ev, int error)
{
	memset(ev, 0, sizeof(*ev));
	ev->cpu = s->cpu;
	return error;
}

/* Check m->empty[i] again.  Return: 1: it moved to the heap; m->empty[i] changed. */
static int look_at_empty(struct rbmap_merge *m, unsigned int i,
			 struct rbmap_event *ev)
{
	struct source *s = m->empty[i];
	int ret = look(m, s);

	m->bound_known = false;
	if (ret == 1 || !s->map)
		m->empty[i] = m->empty[--m->nr_empty];
	if (ret == 1)
		heap_add(m, s);
	else if (ret < 0)
		return source_error(s, ev, ret);
	else if (s->empty_now)
		measure_ticks(m, s);
	return ret;
}

static bool is_idle(const struct rbmap_merge *m)
{
	return m->pace.fd >= 0 && !m->pace.busy;
}

static uint64_t hold_ns(const struct rbmap_merge *m)
{
	return is_idle(m) && m->hold_ns > PACE_HOLD_NS ? PACE_HOLD_NS : m->hold_ns;
}

static uint64_t hold_ticks(const struct rbmap_merge *m)
{
	return hold_ns(m) * m->ticks_per_ns;
}

static bool timed(const struct rbmap_merge *m, const struct source *s)
{
	return m->hold_ns && !m->rush && s->empty_now;
}

static void find_bound(struct rbmap_merge *m)
{
	uint64_t hold = hold_ticks(m);

	m->bound_ts = UINT64_MAX;
	m->bound_turn = UINT64_MAX;
	for (unsigned int i = 0; i < m->nr_empty; i++) {
		const struct source *s = m->empty[i];
		uint64_t ts;

		if (!timed(m, s)) {
			if (s->empty_turn < m->bound_turn)
				m->bound_turn = s->empty_turn;
			continue;
		}
		ts = s->empty_now > hold ? s->empty_now - hold : 0;
		if (ts < m->bound_ts)
			m->bound_ts = ts;
	}
	m->bound_known = true;
}

/* Is the top of the heap older than anything that an empty ring can still have? */
static bool top_may_go(struct rbmap_merge *m)
{
	const struct source *top = m->heap[0];

	if (!m->bound_known)
		find_bound(m);
	return top->head.ts <= m->bound_ts && top->seen_turn < m->bound_turn;
}

static bool allows_top(const struct rbmap_merge *m, const struct source *s)
{
	const struct source *top = m->heap[0];

	if (!timed(m, s))
		return s->empty_turn > top->seen_turn;
	return s->empty_now >= top->head.ts + hold_ticks(m) ||
	       s->empty_ns >= top->seen_ns + hold_ns(m);
}

/*
 * Time in ns until another check of an empty ring, which holds back the top of the
 * heap, can release the top.
 */
static uint64_t wait_ns(const struct rbmap_merge *m, const struct source *s,
			uint64_t now)
{
	const struct source *top = m->heap[0];
	uint64_t until, ticks, ns;

	if (!timed(m, s))
		return 0;
	until = top->seen_ns + hold_ns(m);
	ticks = top->head.ts + hold_ticks(m) - s->empty_now;
	ns = ticks / m->ticks_per_ns;
	/* If the event's time is far from the ring's time, use our clock alone. */
	if (ns < hold_ns(m) && s->empty_ns + ns < until)
		until = s->empty_ns + ns;
	return until > now ? until - now : 0;
}

/*
 * Check the empty rings that hold back the top of the heap.  Return: 1: the heap
 * changed.  0: no check can help now; *held: the top is still held back.
 */
static int look_for_older(struct rbmap_merge *m, struct rbmap_event *ev,
			  bool *held)
{
	uint64_t now = m->clock();

	*held = false;
	for (unsigned int i = 0; i < m->nr_empty; i++) {
		struct source *s = m->empty[i];
		int ret;

		if (allows_top(m, s))
			continue;
		if (!wait_ns(m, s, now)) {
			ret = look_at_empty(m, i, ev);
			if (ret)
				return ret;
			if (allows_top(m, s))
				continue;
		}
		*held = true;
	}
	return 0;
}

/*
 * Is a ring whose head is held back filled to its watermark?  For an observer: is
 * the writer far ahead of it?
 */
static bool filled(struct rbmap_merge *m)
{
	/* Any event is at the watermark, and no event is held for long. */
	if (is_idle(m))
		return false;
	if (m->observes) {
		for (unsigned int i = 0; i < m->nr_heap; i++)
			if (rbmap_observe_hurries(m->heap[i]->map))
				return true;
		return false;
	}
	for (unsigned int i = 0; i < m->nr_heap; i++) {
		m->fds[i].fd = rbmap_fd(m->heap[i]->map);
		m->fds[i].events = POLLIN;
	}
	return poll(m->fds, m->nr_heap, 0) > 0;
}

/* The caller is done with the last event: put its ring back. */
static int take_back(struct rbmap_merge *m, struct rbmap_event *ev)
{
	struct source *s = m->out;
	int ret;

	if (!s)
		return 0;
	m->out = NULL;
	/* The ring is still at the top of the heap. */
	ret = rbmap_map_small_event(s->map, &s->head) ? 1 : look(m, s);
	if (ret == 1) {
		if (m->nr_heap > 1)
			sift_down(m, 0);
		return 0;
	}
	heap_drop_top(m);
	if (s->map)
		add_empty(m, s);
	return ret < 0 ? source_error(s, ev, ret) : 0;
}

static void rush(struct rbmap_merge *m, unsigned int events)
{
	m->rush = events;
	m->bound_known = false;
}

static int give_out(struct rbmap_merge *m, struct rbmap_event *ev)
{
	/* The bound changes with the last event of the rush, not earlier. */
	if (m->rush == 1)
		rush(m, 0);
	else if (m->rush)
		m->rush--;
	m->out = m->heap[0];
	*ev = m->out->head;
	m->pace.events++;
	return 1;
}

static int open_cpu(struct rbmap_merge *m, int cpu)
{
	struct rbmap_map *map;
	int ret;

	for (unsigned int i = 0; i < m->nr; i++)
		if (m->source[i]->cpu == cpu && m->source[i]->map)
			return 0;
	ret = rbmap_map_open(&map, m->dir, cpu, m->observes);
	/* The device was removed after readdir() returned it. */
	if (ret == RBMAP_ERR_NO_CPU)
		return 0;
	if (ret)
		return ret;
	ret = rbmap_merge_add(m, map);
	if (ret)
		rbmap_close(map);
	return ret;
}

static int dir_error(const char *dir, int error)
{
	if (error == EACCES)
		return RBMAP_ERR_PERMISSION;
	/* Without the module the directory of a named buffer does not exist either. */
	return access(DEVICE_DIR, F_OK) || !strcmp(dir, DEVICE_DIR) ?
	       RBMAP_ERR_NOT_LOADED : -error;
}

/* Open the devices that are not open yet. */
static int scan(struct rbmap_merge *m)
{
	struct dirent *entry;
	int ret = 0, cpu, len;
	DIR *dir;

	m->scanned_ns = m->clock();
	dir = opendir(m->dir);
	if (!dir)
		return dir_error(m->dir, errno);
	while (!ret && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "cpu%d%n", &cpu, &len) == 1 &&
		    !entry->d_name[len] && cpu >= 0)
			ret = open_cpu(m, cpu);
	closedir(dir);
	return ret;
}

/*
 * Open the devices of CPUs that have come online.  Errors do not matter, because the open
 * rings are still valid.  Return whether there is a new one.
 */
static bool scan_again(struct rbmap_merge *m)
{
	unsigned int nr = m->nr;

	m->scan_due = false;
	if (m->dir)
		scan(m);
	return m->nr > nr;
}

static bool scan_is_due(const struct rbmap_merge *m)
{
	return m->dir && m->clock() - m->scanned_ns > SCAN_NS;
}

RBMAP_API int rbmap_merge_next(struct rbmap_merge *m, struct rbmap_event *ev)
{
	bool held;
	int ret;

	if (m->scan_due)
		scan_again(m);
	ret = take_back(m, ev);
	if (ret)
		return ret;

	/* Each turn moves a ring from empty to the heap, or ends the loop. */
	for (;;) {
		if (!m->nr_heap) {
			for (unsigned int i = 0; i < m->nr_empty; ) {
				ret = look_at_empty(m, i, ev);
				if (ret < 0)
					return ret;
				i += !ret;
			}
			if (!m->nr_heap && scan_is_due(m) && scan_again(m))
				continue;
			if (!m->nr_heap)
				return 0;
		}
		if (top_may_go(m))
			return give_out(m, ev);
		ret = look_for_older(m, ev, &held);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		if (!held)
			return give_out(m, ev);
		if (!filled(m))
			return 0;
		rush(m, RUSH_EVENTS);
	}
}

/* Time in ns until the held event can be returned. */
static uint64_t held_ns(struct rbmap_merge *m)
{
	uint64_t now = m->clock(), longest = 0;

	for (unsigned int i = 0; i < m->nr_empty; i++) {
		const struct source *s = m->empty[i];
		uint64_t ns = allows_top(m, s) ? 0 : wait_ns(m, s, now);

		if (ns > longest)
			longest = ns;
	}
	return longest;
}

/* In ms, an observer's wait is rounded up: rounded down, the caller would spin. */
static int wait_for_any(struct rbmap_merge *m, unsigned int nr, int64_t timeout_ns)
{
	struct timespec limit = { .tv_sec = timeout_ns / 1000000000,
				  .tv_nsec = timeout_ns % 1000000000 };
	int ret;

	if (m->observes) {
		int ms = timeout_ns / (int64_t)NSEC_PER_MSEC;

		ms += timeout_ns % (int64_t)NSEC_PER_MSEC > 0;
		return rbmap_observe_wait(m->maps, nr, m->wake_fd, timeout_ns < 0 ? -1 : ms);
	}
	m->fds[nr] = (struct pollfd){ .fd = m->wake_fd, .events = POLLIN };
	ret = ppoll(m->fds, nr + 1, timeout_ns < 0 ? NULL : &limit, NULL);
	if (ret < 0)
		return -errno;
	return ret - (m->fds[nr].revents != 0);
}

static bool take_wake(struct rbmap_merge *m)
{
	uint64_t wakes;

	return read(m->wake_fd, &wakes, sizeof(wakes)) > 0;
}

/* Like rbmap_merge_wait(), and set *@woken if rbmap_merge_wake() has ended the wait. */
static int wait_for_rings(struct rbmap_merge *m, int timeout_ms, bool *woken)
{
	int64_t timeout_ns = timeout_ms < 0 ? -1 : timeout_ms * (int64_t)NSEC_PER_MSEC;
	unsigned int nr = 0;
	bool held = false;
	int ret;

	*woken = false;
	if (m->out) {
		if (m->nr_heap > 1 || rbmap_map_pending(m->out->map))
			return 1;
	} else if (m->nr_heap) {
		int64_t ns = held_ns(m);

		if (m->rush || !ns)
			return 1;
		if (timeout_ns < 0 || ns <= timeout_ns) {
			timeout_ns = ns;
			held = true;
		}
	}
	for (unsigned int i = 0; i < m->nr; i++) {
		if (!m->source[i]->map)
			continue;
		m->maps[nr] = m->source[i]->map;
		m->fds[nr].fd = rbmap_fd(m->source[i]->map);
		m->fds[nr++].events = POLLIN;
	}
	if (!nr)
		return RBMAP_ERR_GONE;
	ret = wait_for_any(m, nr, timeout_ns);
	if (ret)
		return ret < 0 ? ret : 1;
	/* If a ring is ready, the wake ends the next wait. */
	*woken = take_wake(m);
	return *woken ? 0 : held;
}

/* A wait ends in time for the next scan. */
static int until_scan(const struct rbmap_merge *m, int timeout_ms)
{
	uint64_t since = m->clock() - m->scanned_ns;
	int ms = since < SCAN_NS ? (SCAN_NS - since) / NSEC_PER_MSEC + 1 : 1;

	if (m->pace.busy && (timeout_ms < 0 || timeout_ms > PACE_MS))
		timeout_ms = PACE_MS;
	return m->dir && (timeout_ms < 0 || timeout_ms > ms) ? ms : timeout_ms;
}

static void check_empty_again(struct rbmap_merge *m)
{
	rush(m, 0);
	for (unsigned int i = 0; i < m->nr_empty; i++) {
		m->empty[i]->empty_turn = 0;
		m->empty[i]->empty_now = 0;
	}
}

static int set_pace(struct rbmap_merge *m, bool busy)
{
	const char *percent = busy ? "50\n" : "0\n";

	m->pace.busy = busy;
	check_empty_again(m);
	return pwrite(m->pace.fd, percent, strlen(percent), 0) < 0 ? -errno : 0;
}

static void keep_pace(struct rbmap_merge *m)
{
	struct pace *p = &m->pace;
	uint64_t now;
	bool over;

	if (p->fd < 0)
		return;
	now = m->clock();
	over = now - p->since_ns >= PACE_NS;
	if (!p->busy && p->events >= PACE_BUSY)
		set_pace(m, true);
	else if (p->busy && over && p->events < PACE_IDLE)
		set_pace(m, false);
	if (over) {
		p->since_ns = now;
		p->events = 0;
	}
}

RBMAP_API int rbmap_merge_wait(struct rbmap_merge *m, int timeout_ms)
{
	keep_pace(m);
	for (;;) {
		bool woken;
		int part, ret;

		if (scan_is_due(m) && scan_again(m))
			return 1;
		part = until_scan(m, timeout_ms);
		ret = wait_for_rings(m, part, &woken);
		if (ret || woken || part == timeout_ms)
			return ret;
		if (timeout_ms > 0)
			timeout_ms -= part;
	}
}

RBMAP_API int rbmap_merge_wake(struct rbmap_merge *m)
{
	int saved_errno = errno, ret;

	ret = rbmap_wake_fd(m->wake_fd);
	errno = saved_errno;
	return ret;
}

RBMAP_API void rbmap_merge_set_hold(struct rbmap_merge *m, unsigned int usecs)
{
	m->hold_ns = usecs * 1000ULL;
	/* At the end of a stream this is the last chance. */
	m->scan_due = true;
	check_empty_again(m);
}

static void end_pace(struct rbmap_merge *m)
{
	if (m->pace.fd >= 0)
		close(m->pace.fd);
	m->pace = (struct pace){ .fd = -1 };
	check_empty_again(m);
}

RBMAP_API int rbmap_merge_pace(struct rbmap_merge *m, const char *buffer_percent)
{
	int ret;

	end_pace(m);
	if (!buffer_percent)
		return 0;
	m->pace.fd = open(buffer_percent, O_WRONLY | O_CLOEXEC);
	if (m->pace.fd < 0)
		return -errno;
	m->pace.since_ns = m->clock();
	ret = set_pace(m, false);
	if (ret)
		end_pace(m);
	return ret;
}

RBMAP_API int rbmap_merge_loss(struct rbmap_merge *m, struct rbmap_loss *loss)
{
	memset(loss, 0, sizeof(*loss));
	for (unsigned int i = 0; i < m->nr; i++) {
		struct rbmap_loss one = m->source[i]->loss;

		if (m->source[i]->map)
			rbmap_loss(m->source[i]->map, &one);
		loss->overrun += one.overrun;
		loss->full += one.full;
		loss->lapped += one.lapped;
		loss->nested += one.nested;
		loss->too_large += one.too_large;
		loss->expired += one.expired;
		loss->no_ring += one.no_ring;
		loss->total += one.total;
		loss->reported = rbmap_lost_sum(loss->reported, one.reported);
		loss->disabled += one.disabled;
		loss->unreported += one.unreported;
	}
	return 0;
}

struct rbmap_merge *rbmap_merge_new(uint64_t (*clock)(void))
{
	struct rbmap_merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->hold_ns = RBMAP_MERGE_HOLD_US * 1000ULL;
	m->ticks_per_ns = 1;
	m->pace.fd = -1;
	m->clock = clock ? clock : now_ns;
	m->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->wake_fd < 0) {
		free(m);
		return NULL;
	}
	return m;
}

static bool grow(void *array, size_t size)
{
	void *bigger = realloc(*(void **)array, size);

	if (bigger)
		*(void **)array = bigger;
	return bigger;
}

/* Takes ownership of @map if it returns 0. */
int rbmap_merge_add(struct rbmap_merge *m, struct rbmap_map *map)
{
	unsigned int nr = m->nr + 1;
	struct source *s;

	if (!grow(&m->source, nr * sizeof(*m->source)) ||
	    !grow(&m->heap, nr * sizeof(*m->heap)) ||
	    !grow(&m->empty, nr * sizeof(*m->empty)) ||
	    !grow(&m->fds, (nr + 1) * sizeof(*m->fds)) ||
	    !grow(&m->maps, nr * sizeof(*m->maps)))
		return -ENOMEM;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->map = map;
	s->cpu = map->cpu;
	m->observes |= map->observer != NULL;
	m->source[m->nr++] = s;
	add_empty(m, s);
	return 0;
}

static int open_merge(struct rbmap_merge **merge, const char *dir,
		      unsigned int flags, bool observes)
{
	struct rbmap_merge *m;
	int ret;

	*merge = NULL;
	if (flags)
		return -EINVAL;
	m = rbmap_merge_new(NULL);
	if (!m)
		return -errno;
	m->observes = observes;
	m->dir = strdup(dir);
	ret = m->dir ? scan(m) : -ENOMEM;
	if (!ret && !m->nr)
		ret = RBMAP_ERR_NO_CPU;
	if (ret) {
		rbmap_merge_close(m);
		return ret;
	}
	*merge = m;
	return 0;
}

RBMAP_API int rbmap_merge_open(struct rbmap_merge **merge, unsigned int flags)
{
	return open_merge(merge, DEVICE_DIR, flags, false);
}

RBMAP_API int rbmap_merge_open_path(struct rbmap_merge **merge,
				    const char *dir, unsigned int flags)
{
	return open_merge(merge, dir, flags, false);
}

RBMAP_API int rbmap_merge_observe(struct rbmap_merge **merge,
				  unsigned int flags)
{
	return open_merge(merge, DEVICE_DIR, flags, true);
}

RBMAP_API int rbmap_merge_observe_path(struct rbmap_merge **merge,
				       const char *dir, unsigned int flags)
{
	return open_merge(merge, dir, flags, true);
}

RBMAP_API void rbmap_merge_close(struct rbmap_merge *m)
{
	if (!m)
		return;
	for (unsigned int i = 0; i < m->nr; i++) {
		rbmap_close(m->source[i]->map);
		free(m->source[i]);
	}
	free(m->source);
	free(m->heap);
	free(m->empty);
	free(m->fds);
	free(m->maps);
	free(m->dir);
	if (m->pace.fd >= 0)
		close(m->pace.fd);
	close(m->wake_fd);
	free(m);
}

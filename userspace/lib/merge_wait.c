// SPDX-License-Identifier: LGPL-2.1-only
/* A merge of rings: wait for events, at a pace that fits their number. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "merge.h"

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
		int64_t ns = rbmap_merge_held_ns(m);

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
	rbmap_merge_rush(m, 0);
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

		if (rbmap_merge_scan_is_due(m) && rbmap_merge_scan_again(m))
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
	/* Look for new CPUs: at the end of a stream no later call does. */
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

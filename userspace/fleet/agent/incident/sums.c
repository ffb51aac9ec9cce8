// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "message/message.h"
#include "sums.h"

#define NS_PER_S	1000000000ULL
#define LOOK_EVENTS	4096	/* Look for a signal after so many events. */

/* The library closes the descriptor that it gets. */
static int open_recording(struct rbmap_recording **r, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -errno : rbmap_recording_open_fd(r, copy, 0);
}

enum sums_state sums_state(int fd)
{
	const struct rbmap_damage *damage;
	enum sums_state state = SUMS_COMPLETE;
	struct rbmap_recording *r;
	char path[32];

	/* The files of CPUs, which an unfinished recording has, are found by its name. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (rbmap_recording_open(&r, path, 0))
		return SUMS_DAMAGED;
	damage = rbmap_recording_damage(r);
	if (damage->unfinished || damage->busy)
		state = SUMS_UNFINISHED;
	else if (damage->missing)
		state = SUMS_DAMAGED;
	rbmap_recording_close(r);
	return state;
}

static void add_lost(struct sums *s, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN || s->lost == RBMAP_LOST_UNKNOWN ||
	    lost >= RBMAP_LOST_UNKNOWN - s->lost)
		s->lost = lost ? RBMAP_LOST_UNKNOWN : s->lost;
	else
		s->lost += lost;
}

static int read_events(struct sums *s, struct rbmap_recording *r, bool (*stopped)(void))
{
	const struct rbmap_damage *damage;
	struct rbmap_event ev;
	int ret;

	while ((ret = rbmap_recording_next(r, &ev)) == 1) {
		if (!s->events || ev.ts < s->first)
			s->first = ev.ts;
		if (!s->events || ev.ts > s->last)
			s->last = ev.ts;
		s->events++;
		add_lost(s, ev.lost);
		if (!(s->events % LOOK_EVENTS) && stopped())
			return -EINTR;
	}
	for (unsigned int cpu = 0; !ret && cpu < rbmap_recording_cpus(r); cpu++)
		add_lost(s, rbmap_recording_lost_last(r, cpu));
	damage = rbmap_recording_damage(r);
	/* Nobody knows how many events the rest of a damaged file had. */
	if (damage->missing || damage->broken || damage->lacking || damage->unfinished)
		s->lost = RBMAP_LOST_UNKNOWN;
	return ret;
}

/* The name of the system is "SYSTEM HOST RELEASE MACHINE". */
static void store_release(struct sums *s, const char *uname)
{
	for (int i = 0; uname && i < 2; i++) {
		uname = strchr(uname, ' ');
		uname = uname ? uname + 1 : NULL;
	}
	if (uname)
		snprintf(s->kernel, sizeof(s->kernel), "%.*s", (int)strcspn(uname, " "), uname);
}

static void store_heads(struct sums *s, struct rbmap_recording *r)
{
	const char *clock = rbmap_recording_clock(r), *reason = rbmap_recording_reason(r);

	snprintf(s->clock, sizeof(s->clock), "%s", clock ? clock : "");
	snprintf(s->reason, sizeof(s->reason), "%s", reason ? reason : "");
	store_release(s, rbmap_recording_uname(r));
	for (int i = 0; i < SUMS_MOMENTS; i++) {
		const struct rbmap_moment *moment = rbmap_recording_moment(r, i);

		if (moment)
			s->moment[i] = *moment;
	}
}

int sums_read(struct sums *s, int fd, bool (*stopped)(void))
{
	struct rbmap_recording *r = NULL;
	int ret;

	*s = (struct sums){ 0 };
	if (open_recording(&r, fd))
		return 0;
	store_heads(s, r);
	ret = read_events(s, r, stopped);
	s->readable = !ret;
	rbmap_recording_close(r);
	return ret == -EINTR ? ret : 0;
}

/* Other clocks, and names that this version does not know, may count cycles. */
static bool is_in_ns(const char *clock)
{
	static const char *const names[] = { "local", "global", "mono", "mono_raw", "boot",
					     "tai", "perf" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(clock, names[i]))
			return true;
	return false;
}

static bool moment_tai(const struct rbmap_moment *m, uint64_t *tai)
{
	/* TAI is less than an hour ahead of UTC, and stays so for thousands of years. */
	if (!m->real || m->tai_offset <= 0 || m->tai_offset > 3600 || m->real > INT64_MAX)
		return false;
	*tai = m->real + m->tai_offset * NS_PER_S;
	return true;
}

/* Return the moment nearest to the events. */
static const struct rbmap_moment *nearest_moment(const struct sums *s)
{
	static const enum rbmap_moment_id order[SUMS_MOMENTS] = {
		RBMAP_MOMENT_TRIGGER, RBMAP_MOMENT_END, RBMAP_MOMENT_BEGIN,
	};

	for (int i = 0; i < SUMS_MOMENTS; i++)
		if (s->moment[order[i]].real)
			return &s->moment[order[i]];
	return NULL;
}

/* Store the time of an event by another clock, which was @other at the moment. */
static bool time_by(const struct sums *s, const struct rbmap_moment *m, uint64_t ts,
		    uint64_t other, uint64_t *time)
{
	int64_t away;

	return is_in_ns(s->clock) && !__builtin_sub_overflow(ts, m->ring, &away) &&
	       !__builtin_add_overflow(other, away, time);
}

bool sums_real(const struct sums *s, uint64_t ts, uint64_t *real)
{
	const struct rbmap_moment *m = nearest_moment(s);

	return m && time_by(s, m, ts, m->real, real);
}

bool sums_tai(const struct sums *s, uint64_t ts, uint64_t *tai)
{
	const struct rbmap_moment *m = nearest_moment(s);
	uint64_t at;

	return m && moment_tai(m, &at) && time_by(s, m, ts, at, tai);
}

static void add_moments(struct buf *out, const struct sums *s)
{
	static const char *const names[SUMS_MOMENTS][2] = {
		[RBMAP_MOMENT_BEGIN]	= { "begin-real", "begin-tai" },
		[RBMAP_MOMENT_TRIGGER]	= { "trigger-real", "trigger-tai" },
		[RBMAP_MOMENT_END]	= { "end-real", "end-tai" },
	};
	uint64_t tai;

	for (int i = 0; i < SUMS_MOMENTS; i++) {
		if (s->moment[i].real)
			text_add_u64(out, names[i][0], s->moment[i].real);
		if (moment_tai(&s->moment[i], &tai))
			text_add_u64(out, names[i][1], tai);
	}
}

static void add_text(struct buf *out, const char *name, const char *value)
{
	if (*value)
		text_add(out, name, value);
}

void sums_add(struct buf *out, const struct sums *s)
{
	uint64_t tai;

	if (s->readable)
		text_add_u64(out, "events", s->events);
	if (s->readable && s->lost == RBMAP_LOST_UNKNOWN)
		text_add(out, "lost", "unknown");
	else if (s->readable)
		text_add_u64(out, "lost", s->lost);
	add_text(out, "reason", s->reason);
	add_text(out, "kernel", s->kernel);
	add_text(out, "clock", s->clock);
	add_moments(out, s);
	if (s->readable && s->events && sums_tai(s, s->first, &tai))
		text_add_u64(out, "oldest-tai", tai);
	if (s->readable && s->events && sums_tai(s, s->last, &tai))
		text_add_u64(out, "newest-tai", tai);
}

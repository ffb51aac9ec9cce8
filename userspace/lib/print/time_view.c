// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "time_view.h"

#define NSEC_PER_SEC	1000000000ULL
/* Over a shorter time the error of a moment matters more than that of the rate. */
#define RATE_NS		(10 * NSEC_PER_SEC)
#define MOST_PPM	500	/* more than clocks differ: the wall clock was set */

static const char no_times[] = "the recording does not say when it was made";

bool clock_is_counter(const char *clock)
{
	return clock && (!strcmp(clock, "x86-tsc") || !strcmp(clock, "counter"));
}

static const struct rbmap_moment *first_moment(const struct dat_times *times)
{
	const struct rbmap_moment *begin = &times->begin, *trigger = &times->trigger;

	/* The file of a snapshot begins after its rings were frozen. */
	if (!begin->real || (trigger->real && trigger->ring < begin->ring))
		return trigger;
	return begin;
}

static const struct rbmap_moment *last_moment(const struct dat_times *times)
{
	if (times->end.real)
		return &times->end;
	return times->trigger.real ? &times->trigger : &times->begin;
}

/* Do the clocks of the two moments agree on the time between them? */
static bool rates_agree(uint64_t real, uint64_t ring)
{
	uint64_t apart = real > ring ? real - ring : ring - real;

	return apart <= ring / 1000000 * MOST_PPM;
}

bool time_view_init(struct time_view *v, const struct dat_times *times, bool is_counter)
{
	const struct rbmap_moment *first = first_moment(times), *last = last_moment(times);
	uint64_t real = last->real - first->real, ring = last->ring - first->ring;
	uint64_t boot = last->boot - first->boot;
	bool two = first->real && last->boot > first->boot && last->ring > first->ring;

	*v = (struct time_view){ .is_counter = is_counter, .ring = last->ring,
				 .real = last->real, .real_step = 1, .ring_step = 1 };
	v->boot = last->real ? last->boot : 0;
	/* No event of frozen rings comes later. */
	v->end = times->trigger.real ? times->trigger.ring : times->end.ring;
	if (!last->real)
		return false;
	if (is_counter && !two) {
		v->real = 0;
		return false;
	}
	if (is_counter) {
		/* Nobody sets CLOCK_BOOTTIME. */
		v->real_step = rates_agree(real, boot) ? real : boot;
		v->ring_step = ring;
	} else if (two && ring >= RATE_NS && rates_agree(real, ring)) {
		v->real_step = real;
		v->ring_step = ring;
	}
	return true;
}

void time_view_init_real(struct time_view *v)
{
	*v = (struct time_view){ .ring = NSEC_PER_SEC, .real = NSEC_PER_SEC, .ring_step = 1,
				 .real_step = 1, .is_real = true };
}

/* Return @value * @to / @from. */
static int64_t scale(int64_t value, uint64_t to, uint64_t from)
{
	return (__int128)value * to / from;
}

uint64_t time_view_real(const struct time_view *v, uint64_t ring)
{
	return v->real + scale(ring - v->ring, v->real_step, v->ring_step);
}

uint64_t time_view_ring(const struct time_view *v, uint64_t real)
{
	int64_t ring = v->ring + scale(real - v->real, v->ring_step, v->real_step);

	return ring > 0 ? ring : 0;
}

/* Parse "12.345" as ns. Return the end of the number, or NULL. */
static const char *parse_decimal(const char *text, uint64_t *ns)
{
	uint64_t seconds, unit = NSEC_PER_SEC;
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	seconds = strtoull(text, &end, 10);
	if (seconds > UINT64_MAX / NSEC_PER_SEC / 2)
		return NULL;
	*ns = seconds * NSEC_PER_SEC;
	if (*end != '.')
		return end;
	for (end++; *end >= '0' && *end <= '9'; end++) {
		unit /= 10;
		*ns += (*end - '0') * unit;
	}
	return end;
}

/* Parse a number of 64 bits, such as cycles; a fraction behind it does not count. */
static bool parse_count(const char *text, uint64_t *count)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*count = strtoull(text, &end, 10);
	if (*end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	return !errno && !*end;
}

/* Parse "HH:MM", and ":SS.fraction" behind it. Return what follows, or NULL. */
static const char *parse_clock(const char *text, struct tm *tm, uint64_t *ns)
{
	int read = 0;

	*ns = 0;
	if (sscanf(text, "%2d:%2d%n", &tm->tm_hour, &tm->tm_min, &read) != 2 ||
	    tm->tm_hour < 0 || tm->tm_hour > 23 || tm->tm_min < 0 || tm->tm_min > 59)
		return NULL;
	tm->tm_sec = 0;
	text += read;
	if (*text != ':')
		return text;
	text = parse_decimal(text + 1, ns);
	return text && *ns < 61 * NSEC_PER_SEC ? text : NULL;
}

static int days_of(int year, int month)
{
	bool is_leap = !(year % 4) && (year % 100 || !(year % 400));

	return month == 2 ? 28 + is_leap : 30 + ((month + month / 8) & 1);
}

/* Parse "YYYY-MM-DD " or "YYYY-MM-DDT". Return what follows, or @text without a date. */
static const char *parse_date(const char *text, struct tm *tm)
{
	int year, month, day, read = 0;

	if (sscanf(text, "%4d-%2d-%2d%*1[ T]%n", &year, &month, &day, &read) != 3 || !read ||
	    month < 1 || month > 12 || day < 1 || day > days_of(year, month))
		return text;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	tm->tm_mday = day;
	return text + read;
}

/* A time without a date is the last one of that name before the end. */
static const char *parse_wall(const struct time_view *v, const char *text, uint64_t *ring)
{
	uint64_t last = time_view_real(v, v->end ? v->end : v->ring), ns;
	time_t second = last / NSEC_PER_SEC;
	bool utc = text[strlen(text) - 1] == 'Z';
	const char *begin = text;
	bool has_date;
	struct tm tm;

	if (utc)
		gmtime_r(&second, &tm);
	else
		localtime_r(&second, &tm);
	tm.tm_isdst = -1;
	text = parse_date(text, &tm);
	has_date = text != begin;
	text = parse_clock(text, &tm, &ns);
	if (!text || *text != (utc ? 'Z' : '\0') || text[utc])
		return "write -SECONDS, HH:MM:SS, 'YYYY-MM-DD HH:MM:SS', or SECONDS of the ring's clock";
	if (!v->real)
		return no_times;
	if (v->is_real && !has_date)
		return "the recording does not say when it ended: give the date, too";
	second = utc ? timegm(&tm) : mktime(&tm);
	/* The clocks of computers end in 2262. */
	if (second < 0)
		ns = 0;
	else if ((uint64_t)second >= INT64_MAX / NSEC_PER_SEC)
		ns = INT64_MAX;
	else
		ns += second * NSEC_PER_SEC;
	if (!has_date && ns > last)
		ns -= 24 * 3600 * NSEC_PER_SEC;
	*ring = time_view_ring(v, ns);
	return NULL;
}

const char *time_view_parse(const struct time_view *v, const char *text, uint64_t *ring)
{
	const char *rest;
	uint64_t ns;

	if (*text == '-') {
		rest = parse_decimal(text + 1, &ns);
		if (!rest || *rest)
			return "write -SECONDS for a time before the end";
		if (!v->end)
			return "the recording does not say when it ended";
		ns = scale(ns, v->ring_step, v->real_step);
		*ring = ns < v->end ? v->end - ns : 0;
		return NULL;
	}
	if (v->is_counter && parse_count(text, ring))
		return NULL;
	rest = parse_decimal(text, &ns);
	if (!rest || *rest)
		return *text ? parse_wall(v, text, ring) : "the time is empty";
	*ring = ns;
	return NULL;
}

uint64_t length_ns(const struct time_view *time, uint64_t length)
{
	if (!time->is_counter || !time->real)
		return length;
	return (unsigned __int128)length * time->real_step / time->ring_step;
}

char *length_text(const struct time_view *time, uint64_t length, char text[LENGTH_ROOM])
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	uint64_t ns = length_ns(time, length), whole = ns, rest = 0;
	unsigned int i;

	if (time->is_counter && !time->real) {
		snprintf(text, LENGTH_ROOM, "%" PRIu64, length);
		return text;
	}
	for (i = 0; whole >= 1000 && i < 3; i++) {
		rest = whole % 1000;
		whole /= 1000;
	}
	if (!i || whole >= 100)
		snprintf(text, LENGTH_ROOM, "%" PRIu64 "%s", whole, unit[i]);
	else if (whole >= 10)
		snprintf(text, LENGTH_ROOM, "%" PRIu64 ".%u%s", whole,
			 (unsigned int)rest / 100, unit[i]);
	else
		snprintf(text, LENGTH_ROOM, "%" PRIu64 ".%02u%s", whole,
			 (unsigned int)rest / 10, unit[i]);
	return text;
}

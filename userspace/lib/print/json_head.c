// SPDX-License-Identifier: LGPL-2.1-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/json.h"
#include "json_lines.h"

#define NSEC_PER_SEC	1000000000ULL

/* @value: NULL or "" if it is not known */
static void add_string(struct buf *out, const char *key, const char *value)
{
	buf_printf(out, ", \"%s\": ", key);
	if (value && *value)
		json_add_string(out, value, strlen(value));
	else
		buf_printf(out, "null");
}

static void add_uname(struct buf *out, const char *uname)
{
	struct utsname u = { 0 };

	_Static_assert(sizeof(u.nodename) > 64 && sizeof(u.release) > 64 &&
		       sizeof(u.machine) > 64, "the sizes below fit");
	if (uname)
		sscanf(uname, "%*s %64s %64s %64s", u.nodename, u.release, u.machine);
	add_string(out, "host", u.nodename);
	add_string(out, "kernel", u.release);
	add_string(out, "machine", u.machine);
}

static void add_utc(struct buf *out, uint64_t real)
{
	time_t second = real / NSEC_PER_SEC;
	char date[64];
	struct tm tm;

	if (!gmtime_r(&second, &tm) || !strftime(date, sizeof(date), "%FT%T", &tm))
		return;
	buf_printf(out, ", \"utc\": \"%s.%09" PRIu64 "Z\"", date, (uint64_t)(real % NSEC_PER_SEC));
}

static void add_time(struct buf *out, const struct time_view *time)
{
	buf_printf(out, ", \"time\": ");
	if (!time->real) {
		buf_printf(out, "null");
		return;
	}
	buf_printf(out, "{\"ring\": %" PRIu64 ", \"real\": %" PRIu64 ", \"ring_step\": %" PRIu64
		   ", \"real_step\": %" PRIu64, time->ring, time->real, time->ring_step,
		   time->real_step);
	add_utc(out, time->real);
	buf_printf(out, "}");
}

void json_head_add(const char *clock, const char *uname, const struct time_view *time,
		   const char *file, struct buf *out)
{
	buf_printf(out, "{\"rbmap_json\": %d", JSON_VERSION);
	if (file)
		add_string(out, "file", file);
	add_string(out, "clock", clock);
	add_string(out, "unit", time->is_counter ? "cycles" : "ns");
	add_uname(out, uname);
	add_time(out, time);
	buf_printf(out, "}\n");
}

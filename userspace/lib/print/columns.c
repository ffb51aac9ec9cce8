// SPDX-License-Identifier: LGPL-2.1-only
#include <string.h>
#include <time.h>

#include "base/printable.h"
#include "columns.h"
#include "print/fields/fields.h"
#include "print/fields/numbers.h"

#define COMM_WIDTH	16
#define FLAGS_WIDTH	6		/* with the blank */
#define ROOM		256		/* for all columns, but for a long name */
#define NSEC_PER_SEC	1000000000ULL

static char resched_char(unsigned int flags)
{
	bool lazy = flags & FLAG_NEED_RESCHED_LAZY;
	bool preempt = flags & FLAG_PREEMPT_RESCHED;

	if (flags & FLAG_NEED_RESCHED)
		return preempt ? (lazy ? 'B' : 'N') : (lazy ? 'b' : 'n');
	return preempt ? (lazy ? 'L' : 'p') : (lazy ? 'l' : '.');
}

static char context_char(unsigned int flags)
{
	if (flags & FLAG_NMI)
		return flags & FLAG_HARDIRQ ? 'Z' : 'z';
	if (flags & FLAG_HARDIRQ)
		return flags & FLAG_SOFTIRQ ? 'H' : 'h';
	return flags & FLAG_SOFTIRQ ? 's' : '.';
}

static char depth_char(unsigned int depth)
{
	return depth ? "0123456789abcdef"[depth & 0xf] : '.';
}

/* Interrupts off, need resched, context, preemption off, migration off. */
static void set_flags(struct columns *c, unsigned int flags, unsigned int count)
{
	char text[8] = { ' ', '.', resched_char(flags), context_char(flags),
			 depth_char(count & 0xf), depth_char(count >> 4) };

	if (flags & FLAG_IRQS_OFF)
		text[1] = flags & FLAG_BH_OFF ? 'D' : 'd';
	else if (flags & FLAG_BH_OFF)
		text[1] = 'b';
	memcpy(c->flags_text, text, sizeof(text));
	c->flags = flags | count << 8;
}

static char *put_flags(struct columns *c, char *at, const struct rbmap_event_common *common)
{
	if (c->flags != (common->flags | common->preempt_count << 8))
		set_flags(c, common->flags, common->preempt_count);
	memcpy(at, c->flags_text, sizeof(c->flags_text));
	return at + FLAGS_WIDTH;
}

/* Write @value with spaces before it, up to @width bytes. */
static char *put_aligned(char *at, uint64_t value, unsigned int width)
{
	unsigned int digits = decimal_digits(value);

	for (; digits < width; width--)
		*at++ = ' ';
	return put_decimal(at, value);
}

static bool is_wall(const struct columns *c)
{
	return c->time.style == TIME_WALL || c->time.style == TIME_WALL_UTC;
}

static char *put_date(const struct columns *c, char *at, size_t size, uint64_t second)
{
	time_t time = second;
	struct tm tm;

	if (c->time.style == TIME_WALL_UTC ? !gmtime_r(&time, &tm) : !localtime_r(&time, &tm))
		return at;
	return at + strftime(at, size, "%Y-%m-%d %H:%M:%S", &tm);
}

static void set_second(struct columns *c, uint64_t ts)
{
	uint64_t us = ts / 1000 + (ts % 1000 >= 500), second = us / 1000000;
	char *at = c->second_text;

	*at++ = ' ';
	at = is_wall(c) ? put_date(c, at, sizeof(c->second_text) - 2, second) :
			  put_aligned(at, second, 5);
	*at++ = '.';
	c->second_size = at - c->second_text;
	/* Times are rounded to microseconds, so a second begins 500 ns earlier. */
	c->rounding = second ? 0 : 500;
	c->second = second ? second * NSEC_PER_SEC - 500 : 0;
	c->second_ns = NSEC_PER_SEC - c->rounding;
	/* The last second ends with the largest number. */
	if (c->second > UINT64_MAX - c->second_ns)
		c->second_ns = UINT64_MAX - c->second + 1;
}

static char *put_seconds(struct columns *c, char *at, uint64_t ts)
{
	uint32_t since;

	if (ts - c->second >= c->second_ns)
		set_second(c, ts);
	since = ts - c->second + c->rounding;
	memcpy(at, c->second_text, sizeof(c->second_text));
	return put_six(at + c->second_size, since / 1000);
}

static char *put_time(struct columns *c, char *at, uint64_t ts)
{
	if (c->time.style == TIME_RELATIVE)
		ts = ts > c->time.ring ? ts - c->time.ring : 0;
	if (is_wall(c)) {
		at = put_seconds(c, at, time_view_real(&c->time, ts));
		if (c->time.style == TIME_WALL_UTC)
			*at++ = 'Z';
	} else if (c->time.is_counter) {
		*at++ = ' ';
		at = put_aligned(at, ts, 12);
	} else {
		at = put_seconds(c, at, ts);
	}
	*at++ = ':';
	*at++ = ' ';
	return at;
}

static char *put_cpu(char *at, unsigned int cpu)
{
	if (cpu >= 1000)
		return put_decimal(at, cpu);
	*at++ = '0' + cpu / 100;
	put_pair(at, cpu % 100);
	return at + 2;
}

/* "web:" */
static char *put_host(char *at, const char *host)
{
	at = put_printable(at, host, strlen(host));
	*at++ = ':';
	return at;
}

static char *put_task(const struct columns *c, char *at, const struct task_column *task)
{
	char *number;

	number = put_printable(at, task->comm, strlen(task->comm));
	at = align_right(at, number, COMM_WIDTH, ' ');
	*at++ = '-';
	number = at;
	at = put_signed(at, task->pid);
	while (at < number + c->pid_width)
		*at++ = ' ';
	*at++ = ' ';
	*at++ = '[';
	if (task->host)
		at = put_host(at, task->host);
	at = put_cpu(at, task->cpu);
	*at++ = ']';
	return at;
}

void columns_set_task(const struct columns *c, struct task_column *task, const char *comm,
		      int pid, int cpu, const char *host)
{
	task->comm = comm;
	task->host = host;
	task->pid = pid;
	task->cpu = cpu;
	task->size = 0;
	if (!host && strlen(comm) <= COMM_WIDTH && is_printable(comm, strlen(comm)))
		task->size = put_task(c, task->text, task) - task->text;
}

void columns_add(struct columns *c, const struct task_column *task,
		 const struct rbmap_event_common *common, uint64_t ts, struct buf *out)
{
	size_t names = task->size ? 0 : strlen(task->comm) + (task->host ? strlen(task->host) : 0);
	char *at = buf_room(out, ROOM + PRINTABLE_MAX * names);

	if (!at)
		return;
	if (task->size) {
		/* A constant number of bytes needs no call. */
		memcpy(at, task->text, sizeof(task->text));
		at += task->size;
	} else {
		at = put_task(c, at, task);
	}
	if (c->with_flags)
		at = put_flags(c, at, common);
	buf_end(out, put_time(c, at, ts));
}

void columns_add_time(struct columns *c, uint64_t ts, struct buf *out)
{
	char *at = buf_room(out, ROOM);

	if (at)
		buf_end(out, put_time(c, at, ts));
}

void columns_init(struct columns *c)
{
	set_flags(c, 0, 0);
	set_second(c, 0);
}

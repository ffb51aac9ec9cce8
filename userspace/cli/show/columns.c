// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "columns.h"
#include "numbers.h"

#define COMM_WIDTH	16

/* bits of common_flags */
enum {
	FLAG_IRQS_OFF		= 0x01,
	FLAG_NEED_RESCHED_LAZY	= 0x02,
	FLAG_NEED_RESCHED	= 0x04,
	FLAG_HARDIRQ		= 0x08,
	FLAG_SOFTIRQ		= 0x10,
	FLAG_PREEMPT_RESCHED	= 0x20,
	FLAG_NMI		= 0x40,
	FLAG_BH_OFF		= 0x80,
};

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

void columns_add_flags(const struct rbmap_event_common *common, struct buf *out)
{
	unsigned int flags = common->flags, count = common->preempt_count;
	char text[5] = { '.', resched_char(flags), context_char(flags),
			 depth_char(count & 0xf), depth_char(count >> 4) };

	if (flags & FLAG_IRQS_OFF)
		text[0] = flags & FLAG_BH_OFF ? 'D' : 'd';
	else if (flags & FLAG_BH_OFF)
		text[0] = 'b';
	buf_add(out, text, sizeof(text));
}

/* Write @value with spaces before it, up to @width bytes. */
static char *put_aligned(char *at, uint64_t value, unsigned int width)
{
	unsigned int digits = decimal_digits(value);

	for (; digits < width; width--)
		*at++ = ' ';
	return put_decimal(at, value);
}

void columns_add_time(uint64_t ts, bool is_counter, struct buf *out)
{
	uint64_t us = ts / 1000 + (ts % 1000 >= 500);
	char *at = buf_room(out, 2 * NUMBER_MAX + 4);

	if (!at)
		return;
	*at++ = ' ';
	if (is_counter) {
		at = put_aligned(at, ts, 12);
	} else {
		at = put_aligned(at, us / 1000000, 5);
		*at++ = '.';
		at = put_six(at, us % 1000000);
	}
	*at++ = ':';
	*at++ = ' ';
	buf_end(out, at);
}

static char *put_cpu(char *at, unsigned int cpu)
{
	if (cpu >= 1000)
		return put_decimal(at, cpu);
	*at++ = '0' + cpu / 100;
	put_pair(at, cpu % 100);
	return at + 2;
}

void columns_add_task(const char *comm, int pid, unsigned int pid_width, int cpu,
		      struct buf *out)
{
	size_t len = strlen(comm);
	char *at = buf_room(out, COMM_WIDTH + len + pid_width + 2 * NUMBER_MAX + 16);
	char *number;

	if (!at)
		return;
	if (len < COMM_WIDTH) {
		memset(at, ' ', COMM_WIDTH);
		at += COMM_WIDTH - len;
	}
	at = mempcpy(at, comm, len);
	*at++ = '-';
	number = at;
	at = put_signed(at, pid);
	while (at < number + pid_width)
		*at++ = ' ';
	*at++ = ' ';
	*at++ = '[';
	at = put_cpu(at, cpu);
	*at++ = ']';
	buf_end(out, at);
}

/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/rbmap_selftest: writers in all contexts, for the command rbmap selftest.
 *
 * This is an interface between the module rbmap_selftest and the command of the same
 * version.  Other programs have no use for it, and no package installs this header.
 */
#ifndef _LINUX_RBMAP_SELFTEST_H
#define _LINUX_RBMAP_SELFTEST_H

#include <linux/ioctl.h>
#include <linux/rbmap.h>
#include <linux/types.h>

#define RBMAP_SELFTEST_START	_IOW('R', 0x50, struct rbmap_selftest_start)
#define RBMAP_SELFTEST_STOP	_IO('R', 0x51)
#define RBMAP_SELFTEST_LAST	_IO('R', 0x52)
#define RBMAP_SELFTEST_COUNT	_IOWR('R', 0x53, struct rbmap_selftest_counts)

enum rbmap_selftest_context {
	RBMAP_SELFTEST_TASK	= 0,
	RBMAP_SELFTEST_SOFTIRQ	= 1,	/* a tasklet */
	RBMAP_SELFTEST_IRQ	= 2,	/* an hrtimer and interrupt work */
	RBMAP_SELFTEST_NMI	= 3,	/* where a module can send one */
	RBMAP_SELFTEST_CONTEXTS	= 4,
};

/**
 * struct rbmap_selftest_start - which buffer the writers write to
 * @buffer: name of the buffer, and a 0 byte
 */
struct rbmap_selftest_start {
	char	buffer[64];
};

/**
 * struct rbmap_selftest_counts - what the writers of a CPU have done since the start
 * @cpu: number of the CPU; the caller sets it
 * @last: whether the CPU has written its last event
 * @emitted: events that each context tried to write, the refused ones included
 * @refused: events that the ring refused
 */
struct rbmap_selftest_counts {
	__u32	cpu;
	__u32	last;
	__u64	emitted[RBMAP_SELFTEST_CONTEXTS];
	__u64	refused[RBMAP_SELFTEST_CONTEXTS];
};

/* Most words of a pattern, so that events are of many sizes. */
#define RBMAP_SELFTEST_WORDS	40

/**
 * struct rbmap_selftest_event - the payload of an event
 * @common: zeroes: an event type has another id
 * @cpu: CPU of the writer
 * @context: enum rbmap_selftest_context
 * @number: number of the event, from 0 for each context of each CPU
 * @word: rbmap_selftest_words() words of rbmap_selftest_word()
 */
struct rbmap_selftest_event {
	struct rbmap_event_common common;
	__u32	cpu;
	__u32	context;
	__u32	number;
	__u32	word[];
};

/* Word i of the pattern of an event. */
static inline __u32 rbmap_selftest_word(__u32 cpu, __u32 context,
					    __u32 number, __u32 i)
{
	__u32 x = number * 0x9e3779b1u + cpu * 0x85ebca6bu + context + i * 0x27d4eb2fu;

	x = (x ^ x >> 16) * 0x7feb352du;
	return x ^ x >> 15;
}

/* How many words the pattern of an event has. */
static inline __u32 rbmap_selftest_words(__u32 cpu, __u32 context, __u32 number)
{
	return rbmap_selftest_word(cpu, context, number, 0) % RBMAP_SELFTEST_WORDS;
}

#endif /* _LINUX_RBMAP_SELFTEST_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What writes an event, in a loop that nothing interrupts.
 *
 * A rival has ways to write; each is a function that does so n times, with a
 * payload whose size the compiler knows, as it does where events are defined.
 */
#ifndef BENCH_H
#define BENCH_H

#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/string.h>
#include <linux/types.h>

#define BENCH_MAX_SIZE	256

/* What all of them write. */
extern u8 bench_payload[BENCH_MAX_SIZE];

/**
 * struct bench_way - a way to write events
 * @name: of the rival and the way
 * @size: bytes of payload
 * @run: write @n of them; nanoseconds that it took
 */
struct bench_way {
	const char	*name;
	u32		size;
	u64		(*run)(u32 n);
};

/**
 * struct bench_rival - who has a ring
 * @name: what it is called
 * @begin: make an empty ring of KiB a CPU; it overwrites, if that is wanted
 * @end: give it back
 * @ways: they end with one without a name
 */
struct bench_rival {
	const char		*name;
	int			(*begin)(unsigned long kb, bool overwrite);
	void			(*end)(void);
	const struct bench_way	*ways;
};

extern const struct bench_rival bench_rbmap, bench_ring_buffer;

struct dentry;

/* Whole events: a file of theirs. */
void bench_event_init(struct dentry *dir);

/* Defines way_SIZE(n), which has `write` done n times. */
#define BENCH_WAY(way, size, write)					\
static u64 way##_##size(u32 n)						\
{									\
	unsigned long flags;						\
	u64 begin, took;						\
									\
	local_irq_save(flags);						\
	begin = ktime_get_ns();						\
	for (; n; n--)							\
		write(size);						\
	took = ktime_get_ns() - begin;					\
	local_irq_restore(flags);					\
	return took;							\
}

#define BENCH_SIZES(way, write)						\
	BENCH_WAY(way, 0, write)					\
	BENCH_WAY(way, 8, write)					\
	BENCH_WAY(way, 16, write)					\
	BENCH_WAY(way, 32, write)					\
	BENCH_WAY(way, 64, write)					\
	BENCH_WAY(way, 128, write)					\
	BENCH_WAY(way, 256, write)

#define BENCH_ENTRY(way, size)	{ #way, size, way##_##size }

#define BENCH_ENTRIES(way)						\
	BENCH_ENTRY(way, 0), BENCH_ENTRY(way, 8), BENCH_ENTRY(way, 16),	\
	BENCH_ENTRY(way, 32), BENCH_ENTRY(way, 64),			\
	BENCH_ENTRY(way, 128), BENCH_ENTRY(way, 256)

#endif /* BENCH_H */

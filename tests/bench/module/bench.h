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
 * struct bench_ring - what ring is wanted
 * @kb: KiB a CPU
 * @subbuf_kb: of a sub-buffer; 0: as ever
 * @overwrite: it does; else what does not fit is dropped
 * @tsc: its clock is the time-stamp counter
 */
struct bench_ring {
	unsigned int	kb;
	unsigned int	subbuf_kb;
	bool		overwrite;
	bool		tsc;
};

/* What is kept of an event from reserve to commit. */
struct bench_room {
	u64	words[12];
};

/**
 * struct bench_rival - who has a ring
 * @name: what it is called
 * @begin: make an empty one
 * @end: give it back
 * @disable: record no more; NULL: that is for user space to say
 * @reserve: make room for an event
 * @commit: publish it
 * @ways: they end with one without a name
 */
struct bench_rival {
	const char		*name;
	int			(*begin)(const struct bench_ring *ring);
	void			(*end)(void);
	void			(*disable)(void);
	void			*(*reserve)(struct bench_room *room, size_t size);
	void			(*commit)(struct bench_room *room);
	const struct bench_way	*ways;
};

extern const struct bench_rival bench_rbmap, bench_ring_buffer;
extern const struct bench_rival *const bench_rivals[];

/**
 * struct bench_row - what was measured
 * @rival: who
 * @way: how
 * @size: bytes of payload
 * @n: how often
 * @ns: nanoseconds in all
 * @reference: of what never changes
 */
struct bench_row {
	const char	*rival;
	const char	*way;
	u32		size;
	u32		n;
	u64		ns;
	u64		reference;
};

int bench_add_row(const struct bench_row *row);

/* The first of its ways with a payload of so many bytes; there is one. */
static inline const struct bench_way *
bench_first_way(const struct bench_rival *rival, u32 size)
{
	const struct bench_way *way = rival->ways;

	while (way->size != size)
		way++;
	return way;
}

int bench_nested(u32 n, unsigned int unused);
int bench_scale(u32 n, unsigned int cpus);
int bench_open(u32 n, unsigned int subbuf_kb);
int bench_hold(u32 subbuf_kb, unsigned int unused);
int bench_held(u32 n, unsigned int unused);
int bench_fill(u32 n, unsigned int unused);
int bench_disabled(u32 n, unsigned int unused);
bool bench_is_held(void);
int bench_let_go(u32 unused, unsigned int unused_too);

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

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings to compare ("rivals"), and their ways to write events in a loop that nothing
 * interrupts.
 *
 * A way is a function that writes n events.  The size of their payload is a constant
 * of the compiler's, as it is for defined events.
 */
#ifndef BENCH_H
#define BENCH_H

#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/types.h>

#define BENCH_MAX_SIZE	256

/* The payload of all events */
extern u8 bench_payload[BENCH_MAX_SIZE];

/**
 * struct bench_way - a way to write events
 * @name: name of the way
 * @size: bytes of payload
 * @run: writes @n events; returns the nanoseconds that it took
 */
struct bench_way {
	const char	*name;
	u32		size;
	u64		(*run)(u32 n);
};

/**
 * struct bench_ring - properties of the ring to make
 * @kb: KiB per CPU
 * @subbuf_kb: KiB of a sub-buffer; 0: the default
 * @overwrite: overwrite the oldest events; else drop the newest ones
 * @tsc: use the time-stamp counter as the clock
 */
struct bench_ring {
	unsigned int	kb;
	unsigned int	subbuf_kb;
	bool		overwrite;
	bool		tsc;
};

/* State of an event between reserve and commit */
struct bench_room {
	u64	words[12];
};

/**
 * struct bench_rival - a ring to compare
 * @name: its name
 * @begin: makes an empty ring
 * @end: frees the ring
 * @disable: turns recording off; NULL if only user space can
 * @reserve: reserves an event
 * @commit: publishes the event
 * @once: writes an event of 16 bytes; returns the ticks of bench_ticks() that it took
 * @ways: its ways to write; an entry without a name ends the list
 */
struct bench_rival {
	const char		*name;
	int			(*begin)(const struct bench_ring *ring);
	void			(*end)(void);
	void			(*disable)(void);
	void			*(*reserve)(struct bench_room *room, size_t size);
	void			(*commit)(struct bench_room *room);
	u64			(*once)(void);
	const struct bench_way	*ways;
};

extern const struct bench_rival bench_rbmap, bench_ring_buffer, bench_loop;
extern const struct bench_rival *const *const bench_rivals;

int bench_each_in_turn(int (*run)(const struct bench_rival *rival, const void *data),
		       const void *data);

/**
 * struct bench_row - a measurement
 * @rival: name of the rival
 * @way: name of the way
 * @size: bytes of payload
 * @n: number of events
 * @ns: nanoseconds for all of them
 * @reference: nanoseconds of the reference loop
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

/* Return: the rival's first way with a payload of size bytes, which must exist. */
static inline const struct bench_way *
bench_first_way(const struct bench_rival *rival, u32 size)
{
	const struct bench_way *way = rival->ways;

	while (way->size != size)
		way++;
	return way;
}

int bench_cold(u32 n, unsigned int unused);
int bench_cycles(u32 ms, unsigned int unused);
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

/* Create the file `event`, which measures whole events. */
int bench_event_init(struct dentry *dir);
void bench_event_exit(void);

/* Define way_SIZE(n), which runs write(SIZE) n times. */
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

/*
 * The processor's counter.  The clock of User Mode Linux counts in steps of 256 ns.  All
 * instructions before and after the counter stay there.
 */
static __always_inline u64 bench_ticks(void)
{
#ifdef __x86_64__
	u32 low, high;

	asm volatile("lfence; rdtsc; lfence" : "=a" (low), "=d" (high) :: "memory");
	return (u64)high << 32 | low;
#else
	return get_cycles();
#endif
}

/* Define once(), the function of a rival. */
#define BENCH_ONCE(write)						\
static u64 once(void)							\
{									\
	unsigned long flags;						\
	u64 begin, took;						\
									\
	local_irq_save(flags);						\
	begin = bench_ticks();						\
	write(16);							\
	took = bench_ticks() - begin;					\
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

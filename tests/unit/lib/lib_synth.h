/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Synthetic sub-buffers and rings, for tests of librbmap.
 */
#ifndef LIB_SYNTH_H
#define LIB_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "internal.h"

/* A random generator with the same sequence on all machines. */
struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *rng);
uint64_t rng_below(struct rng *rng, uint64_t limit);

/* Return: RBMAP_TEST_SEED if it is set. */
uint64_t test_seed(uint64_t otherwise);

/* Writes records into a sub-buffer. */
struct synth {
	unsigned char *subbuf;
	size_t size;		/* size of the sub-buffer */
	size_t at;		/* bytes of records */
	uint64_t ts;
};

void synth_begin(struct synth *s, void *subbuf, size_t size, uint64_t ts);
size_t synth_left(const struct synth *s);
void synth_word(struct synth *s, uint32_t type_len, uint32_t delta);
void synth_raw(struct synth *s, uint32_t word);
/* Write an event with a delta or a time extend.  Return: false if it does not fit. */
bool synth_event(struct synth *s, uint64_t ts, const void *data, size_t size);
/* The same with an absolute stamp. */
bool synth_event_absolute(struct synth *s, uint64_t ts, const void *data,
			  size_t size);
/* Write a discarded event of so many bytes in all (at least 8). */
bool synth_padding(struct synth *s, uint32_t delta, size_t bytes);
void synth_commit(struct synth *s, unsigned long flags, unsigned long lost);

/*
 * A fake ring in memory that implements GET_READER.  It has N + 1 sub-buffers, a writer
 * that overwrites the oldest events, and one reader.
 */
struct fake_slot {
	uint32_t id;
	uint64_t first;		/* number of its first event */
	uint64_t events;
};

struct fake_ring {
	struct rbmap_map map;
	unsigned char *memory;		/* meta-page and sub-buffers */
	struct rbmap_meta *meta;
	struct synth writer;
	struct fake_slot *slot;		/* closed slots and the writer's, oldest first */
	unsigned int nr_slots, nr_used;
	uint32_t *spare;
	unsigned int nr_spare;
	bool writer_with_reader;
	uint64_t reader_end;		/* number after the last event in its sub-buffer */
	uint64_t emitted;
	uint64_t (*clock)(void);
	int error;			/* error of the next GET_READER */
	unsigned int next_slots;	/* slots of the next ring, or 0 */
	unsigned int more_rings;	/* so many more follow it, and lose lost_behind as well */
	size_t next_subbuf_size;
	uint32_t next_clock;
	int next_error;			/* the next ring cannot be mapped for this reason */
	uint32_t generation;
	unsigned int calls;
	bool lapped;			/* the next splice() gets the writer's sub-buffer */
	uint32_t lost_behind;		/* events that were lost behind the ring's last one */
};

struct fake_ring *fake_new(int cpu, size_t subbuf_size, unsigned int nr_slots);
void fake_free(struct fake_ring *ring);
/* Write an event: struct rbmap_event_common, then the number. */
void fake_emit(struct fake_ring *ring, uint64_t ts, uint64_t number);
/* Count losses of each cause, so many times a number of its own. */
void fake_losses(struct fake_ring *ring, uint64_t times);
/* These are such losses, and so is their sum. */
void assert_losses(const struct rbmap_loss *loss, uint64_t times);
uint64_t event_number(const struct rbmap_event *ev);

#endif /* LIB_SYNTH_H */

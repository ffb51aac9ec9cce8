/* SPDX-License-Identifier: GPL-2.0-only */
/* The ways of reading a ring. */
#ifndef RBMAP_LIVE_SELFTEST_READER_H
#define RBMAP_LIVE_SELFTEST_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "ledger.h"

struct rbmap_map;
struct rbmap_merge;
struct way;

/**
 * struct reader - reads the ring of a CPU, or all rings merged
 * @way: how it reads
 * @ledger: the ledger of its CPU, or of all CPUs
 * @nr: number of ledgers
 * @map: the mapped ring
 * @merge: the merged rings
 * @fd: the file of read() and splice()
 * @pipe: splice() fills it
 * @subbuf: a copy of a sub-buffer
 * @subbuf_size: bytes of a sub-buffer
 * @ends: the writers are stopped, so the last sub-buffer may be read as well
 */
struct reader {
	const struct way *way;
	struct ledger *ledger;
	size_t nr;
	struct rbmap_map *map;
	struct rbmap_merge *merge;
	int fd;
	int pipe[2];
	char *subbuf;
	size_t subbuf_size;
	bool ends;
};

/**
 * struct way - a way of reading
 * @name: its name in the table
 * @merged: one reader reads the rings of all CPUs
 * @observes: the reader consumes nothing, so another one must read the same ring
 * @open: begins to read; returns 0 or a negative error of librbmap
 * @step: reads a part; returns 1, 0: nothing is there, or a negative error
 * @wait: waits for some milliseconds, or until events are there
 */
struct way {
	const char *name;
	bool merged;
	bool observes;
	int (*open)(struct reader *r);
	int (*step)(struct reader *r);
	void (*wait)(struct reader *r);
};

extern const struct way ways[];
extern const size_t nr_ways;

/* The way that consumes while another reader observes */
#define WAY_CONSUMER	(&ways[0])

/* Open a reader. Faults go to the ledger, here and below. */
bool reader_open(struct reader *r);
/* Read until nothing is left. The writers are stopped. */
void reader_drain(struct reader *r);
/* Read a part, or wait for events. */
void reader_follow(struct reader *r);
void reader_close(struct reader *r);

#endif /* RBMAP_LIVE_SELFTEST_READER_H */

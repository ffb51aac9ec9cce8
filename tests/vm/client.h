/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring as those see it who know its interface and no library: a file to map
 * and read, a file that makes events, files with settings.  The same is true
 * of a kernel's own ring, where trace_pipe_raw is the file.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/rbmap.h>

/**
 * struct target - which ring
 * @device: the file to map, with %d for the CPU
 * @marker: what is written to it becomes an event
 * @control: the directory of settings
 * @own: rbmap's; else the kernel's
 */
struct target {
	char	device[256];
	char	marker[256];
	char	control[256];
	bool	own;
};

extern struct target target;

/* --device FORMAT, --marker FILE, --control DIR or --tracefs; the rest stays. */
int target_options(int argc, char **argv);

/* Settings, under tracefs' names; false, and errno, where it fails. */
bool set(const char *name, const char *value);
bool set_number(const char *name, uint64_t value);
bool set_overwrite(bool on);
bool reset(void);
uint64_t stat_of(int cpu, const char *key);

/* Pin the calling thread. */
void pin(int cpu);

/* Have a CPU go off line, or come back. */
bool set_online(int cpu, bool on);

/* Events: "rbmap-test", a number, and filling up to len bytes of text. */
bool emit_one(uint64_t number, size_t len);
uint64_t emit(uint64_t first, uint64_t count, size_t len);

/**
 * struct client - an open file and what is mapped of it
 * @seen: bytes of the reader's sub-buffer that client_next() has given
 * @id: that sub-buffer
 * @any: client_next() has given one
 */
struct client {
	int				fd;
	volatile struct rbmap_meta	*meta;
	size_t				meta_size;
	char				*data;
	size_t				subbuf_size;
	unsigned int			nr_subbufs;
	size_t				seen;
	uint32_t			id;
	bool				any;
	bool				reported;
};

int device_open(int cpu, int flags);
bool client_open(struct client *client, int cpu, int flags);
bool client_map(struct client *client);
void client_unmap(struct client *client);
void client_close(struct client *client);

/* 0, or the errno. */
int get_reader(int fd);

const void *client_subbuf(const struct client *client);
size_t subbuf_commit(const void *subbuf);

/* What the sub-buffer says was lost before it; false: no number is there. */
bool subbuf_lost(const void *subbuf, size_t subbuf_size, uint64_t *lost);

/* What a test has to have room for, to read() a whole one. */
#define MAX_SUBBUF	65536

/**
 * struct record - an event
 */
struct record {
	uint64_t	time;
	const char	*payload;
	size_t		size;
};

/**
 * struct cursor - goes through the events of a sub-buffer
 * @bad: the bytes make no sense
 */
struct cursor {
	const char	*subbuf;
	size_t		at;
	size_t		end;
	uint64_t	time;
	const char	*bad;
};

void cursor_begin(struct cursor *cursor, const void *subbuf);
bool cursor_next(struct cursor *cursor, struct record *record);

/* The number that emit() has given it; false: some other event. */
bool record_number(const struct record *record, uint64_t *number);

/* How many events, and the numbers of the first and the last. */
size_t subbuf_events(const void *subbuf, size_t from, uint64_t *first,
		     uint64_t *last);

/* CLOCK_MONOTONIC in ns, which is trace_clock mono. */
uint64_t now(void);
void nap(unsigned int milliseconds);

#endif /* CLIENT_H */

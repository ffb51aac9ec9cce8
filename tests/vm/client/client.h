/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring as a program sees it that uses the interface without a library: a file
 * to map and to read, a file that creates events, and files with settings. The
 * kernel's own ring can be used in the same way; there trace_pipe_raw is the
 * file.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/rbmap.h>

/**
 * struct target - the ring under test
 * @device: path of the file to map, with %d for the CPU
 * @marker: path of the file that turns each write into an event
 * @control: path of the directory of settings
 * @own: the ring is rbmap's, not the kernel's
 */
struct target {
	char	device[256];
	char	marker[256];
	char	control[256];
	bool	own;
};

extern struct target target;

/*
 * Parse --device FORMAT, --marker FILE, --control DIR and --tracefs. Return the
 * index of the first other argument.
 */
int target_options(int argc, char **argv);

/* Write a setting, by tracefs' name. Return false and set errno on failure. */
bool set(const char *name, const char *value);
bool set_number(const char *name, uint64_t value);
bool set_overwrite(bool on);
bool reset(void);
uint64_t stat_of(int cpu, const char *key);

/* Return a number of KiB of /proc/meminfo, or 0 if it is not there. */
size_t meminfo_kb(const char *name);

/* Bind the calling thread to a CPU. */
void pin(int cpu);

/* Take a CPU offline, or bring it online. */
bool set_online(int cpu, bool on);

/* Write events: the text "rbmap-test", a number, and padding to @len bytes. */
bool emit_one(uint64_t number, size_t len);
uint64_t emit(uint64_t first, uint64_t count, size_t len);

/**
 * struct client - an open file and its maps
 * @seen: bytes of the reader's sub-buffer that client_new_events() has counted
 * @id: id of that sub-buffer
 * @any: client_new_events() has counted in a sub-buffer
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

/* Return 0, or the errno. */
int get_reader(int fd);

const void *client_subbuf(const struct client *client);
size_t subbuf_commit(const void *subbuf);

/*
 * Read the number of events lost before the sub-buffer. Return false if it has
 * no number.
 */
bool subbuf_lost(const void *subbuf, size_t subbuf_size, uint64_t *lost);

/* Size of the buffer that a test needs to read() a whole sub-buffer. */
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
 * struct cursor - iterates over the events of a sub-buffer
 * @bad: text that says why the bytes are not valid, or NULL
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

/*
 * Read the number that emit() wrote. Return false for an event that emit() did
 * not write.
 */
bool record_number(const struct record *record, uint64_t *number);

/* Return the number of events, and store the numbers of the first and the last. */
size_t subbuf_events(const void *subbuf, size_t from, uint64_t *first,
		     uint64_t *last);

/*
 * Count the events of the reader's sub-buffer that earlier calls did not count. As
 * subbuf_events(), but an event that is written meanwhile is counted exactly once.
 */
size_t client_new_events(struct client *client, uint64_t *first, uint64_t *last);

/* The time of CLOCK_MONOTONIC in ns, which is trace_clock "mono". */
uint64_t now(void);
void nap(unsigned int milliseconds);

/*
 * Return how many times longer than on an idle machine everything takes at
 * present, as tests/vm/run has measured it. Limits that end hopeless cases are
 * multiplied by it.
 */
unsigned int slowness(void);

/*
 * Wait until a process sleeps, for instance in a call that it is about to make.
 * Return false if it does not.
 */
bool await_sleep(pid_t pid);

/*
 * Begin or end to send SIGALRM each second. It is repeated because the first one
 * may come before the system call that it is to interrupt.
 */
void alarm_each_second(bool on);

#endif /* CLIENT_H */

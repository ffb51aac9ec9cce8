/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by all themes: sizes of the ring, events, waiting, faults. */
#ifndef ABI_H
#define ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "client.h"

#define CPU		0
#define SMALL		64	/* bytes of text in a small event */
#define MEDIUM		200	/* bytes in a medium event */
#define LARGE		1000	/* bytes in a large event */
#define FULL		4062	/* bytes in the largest event, which fills a page */
#define MSEC		1000000ULL

/* Sizes of the ring, in bytes; main() measures them before each theme. */
extern size_t page, subbuf_size, meta_size, data_size;
extern unsigned int nr_subbufs;

/* The number of the next event. */
extern uint64_t number;

/* Read the sizes from the ring and store them in the variables above. */
void measure(void);

/* Store the sizes of a mapped ring in the variables above. */
void measure_client(const struct client *client);

/*
 * Write the next @count events of @len bytes. Return the number of events that
 * the ring accepted.
 */
uint64_t more(uint64_t count, size_t len);

/*
 * Empty the ring and write more events than it holds. Return the number of the
 * first.
 */
uint64_t overfill(size_t len);

/* Empty the ring, or set buffer_percent. Both end the program on an error. */
void fresh(void);
void percent(unsigned int value);

void nonblock(int fd, bool on);

/*
 * Call GET_READER. Return how many events it made readable, and store the first
 * and the last number.
 */
size_t take(struct client *client, uint64_t *first, uint64_t *last);

/* Consume all events in the ring, through the map. */
void drain(struct client *client);

/*
 * Call a function in a child after a delay, and when the caller sleeps. Without a
 * delay, at once. The child has files of its own, but no maps.
 */
pid_t later(unsigned int milliseconds, void (*call)(void *), void *data);
void reap(pid_t pid);
void emit_some(void *count);

/*
 * Send a signal that interrupts system calls, so that no test hangs. The signal
 * is repeated, because the first one may come before the system call begins. 0
 * stops it.
 */
void alarm_in(unsigned int milliseconds);

/*
 * Return milliseconds of an idle machine as those of this one, for limits that
 * end hopeless cases.
 */
unsigned int limit(unsigned int milliseconds);

/* Read a byte. Return 0, or the signal that the read raised. */
int touch(const volatile void *at);

/* Return the number of lines in the kernel's log that say WARNING. */
unsigned int kernel_warnings(void);

/* Return true if each page of the map can be read. */
bool all_there(const struct client *client);

/* Return the errno of a call that returns 0 on success, or 0. */
int error_of(int ret);

bool all_zero(const char *from, const char *to);

/*
 * Return true if the time of each event in a sub-buffer lies between @from and
 * @to.
 */
bool times_within(const void *subbuf, uint64_t from, uint64_t to);

/* The themes. */
void theme_reader(void);
void theme_map(void);
void theme_vma(void);
void theme_wait(void);
void theme_read(void);
void theme_splice(void);
void theme_format(void);
void theme_life(void);
void theme_resize(void);
void theme_bugs(void);
void theme_own(void);
void theme_large(void);

#endif /* ABI_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the themes share: sizes of the ring, events, waiting, faults. */
#ifndef ABI_H
#define ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "client.h"

#define CPU		0
#define SMALL		64	/* bytes of text of a small event */
#define MEDIUM		200	/* of one with its length beside it */
#define LARGE		1000	/* of a large one */
#define FULL		4062	/* of the largest: it fills a page */
#define MSEC		1000000ULL

/* What each theme finds: the sizes, and where the file ends. */
extern size_t page, subbuf_size, meta_size, data_size;
extern unsigned int nr_subbufs;

/* Of the next event. */
extern uint64_t number;

/* Ask the ring what it has. */
void measure(void);

/* The sizes of a ring that is mapped. */
void measure_client(const struct client *client);

/* The next events, and how many were taken. */
uint64_t more(uint64_t count, size_t len);

/* More than the ring holds, from an empty ring on; the number of the first. */
uint64_t overfill(size_t len);

/* An empty ring; buffer_percent. They end the program where they fail. */
void fresh(void);
void percent(unsigned int value);

void nonblock(int fd, bool on);

/* What the next GET_READER makes new: how many events and which. */
size_t take(struct client *client, uint64_t *first, uint64_t *last);

/* Take all that there is now, through the map. */
void drain(struct client *client);

/* Do it in a child after some time; it has its own files, but no maps. */
pid_t later(unsigned int milliseconds, void (*call)(void *), void *data);
void reap(pid_t pid);
void emit_some(void *count);

/*
 * A signal that interrupts calls, so that no test hangs; again and again, as
 * the first one may come before the call does.  0: no more.
 */
void alarm_in(unsigned int milliseconds);

/* 0, or the signal that reading a byte there gives. */
int touch(const volatile void *at);

/* How often the kernel's log says WARNING. */
unsigned int kernel_warnings(void);

/* Can each page be read? */
bool all_there(const struct client *client);

/* errno of a call that returns 0. */
int error_of(int ret);

bool all_zero(const char *from, const char *to);

/* Events of a sub-buffer whose times lie between two that we know. */
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

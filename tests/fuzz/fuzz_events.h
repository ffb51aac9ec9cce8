/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events out of the bytes of a fuzzer.
 *
 * An event begins with six bytes. They are its number, the CPU with a bit for lost events,
 * the pid, two bytes of time since the last event, and a length. So many bytes of fields
 * follow. A bit of the length says that the rest of the fields is what the events before
 * it had.
 */
#ifndef FUZZ_EVENTS_H
#define FUZZ_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

#include "../unit/cli/interval_events.h"

/**
 * struct fuzz_events - what is done with the events
 * @format: called before the first event of its kind
 * @now: time of the last event
 * @has_format: bits of the events that have passed a format
 */
struct fuzz_events {
	void (*format)(void *data, unsigned int event, const char *format);
	void (*event)(void *data, const struct rbmap_event *ev);
	void *data;
	uint64_t now;
	uint64_t has_format;
};

void fuzz_events_pass(struct fuzz_events *events, const uint8_t *data, size_t size);

#endif /* FUZZ_EVENTS_H */

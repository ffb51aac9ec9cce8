/* SPDX-License-Identifier: LGPL-2.1-only */
/* The data of a recording: the pages of each CPU. dat_write.h has dat_add(). */
#ifndef RBMAP_RECORDING_WRITE_DAT_PAGES_H
#define RBMAP_RECORDING_WRITE_DAT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dat_cpu;
struct dat_writer;

/* Write all of @data at an offset of the file. Return 0 or a negative errno. */
int dat_write_at(int fd, const void *data, size_t size, uint64_t offset);

/*
 * Append a page to a CPU's data: @size bytes of events after the time @ts, and
 * the CPU's unreported loss. The loss is reported by a flag alone if its number
 * does not fit behind the events.
 */
int dat_append_page(struct dat_writer *w, struct dat_cpu *c, uint64_t ts,
		    const void *events, size_t size);

/* Return whether a page has room for these bytes and the CPU's loss. */
bool dat_fits_page(const struct dat_writer *w, const struct dat_cpu *c,
		   size_t size);

/* Add to the loss that the CPU's next page reports. */
void dat_add_lost(struct dat_cpu *c, uint64_t lost);

/* Return the size of a CPU's data in the file, in bytes. */
uint64_t dat_data_size(const struct dat_writer *w, unsigned int cpu);

/* Write a page that reports the loss after the last event, if there is any. */
int dat_report_last_loss(struct dat_writer *w, struct dat_cpu *c);

#endif /* RBMAP_RECORDING_WRITE_DAT_PAGES_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The data of a recording: the pages of each CPU. dat_write.h has dat_add(). */
#ifndef RBMAP_CLI_DAT_PAGES_H
#define RBMAP_CLI_DAT_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct dat_cpu;
struct dat_writer;

/* Write all of @data at an offset of the file. Return 0 or a negative errno. */
int dat_write_at(int fd, const void *data, size_t size, uint64_t offset);

/* Return the size of a CPU's data in the file, in bytes. */
uint64_t dat_data_size(const struct dat_writer *w, unsigned int cpu);

/* Write a page that reports the loss after the last event, if there is any. */
int dat_report_last_loss(struct dat_writer *w, struct dat_cpu *c);

#endif /* RBMAP_CLI_DAT_PAGES_H */

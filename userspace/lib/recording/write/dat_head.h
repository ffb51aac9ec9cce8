/* SPDX-License-Identifier: LGPL-2.1-only */
/* The parts of a recording before the data: the headers and the tail (dat.h). */
#ifndef RBMAP_RECORDING_WRITE_DAT_HEAD_H
#define RBMAP_RECORDING_WRITE_DAT_HEAD_H

#include <stdint.h>

struct buf;
struct dat_source;
struct dat_writer;

/* Limits of what the tail contains, in bytes. */
#define COMMS_ROOM	(1u << 20)	/* some fifty thousand threads */
#define CPUSTAT_ROOM	2048
#define OPTIONS_ROOM	4096

/* Append the first bytes of a file of any version. */
void dat_add_magic(struct buf *b, const char *version, uint32_t page_size);

/* Append the headers, as far as the symbols that @source has. */
void dat_add_head(struct buf *b, const struct dat_source *source);

/* Append the tail of an unfinished recording. */
void dat_add_tail(struct buf *b, const struct dat_writer *w, const struct buf *cmdlines);

/* ---- version 7: the heads of sections, and the options that say where sections are */

/* Append a head. @description: offset in the strings of the file; @size: bytes behind it */
void section_head_add(struct buf *out, uint16_t id, uint16_t flags, uint32_t description,
		      uint64_t size);

/* Append an option with a section's place in the file. */
void section_option_add(struct buf *options, uint16_t option, uint64_t offset);

#endif /* RBMAP_RECORDING_WRITE_DAT_HEAD_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The heads of sections of version 7, and the options that say where sections are. */
#ifndef RBMAP_RECORDING_ASSEMBLE_SECTION_HEAD_H
#define RBMAP_RECORDING_ASSEMBLE_SECTION_HEAD_H

#include <stdint.h>

struct buf;

/* Append a head. @description: offset in the strings of the file; @size: bytes behind it */
void section_head_add(struct buf *out, uint16_t id, uint16_t flags, uint32_t description,
		      uint64_t size);

/* Append an option with a section's place in the file. */
void section_option_add(struct buf *options, uint16_t option, uint64_t offset);

#endif /* RBMAP_RECORDING_ASSEMBLE_SECTION_HEAD_H */

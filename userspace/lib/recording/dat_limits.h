/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The limits of a recording, so that no file takes time or memory out of proportion to its
 * size. Fuzzers set smaller constants.
 *
 * All texts and sections before the data	DAT_HEADERS_MAX bytes, uncompressed
 * Formats, and systems of events		DAT_FORMATS_MAX each
 * Buffers				DAT_BUFFERS_MAX, with names of NAME_MAX bytes
 * Chunks of compressed data			each byte of the file is in one of them
 * Data, uncompressed			DAT_DATA_BASE + DAT_DATA_RATIO times the file's size
 * Memory for pages and chunks		DAT_MEMORY_BASE + DAT_MEMORY_RATIO times that size
 */
#ifndef RBMAP_DAT_LIMITS_H
#define RBMAP_DAT_LIMITS_H

#include <stdint.h>

#ifndef DAT_HEADERS_MAX
#define DAT_HEADERS_MAX		(256u << 20)
#endif
#ifndef DAT_FORMATS_MAX
#define DAT_FORMATS_MAX		65536	/* the kernel's ids have 16 bits */
#endif
#define DAT_BUFFERS_MAX		1024
#ifndef DAT_DATA_BASE
#define DAT_DATA_BASE		(1u << 30)
#endif
#define DAT_DATA_RATIO		4096	/* a large page with a few events */
#ifndef DAT_MEMORY_BASE
#define DAT_MEMORY_BASE		(1u << 30)
#endif
#define DAT_MEMORY_RATIO	16

/**
 * struct dat_limits - what a recording has cost
 * @headers: bytes of texts and sections
 * @chunks: bytes of chunks in the file
 * @data: bytes of all chunks, uncompressed
 * @memory: bytes of pages and chunks in memory
 */
struct dat_limits {
	uint64_t headers, chunks, data, memory;
};

/* Add to a sum. Return 0 or RBMAP_ERR_BROKEN. @file: size of the file */
int dat_limit_headers(struct dat_limits *l, uint64_t size);
int dat_limit_chunk(struct dat_limits *l, uint64_t file, uint64_t packed, uint64_t size);
int dat_limit_memory(struct dat_limits *l, uint64_t file, uint64_t size);

#endif /* RBMAP_DAT_LIMITS_H */

// SPDX-License-Identifier: LGPL-2.1-only
#include "dat_limits.h"
#include "dat_read.h"

/* @file is below 2^63, and so is the result. */
static uint64_t limit(uint64_t base, uint64_t ratio, uint64_t file)
{
	return file > (INT64_MAX - base) / ratio ? INT64_MAX : base + ratio * file;
}

static int add(uint64_t *sum, uint64_t size, uint64_t most)
{
	if (size > most || *sum > most - size)
		return RBMAP_ERR_BROKEN;
	*sum += size;
	return 0;
}

int dat_limit_headers(struct dat_limits *l, uint64_t size)
{
	return add(&l->headers, size, DAT_HEADERS_MAX);
}

int dat_limit_chunk(struct dat_limits *l, uint64_t file, uint64_t packed, uint64_t size)
{
	int ret = add(&l->chunks, packed, file);

	return ret ? ret : add(&l->data, size, limit(DAT_DATA_BASE, DAT_DATA_RATIO, file));
}

int dat_limit_memory(struct dat_limits *l, uint64_t file, uint64_t size)
{
	return add(&l->memory, size, limit(DAT_MEMORY_BASE, DAT_MEMORY_RATIO, file));
}

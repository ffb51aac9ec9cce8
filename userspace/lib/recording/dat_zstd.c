// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The decompressor of zstd. Most recordings are not compressed, and most programs of the
 * library read none: the library is loaded when the first compressed bytes are read.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "dat_reader.h"

#define LIBRARY	"libzstd.so.1"

/* The prototype in zstd.h, which would be needed for this alone. */
typedef size_t decompress_fn(void *to, size_t size, const void *from, size_t from_size);

/* Several threads may look for the function at once. All of them find the same one. */
static decompress_fn *find_decompress(void)
{
	static decompress_fn *found;
	decompress_fn *decompress = __atomic_load_n(&found, __ATOMIC_RELAXED);
	void *library;

	if (decompress)
		return decompress;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (library)
		decompress = (decompress_fn *)dlsym(library, "ZSTD_decompress");
	__atomic_store_n(&found, decompress, __ATOMIC_RELAXED);
	return decompress;
}

int dat_uncompress(void *to, size_t size, const void *from, size_t from_size)
{
	decompress_fn *decompress = find_decompress();

	if (!decompress)
		return RBMAP_ERR_NO_ZSTD;
	/* After an error, the result is larger than any size. */
	return decompress(to, size, from, from_size) == size ? 0 : RBMAP_ERR_BROKEN;
}

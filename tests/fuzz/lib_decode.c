// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run rbmap_decode() on arbitrary bytes: its results lie within the bytes, and
 * it ends.
 */
#include <stdlib.h>

#include "../../userspace/lib/rbmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;
	size_t last = 0;
	volatile uint8_t sum = 0;

	while (rbmap_decode(data, size, &cursor, &ev) == 1) {
		const uint8_t *payload = ev.data;

		if (cursor.offset <= last)
			abort();
		last = cursor.offset;
		for (uint32_t i = 0; i < ev.size; i++)
			sum ^= payload[i];
	}
	(void)sum;
	rbmap_decode_lost(data, size);
	return 0;
}

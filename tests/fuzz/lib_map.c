// SPDX-License-Identifier: GPL-2.0-only
/* A reader's map that changes at each GET_READER. Calls must end. */
#include "lib_device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_device d;
	struct rbmap_event ev;
	struct rbmap_loss loss;

	fuzz_device_begin(&d, 0, data, size);
	/* Without further input nothing changes, so the rest of the map is finite. */
	for (unsigned int turn = 0; d.size >= 3 || turn < 2 * FUZZ_SUBBUF; turn++) {
		if (d.size >= 3)
			turn = 0;
		if (rbmap_next_event(&d.map, &ev) == 1)
			fuzz_device_check_event(&d, &ev);
	}
	rbmap_loss(&d.map, &loss);
	fuzz_device_end(&d);
	return 0;
}

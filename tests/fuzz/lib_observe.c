// SPDX-License-Identifier: GPL-2.0-only
/* An observer's map that changes between two calls. Calls must end. */
#include "lib_device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_device d;
	struct rbmap_event ev;
	struct rbmap_loss loss;
	bool more = true;

	fuzz_device_observe(&d, 0, data, size);
	for (unsigned int turn = 0; more || turn < 2 * FUZZ_SUBBUF; turn++) {
		if (rbmap_next_event(&d.map, &ev) == 1)
			fuzz_device_check_event(&d, &ev);
		more = fuzz_device_change(&d);
		if (more)
			turn = 0;
		(void)rbmap_observe_pending(&d.map);
		(void)rbmap_observe_hurries(&d.map);
	}
	rbmap_loss(&d.map, &loss);
	d.map.transport->close(&d.map);
	fuzz_device_end(&d);
	return 0;
}

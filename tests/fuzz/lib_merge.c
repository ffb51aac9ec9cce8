// SPDX-License-Identifier: GPL-2.0-only
/*
 * A merge of three rings that change, as a reader or as an observer, with a clock
 * that the input moves. Calls must end.
 */
#include <stdlib.h>

#include "lib_device.h"

#define NR_RINGS	3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t time_ns;

static uint64_t fuzz_clock(void)
{
	return time_ns;
}

static void next(struct rbmap_merge *m, struct fuzz_device *d)
{
	struct rbmap_event ev;

	if (rbmap_merge_next(m, &ev) != 1)
		return;
	if (ev.cpu < 0 || ev.cpu >= NR_RINGS)
		abort();
	fuzz_device_check_event(&d[ev.cpu], &ev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_device d[NR_RINGS];
	struct rbmap_merge *m;
	struct rbmap_loss loss;
	bool observes;
	size_t part;

	if (size < 2)
		return 0;
	time_ns = 1;
	observes = data[0] & 1;
	m = rbmap_merge_new(fuzz_clock);
	if (!m)
		abort();
	rbmap_merge_set_hold(m, data[1]);
	data += 2;
	size -= 2;
	part = size / NR_RINGS;
	for (int i = 0; i < NR_RINGS; i++) {
		if (observes)
			fuzz_device_observe(&d[i], i, data + i * part, part);
		else
			fuzz_device_begin(&d[i], i, data + i * part, part);
		if (rbmap_merge_add(m, &d[i].map))
			abort();
	}
	for (unsigned int turn = 0; turn < 4 * FUZZ_SUBBUF; turn++) {
		next(m, d);
		if (fuzz_device_change(&d[turn % NR_RINGS]))
			turn %= NR_RINGS;
		if (turn % 8 == 7)
			(void)rbmap_merge_wait(m, 0);
		time_ns += size ? data[turn % size] * 100 : 1;
	}
	if (rbmap_merge_wake(m) || rbmap_merge_wait(m, -1) < 0)
		abort();
	rbmap_merge_set_hold(m, 0);
	next(m, d);
	(void)rbmap_merge_loss(m, &loss);
	rbmap_merge_close(m);
	for (int i = 0; i < NR_RINGS; i++)
		fuzz_device_end(&d[i]);
	return 0;
}

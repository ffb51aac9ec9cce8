// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the CPU of each event as it comes. The wait has no limit of time, so that only
 * librbmap itself can find a CPU that comes online while no other CPU has events.
 */
#include <stdio.h>
#include <rbmap.h>

#include "tap.h"

int main(void)
{
	struct rbmap_merge *merge;
	struct rbmap_event event;
	int ret = rbmap_merge_open(&merge, 0);

	if (ret)
		bail_out("%s", rbmap_strerror(ret));
	setlinebuf(stdout);
	while (rbmap_merge_wait(merge, -1) >= 0)
		while (rbmap_merge_next(merge, &event) > 0)
			printf("cpu%d\n", event.cpu);
	return 1;
}

// SPDX-License-Identifier: MIT
/* Print the events of all CPUs in time order, as they come. */
#include <err.h>
#include <stdio.h>
#include <rbmap.h>

int main(void)
{
	struct rbmap_merge *merge;
	struct rbmap_event event;
	int ret = rbmap_merge_open(&merge, 0);

	if (ret < 0)
		errx(1, "%s", rbmap_strerror(ret));
	setlinebuf(stdout);
	while ((ret = rbmap_merge_wait(merge, 100)) >= 0) {
		while ((ret = rbmap_merge_next(merge, &event)) > 0)
			printf("%llu cpu%d size %u lost %llu\n",
			       (unsigned long long)event.ts, event.cpu,
			       event.size, (unsigned long long)event.lost);
		if (ret < 0)
			break;
	}
	errx(1, "%s", rbmap_strerror(ret));
}

// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "common/progress.h"
#include "feed.h"
#include "recording/dat_read.h"
#include "show/input.h"

#define PROGRESS_EVENTS	4096	/* between two looks at the clock */

int feed(struct input *in, const char *what, feed_fn *each, void *data)
{
	struct progress progress = { 0 };
	struct rbmap_event ev;
	uint64_t events = 0;
	int ret, error = 0;

	progress_begin(&progress);
	while ((ret = dat_next(in->reader, &ev)) == 1 && ev.ts <= in->to && !error) {
		if (!(++events % PROGRESS_EVENTS) && progress_due(&progress))
			progress_show(&progress, "%s: %s, %.0f %%, %" PRIu64 " events", in->path,
				      what, 100 * dat_done(in->reader), events);
		if (ev.ts >= in->from)
			error = each(data, &ev);
	}
	progress_end(&progress);
	return error ? error : ret < 0 ? ret : 0;
}

int feed_again(struct input *in, const char *what, feed_fn *each, void *data)
{
	struct input again = *in;
	int ret = dat_open_again(&again.reader, in->reader);

	if (ret)
		return ret;
	ret = feed(&again, what, each, data);
	dat_close(again.reader);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The lanes of block devices: how many requests wait, and how many the device works on. */
#include "page.h"

static struct device_lane *find_lane(struct page *page, uint32_t dev)
{
	struct device_lane *lane;

	for (unsigned int i = 0; i < page->nr_devices; i++)
		if (page->device[i].dev == dev)
			return &page->device[i];
	if (page->nr_devices == MOST_DEVICES)
		return NULL;
	lane = &page->device[page->nr_devices++];
	lane->dev = dev;
	for (unsigned int row = 0; row < NR_DEPTH_ROWS; row++)
		track_init(&lane->depth[row], page->nr_tracks++, TRACK_DEPTH);
	return lane;
}

static int set_depth(struct page *page, struct device_lane *lane, enum depth_row row,
		     unsigned int depth, uint64_t ts)
{
	int ret = 0;

	if (depth == lane->now[row])
		return 0;
	if (lane->now[row])
		ret = track_add(&lane->depth[row], page->store, lane->since[row], ts,
				lane->now[row]);
	lane->now[row] = depth;
	if (depth > lane->most[row])
		lane->most[row] = depth;
	lane->since[row] = ts;
	return ret;
}

int device_lanes_event(struct page *page, uint64_t ts)
{
	const struct interval_requests *requests;
	unsigned int nr = intervals_requests(page->intervals, &requests);
	int ret = 0;

	for (unsigned int i = 0; !ret && i < nr; i++) {
		struct device_lane *lane = find_lane(page, requests[i].dev);

		if (!lane)
			continue;
		ret = set_depth(page, lane, DEPTH_QUEUED, requests[i].queued, ts);
		if (!ret)
			ret = set_depth(page, lane, DEPTH_ISSUED, requests[i].issued, ts);
	}
	return ret;
}

int device_lanes_end(struct page *page)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < page->nr_devices; i++) {
		struct device_lane *lane = &page->device[i];

		for (unsigned int row = 0; !ret && row < NR_DEPTH_ROWS; row++) {
			ret = set_depth(page, lane, row, 0, page->last);
			if (!ret)
				ret = track_end(&lane->depth[row], page->store, page->last);
		}
	}
	return ret;
}

void device_lane_free(struct device_lane *lane)
{
	for (unsigned int row = 0; row < NR_DEPTH_ROWS; row++)
		track_free(&lane->depth[row]);
}

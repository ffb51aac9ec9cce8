/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A track: slices of time that do not overlap, one behind the other, with a value each.
 * Times are those since the first event of the page.
 */
#ifndef RBMAP_REPORT_HTML_DATA_TRACK_H
#define RBMAP_REPORT_HTML_DATA_TRACK_H

#include <stdint.h>

#include "levels.h"
#include "store.h"

struct slice {
	uint64_t begin, end;
	uint64_t value;
};

/**
 * struct track - a track
 * @number: its number in the page
 * @end: the end of the last slice
 * @slice: slices that are not in the store yet
 */
struct track {
	unsigned int number;
	uint64_t end;
	struct slice *slice;
	unsigned int nr, room;
	struct levels levels;
};

void track_init(struct track *track, unsigned int number, enum track_mode mode);
void track_free(struct track *track);

/*
 * Add a slice. The part before the end of the last slice is left out. Return 0 or a
 * negative errno.
 */
int track_add(struct track *track, struct store *store, uint64_t begin, uint64_t end,
	      uint64_t value);

/* Put all slices into the store. Return 0 or a negative errno. */
int track_flush(struct track *track, struct store *store);

/* After track_flush(): free the memory of the slices. */
void track_shrink(struct track *track);

/* After the last slice; @time: the time of the whole page */
int track_end(struct track *track, struct store *store, uint64_t time);

#endif /* RBMAP_REPORT_HTML_DATA_TRACK_H */

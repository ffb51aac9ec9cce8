/* SPDX-License-Identifier: GPL-2.0-only */
/* The parameters of source.rbmap.live. */
#ifndef RBMAP_BT2_LIVE_PARAMS_H
#define RBMAP_BT2_LIVE_PARAMS_H

#include <stdbool.h>
#include <babeltrace2/babeltrace.h>

/**
 * struct live_params - the parameters
 * @buffer: the name of the buffer; "": the default one
 * @observe: leave the events to other readers
 * @seconds: how long events are read; 0: until the graph ends
 * @error: why a parameter is refused, or NULL
 */
struct live_params {
	const char *buffer;
	bool observe;
	double seconds;
	const char *error;
};

void live_params_read(struct live_params *p, const bt_value *params);

#endif /* RBMAP_BT2_LIVE_PARAMS_H */

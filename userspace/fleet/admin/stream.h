/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_STREAM_H
#define RBMAP_FLEET_ADMIN_STREAM_H

#include "options.h"

/* rbmap fleet stream: a recording of what each host has streamed in a time. Return a status. */
int fleet_stream(const struct fleet_options *o);

#endif /* RBMAP_FLEET_ADMIN_STREAM_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_SETUP_SETUP_STREAMS_H
#define RBMAP_FLEET_ADMIN_SETUP_SETUP_STREAMS_H

#include "transport/jetstream_streams.h"

/* Make or change the streams on servers. Return an exit status. */
int setup_streams(const struct transport_options *options, struct streams_plan plan);

#endif /* RBMAP_FLEET_ADMIN_SETUP_SETUP_STREAMS_H */

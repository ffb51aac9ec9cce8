/* SPDX-License-Identifier: GPL-2.0-only */
/* Publish messages, and wait for the servers' answers. */
#ifndef RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_PUBLISH_H
#define RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_PUBLISH_H

#include "transport/transport.h"

int jetstream_publish(struct transport *t, const struct parcel *parcels, unsigned int nr);

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_PUBLISH_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_PARCEL_H
#define RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_PARCEL_H

#include <nats/nats.h>

#include "transport/transport.h"

/*
 * Make a parcel of a message from a server. The parcel owns the message by its handle. A
 * message without a valid id, or of an invalid size, becomes a parcel without bytes, which
 * the caller refuses. @host is a valid name.
 */
void jetstream_parcel(struct parcel *p, natsMsg *msg, enum channel channel, const char *host);

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_PARCEL_H */

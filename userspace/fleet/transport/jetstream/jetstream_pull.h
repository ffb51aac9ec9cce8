/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages to the collector: it asks the consumer of the stream for a few at a time. */
#ifndef RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_PULL_H
#define RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_PULL_H

#include <nats/nats.h>

#include "transport/transport.h"

struct jetstream;

natsStatus pull_start(struct jetstream *j);
/* Give back what was not delivered, so that it comes again without a delay. */
void pull_stop(struct jetstream *j);
int pull_receive(struct transport *t, struct parcel *p, int timeout_ms);
int pull_acknowledge(struct transport *t, struct parcel *p, bool done);

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_PULL_H */

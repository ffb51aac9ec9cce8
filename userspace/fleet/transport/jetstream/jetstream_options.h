/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_OPTIONS_H
#define RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_OPTIONS_H

#include "transport/transport.h"

#define JETSTREAM_SCHEME	"nats://"

/*
 * Make the options of the connection: servers, certificates, credentials, limits of time,
 * and the inbox. Return 0 or a negative errno.
 */
int jetstream_options(struct transport *t, const struct transport_options *options);

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_OPTIONS_H */

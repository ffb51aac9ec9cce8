/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_CREDENTIALS_H
#define RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_CREDENTIALS_H

#include <nats/nats.h>

#include "transport/transport.h"

/*
 * Use a file with a JWT and its seed, or with the seed of an NKEY ("SU..."). Return 0 or a
 * negative errno.
 */
int jetstream_credentials(struct transport *t, natsOptions *options, const char *path);

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_CREDENTIALS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NKEYs, the Ed25519 keys of NATS, as text: base32 of a prefix, a key and a CRC-16. A
 * client names its public key and signs with the seed; a file has the seed only.
 */
#ifndef RBMAP_FLEET_TRANSPORT_JETSTREAM_NKEY_H
#define RBMAP_FLEET_TRANSPORT_JETSTREAM_NKEY_H

#include <stdbool.h>

#define NKEY_SIZE	57	/* with the final 0 */

/* Store the public key for the first seed of a user in the text. Return false: it has none. */
bool nkey_public(const char *text, char key[NKEY_SIZE]);

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_NKEY_H */

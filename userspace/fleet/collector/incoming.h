/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of hosts: HELLO, parts, manifests and losses. All functions run in a transaction
 * of the index. They return 0, or a negative errno of a file: the caller must then undo the
 * transaction, and acknowledge no message of it.
 */
#ifndef RBMAP_FLEET_COLLECTOR_INCOMING_H
#define RBMAP_FLEET_COLLECTOR_INCOMING_H

#include "collector.h"
#include "collector/index/hosts.h"
#include "message/message.h"

/*
 * Handle a HELLO, which lists the incidents in a host's spool. Answer STORED for those that
 * are stored. The others wait for a permit.
 */
void handle_hello(struct collector *c, const struct index_host *host, const struct message *m);

/* Count a message that is refused. Return 0. */
int refuse(struct collector *c, int64_t host, enum refusal cause);

int handle_part(struct collector *c, const struct index_host *host, const struct message *m);
int handle_manifest(struct collector *c, const struct index_host *host,
		    const struct message *m);
int handle_loss(struct collector *c, const struct index_host *host, const struct message *m);

#endif /* RBMAP_FLEET_COLLECTOR_INCOMING_H */

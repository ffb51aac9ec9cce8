/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of hosts: HELLO, parts, manifests, losses and answers. The functions that handle
 * them run in a transaction of the index. They return 0, or a negative errno of a file: the
 * caller must then undo the transaction, and acknowledge no message of it.
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
int handle_answer(struct collector *c, const struct index_host *host, const struct message *m);

/*
 * batch.c: receive messages, write them to the disk, and acknowledge them: all or none. Wait at
 * most so long for the first one. Return the number of messages that were acknowledged.
 */
unsigned int batch_run(struct collector *c, int timeout_ms);

/* batch.c: handle one message that nobody has checked, in a transaction. Return 0 or an errno. */
int batch_message(struct collector *c, const struct parcel *p);

#endif /* RBMAP_FLEET_COLLECTOR_INCOMING_H */

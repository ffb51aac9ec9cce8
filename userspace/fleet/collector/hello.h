/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_COLLECTOR_HELLO_H
#define RBMAP_FLEET_COLLECTOR_HELLO_H

#include "collector.h"
#include "collector/index/hosts.h"
#include "message/message.h"

/*
 * A host says what waits in its spool. Answer STORED for an incident that is stored. The
 * others wait for a permit. In a transaction
 */
void handle_hello(struct collector *c, const struct index_host *host, const struct message *m);

#endif /* RBMAP_FLEET_COLLECTOR_HELLO_H */

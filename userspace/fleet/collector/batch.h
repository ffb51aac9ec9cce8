/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_COLLECTOR_BATCH_H
#define RBMAP_FLEET_COLLECTOR_BATCH_H

#include "collector.h"

/*
 * Receive messages, write them to the disk, and acknowledge them: all or none. Wait at
 * most so long for the first one. Return the number of messages that were acknowledged.
 */
unsigned int batch_run(struct collector *c, int timeout_ms);

/* Handle one message that nobody has checked, in a transaction. Return 0 or an errno. */
int batch_message(struct collector *c, const struct parcel *p);

#endif /* RBMAP_FLEET_COLLECTOR_BATCH_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The work that needs no message: asking for parts, giving permits, removing old files */
#ifndef RBMAP_FLEET_COLLECTOR_UPKEEP_H
#define RBMAP_FLEET_COLLECTOR_UPKEEP_H

#include "collector.h"

/* Remove files of parts that the index does not know, from a collector that was killed. */
void leftovers_remove(struct collector *c);

/* Count the bytes of all files that are stored. */
void retention_begin(struct collector *c);

/*
 * Remove the oldest files that exceed --keep-size or --keep-days, and those of hosts that
 * have too many. The index lists them as removed.
 */
void retention_apply(struct collector *c);

/* Ask for the parts that did not come. */
void upkeep_ask(struct collector *c);
void upkeep_permits(struct collector *c);
/* Remove parts that nobody has completed in a day, and hosts that were not seen for long. */
void upkeep_remove_old(struct collector *c);
/*
 * Fold or remove old sources of hosts that have many. If they are those of many boots, also
 * remove the files of the oldest ones.
 */
void upkeep_sources(struct collector *c);

#endif /* RBMAP_FLEET_COLLECTOR_UPKEEP_H */

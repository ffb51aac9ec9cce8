/* SPDX-License-Identifier: GPL-2.0-only */
/* The work that needs no message: asking for parts, and giving permits. */
#ifndef RBMAP_FLEET_COLLECTOR_UPKEEP_H
#define RBMAP_FLEET_COLLECTOR_UPKEEP_H

#include "collector.h"

/* Ask for the parts that did not come. */
void upkeep_ask(struct collector *c);
void upkeep_permits(struct collector *c);
/* Remove parts that nobody has completed in a day, and hosts that were not seen for long. */
void upkeep_remove_old(struct collector *c);

#endif /* RBMAP_FLEET_COLLECTOR_UPKEEP_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that exist once somebody names them. */
#ifndef RBMAP_EVENT_DEMAND_H
#define RBMAP_EVENT_DEMAND_H

#include "event_set.h"

int rbmap_event_set_demand(struct rbmap_event_set *set,
			   const struct rbmap_event_match *match);
bool rbmap_event_demand_knows(const struct rbmap_event_match *match);
const char *rbmap_event_demand_way(const char **reason);
const char *rbmap_event_demand_refused(void);
char *rbmap_event_set_available(struct rbmap_event_set *set);

#endif /* RBMAP_EVENT_DEMAND_H */

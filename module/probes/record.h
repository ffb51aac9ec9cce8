/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes of this module have the ring inline, and measure their own cost. */
#ifndef RBMAP_PROBES_RECORD_H
#define RBMAP_PROBES_RECORD_H

#include "event/self_cost.h"

#define RBMAP_EVENT_RESERVE	rbmap_event_begin
#define RBMAP_EVENT_FILL(...)	do { } while (0)
#define RBMAP_COST_BEGIN	rbmap_self_cost_begin
#define RBMAP_COST_END		rbmap_self_cost_end
#include <rbmap/record.h>

#endif /* RBMAP_PROBES_RECORD_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Parse the texts of hosts: each has limits, and no value is believed. */
#ifndef RBMAP_FLEET_COLLECTOR_MANIFEST_H
#define RBMAP_FLEET_COLLECTOR_MANIFEST_H

#include "collector/index/hosts.h"
#include "collector/index/incidents.h"
#include "message/message.h"

/* Return false if the manifest is too long, or lacks the size, the sum or the parts. */
bool manifest_parse(struct index_manifest *manifest, const struct message *m);
void loss_parse(struct index_loss *loss, const struct message *m);
/* Return false if the answer has no valid state. */
bool answer_parse(struct index_answer *answer, const struct message *m);

/* Parse a number below 2^63; else return INDEX_UNKNOWN. */
uint64_t parse_number(const char *value);

#endif /* RBMAP_FLEET_COLLECTOR_MANIFEST_H */

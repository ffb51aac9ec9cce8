/* SPDX-License-Identifier: GPL-2.0-only */
/* rbmap list -v: the fields of an event, from its format. */
#ifndef RBMAP_LIST_LIST_FIELDS_H
#define RBMAP_LIST_LIST_FIELDS_H

#include "base/json.h"
#include "kernel/control.h"

void list_fields_print(const struct control_event *event);
void list_fields_json(struct json *j, const struct control_event *event);

#endif /* RBMAP_LIST_LIST_FIELDS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Write the record of a dynamic event. */
#ifndef RBMAP_DYNAMIC_RECORD_H
#define RBMAP_DYNAMIC_RECORD_H

#include "arguments.h"

void rbmap_dynamic_record(void *data, struct rbmap_fetch_args *args);

#endif /* RBMAP_DYNAMIC_RECORD_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The incidents that an ID names: one, or those of a command's hosts. */
#ifndef RBMAP_FLEET_ADMIN_STORED_H
#define RBMAP_FLEET_ADMIN_STORED_H

#include "collector/index/database.h"

/* Columns of the rows */
enum { STORED_HOST, STORED_NAME, STORED_STATE, STORED_SHA256, STORED_MANIFEST };

/* Return a statement with a row for each incident, by host. index_end() ends it. */
sqlite3_stmt *stored_select(struct fleet_index *ix, const char *id);

/* Return whether the row's incident is on the disk of the collector, or report its state. */
bool stored_is_there(sqlite3_stmt *st);

/* Store the path of the row's file. */
void stored_path(sqlite3_stmt *st, const char *directory, char *path, size_t size);

#endif /* RBMAP_FLEET_ADMIN_STORED_H */

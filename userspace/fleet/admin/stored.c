// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "stored.h"

static const char query[] =
	"SELECT host.name, incident.name, incident.state, incident.sha256, incident.manifest"
	" FROM incident JOIN host ON host.id = incident.host"
	" WHERE incident.name = ?1 OR incident.command = ?1 OR incident.id IN"
	" (SELECT mine.id FROM command JOIN answer ON answer.command = command.id"
	"  JOIN incident mine ON mine.host = answer.host AND mine.name = answer.incident"
	"  WHERE command.name = ?1)"
	" ORDER BY host.name, incident.name";

sqlite3_stmt *stored_select(struct fleet_index *ix, const char *id)
{
	return index_select(ix, query, "s", id);
}

bool stored_is_there(sqlite3_stmt *st)
{
	if (!strcmp(index_text(st, STORED_STATE), "stored"))
		return true;
	complain("%s of %s is not stored: its state is '%s'", index_text(st, STORED_NAME),
		 index_text(st, STORED_HOST), index_text(st, STORED_STATE));
	return false;
}

void stored_path(sqlite3_stmt *st, const char *directory, char *path, size_t size)
{
	snprintf(path, size, "%s/incidents/%s/%s.dat", directory, index_text(st, STORED_HOST),
		 index_text(st, STORED_NAME));
}

// SPDX-License-Identifier: GPL-2.0-only
#include "commands.h"

#define KEPT	"1000"

static const char add[] =
	"INSERT INTO command (name, action, hosts, reason, time)"
	" VALUES (?1, 'snapshot', ?2, ?3, ?4)";
static const char trim[] =
	"DELETE FROM command WHERE id <= (SELECT id FROM command ORDER BY id DESC LIMIT 1"
	" OFFSET " KEPT ")";
static const char trim_answers[] =
	"DELETE FROM answer WHERE command < (SELECT ifnull(min(id), 0) FROM command)";
static const char remove_one[] = "DELETE FROM command WHERE name = ?1";
static const char find[] =
	"SELECT id, name, hosts, reason, time FROM command WHERE name = ?1";
static const char answer_text[] =
	"INSERT OR REPLACE INTO answer (command, host, state, error, incident, oldest, late,"
	" received, clock_error, arrived)"
	" VALUES (?1, ?2, ?3, ?4, nullif(?5, ''), ?6, ?7, ?8, ?9, ?10)";

void index_command_add(struct fleet_index *ix, const struct index_command *c)
{
	index_run(ix, add, "sssi", c->name, c->hosts, c->reason, c->time);
	index_run(ix, trim, "");
	index_run(ix, trim_answers, "");
}

void index_command_remove(struct fleet_index *ix, const char *name)
{
	index_run(ix, remove_one, "s", name);
}

bool index_command_find(struct fleet_index *ix, const char *name, struct index_command *c)
{
	sqlite3_stmt *st = index_select(ix, find, "s", name);

	if (!index_row(ix, st))
		return false;
	c->id = sqlite3_column_int64(st, 0);
	index_copy_text(st, 1, c->name, sizeof(c->name));
	index_copy_text(st, 2, c->hosts, sizeof(c->hosts));
	index_copy_text(st, 3, c->reason, sizeof(c->reason));
	c->time = sqlite3_column_int64(st, 4);
	index_end(st);
	return true;
}

void index_answer(struct fleet_index *ix, int64_t command, int64_t host,
		  const struct index_answer *a, int64_t now)
{
	index_run(ix, answer_text, "iisssuuuui", command, host, a->state, a->error, a->incident,
		  a->oldest, a->late, a->received, a->clock_error, now);
}

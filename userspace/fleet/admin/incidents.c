// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "commands.h"
#include "print.h"

static const char query[] =
	"SELECT host.name, incident.name, incident.time, incident.state, incident.size,"
	" incident.events, incident.lost, incident.recording, incident.command,"
	" incident.reason, incident.cause"
	" FROM incident JOIN host ON host.id = incident.host"
	" WHERE incident.time BETWEEN ?1 AND ?2"
	" ORDER BY incident.time, host.name, incident.name";

enum { HOST, NAME, WHEN, STATE, SIZE, EVENTS, LOST, RECORDING, COMMAND, REASON, CAUSE };

static void print_row(sqlite3_stmt *st)
{
	char cell[CELL_SIZE];

	print_text(index_text(st, HOST), 20);
	print_text(index_text(st, NAME), 28);
	print_text(cell_time(index_u64(st, WHEN), cell), 19);
	print_text(index_text(st, STATE), 9);
	print_text(cell_size(index_u64(st, SIZE), cell), 10);
	print_text(cell_number(index_u64(st, EVENTS), cell), 10);
	print_text(cell_number(index_u64(st, LOST), cell), 8);
	print_text(index_u64(st, RECORDING) ? "" : "(not a recording)", 0);
	print_text(*index_text(st, CAUSE) ? index_text(st, CAUSE) : index_text(st, REASON), 0);
	putchar('\n');
}

static void print_json(struct json *j, sqlite3_stmt *st)
{
	json_open(j, NULL, '{');
	json_string(j, "host", index_text(st, HOST));
	json_string(j, "incident", index_text(st, NAME));
	json_known(j, "time", index_u64(st, WHEN));
	json_string(j, "state", index_text(st, STATE));
	json_known(j, "size", index_u64(st, SIZE));
	json_known(j, "events", index_u64(st, EVENTS));
	json_known(j, "lost", index_u64(st, LOST));
	if (index_u64(st, RECORDING) == INDEX_UNKNOWN)
		json_null(j, "recording");
	else
		json_bool(j, "recording", index_u64(st, RECORDING));
	json_text(j, "command", index_text(st, COMMAND));
	json_text(j, "reason", index_text(st, REASON));
	json_text(j, "cause", index_text(st, CAUSE));
	json_close(j, '}');
}

static void print_head(struct json *j, bool json)
{
	static const struct { const char *name; int width; } heads[] = {
		{ "HOST", 20 }, { "ID", 28 }, { "TIME", 19 }, { "STATE", 9 }, { "SIZE", 10 },
		{ "EVENTS", 10 }, { "LOST", 8 }, { "REASON", 0 },
	};

	if (json) {
		json_open(j, NULL, '[');
		return;
	}
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		print_text(heads[i].name, heads[i].width);
	putchar('\n');
}

int fleet_incidents(const struct fleet_options *o)
{
	struct json j = { .out = stdout };
	int status = STATUS_OK;
	struct fleet_index ix;
	sqlite3_stmt *st;

	if (!fleet_open_index(&ix, o, INDEX_READ))
		return STATUS_ERROR;
	print_head(&j, o->json);
	st = index_select(&ix, query, "ii", o->since, o->until);
	while (index_row(&ix, st)) {
		if (!fleet_has_host(o->hosts, index_text(st, HOST)))
			continue;
		if (!strcmp(index_text(st, STATE), "lost") || !strcmp(index_text(st, STATE), "damaged"))
			status = STATUS_CUT;
		if (o->json)
			print_json(&j, st);
		else
			print_row(st);
	}
	if (o->json)
		json_close(&j, ']');
	return fleet_close_index(&ix, o, status);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "answers.h"
#include "base/complain.h"
#include "commands.h"
#include "message/message.h"
#include "print.h"

static const char query[] =
	"SELECT host.name, incident.name, incident.state, incident.changed, incident.size,"
	" incident.recording, incident.cause, incident.failures, incident.manifest,"
	" incoming.received, incoming.parts"
	" FROM incident JOIN host ON host.id = incident.host"
	" LEFT JOIN incoming ON incoming.incident = incident.id"
	" WHERE incident.name = ?1 ORDER BY host.name";

enum { HOST, NAME, STATE, CHANGED, SIZE, RECORDING, CAUSE, FAILURES, MANIFEST, RECEIVED, PARTS };

typedef void manifest_fn(struct json *j, const char *name, const char *value);

/* Call the function for each line of the manifest. */
static void each_line(const char *manifest, manifest_fn *print, struct json *j)
{
	struct text t = { manifest, manifest + strlen(manifest) };
	char name[32], value[256];

	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		print(j, name, value);
}

static void line_text(struct json *j, const char *name, const char *value)
{
	(void)j;
	printf("  ");
	print_text(name, 14);
	print_text(value, 0);
	putchar('\n');
}

static void line_json(struct json *j, const char *name, const char *value)
{
	/* json_string() prints a key as it is. */
	if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return;
	json_string(j, name, value);
}

static void show_text(sqlite3_stmt *st)
{
	char cell[CELL_SIZE];

	print_line("host", index_text(st, HOST));
	print_line("incident", index_text(st, NAME));
	print_line("state", index_text(st, STATE));
	print_line("since", cell_time(index_u64(st, CHANGED), cell));
	print_line("size", cell_size(index_u64(st, SIZE), cell));
	if (index_u64(st, RECEIVED) != INDEX_UNKNOWN) {
		print_line("parts received", cell_number(index_u64(st, RECEIVED), cell));
		print_line("of", cell_number(index_u64(st, PARTS), cell));
	}
	if (!index_u64(st, RECORDING))
		print_line("recording", "no: librbmap does not open the file");
	print_line("cause", index_text(st, CAUSE));
	if (sqlite3_column_int(st, FAILURES))
		print_line("damaged so many times", cell_number(index_u64(st, FAILURES), cell));
	if (*index_text(st, MANIFEST))
		printf("manifest:\n");
	each_line(index_text(st, MANIFEST), line_text, NULL);
}

static void show_json(struct json *j, sqlite3_stmt *st)
{
	json_open(j, NULL, '{');
	json_string(j, "host", index_text(st, HOST));
	json_string(j, "incident", index_text(st, NAME));
	json_string(j, "state", index_text(st, STATE));
	json_known(j, "changed", index_u64(st, CHANGED));
	json_known(j, "size", index_u64(st, SIZE));
	json_known(j, "received", index_u64(st, RECEIVED));
	json_known(j, "parts", index_u64(st, PARTS));
	if (index_u64(st, RECORDING) == INDEX_UNKNOWN)
		json_null(j, "recording");
	else
		json_bool(j, "recording", index_u64(st, RECORDING));
	json_text(j, "cause", index_text(st, CAUSE));
	json_known(j, "failures", index_u64(st, FAILURES));
	json_open(j, "manifest", '{');
	each_line(index_text(st, MANIFEST), line_json, j);
	json_close(j, '}');
	json_close(j, '}');
}

/* An incident is a list, because several hosts can use one id. */
static int show_incidents(struct fleet_index *ix, const struct fleet_options *o)
{
	sqlite3_stmt *st = index_select(ix, query, "s", o->id);
	struct json j = { .out = stdout };
	int status = STATUS_OK;
	unsigned int nr = 0;

	while (index_row(ix, st)) {
		if (o->json && !nr)
			json_open(&j, NULL, '[');
		nr++;
		if (strcmp(index_text(st, STATE), "stored"))
			status = STATUS_CUT;
		if (o->json)
			show_json(&j, st);
		else
			show_text(st);
	}
	if (o->json && nr)
		json_close(&j, ']');
	if (nr || ix->code)
		return status;
	complain("no incident or command '%s': 'rbmap fleet incidents' lists the incidents", o->id);
	return STATUS_ERROR;
}

int fleet_show(const struct fleet_options *o)
{
	struct index_command command;
	struct fleet_index ix;
	int status;

	if (!fleet_open_index(&ix, o, INDEX_READ))
		return STATUS_ERROR;
	if (index_command_find(&ix, o->id, &command))
		status = answers_print(&ix, &command, o->json);
	else
		status = show_incidents(&ix, o);
	return fleet_close_index(&ix, o, status);
}

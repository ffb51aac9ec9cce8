// SPDX-License-Identifier: GPL-2.0-only
/* rbmap fleet hosts, top, incidents and show: what the collector's index has */
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "commands.h"
#include "message/message.h"
#include "print.h"

/* How a column is printed */
enum kind { TEXT, NUMBER, BYTES, WHEN, SPAN };

/* A column of a table: its heading, and its name in JSON */
struct column {
	const char *head, *key;
	int width;
	enum kind kind;
};

static const struct column host_columns[] = {
	{ "HOST", "host", 20, TEXT }, { "FIRST-SEEN", "first-seen", 19, WHEN },
	{ "LAST-SEEN", "last-seen", 19, WHEN }, { "STORED", "stored", 7, NUMBER },
	{ "REFUSED", "refused", 7, NUMBER }, { "CLOCK-ERROR", "clock-error", 11, SPAN },
	{ "VERSION", "version", 8, TEXT }, { "KERNEL", "kernel", 0, TEXT },
	{ "CAUSES", "causes", 0, TEXT },
};

static const char host_query[] =
	"SELECT name, first_seen, last_seen,"
	" (SELECT count(*) FROM incident WHERE host = h.id AND state = 'stored'),"
	" (SELECT ifnull(sum(number), 0) FROM refused WHERE host = h.id),"
	" clock_error, version, kernel,"
	" (SELECT group_concat(cause || ' ' || number, ', ') FROM refused WHERE host = h.id)"
	" FROM host h ORDER BY name";

static const struct column top_columns[] = {
	{ "HOST", "host", 20, TEXT }, { "EVENTS", "events", 14, NUMBER },
	{ "LOST", "lost", 12, NUMBER }, { "LAST-SEEN", "last-seen", 19, WHEN },
	{ "SPOOL", "spool-bytes", 10, BYTES }, { "WAITING", "waiting", 7, NUMBER },
	{ "STORED", "stored", 7, NUMBER }, { "LOST-INCIDENTS", "lost-incidents", 0, NUMBER },
};

static const char top_query[] =
	"SELECT name, events, lost, last_seen, spool_bytes, waiting,"
	" (SELECT count(*) FROM incident WHERE host = h.id AND state = 'stored'),"
	" (SELECT count(*) FROM incident WHERE host = h.id AND state = 'lost')"
	" FROM host h ORDER BY ifnull(lost, 0) DESC, ifnull(events, 0) DESC, name";

static void print_cell(sqlite3_stmt *st, int i, const struct column *c)
{
	uint64_t number = index_u64(st, i);
	char cell[CELL_SIZE];

	switch (c->kind) {
	case TEXT:
		print_text(index_text(st, i), c->width);
		break;
	case NUMBER:
		print_text(cell_number(number, cell), c->width);
		break;
	case BYTES:
		print_text(cell_size(number, cell), c->width);
		break;
	case WHEN:
		print_text(cell_time(number, cell), c->width);
		break;
	case SPAN:
		print_text(cell_between(0, number, cell), c->width);
		break;
	}
}

static void host_json(struct json *j, sqlite3_stmt *st, const struct column *columns, int nr)
{
	json_open(j, NULL, '{');
	for (int i = 0; i < nr; i++) {
		if (columns[i].kind == TEXT)
			json_text(j, columns[i].key, index_text(st, i));
		else
			json_known(j, columns[i].key, index_u64(st, i));
	}
	json_close(j, '}');
}

static int list(const struct fleet_options *o, const char *query, const struct column *columns, int nr)
{
	struct json j = { .out = stdout };
	struct fleet_index ix;
	sqlite3_stmt *st;

	if (!fleet_open_index(&ix, o, INDEX_READ))
		return STATUS_ERROR;
	if (o->json)
		json_open(&j, NULL, '[');
	for (int i = 0; i < nr && !o->json; i++)
		print_text(columns[i].head, columns[i].width);
	if (!o->json)
		putchar('\n');
	st = index_select(&ix, query, "");
	while (index_row(&ix, st)) {
		if (!fleet_has_host(o->hosts, index_text(st, 0)))
			continue;
		if (o->json)
			host_json(&j, st, columns, nr);
		for (int i = 0; i < nr && !o->json; i++)
			print_cell(st, i, &columns[i]);
		if (!o->json)
			putchar('\n');
	}
	if (o->json)
		json_close(&j, ']');
	return fleet_close_index(&ix, o, STATUS_OK);
}

#define LIST(o, query, columns)	list(o, query, columns, sizeof(columns) / sizeof(*(columns)))

int fleet_hosts(const struct fleet_options *o)
{
	return LIST(o, host_query, host_columns);
}

int fleet_top(const struct fleet_options *o)
{
	return LIST(o, top_query, top_columns);
}

static const char incidents_query[] =
	"SELECT host.name, incident.name, incident.time, incident.state, incident.size,"
	" incident.events, incident.lost, incident.recording, incident.command,"
	" incident.reason, incident.cause"
	" FROM incident JOIN host ON host.id = incident.host"
	" WHERE incident.time BETWEEN ?1 AND ?2"
	" ORDER BY incident.time, host.name, incident.name";

enum { LISTED_HOST, LISTED_NAME, LISTED_WHEN, LISTED_STATE, LISTED_SIZE, LISTED_EVENTS, LISTED_LOST,
       LISTED_RECORDING, LISTED_COMMAND, LISTED_REASON, LISTED_CAUSE };

static void incident_row(sqlite3_stmt *st)
{
	char cell[CELL_SIZE];

	print_text(index_text(st, LISTED_HOST), 20);
	print_text(index_text(st, LISTED_NAME), 28);
	print_text(cell_time(index_u64(st, LISTED_WHEN), cell), 19);
	print_text(index_text(st, LISTED_STATE), 9);
	print_text(cell_size(index_u64(st, LISTED_SIZE), cell), 10);
	print_text(cell_number(index_u64(st, LISTED_EVENTS), cell), 10);
	print_text(cell_number(index_u64(st, LISTED_LOST), cell), 8);
	print_text(index_u64(st, LISTED_RECORDING) ? "" : "(not a recording)", 0);
	print_text(*index_text(st, LISTED_CAUSE) ? index_text(st, LISTED_CAUSE) :
		   index_text(st, LISTED_REASON), 0);
	putchar('\n');
}

/* @recording: INDEX_UNKNOWN becomes null. */
static void json_recording(struct json *j, uint64_t recording)
{
	if (recording == INDEX_UNKNOWN)
		json_null(j, "recording");
	else
		json_bool(j, "recording", recording);
}

static void incident_json(struct json *j, sqlite3_stmt *st)
{
	json_open(j, NULL, '{');
	json_string(j, "host", index_text(st, LISTED_HOST));
	json_string(j, "incident", index_text(st, LISTED_NAME));
	json_known(j, "time", index_u64(st, LISTED_WHEN));
	json_string(j, "state", index_text(st, LISTED_STATE));
	json_known(j, "size", index_u64(st, LISTED_SIZE));
	json_known(j, "events", index_u64(st, LISTED_EVENTS));
	json_known(j, "lost", index_u64(st, LISTED_LOST));
	json_recording(j, index_u64(st, LISTED_RECORDING));
	json_text(j, "command", index_text(st, LISTED_COMMAND));
	json_text(j, "reason", index_text(st, LISTED_REASON));
	json_text(j, "cause", index_text(st, LISTED_CAUSE));
	json_close(j, '}');
}

static void incidents_head(struct json *j, bool json)
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
	incidents_head(&j, o->json);
	st = index_select(&ix, incidents_query, "ii", o->since, o->until);
	while (index_row(&ix, st)) {
		if (!fleet_has_host(o->hosts, index_text(st, LISTED_HOST)))
			continue;
		if (!strcmp(index_text(st, LISTED_STATE), "lost") ||
		    !strcmp(index_text(st, LISTED_STATE), "damaged"))
			status = STATUS_CUT;
		if (o->json)
			incident_json(&j, st);
		else
			incident_row(st);
	}
	if (o->json)
		json_close(&j, ']');
	return fleet_close_index(&ix, o, status);
}

static const char shown_query[] =
	"SELECT host.name, incident.name, incident.state, incident.changed, incident.size,"
	" incident.recording, incident.cause, incident.failures, incident.manifest,"
	" incoming.received, incoming.parts"
	" FROM incident JOIN host ON host.id = incident.host"
	" LEFT JOIN incoming ON incoming.incident = incident.id"
	" WHERE incident.name = ?1 ORDER BY host.name";

enum { SHOWN_HOST, SHOWN_NAME, SHOWN_STATE, SHOWN_CHANGED, SHOWN_SIZE, SHOWN_RECORDING, SHOWN_CAUSE,
       SHOWN_FAILURES, SHOWN_MANIFEST, SHOWN_RECEIVED, SHOWN_PARTS };

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

	print_line("host", index_text(st, SHOWN_HOST));
	print_line("incident", index_text(st, SHOWN_NAME));
	print_line("state", index_text(st, SHOWN_STATE));
	print_line("since", cell_time(index_u64(st, SHOWN_CHANGED), cell));
	print_line("size", cell_size(index_u64(st, SHOWN_SIZE), cell));
	if (index_u64(st, SHOWN_RECEIVED) != INDEX_UNKNOWN) {
		print_line("parts received", cell_number(index_u64(st, SHOWN_RECEIVED), cell));
		print_line("of", cell_number(index_u64(st, SHOWN_PARTS), cell));
	}
	if (!index_u64(st, SHOWN_RECORDING))
		print_line("recording", "no: librbmap does not open the file");
	print_line("cause", index_text(st, SHOWN_CAUSE));
	if (sqlite3_column_int(st, SHOWN_FAILURES))
		print_line("damaged so many times", cell_number(index_u64(st, SHOWN_FAILURES), cell));
	if (*index_text(st, SHOWN_MANIFEST))
		printf("manifest:\n");
	each_line(index_text(st, SHOWN_MANIFEST), line_text, NULL);
}

static void show_json(struct json *j, sqlite3_stmt *st)
{
	json_open(j, NULL, '{');
	json_string(j, "host", index_text(st, SHOWN_HOST));
	json_string(j, "incident", index_text(st, SHOWN_NAME));
	json_string(j, "state", index_text(st, SHOWN_STATE));
	json_known(j, "changed", index_u64(st, SHOWN_CHANGED));
	json_known(j, "size", index_u64(st, SHOWN_SIZE));
	json_known(j, "received", index_u64(st, SHOWN_RECEIVED));
	json_known(j, "parts", index_u64(st, SHOWN_PARTS));
	json_recording(j, index_u64(st, SHOWN_RECORDING));
	json_text(j, "cause", index_text(st, SHOWN_CAUSE));
	json_known(j, "failures", index_u64(st, SHOWN_FAILURES));
	json_open(j, "manifest", '{');
	each_line(index_text(st, SHOWN_MANIFEST), line_json, j);
	json_close(j, '}');
	json_close(j, '}');
}

/* An incident is a list, because several hosts can use one id. */
static int show_incidents(struct fleet_index *ix, const struct fleet_options *o)
{
	sqlite3_stmt *st = index_select(ix, shown_query, "s", o->id);
	struct json j = { .out = stdout };
	int status = STATUS_OK;
	unsigned int nr = 0;

	while (index_row(ix, st)) {
		if (o->json && !nr)
			json_open(&j, NULL, '[');
		nr++;
		if (strcmp(index_text(st, SHOWN_STATE), "stored"))
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

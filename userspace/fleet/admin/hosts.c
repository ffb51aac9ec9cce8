// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "commands.h"
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

static void print_json(struct json *j, sqlite3_stmt *st, const struct column *columns, int nr)
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
			print_json(&j, st, columns, nr);
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

// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "commands.h"
#include "print.h"

bool fleet_open_index(struct fleet_index *ix, const struct fleet_options *o, enum index_mode mode)
{
	if (index_open(ix, o->directory, mode))
		return true;
	complain("cannot open %s/" INDEX_FILE ": %s; run it where 'rbmap collect' runs, or name its directory with --directory",
		 o->directory, ix->error);
	return false;
}

int fleet_close_index(struct fleet_index *ix, const struct fleet_options *o, int status)
{
	if (ix->code) {
		complain("cannot read %s/" INDEX_FILE ": %s", o->directory, ix->error);
		status = STATUS_ERROR;
	}
	index_close(ix);
	return status;
}

bool fleet_has_host(const char *pattern, const char *host)
{
	return !fnmatch(pattern, host, 0);
}

/*
 * One incident of each host: the one that its ANSWER to the command names, or the one of that id,
 * or the newest one whose manifest names the command. A host can write the command's id into all
 * of its manifests.
 */
static const char stored_query[] =
	"WITH answered AS"
	" (SELECT mine.id FROM command JOIN answer ON answer.command = command.id"
	"  JOIN incident mine ON mine.host = answer.host AND mine.name = answer.incident"
	"  WHERE command.name = ?1),"
	" named AS"
	" (SELECT id, row_number() OVER (PARTITION BY host ORDER BY"
	"  id IN answered DESC, name = ?1 DESC, id DESC) AS place,"
	"  count(*) OVER (PARTITION BY host) AS number FROM incident"
	"  WHERE name = ?1 OR command = ?1 OR id IN answered)"
	" SELECT host.name, incident.name, state, sha256, manifest, number - 1"
	" FROM named JOIN incident ON incident.id = named.id JOIN host ON host.id = incident.host"
	" WHERE place = 1 ORDER BY host.name";

sqlite3_stmt *stored_select(struct fleet_index *ix, const char *id)
{
	return index_select(ix, stored_query, "s", id);
}

bool stored_is_there(sqlite3_stmt *st)
{
	uint64_t others = index_u64(st, STORED_OTHERS);

	if (others)
		complain("note: %s names the command in %" PRIu64 " more incidents, which are left out: 'rbmap fleet incidents --hosts %s' lists them",
			 index_text(st, STORED_HOST), others, index_text(st, STORED_HOST));
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

static const char answers_query[] =
	"SELECT host.name, host.first_seen, host.last_seen, answer.state, answer.error,"
	" answer.incident, answer.oldest, answer.late, answer.received,"
	" answer.clock_error, incident.state"
	" FROM host LEFT JOIN answer ON answer.host = host.id AND answer.command = ?1"
	" LEFT JOIN incident ON incident.host = host.id AND incident.name = answer.incident"
	" ORDER BY host.name";

enum { HOST, FIRST_SEEN, LAST_SEEN, STATE, ERROR, INCIDENT, OLDEST, LATE, RECEIVED, CLOCK_ERROR,
       INCIDENT_STATE };

/* Go to the next host that the command means. */
static bool next_host(struct fleet_index *ix, sqlite3_stmt *st, const struct index_command *command)
{
	while (index_row(ix, st))
		if (*index_text(st, STATE) ||
		    (fleet_has_host(command->hosts, index_text(st, HOST)) &&
		     sqlite3_column_int64(st, FIRST_SEEN) <= command->time))
			return true;
	return false;
}

static void count(struct answers *a, sqlite3_stmt *st)
{
	a->known++;
	a->answered += *index_text(st, STATE) != '\0';
	a->failed += !strcmp(index_text(st, STATE), "failed");
	a->stored += !strcmp(index_text(st, INCIDENT_STATE), "stored");
}

struct answers answers_count(struct fleet_index *ix, const struct index_command *command)
{
	sqlite3_stmt *st = index_select(ix, answers_query, "i", command->id);
	struct answers a = { 0 };

	while (next_host(ix, st, command))
		count(&a, st);
	return a;
}

/* The words for an answer without a file, and for a host without an answer */
static const char *outcome(sqlite3_stmt *st)
{
	if (!*index_text(st, STATE))
		return "no answer";
	if (!strcmp(index_text(st, STATE), "failed"))
		return "failed";
	return *index_text(st, INCIDENT_STATE) ? index_text(st, INCIDENT_STATE) : "not here";
}

static void print_row(sqlite3_stmt *st, const struct index_command *command)
{
	uint64_t late = index_u64(st, LATE);
	char cell[CELL_SIZE];

	print_text(index_text(st, HOST), 20);
	print_text(outcome(st), 9);
	print_text(cell_between(command->time, index_u64(st, RECEIVED), cell), 10);
	print_text(cell_between(command->time, index_u64(st, OLDEST), cell), 12);
	print_text(late ? cell_between(0, late, cell) : "no", 10);
	print_text(cell_between(0, index_u64(st, CLOCK_ERROR), cell), 11);
	if (*index_text(st, STATE)) {
		print_text(index_text(st, INCIDENT), 0);
		print_text(index_text(st, ERROR), 0);
	} else {
		printf("last seen %s", cell_time(index_u64(st, LAST_SEEN), cell));
	}
	putchar('\n');
}

static void print_table(struct fleet_index *ix, const struct index_command *command,
			struct answers *a)
{
	sqlite3_stmt *st = index_select(ix, answers_query, "i", command->id);
	char cell[CELL_SIZE];

	print_line("command", command->name);
	print_line("hosts", command->hosts);
	print_line("reason", command->reason);
	print_line("time", cell_time(command->time, cell));
	printf("%-20s %-9s %-10s %-12s %-10s %-11s %s\n", "HOST", "STATE", "RECEIVED", "OLDEST-EVENT",
	       "LATE", "CLOCK-ERROR", "INCIDENT");
	while (next_host(ix, st, command)) {
		count(a, st);
		print_row(st, command);
	}
	printf("%u of %u hosts have answered, %u failed, %u incidents are stored\n", a->answered,
	       a->known, a->failed, a->stored);
}

static void print_json(struct fleet_index *ix, const struct index_command *command,
		       struct answers *a)
{
	sqlite3_stmt *st = index_select(ix, answers_query, "i", command->id);
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_string(&j, "command", command->name);
	json_string(&j, "hosts", command->hosts);
	json_string(&j, "reason", command->reason);
	json_number(&j, "time", command->time);
	json_open(&j, "answers", '[');
	while (next_host(ix, st, command)) {
		count(a, st);
		json_open(&j, NULL, '{');
		json_string(&j, "host", index_text(st, HOST));
		json_known(&j, "last-seen", index_u64(st, LAST_SEEN));
		json_text(&j, "state", index_text(st, STATE));
		json_text(&j, "error", index_text(st, ERROR));
		json_text(&j, "incident", index_text(st, INCIDENT));
		json_text(&j, "incident-state", index_text(st, INCIDENT_STATE));
		json_known(&j, "oldest-real", index_u64(st, OLDEST));
		json_known(&j, "late", index_u64(st, LATE));
		json_known(&j, "received-real", index_u64(st, RECEIVED));
		json_known(&j, "clock-error", index_u64(st, CLOCK_ERROR));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_unsigned(&j, "known", a->known);
	json_unsigned(&j, "answered", a->answered);
	json_unsigned(&j, "failed", a->failed);
	json_unsigned(&j, "stored", a->stored);
	json_close(&j, '}');
}

int answers_print(struct fleet_index *ix, const struct index_command *command, bool json)
{
	struct answers a = { 0 };

	if (json)
		print_json(ix, command, &a);
	else
		print_table(ix, command, &a);
	return a.stored < a.known ? STATUS_CUT : STATUS_OK;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * manifest.txt has lines NAME = VALUE, and an empty line between two incidents. The first
 * lines are `host`, `incident`, `state` and `copy`, the name of the file if it was copied.
 * The manifest of the host follows.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers.h"
#include "base/complain.h"
#include "commands.h"
#include "copy.h"
#include "message/message.h"
#include "stored.h"

#define MANIFEST	"manifest.txt"

/* The name in the folder of the host: names of hosts and of incidents could be put together. */
static void copy_name(sqlite3_stmt *st, char name[COPY_NAME_SIZE])
{
	snprintf(name, COPY_NAME_SIZE, "%s.dat", index_text(st, STORED_NAME));
}

/* Count the incidents. Return false if a file is there already, which is reported. */
static bool check_names(struct fleet_index *ix, const struct fleet_options *o, int dir,
			unsigned int *nr)
{
	sqlite3_stmt *st = stored_select(ix, o->id);
	bool good = copy_is_new(dir, MANIFEST, o->output);
	char name[COPY_NAME_SIZE], path[COPY_PATH_SIZE];

	*nr = 0;
	while (good && index_row(ix, st)) {
		copy_name(st, name);
		copy_path(path, index_text(st, STORED_HOST), name);
		good = copy_is_new(dir, path, o->output);
		(*nr)++;
	}
	index_end(st);
	return good;
}

static void add_manifest(struct buf *out, sqlite3_stmt *st, const char *copy)
{
	const char *text = index_text(st, STORED_MANIFEST);
	struct text t = { text, text + strlen(text) };
	char name[32], value[256];

	if (out->size)
		buf_add(out, "\n", 1);
	text_add(out, "host", index_text(st, STORED_HOST));
	text_add(out, "incident", index_text(st, STORED_NAME));
	text_add(out, "state", index_text(st, STORED_STATE));
	if (copy)
		text_add(out, "copy", copy);
	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		/* A host cannot add lines of the collector. */
		if (strcmp(name, "host") && strcmp(name, "incident") && strcmp(name, "state") &&
		    strcmp(name, "copy"))
			text_add(out, name, value);
}

/* Copy one file. Return the status. */
static int fetch_one(const struct fleet_options *o, int dir, sqlite3_stmt *st, struct buf *manifest)
{
	char name[COPY_NAME_SIZE], copy[COPY_PATH_SIZE], path[PATH_MAX];
	int status = STATUS_CUT, folder;

	copy_name(st, name);
	copy_path(copy, index_text(st, STORED_HOST), name);
	if (stored_is_there(st)) {
		stored_path(st, o->directory, path, sizeof(path));
		folder = copy_folder(dir, index_text(st, STORED_HOST), o->output);
		status = folder < 0 ? STATUS_ERROR :
			 copy_file(folder, name, path, index_text(st, STORED_SHA256));
		if (folder >= 0)
			close(folder);
	}
	add_manifest(manifest, st, status ? NULL : copy);
	return status;
}

static int fetch_all(struct fleet_index *ix, const struct fleet_options *o, int dir)
{
	sqlite3_stmt *st = stored_select(ix, o->id);
	struct buf manifest = { 0 };
	int status = STATUS_OK, ret;

	while (status != STATUS_ERROR && index_row(ix, st)) {
		ret = fetch_one(o, dir, st, &manifest);
		if (ret)
			status = ret;
	}
	index_end(st);
	if (status != STATUS_ERROR && !copy_text(dir, MANIFEST, &manifest, o->output))
		status = STATUS_ERROR;
	buf_free(&manifest);
	return status;
}

/* Hosts that have not answered a command are missing, too. */
static int add_unanswered(struct fleet_index *ix, const struct fleet_options *o, int status)
{
	struct index_command command;
	struct answers a;

	if (status == STATUS_ERROR || !index_command_find(ix, o->id, &command))
		return status;
	a = answers_count(ix, &command);
	if (a.answered < a.known)
		complain("%u of %u hosts have not answered: 'rbmap fleet show %s' lists them",
			 a.known - a.answered, a.known, o->id);
	return a.stored < a.known ? STATUS_CUT : status;
}

static int fetch_to(struct fleet_index *ix, const struct fleet_options *o, int dir)
{
	unsigned int nr;

	if (!check_names(ix, o, dir, &nr))
		return STATUS_ERROR;
	if (!nr && !ix->code) {
		complain("'%s' has no incidents: 'rbmap fleet incidents' lists them", o->id);
		return STATUS_ERROR;
	}
	return add_unanswered(ix, o, fetch_all(ix, o, dir));
}

int fleet_fetch(const struct fleet_options *o)
{
	int dir, status = STATUS_ERROR;
	struct fleet_index ix;

	if (!fleet_open_index(&ix, o, INDEX_READ))
		return STATUS_ERROR;
	dir = copy_directory(o->output);
	if (dir >= 0) {
		status = fetch_to(&ix, o, dir);
		close(dir);
	}
	return fleet_close_index(&ix, o, status);
}

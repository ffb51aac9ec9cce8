/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of `rbmap fleet`, their options, and what several of them read from the
 * collector's index.
 */
#ifndef RBMAP_FLEET_ADMIN_COMMANDS_H
#define RBMAP_FLEET_ADMIN_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/index/database.h"
#include "collector/index/hosts.h"
#include "transport/transport.h"

#define DEFAULT_DIRECTORY	"/var/lib/rbmap-collect"

/**
 * struct fleet_options - options of all subcommands
 * @hosts: pattern of names
 * @since, @until: ns since 1970
 * @wait: seconds
 * @id: the argument: an incident or a command
 */
struct fleet_options {
	struct transport_options transport;
	const char *directory;
	const char *hosts;
	const char *reason;
	const char *output;
	const char *id;
	int64_t since, until;
	double wait;
	bool json;
};

/* Open the collector's index, or report an error. */
bool fleet_open_index(struct fleet_index *ix, const struct fleet_options *o,
		      enum index_mode mode);
/* Close it. Return the status, or that of an error of the index, which is reported. */
int fleet_close_index(struct fleet_index *ix, const struct fleet_options *o, int status);
/* Return whether a host is one of --hosts. */
bool fleet_has_host(const char *pattern, const char *host);

/*
 * The columns of the incidents that an ID names: one, or those of a command's hosts.
 * STORED_OTHERS: the number of others of the host, which have no row
 */
enum { STORED_HOST, STORED_NAME, STORED_STATE, STORED_SHA256, STORED_MANIFEST, STORED_OTHERS };

/* Return a statement with a row for each host, by name. index_end() ends it. */
sqlite3_stmt *stored_select(struct fleet_index *ix, const char *id);

/*
 * Return whether the row's incident is on the disk of the collector, or report its state. Report
 * the others of the host, too.
 */
bool stored_is_there(sqlite3_stmt *st);

/* Store the path of the row's file. */
void stored_path(sqlite3_stmt *st, const char *directory, char *path, size_t size);

/**
 * struct answers - sums over the hosts that a command means
 * @known: hosts that were known when the command was given, and those that answered
 * @answered: those that answered, also that they failed
 * @failed: those that failed
 * @stored: those of which the incident is stored
 */
struct answers {
	unsigned int known, answered, failed, stored;
};

struct answers answers_count(struct fleet_index *ix, const struct index_command *command);

/* Print the command, a line for each host, and the sums. Return STATUS_OK or STATUS_CUT. */
int answers_print(struct fleet_index *ix, const struct index_command *command, bool json);

/* The commands. Each returns an exit status. */

/*
 * Copy the files of an incident, or of all hosts of a command, to --output: HOST-ID.dat
 * each, and manifest.txt. No file is replaced.
 */
int fleet_fetch(const struct fleet_options *o);

/* List the hosts with their versions, and with the number of their refused messages. */
int fleet_hosts(const struct fleet_options *o);
/* List the hosts by the number of lost events in their last HELLO. */
int fleet_top(const struct fleet_options *o);

/* List the incidents of a time. */
int fleet_incidents(const struct fleet_options *o);

/*
 * @argv[0] is "merge". @directory is the collector's, if no option names another one. Return
 * an exit status.
 */
int fleet_merge(int argc, char **argv, const char *directory);

/* Print a command with its answers, or an incident with its manifest. */
int fleet_show(const struct fleet_options *o);

/* Tell the hosts to take a snapshot, wait for them, and print their answers. */
int fleet_snapshot(const struct fleet_options *o);

/* rbmap fleet stream: a recording of what each host has streamed in a time. Return a status. */
int fleet_stream(const struct fleet_options *o);

#endif /* RBMAP_FLEET_ADMIN_COMMANDS_H */

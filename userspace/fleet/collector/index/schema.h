/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of the index. Times are ns since 1970 by CLOCK_REALTIME, unless their name
 * ends with _tai. Numbers that are not known are NULL.
 *
 * host: a host that has sent a message
 *	name		its name, as the transport knows it
 *	boot, version, kernel
 *			of its last message, and of its last HELLO
 *	first_seen, last_seen
 *			time of its first and its last message
 *	hello		time of its last HELLO; the columns that follow are from there
 *	spool_bytes	bytes in its spool
 *	waiting		incidents in its spool, at most 64
 *	events, lost	of its rings, since the boot
 *	clock_error	of adjtimex(), ns
 *	time_tai	of the host, when it sent HELLO
 *	wants		1: an incident needs a permit, and the host has no permit
 *	turn		number of its last permit: the lowest one is the next to get one
 *
 * incident: an incident of a host; at most one row for each name
 *	state		announced: it is in the host's spool
 *			permitted: the host may send it
 *			incoming: parts of it are here
 *			stored: the file is here, and its SHA-256 was right
 *			damaged: the SHA-256 was wrong, and the parts were removed
 *			lost: the host had to remove it before it was stored
 *			removed: it was stored, and removed by --keep-size or --keep-days
 *	changed		time of the last change of the state
 *	time		time of the trigger; else the time of the first message about it
 *	size, sha256, events, lost, reason, command
 *			from the manifest; size also from HELLO and LOSS
 *	manifest	the text of the manifest
 *	recording	1: librbmap opens the file; 0: it does not
 *	cause		why it was lost
 *	failures	number of times that the SHA-256 was wrong
 *	hello		time of the last HELLO that has listed it
 *
 * incoming: the parts of an incident that is not stored yet
 *	parts		number of all parts; NULL: the manifest has not come
 *	received	number of those that are here
 *	bitmap		bit N of byte N / 8 is set: part N is here
 *	changed		time of the last part or manifest
 *	ask, asked	time of the next MISSING, or NULL; number of those sent
 *
 * command: a command that `rbmap fleet snapshot` has given
 * answer: the answer of a host
 *
 * stream_file: a file with messages of streams
 *	boot, buffer	of the host; number: its name
 *	begin, end	times of its events, by the host
 *
 * stream_source: what came of a source of streams (message/stream/stream.h)
 *	next		all messages before this one are here, or will never come
 *	events, lost	up to there: that came, that were lost; unknown: losses without a number
 *	gaps		messages that will never come
 *	total_*		sums of the messages up to there, as the host counts them
 *	gap_*		what the last GAP has said
 * stream_ahead: messages beyond next that are here
 *
 * refused: numbers of messages that were refused. Causes are those of refusals.h, so there
 *	is a limited number of rows for each host. Host 0: hosts beyond the limit.
 */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_SCHEMA_H
#define RBMAP_FLEET_COLLECTOR_INDEX_SCHEMA_H

#include <stdbool.h>

struct fleet_index;

#define SCHEMA_VERSION	1

/* Check the version. @create: make the tables of a new database. Return false on an error. */
bool schema_check(struct fleet_index *ix, bool create);

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_SCHEMA_H */

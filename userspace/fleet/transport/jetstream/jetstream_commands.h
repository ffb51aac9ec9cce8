/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands that were published while a host was away. The host reads them by requests that
 * any server with the stream answers: ten thousand hosts leave no consumer there.
 */
#ifndef RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_COMMANDS_H
#define RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_COMMANDS_H

struct jetstream;

/*
 * Put the commands of the stream that were not read into the queue of the host. This takes
 * at most a second for each, while servers are away. live.read_at becomes the time of the
 * next call.
 */
void commands_read(struct jetstream *j);

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_COMMANDS_H */

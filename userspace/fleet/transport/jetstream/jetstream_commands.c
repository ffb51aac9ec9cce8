// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "jetstream.h"
#include "jetstream_commands.h"

#define REQUEST_MS	1000
#define RETRY_MS	2000	/* after an error; hosts differ by up to as much again */
#define FULL_MS		100
#define SECOND_MS	5000

/* Get a message by its number or later, or the last one if @seq is 0. */
static natsStatus get(jsCtx *js, uint64_t seq, natsMsg **msg)
{
	jsDirectGetMsgOptions which = { .Sequence = seq };
	jsOptions options;
	natsStatus status;

	status = jsOptions_Init(&options);
	if (status != NATS_OK)
		return status;
	options.Wait = REQUEST_MS;
	if (seq)
		which.NextBySubject = SUBJECT_ALL;
	else
		which.LastBySubject = SUBJECT_ALL;
	return js_DirectGetMsg(msg, js, STREAM_COMMANDS, &options, &which);
}

/* Read commands up to the number @last. Return NATS_INSUFFICIENT_BUFFER: the queue is full. */
static natsStatus read_until(struct jetstream *j, jsCtx *js, uint64_t last)
{
	struct live *live = &j->live;

	while (live->next_seq <= last) {
		natsMsg *msg = NULL;
		natsStatus status = get(js, live->next_seq, &msg);
		uint64_t seq;

		/* It was removed since, or this server does not have it yet. */
		if (status == NATS_NOT_FOUND)
			return NATS_OK;
		if (status != NATS_OK)
			return status;
		seq = natsMsg_GetSequence(msg);
		if (seq < live->next_seq) {
			natsMsg_Destroy(msg);
			return NATS_ERR;
		}
		if (!live_add_command(live, msg)) {
			natsMsg_Destroy(msg);
			return NATS_INSUFFICIENT_BUFFER;
		}
		live->next_seq = seq + 1;
	}
	return NATS_OK;
}

static natsStatus read_commands(struct jetstream *j, jsCtx *js)
{
	natsMsg *msg = NULL;
	natsStatus status = get(js, 0, &msg);
	uint64_t last;

	if (status != NATS_OK)
		return status == NATS_NOT_FOUND ? NATS_OK : status;
	last = natsMsg_GetSequence(msg);
	natsMsg_Destroy(msg);
	/* The stream was made anew, or this server lags behind. Known commands are skipped. */
	if (last + 1 < j->live.next_seq)
		j->live.next_seq = 1;
	return read_until(j, js, last);
}

/*
 * A command that a server has taken can be missing on another one for a moment. So the
 * stream is read again a few seconds after the connection was made.
 */
static int64_t next_time(struct live *live, natsStatus status)
{
	int64_t now = jetstream_now();

	if (status == NATS_INSUFFICIENT_BUFFER)
		return now + FULL_MS;
	if (status != NATS_OK)
		return now + RETRY_MS + random() % RETRY_MS;
	if (!live->read_twice)
		return 0;
	live->read_twice = false;
	return now + SECOND_MS + random() % SECOND_MS;
}

void commands_read(struct jetstream *j)
{
	struct live *live = &j->live;
	int64_t before, next;
	natsStatus status;
	jsCtx *js = NULL;

	pthread_mutex_lock(&live->lock);
	before = live->read_at;
	pthread_mutex_unlock(&live->lock);
	status = natsConnection_JetStream(&js, j->connection, NULL);
	if (status == NATS_OK)
		status = read_commands(j, js);
	jsCtx_Destroy(js);
	pthread_mutex_lock(&live->lock);
	next = next_time(live, status);
	/* If the connection was made again meanwhile, the stream is due again. */
	if (live->read_at == before)
		live->read_at = next;
	pthread_mutex_unlock(&live->lock);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "jetstream.h"

#define AHEAD		64	/* messages that wait here, */
#define AHEAD_BYTES	(8 << 20) /* bytes of these messages */
#define EXPIRES_MS	5000	/* A request is lost with its server: ask again after this. */
#define PAUSE_MS	500
#define SLICE_MS	500
#define DRAIN_MS	1000
#define PENDING_MAX	1024
#define PENDING_BYTES	(80 << 20)
#define ACK		"+ACK"
#define NAK		"-NAK {\"delay\":200000000}"	/* ns */
#define NAK_NOW		"-NAK"
#define TERM		"+TERM"

natsStatus pull_start(struct jetstream *j)
{
	char subject[2 * JETSTREAM_SUBJECT_SIZE];
	natsStatus status;

	snprintf(subject, sizeof(subject), "%s.pull.*", j->inbox);
	status = natsConnection_SubscribeSync(&j->pull, j->connection, subject);
	if (status == NATS_OK)
		status = natsSubscription_SetPendingLimits(j->pull, PENDING_MAX, PENDING_BYTES);
	j->expected = 0;
	j->ask_at = 0;
	return status;
}

static natsStatus answer(struct jetstream *j, natsMsg *msg, const char *text)
{
	const char *to = natsMsg_GetReply(msg);

	return to ? natsConnection_PublishString(j->connection, to, text) : NATS_OK;
}

void pull_stop(struct jetstream *j)
{
	natsMsg *msg;

	/* The request ends here. Messages that are on their way still come. */
	natsSubscription_DrainTimeout(j->pull, DRAIN_MS);
	while (natsSubscription_NextMsg(&msg, j->pull, DRAIN_MS) == NATS_OK) {
		answer(j, msg, NAK_NOW);
		natsMsg_Destroy(msg);
	}
	natsSubscription_Destroy(j->pull);
	j->pull = NULL;
}

static natsStatus ask(struct jetstream *j)
{
	char subject[2 * JETSTREAM_SUBJECT_SIZE], text[128];
	natsStatus status;

	snprintf(subject, sizeof(subject), "%s.pull.%" PRIu64, j->inbox, ++j->request);
	snprintf(text, sizeof(text), "{\"batch\":%d,\"max_bytes\":%d,\"expires\":%lld}", AHEAD,
		 AHEAD_BYTES, EXPIRES_MS * 1000000LL);
	j->pulled_at = atomic_load(&j->connects);
	status = natsConnection_PublishRequestString(j->connection, API_NEXT, subject, text);
	if (status == NATS_OK) {
		j->expected = AHEAD;
		j->ask_at = jetstream_now() + EXPIRES_MS + PAUSE_MS;
	}
	return status;
}

/* A server ends a request: it has expired, or the consumer has moved or is not there. */
static void end_request(struct jetstream *j, int64_t pause)
{
	j->expected = 0;
	j->ask_at = pause ? jetstream_now() + pause : 0;
}

/* Return whether the server has done what it could do: the next request can come now. */
static bool is_answered(const char *code, const char *why)
{
	return !strcmp(code, "408") || !strcasecmp(why, "Batch Completed") ||
	       !strcasecmp(why, "Message Size Exceeds MaxBytes");
}

/* Use what the server says of a request. An earlier one has no meaning any longer. */
static void take_status(struct jetstream *j, natsMsg *msg)
{
	const char *code = "", *why = "";
	const char *number = strrchr(natsMsg_GetSubject(msg), '.');

	natsMsgHeader_Get(msg, HEADER_STATUS, &code);
	natsMsgHeader_Get(msg, HEADER_DESCRIPTION, &why);
	if (number && strtoull(number + 1, NULL, 10) == j->request)
		end_request(j, is_answered(code, why) ? 0 : PAUSE_MS);
	natsMsg_Destroy(msg);
}

/* Store a message of a host. Return false for other messages. */
static bool use(struct jetstream *j, struct parcel *p, natsMsg *msg)
{
	const char *subject = natsMsg_GetSubject(msg);

	if (!strncmp(subject, j->inbox, strlen(j->inbox))) {
		take_status(j, msg);
		return false;
	}
	if (j->expected && !--j->expected)
		j->ask_at = 0;
	if (strncmp(subject, SUBJECT_DATA, strlen(SUBJECT_DATA)) ||
	    !is_host_name(subject + strlen(SUBJECT_DATA))) {
		answer(j, msg, TERM);
		natsMsg_Destroy(msg);
		return false;
	}
	jetstream_parcel(p, msg, CHANNEL_COLLECTOR, subject + strlen(SUBJECT_DATA));
	return true;
}

/* Wait for a message at most until @end. Return 1, 0 or a negative errno. */
static int next(struct transport *t, struct parcel *p, int64_t end)
{
	struct jetstream *j = t->data;
	int64_t now = jetstream_now(), until = now + SLICE_MS;
	uint64_t queued = 0;
	natsMsg *msg = NULL;
	natsStatus status;

	/*
	 * The caller can be away for longer than a request lasts. To ask for more while
	 * messages wait here would add to them each time, until the library drops some.
	 */
	natsSubscription_QueuedMsgs(j->pull, &queued);
	if (!queued && (atomic_load(&j->connects) != j->pulled_at ||
			(j->expected && now >= j->ask_at))) {
		j->expected = 0;
		j->ask_at = 0;
	}
	if (!j->expected && now >= j->ask_at) {
		status = ask(j);
		if (status != NATS_OK)
			return jetstream_failed(t, status, "cannot ask for messages");
	}
	if (!j->expected && j->ask_at < until)
		until = j->ask_at;
	if (until > end)
		until = end;
	status = natsSubscription_NextMsg(&msg, j->pull, until > now ? until - now : 1);
	if (status != NATS_TIMEOUT)
		j->no_consumer = status == NATS_NO_RESPONDERS;
	if (status == NATS_OK)
		return use(j, p, msg);
	if (status == NATS_NO_RESPONDERS)
		end_request(j, PAUSE_MS);
	return status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS ? 0 : jetstream_failed(t, status, "cannot receive messages");
}

int pull_receive(struct transport *t, struct parcel *p, int timeout_ms)
{
	int64_t end = jetstream_now() + timeout_ms;
	struct jetstream *j = t->data;

	for (;;) {
		int ret = jetstream_ready(t);
		int64_t left;

		if (!ret)
			ret = next(t, p, end);
		if (ret > 0)
			return ret;
		left = end - jetstream_now();
		if (left <= 0 && !ret && j->no_consumer)
			return transport_failed(t, -EAGAIN,
				"no server has the stream %s now; if it never was made, run 'rbmap fleet setup streams'",
				STREAM_DATA);
		if (left <= 0)
			return ret;
		if (ret)
			poll(NULL, 0, left < PAUSE_MS ? (int)left : PAUSE_MS);
	}
}

int pull_acknowledge(struct transport *t, struct parcel *p, bool done)
{
	struct jetstream *j = t->data;
	/* If this is lost, the message comes again after the consumer's time for an answer. */
	natsStatus status = answer(j, p->handle, done ? ACK : NAK);

	natsMsg_Destroy(p->handle);
	return status == NATS_OK ? 0 : jetstream_failed(t, status, "cannot acknowledge a message");
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A message names a subject of its own for the answer: INBOX.ack.BATCH.INDEX. So an answer
 * that is late belongs to no later batch. At most WINDOW_BYTES wait for answers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jetstream.h"
#include "message/message.h"

#define WINDOW_BYTES	(8U << 20)
#define WINDOW_MESSAGES	256
#define ANSWER_MS	10000	/* An election of a leader takes up to 5 s. */
#define SLICE_MS	50
#define HEADERS_MAX	512	/* the headers of a message, at most */
#define STATUS_TEXT	96

/**
 * struct batch - a call of publish()
 * @answered: for each parcel, whether its answer came
 * @messages: number that wait for an answer
 * @bytes: their size
 * @flush: a message was sent that has no answer
 */
struct batch {
	const struct parcel *parcels;
	unsigned int nr;
	bool *answered;
	unsigned int messages;
	size_t bytes;
	bool flush;
	unsigned int violations;
};

static const char *stream_of(const struct parcel *p)
{
	return p->channel == CHANNEL_ALL ? STREAM_COMMANDS : STREAM_DATA;
}

static void name_subject(const struct parcel *p, char *subject, size_t size)
{
	switch (p->channel) {
	case CHANNEL_COLLECTOR:
		snprintf(subject, size, SUBJECT_DATA "%s", p->host);
		break;
	case CHANNEL_HOST:
		snprintf(subject, size, SUBJECT_HOST "%s", p->host);
		break;
	case CHANNEL_ALL:
		snprintf(subject, size, SUBJECT_ALL);
		break;
	}
}

static int check_parcel(struct transport *t, const struct parcel *p)
{
	struct jetstream *j = t->data;
	int64_t room = natsConnection_GetMaxPayload(j->connection);

	if (!is_source_name(p->id) || (p->channel != CHANNEL_ALL && !is_host_name(p->host)))
		return transport_failed(t, -EINVAL, "invalid name of a message: '%s' of '%s'",
					p->id, p->host);
	if (p->size > MESSAGE_SIZE_MAX)
		return transport_failed(t, -EMSGSIZE, "message %s has %zu bytes; at most %u are valid",
					p->id, p->size, MESSAGE_SIZE_MAX);
	if ((int64_t)p->size + HEADERS_MAX > room)
		return transport_failed(t, -EMSGSIZE,
			"message %s has %zu bytes, and the servers take %" PRId64 ": set their max_payload to 2MB",
			p->id, p->size, room);
	return 0;
}

/*
 * The servers drop a message with the id of an earlier one, of any host. Two hosts can use the
 * same id, and a host must not be able to use another host's id first.
 */
static void name_message(const struct jetstream *j, const struct parcel *p, char *id, size_t size)
{
	switch (p->channel) {
	case CHANNEL_COLLECTOR:
		snprintf(id, size, "%s/%s/%016" PRIx64, p->host, p->id, j->number);
		break;
	case CHANNEL_HOST:
		snprintf(id, size, "%s/%s", p->host, p->id);
		break;
	case CHANNEL_ALL:
		snprintf(id, size, "%s", p->id);
		break;
	}
}

static natsStatus make_message(struct jetstream *j, const struct parcel *p, unsigned int index,
			       natsMsg **msg)
{
	char id[HOST_NAME_SIZE + MESSAGE_ID_SIZE + JETSTREAM_NUMBER_SIZE];
	char subject[JETSTREAM_SUBJECT_SIZE], reply[2 * JETSTREAM_SUBJECT_SIZE];
	bool in_stream = p->channel != CHANNEL_HOST;
	natsStatus status;

	name_subject(p, subject, sizeof(subject));
	snprintf(reply, sizeof(reply), "%s.ack.%" PRIu64 ".%u", j->inbox, j->batch, index);
	name_message(j, p, id, sizeof(id));
	status = natsMsg_Create(msg, subject, in_stream ? reply : NULL, p->data, (int)p->size);
	if (status == NATS_OK) {
		status = natsMsgHeader_Set(*msg, HEADER_ID, id);
		if (status != NATS_OK)
			natsMsg_Destroy(*msg);
	}
	return status;
}

static int send_parcel(struct transport *t, struct batch *b, unsigned int index)
{
	const struct parcel *p = &b->parcels[index];
	struct jetstream *j = t->data;
	natsMsg *msg = NULL;
	natsStatus status;
	int ret = check_parcel(t, p);

	if (ret)
		return ret;
	status = make_message(j, p, index, &msg);
	if (status == NATS_OK) {
		status = natsConnection_PublishMsg(j->connection, msg);
		natsMsg_Destroy(msg);
	}
	if (status != NATS_OK)
		return jetstream_failed(t, status, "cannot send a message");
	if (p->channel == CHANNEL_HOST) {
		b->flush = true;
		return 0;
	}
	b->messages++;
	b->bytes += p->size;
	return 0;
}

/* Return the errno of an error's code in JetStream. */
static int errno_of(unsigned int code)
{
	switch (code) {
	case JSStreamStoreFailedErr:
	case JSStorageResourcesExceededErr:
	case JSMemoryResourcesExceededErr:
	case JSInsufficientResourcesErr:
	case JSAccountResourcesExceededErr:
		return -ENOSPC;
	case JSStreamMessageExceedsMaximumErr:
		return -EMSGSIZE;
	default:
		return -EAGAIN;
	}
}

/* Store the text of an answer that is an error: {"error":{"err_code":N,"description":"..."}}. */
static int refused(struct transport *t, const struct parcel *p, const char *text)
{
	const char *code = strstr(text, "\"err_code\":"), *why = strstr(text, "\"description\":\"");
	unsigned int number = code ? strtoul(code + strlen("\"err_code\":"), NULL, 10) : 0;
	char said[STATUS_TEXT] = "no description";

	if (why)
		snprintf(said, sizeof(said), "%s", why + strlen("\"description\":\""));
	said[strcspn(said, "\"")] = '\0';
	return transport_failed(t, errno_of(number), "the stream %s refuses message %s: %s (%u)",
				stream_of(p), p->id, said, number);
}

static int no_stream(struct transport *t, const struct parcel *p)
{
	return transport_failed(t, -EAGAIN,
		"no server has the stream %s now; if it never was made, run 'rbmap fleet setup streams'",
		stream_of(p));
}

/* Judge the answer to a message. Return 0 if the message is safe. */
static int judge(struct transport *t, const struct parcel *p, natsMsg *answer)
{
	char text[512], stream[64];
	int size = natsMsg_GetDataLength(answer);

	if (natsMsg_IsNoResponders(answer))
		return no_stream(t, p);
	snprintf(text, sizeof(text), "%.*s", size, size ? natsMsg_GetData(answer) : "");
	snprintf(stream, sizeof(stream), "\"stream\":\"%s\"", stream_of(p));
	if (strstr(text, "\"error\":"))
		return refused(t, p, text);
	if (!strstr(text, stream) || !strstr(text, "\"seq\":"))
		return transport_failed(t, -EAGAIN, "another stream than %s has taken message %s",
					stream_of(p), p->id);
	return 0;
}

/* Use an answer. One to an earlier batch, or a second one, has no meaning. */
static int take_answer(struct transport *t, struct batch *b, natsMsg *answer)
{
	struct jetstream *j = t->data;
	const char *number = natsMsg_GetSubject(answer) + strlen(j->inbox) + strlen(".ack.");
	unsigned int index;
	uint64_t batch;

	if (sscanf(number, "%" SCNu64 ".%u", &batch, &index) != 2 || batch != j->batch ||
	    index >= b->nr || b->answered[index])
		return 0;
	b->answered[index] = true;
	b->messages--;
	b->bytes -= b->parcels[index].size;
	return judge(t, &b->parcels[index], answer);
}

/* Return what the connection says while an answer does not come: 0 or a negative errno. */
static int check_connection(struct transport *t, const struct batch *b)
{
	struct jetstream *j = t->data;

	if (atomic_load(&j->violations) != b->violations)
		return transport_failed(t, -EACCES,
			"the servers refuse the subject: the certificate must be the one of '%s'",
			*j->host ? j->host : b->parcels->host);
	return jetstream_ready(t);
}

/*
 * Send the messages without an answer. A refusal of the servers comes before their answer
 * to the flush, and the library's thread for callbacks can be later than this one.
 */
static int flush(struct transport *t, const struct batch *b)
{
	struct jetstream *j = t->data;
	natsStatus status = natsConnection_FlushTimeout(j->connection, ANSWER_MS);
	char subject[JETSTREAM_SUBJECT_SIZE];
	const char *said = "";

	if (status != NATS_OK)
		return jetstream_failed(t, status, "cannot send messages");
	if (natsConnection_GetLastError(j->connection, &said) != NATS_NOT_PERMITTED)
		return check_connection(t, b);
	for (unsigned int i = 0; i < b->nr; i++) {
		name_subject(&b->parcels[i], subject, sizeof(subject));
		if (strstr(said, subject))
			return transport_failed(t, -EACCES, "the servers refuse a message: %s", said);
	}
	return check_connection(t, b);
}

/* Wait for the next answer. */
static int wait_answer(struct transport *t, struct batch *b)
{
	struct jetstream *j = t->data;
	int64_t end = jetstream_now() + ANSWER_MS;
	natsMsg *answer = NULL;
	natsStatus status;
	int ret;

	do {
		status = natsSubscription_NextMsg(&answer, j->acks, SLICE_MS);
		if (status == NATS_OK) {
			ret = take_answer(t, b, answer);
			natsMsg_Destroy(answer);
			return ret;
		}
		/* The answer does not say for which message it is. */
		if (status == NATS_NO_RESPONDERS)
			return no_stream(t, b->parcels);
		ret = check_connection(t, b);
		if (ret)
			return ret;
		if (status != NATS_TIMEOUT)
			return jetstream_failed(t, status, "cannot receive answers");
	} while (jetstream_now() < end);
	return transport_failed(t, -EAGAIN, "the servers have not answered for %d s; too few of them may run",
				ANSWER_MS / 1000);
}

static int publish_all(struct transport *t, struct batch *b)
{
	int ret;

	for (unsigned int i = 0; i < b->nr; i++) {
		while (b->messages && (b->messages >= WINDOW_MESSAGES ||
				       b->bytes + b->parcels[i].size > WINDOW_BYTES)) {
			ret = wait_answer(t, b);
			if (ret)
				return ret;
		}
		ret = send_parcel(t, b, i);
		if (ret)
			return ret;
	}
	while (b->messages) {
		ret = wait_answer(t, b);
		if (ret)
			return ret;
	}
	return b->flush ? flush(t, b) : 0;
}

int jetstream_publish(struct transport *t, const struct parcel *parcels, unsigned int nr)
{
	struct batch b = { .parcels = parcels, .nr = nr };
	struct jetstream *j = t->data;
	int ret = jetstream_ready(t);

	if (ret || !nr)
		return ret;
	b.answered = calloc(nr, sizeof(*b.answered));
	if (!b.answered)
		return transport_failed(t, -ENOMEM, "out of memory");
	b.violations = atomic_load(&j->violations);
	j->batch++;
	ret = publish_all(t, &b);
	free(b.answered);
	return ret;
}

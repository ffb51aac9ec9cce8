// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages to a host. Threads of the library put them into a queue that has a limit. A
 * message to this host that finds no room is lost, which the protocol allows. A command is
 * read from its stream later, as are those that were published while the host was away. The
 * host reads them by requests that any server with the stream answers: ten thousand hosts
 * leave no consumer there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jetstream.h"
#include "message/message.h"

#define AGAIN_MS	200	/* until a message that was not done is delivered again */
#define SLICE_MS	500
#define PENDING_MAX	LIVE_MAX	/* in the library, for each subscription */
#define PENDING_BYTES	(16 << 20)
#define REQUEST_MS	1000
#define RETRY_MS	2000	/* after an error; hosts differ by up to as much again */
#define FULL_MS		100
#define SECOND_MS	5000

int live_init(struct live *live)
{
	pthread_condattr_t attr;

	live->seen = calloc(COMMANDS_MAX, sizeof(*live->seen));
	if (!live->seen)
		return -ENOMEM;
	pthread_mutex_init(&live->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&live->changed, &attr);
	pthread_condattr_destroy(&attr);
	live->next_seq = 1;
	return 0;
}

void live_free(struct live *live)
{
	if (!live->seen)
		return;
	for (unsigned int i = 0; i < live->nr; i++)
		natsMsg_Destroy(live->queue[i].msg);
	pthread_cond_destroy(&live->changed);
	pthread_mutex_destroy(&live->lock);
	free(live->seen);
}

void live_connected(struct live *live)
{
	pthread_mutex_lock(&live->lock);
	live->read_at = jetstream_now();
	live->read_twice = true;
	pthread_cond_signal(&live->changed);
	pthread_mutex_unlock(&live->lock);
}

static void push(struct live *live, natsMsg *msg, enum channel channel, int64_t due)
{
	live->queue[live->nr++] = (struct live_message){
		.msg = msg, .channel = channel, .due = due,
	};
	pthread_cond_signal(&live->changed);
}

/* Remember the id of a command. Return whether it is a new one. */
static bool is_new_command(struct live *live, natsMsg *msg)
{
	const char *id;

	/* Without a valid id it is not a message of rbmap, and is refused later. */
	if (natsMsgHeader_Get(msg, HEADER_ID, &id) != NATS_OK || !is_source_name(id))
		return true;
	for (unsigned int i = 0; i < COMMANDS_MAX; i++)
		if (!strcmp(live->seen[i], id))
			return false;
	snprintf(live->seen[live->next_seen], MESSAGE_ID_SIZE, "%s", id);
	live->next_seen = (live->next_seen + 1) % COMMANDS_MAX;
	return true;
}

/* Put a command of the stream into the queue. Return false if it has no room. */
static bool live_add_command(struct live *live, natsMsg *msg)
{
	bool room;

	pthread_mutex_lock(&live->lock);
	room = live->nr < LIVE_MAX;
	if (room && is_new_command(live, msg))
		push(live, msg, CHANNEL_ALL, 0);
	else if (room)
		natsMsg_Destroy(msg);
	pthread_mutex_unlock(&live->lock);
	return room;
}

static void to_all(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *closure)
{
	struct live *live = closure;

	(void)nc;
	(void)sub;
	if (live_add_command(live, msg))
		return;
	natsMsg_Destroy(msg);
	live_connected(live);
}

static void to_host(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *closure)
{
	struct live *live = closure;
	bool room;

	(void)nc;
	(void)sub;
	pthread_mutex_lock(&live->lock);
	room = live->nr < LIVE_MAX;
	if (room)
		push(live, msg, CHANNEL_HOST, 0);
	pthread_mutex_unlock(&live->lock);
	if (!room)
		natsMsg_Destroy(msg);
}

static void subscription_ended(void *closure)
{
	struct live *live = closure;

	pthread_mutex_lock(&live->lock);
	live->nr_subscriptions--;
	pthread_cond_signal(&live->changed);
	pthread_mutex_unlock(&live->lock);
}

static natsStatus subscribe(struct jetstream *j, natsSubscription **sub, const char *subject,
			    natsMsgHandler handler)
{
	struct live *live = &j->live;
	natsStatus status = natsConnection_Subscribe(sub, j->connection, subject, handler, live);

	if (status != NATS_OK)
		return status;
	status = natsSubscription_SetOnCompleteCB(*sub, subscription_ended, live);
	if (status != NATS_OK)
		return status;
	pthread_mutex_lock(&live->lock);
	live->nr_subscriptions++;
	pthread_mutex_unlock(&live->lock);
	return natsSubscription_SetPendingLimits(*sub, PENDING_MAX, PENDING_BYTES);
}

natsStatus live_start(struct jetstream *j)
{
	char subject[JETSTREAM_SUBJECT_SIZE];
	natsStatus status;

	snprintf(subject, sizeof(subject), SUBJECT_HOST "%s", j->host);
	status = subscribe(j, &j->live.subscription[0], subject, to_host);
	if (status == NATS_OK)
		status = subscribe(j, &j->live.subscription[1], SUBJECT_ALL, to_all);
	return status;
}

void live_stop(struct live *live)
{
	for (unsigned int i = 0; i < 2; i++) {
		if (live->subscription[i])
			natsSubscription_Destroy(live->subscription[i]);
		live->subscription[i] = NULL;
	}
	pthread_mutex_lock(&live->lock);
	while (live->nr_subscriptions)
		pthread_cond_wait(&live->changed, &live->lock);
	pthread_mutex_unlock(&live->lock);
}

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

/*
 * Put the commands of the stream that were not read into the queue of the host. This takes
 * at most a second for each, while servers are away. live.read_at becomes the time of the
 * next call.
 */
static void commands_read(struct jetstream *j)
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

/*
 * Take the first message that is due. Return false if none is, or if the caller has too
 * many: each of those can come back into the queue.
 */
static bool pop(struct live *live, struct live_message *message)
{
	int64_t now = jetstream_now();
	unsigned int i = 0;

	while (i < live->nr && live->queue[i].due > now)
		i++;
	if (i == live->nr || live->handed >= LIVE_MAX)
		return false;
	live->handed++;
	*message = live->queue[i];
	live->nr--;
	memmove(&live->queue[i], &live->queue[i + 1],
		(live->nr - i) * sizeof(*live->queue));
	return true;
}

/* Wait until something happens or is due, at most until @end. */
static void wait_change(struct live *live, int64_t end)
{
	int64_t until = jetstream_now() + SLICE_MS;
	struct timespec at;

	if (until > end)
		until = end;
	if (live->read_at && live->read_at < until)
		until = live->read_at;
	for (unsigned int i = 0; i < live->nr; i++)
		if (live->queue[i].due < until)
			until = live->queue[i].due;
	at = (struct timespec){ until / 1000, until % 1000 * 1000000 };
	pthread_cond_timedwait(&live->changed, &live->lock, &at);
}

int live_receive(struct transport *t, struct parcel *p, int timeout_ms)
{
	int64_t end = jetstream_now() + timeout_ms;
	struct jetstream *j = t->data;
	struct live *live = &j->live;
	struct live_message message;
	bool found;

	for (;;) {
		pthread_mutex_lock(&live->lock);
		found = pop(live, &message);
		if (!found && live->read_at && live->read_at <= jetstream_now()) {
			pthread_mutex_unlock(&live->lock);
			commands_read(j);
			pthread_mutex_lock(&live->lock);
			found = pop(live, &message);
		}
		if (!found)
			wait_change(live, end);
		pthread_mutex_unlock(&live->lock);
		if (found) {
			jetstream_parcel(p, message.msg, message.channel, j->host);
			return 1;
		}
		if (jetstream_now() >= end)
			return jetstream_ready(t);
	}
}

void live_acknowledge(struct live *live, struct parcel *p, bool done)
{
	natsMsg *msg = p->handle;

	pthread_mutex_lock(&live->lock);
	live->handed--;
	if (!done) {
		push(live, msg, p->channel, jetstream_now() + AGAIN_MS);
		msg = NULL;
	}
	pthread_mutex_unlock(&live->lock);
	natsMsg_Destroy(msg);
}

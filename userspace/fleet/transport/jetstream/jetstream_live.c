// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jetstream.h"
#include "jetstream_commands.h"
#include "jetstream_parcel.h"
#include "message/message.h"

#define AGAIN_MS	200	/* until a message that was not done is delivered again */
#define SLICE_MS	500
#define PENDING_MAX	LIVE_MAX	/* in the library, for each subscription */
#define PENDING_BYTES	(16 << 20)

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

bool live_add_command(struct live *live, natsMsg *msg)
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

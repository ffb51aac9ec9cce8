// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jetstream.h"
#include "jetstream_pull.h"

#define REOPEN_MS	5000
#define FLUSH_MS	5000
#define ACKS_BYTES	(1 << 20)

int jetstream_errno(natsStatus status)
{
	switch (status) {
	case NATS_CONNECTION_AUTH_FAILED:
	case NATS_NOT_PERMITTED:
	case NATS_SSL_ERROR:
	case NATS_SECURE_CONNECTION_WANTED:
	case NATS_SECURE_CONNECTION_REQUIRED:
		return -EACCES;
	case NATS_NO_MEMORY:
		return -ENOMEM;
	default:
		return -EAGAIN;
	}
}

/* Return the text of the library's last error, without the place in its source. */
static const char *last_error(natsStatus status)
{
	const char *why = nats_GetLastError(NULL), *text;

	if (!why || !*why)
		return natsStatus_GetText(status);
	text = *why == '(' ? strstr(why, "): ") : NULL;
	return text ? text + strlen("): ") : why;
}

int jetstream_failed(struct transport *t, natsStatus status, const char *what)
{
	return transport_failed(t, jetstream_errno(status), "%s: %s", what, last_error(status));
}

static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus status, void *closure)
{
	struct jetstream *j = closure;

	(void)nc;
	(void)sub;
	if (status == NATS_NOT_PERMITTED)
		atomic_fetch_add(&j->violations, 1);
	/* A message was dropped before it came into the queue. It can be a command. */
	if (status == NATS_SLOW_CONSUMER && j->role == ROLE_HOST)
		live_connected(&j->live);
}

static void on_connect(natsConnection *nc, void *closure)
{
	struct jetstream *j = closure;

	(void)nc;
	atomic_fetch_add(&j->connects, 1);
	if (j->role == ROLE_HOST)
		live_connected(&j->live);
}

/* The library calls this last. */
static void on_close(natsConnection *nc, void *closure)
{
	struct jetstream *j = closure;

	(void)nc;
	pthread_mutex_lock(&j->lock);
	j->closed = true;
	pthread_cond_signal(&j->changed);
	pthread_mutex_unlock(&j->lock);
}

static natsStatus set_callbacks(struct jetstream *j)
{
	natsStatus status = natsOptions_SetErrorHandler(j->options, on_error, j);

	if (status == NATS_OK)
		status = natsOptions_SetReconnectedCB(j->options, on_connect, j);
	if (status == NATS_OK)
		status = natsOptions_SetClosedCB(j->options, on_close, j);
	return status;
}

static natsStatus subscribe(struct jetstream *j)
{
	char subject[2 * JETSTREAM_SUBJECT_SIZE];
	natsStatus status;

	snprintf(subject, sizeof(subject), "%s.ack.*.*", j->inbox);
	status = natsConnection_SubscribeSync(&j->acks, j->connection, subject);
	if (status == NATS_OK)
		status = natsSubscription_SetPendingLimits(j->acks, -1, ACKS_BYTES);
	if (status == NATS_OK && j->role == ROLE_COLLECTOR)
		status = pull_start(j);
	if (status == NATS_OK && j->role == ROLE_HOST)
		status = live_start(j);
	/* The servers say here if the certificate is the one of another role or host. */
	if (status == NATS_OK)
		status = natsConnection_FlushTimeout(j->connection, FLUSH_MS);
	return status;
}

/*
 * With TLS 1.3 a client learns only after its first message that its certificate is
 * refused: the server ends the connection.
 */
static int connect_failed(struct transport *t, natsStatus status)
{
	const struct jetstream *j = t->data;

	if (jetstream_errno(status) == -EACCES)
		return transport_failed(t, -EACCES, "the servers refuse this client: %s: check certificate, key and ca",
					last_error(status));
	if (status == NATS_PROTOCOL_ERROR || (status == NATS_IO_ERROR && strstr(last_error(status), "SSL_")))
		return transport_failed(t, -EACCES, "a server has ended the connection: it may not know the certificate's authority");
	return transport_failed(t, jetstream_errno(status), "no server of %s can be reached: %s",
				j->url, last_error(status));
}

int jetstream_connect(struct transport *t)
{
	struct jetstream *j = t->data;
	const char *said;
	natsStatus status = set_callbacks(j);

	if (status == NATS_OK)
		status = natsConnection_Connect(&j->connection, j->options);
	if (status != NATS_OK) {
		j->connection = NULL;
		return connect_failed(t, status);
	}
	status = subscribe(j);
	if (status == NATS_OK && natsConnection_GetLastError(j->connection, &said) == NATS_NOT_PERMITTED) {
		transport_failed(t, -EACCES, "the servers refuse a subject: %s: the certificate is not the one of this %s",
				 said, j->role == ROLE_HOST ? "host" : "role");
		jetstream_disconnect(j);
		return -EACCES;
	}
	if (status != NATS_OK) {
		int ret = connect_failed(t, status);

		jetstream_disconnect(j);
		return ret;
	}
	on_connect(j->connection, j);
	return 0;
}

void jetstream_disconnect(struct jetstream *j)
{
	if (!j->connection)
		return;
	if (j->role == ROLE_HOST)
		live_stop(&j->live);
	natsSubscription_Destroy(j->pull);
	natsSubscription_Destroy(j->acks);
	j->pull = j->acks = NULL;
	natsConnection_Close(j->connection);
	pthread_mutex_lock(&j->lock);
	while (!j->closed)
		pthread_cond_wait(&j->changed, &j->lock);
	j->closed = false;
	pthread_mutex_unlock(&j->lock);
	natsConnection_Destroy(j->connection);
	j->connection = NULL;
}

/*
 * The library gives up if a server refuses the client twice, for example after a change of
 * its certificates.
 */
static int reopen(struct transport *t)
{
	struct jetstream *j = t->data;
	int64_t now = jetstream_now();

	if (now < j->reopen_at)
		return transport_failed(t, -EAGAIN, "the servers have ended the connection; it is made again in %d s",
					(int)((j->reopen_at - now) / 1000) + 1);
	j->reopen_at = now + REOPEN_MS + random() % REOPEN_MS;
	jetstream_disconnect(j);
	return jetstream_connect(t);
}

int jetstream_ready(struct transport *t)
{
	struct jetstream *j = t->data;

	if (!j->connection || natsConnection_IsClosed(j->connection))
		return reopen(t);
	if (natsConnection_Status(j->connection) == NATS_CONN_STATUS_CONNECTED)
		return 0;
	return transport_failed(t, -EAGAIN, "no server of %s can be reached; connecting again",
				j->url);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jetstream.h"
#include "message/message.h"

#define REOPEN_MS	5000
#define FLUSH_MS	5000
#define ACKS_BYTES	(1 << 20)
#define CLOSE_MS	2000
#define NO_ID		"invalid"

int64_t jetstream_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Return the status of the library as an errno: -EACCES, -ENOMEM or -EAGAIN. */
static int jetstream_errno(natsStatus status)
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

/*
 * Store the id in the header: ID to all hosts, HOST/ID to a host, HOST/ID/NUMBER to the
 * collector. Older agents send no number. Return false if it is not an id of this host.
 */
static bool read_id(natsMsg *msg, enum channel channel, const char *host, char id[MESSAGE_ID_SIZE])
{
	size_t len = strlen(host), size;
	const char *text;

	if (natsMsgHeader_Get(msg, HEADER_ID, &text) != NATS_OK)
		return false;
	if (channel != CHANNEL_ALL) {
		if (strncmp(text, host, len) || text[len] != '/')
			return false;
		text += len + 1;
	}
	size = channel == CHANNEL_COLLECTOR ? strcspn(text, "/") : strlen(text);
	if (size >= MESSAGE_ID_SIZE)
		return false;
	memcpy(id, text, size);
	id[size] = '\0';
	return is_source_name(id);
}

void jetstream_parcel(struct parcel *p, natsMsg *msg, enum channel channel, const char *host)
{
	int size = natsMsg_GetDataLength(msg);
	bool named;

	*p = (struct parcel){ .channel = channel, .handle = msg };
	snprintf(p->host, sizeof(p->host), "%s", channel == CHANNEL_ALL ? "" : host);
	named = read_id(msg, channel, host, p->id);
	if (!named)
		snprintf(p->id, sizeof(p->id), "%s", NO_ID);
	if (!named || size <= 0 || (unsigned int)size > MESSAGE_SIZE_MAX)
		return;
	p->data = natsMsg_GetData(msg);
	p->size = size;
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

static void jetstream_disconnect(struct jetstream *j)
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

/* Connect and subscribe. Return 0 or a negative errno. */
static int jetstream_connect(struct transport *t)
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

static void jetstream_close(struct transport *t)
{
	struct jetstream *j = t->data;

	if (j->connection) {
		if (j->pull)
			pull_stop(j);
		/* Acknowledgements may wait to be sent. */
		natsConnection_FlushTimeout(j->connection, CLOSE_MS);
	}
	jetstream_disconnect(j);
	natsOptions_Destroy(j->options);
	if (j->role == ROLE_HOST)
		live_free(&j->live);
	pthread_cond_destroy(&j->changed);
	pthread_mutex_destroy(&j->lock);
	free(j);
}

static int jetstream_open(struct transport *t, const struct transport_options *options)
{
	struct jetstream *j = calloc(1, sizeof(*j));
	int ret;

	if (!j)
		return transport_failed(t, -ENOMEM, "out of memory");
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->changed, NULL);
	t->data = j;
	j->role = options->role;
	if (j->role == ROLE_HOST && (!options->host || !is_host_name(options->host)))
		ret = transport_failed(t, -EINVAL, "the name of this host is invalid");
	else if (j->role == ROLE_HOST && live_init(&j->live))
		ret = transport_failed(t, -ENOMEM, "out of memory");
	else
		ret = jetstream_options(t, options);
	if (!ret)
		ret = jetstream_connect(t);
	if (ret)
		transport_close(t);
	return ret;
}

static int jetstream_receive(struct transport *t, struct parcel *p, int timeout_ms)
{
	struct jetstream *j = t->data;

	if (j->role == ROLE_HOST)
		return live_receive(t, p, timeout_ms);
	if (j->role == ROLE_COLLECTOR)
		return pull_receive(t, p, timeout_ms);
	poll(NULL, 0, timeout_ms);
	return 0;
}

static int jetstream_acknowledge(struct transport *t, struct parcel *p, bool done)
{
	struct jetstream *j = t->data;
	int ret = 0;

	if (p->channel == CHANNEL_COLLECTOR)
		ret = pull_acknowledge(t, p, done);
	else
		live_acknowledge(&j->live, p, done);
	p->handle = NULL;
	p->data = NULL;
	return ret;
}

const struct transport_ops transport_jetstream = {
	.scheme		= JETSTREAM_SCHEME,
	.open		= jetstream_open,
	.publish	= jetstream_publish,
	.receive	= jetstream_receive,
	.acknowledge	= jetstream_acknowledge,
	.close		= jetstream_close,
};

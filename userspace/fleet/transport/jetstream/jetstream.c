// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jetstream.h"
#include "jetstream_options.h"
#include "jetstream_publish.h"
#include "jetstream_pull.h"

#define CLOSE_MS	2000

int64_t jetstream_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
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

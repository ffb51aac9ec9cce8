// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "jetstream.h"
#include "jetstream_streams.h"
#include "message/message.h"

#define SECOND		1000000000LL
#define DUPLICATES	(120 * SECOND)
#define ACK_WAIT	(60 * SECOND)
#define COMMAND_AGE	(3600 * SECOND)
#define COMMANDS_BYTES	(64 << 20)
#define UNACKNOWLEDGED	1024	/* messages that the collector may hold */
#define REPLICAS	3
#define START_MS	60000	/* A cluster that was just started elects a leader first. */
#define PAUSE_MS	500

/* The result of a call of the library */
struct result {
	natsStatus status;
	jsErrCode code;
};

static bool is_done(struct result r)
{
	return r.status == NATS_OK;
}

static bool is_missing(struct result r)
{
	return r.status == NATS_NOT_FOUND || r.code == JSStreamNotFoundErr ||
	       r.code == JSConsumerNotFoundErr;
}

/* Servers of a cluster that was just started answer so, or not at all. */
static bool is_starting(struct result r)
{
	return r.status == NATS_TIMEOUT || r.status == NATS_NO_RESPONDERS ||
	       r.code == JSClusterNotAvailErr || r.code == JSClusterNotLeaderErr ||
	       r.code == JSClusterNoPeersErr || r.code == JSInsufficientResourcesErr;
}

static struct result get_stream(jsCtx *js, const char *name, jsStreamInfo **info)
{
	struct result r = { 0 };

	r.status = js_GetStreamInfo(info, js, name, NULL, &r.code);
	return r;
}

static struct result store_stream(jsCtx *js, jsStreamConfig *config, bool is_new)
{
	struct result r = { 0 };

	r.status = is_new ? js_AddStream(NULL, js, config, NULL, &r.code) :
			    js_UpdateStream(NULL, js, config, NULL, &r.code);
	return r;
}

/*
 * A server that is alone takes a change to 3 replicas, and then loses the stream when it
 * starts again. It names itself as the leader, and names no cluster.
 */
static bool is_cluster(const jsStreamInfo *info)
{
	return info->Cluster && info->Cluster->Name && *info->Cluster->Name;
}

/*
 * Make a stream, or change it. With @config->Replicas 0, there are 3 if the server is one
 * of a cluster; a stream does not lose replicas.
 */
static struct result make_stream(jsCtx *js, jsStreamConfig *config, int64_t bytes)
{
	int64_t wanted = config->Replicas, replicas = 0;
	bool alone = false;
	jsStreamInfo *info = NULL;
	struct result r = get_stream(js, config->Name, &info);
	bool is_new = is_missing(r);

	if (!is_done(r) && !is_new)
		return r;
	if (!is_new) {
		replicas = info->Config->Replicas;
		alone = !is_cluster(info);
		config->MaxBytes = info->Config->MaxBytes;
		jsStreamInfo_Destroy(info);
	}
	if (alone && wanted > 1)
		return (struct result){ NATS_ERR, JSStreamReplicasNotSupportedErr };
	if (alone)
		wanted = 1;
	if (bytes)
		config->MaxBytes = bytes;
	config->Replicas = wanted ? wanted : REPLICAS;
	r = store_stream(js, config, is_new);
	/* This server is alone. */
	if (!wanted && (r.code == JSStreamReplicasNotSupportedErr ||
			(!is_new && r.code == JSClusterNoPeersErr))) {
		config->Replicas = replicas ? replicas : 1;
		r = store_stream(js, config, is_new);
	}
	return r;
}

static struct result make_data(jsCtx *js, struct streams_plan *plan)
{
	const char *subject = SUBJECT_DATA "*";
	jsStreamConfig config;
	struct result r;

	jsStreamConfig_Init(&config);
	config.Name = STREAM_DATA;
	config.Subjects = &subject;
	config.SubjectsLen = 1;
	config.Retention = js_WorkQueuePolicy;
	config.Discard = js_DiscardNew;
	config.Storage = js_FileStorage;
	config.Duplicates = DUPLICATES;
	config.Replicas = plan->replicas;
	config.MaxBytes = STREAM_BYTES;
	r = make_stream(js, &config, (int64_t)plan->bytes);
	plan->replicas = config.Replicas;
	return r;
}

static struct result make_commands(jsCtx *js, const struct streams_plan *plan)
{
	const char *subject = SUBJECT_ALL;
	jsStreamConfig config;

	jsStreamConfig_Init(&config);
	config.Name = STREAM_COMMANDS;
	config.Subjects = &subject;
	config.SubjectsLen = 1;
	config.Retention = js_LimitsPolicy;
	config.Discard = js_DiscardOld;
	config.Storage = js_FileStorage;
	config.MaxAge = COMMAND_AGE;
	config.MaxMsgs = COMMANDS_MAX;
	config.MaxMsgSize = COMMAND_SIZE_MAX;
	config.MaxBytes = COMMANDS_BYTES;
	config.Duplicates = DUPLICATES;
	config.AllowDirect = true;
	config.Replicas = plan->replicas;
	return make_stream(js, &config, COMMANDS_BYTES);
}

static struct result make_consumer(jsCtx *js)
{
	jsConsumerInfo *info = NULL;
	jsConsumerConfig config;
	struct result r = { 0 };

	jsConsumerConfig_Init(&config);
	config.Durable = CONSUMER;
	config.AckPolicy = js_AckExplicit;
	config.AckWait = ACK_WAIT;
	config.MaxDeliver = -1;
	config.MaxAckPending = UNACKNOWLEDGED;
	r.status = js_GetConsumerInfo(&info, js, STREAM_DATA, CONSUMER, NULL, &r.code);
	jsConsumerInfo_Destroy(info);
	if (!is_done(r) && !is_missing(r))
		return r;
	r.status = js_AddConsumer(NULL, js, STREAM_DATA, &config, NULL, &r.code);
	return r;
}

static struct result make_all(jsCtx *js, struct streams_plan *plan)
{
	struct result r = make_data(js, plan);

	if (is_done(r))
		r = make_commands(js, plan);
	return is_done(r) ? make_consumer(js) : r;
}

static int report(struct transport *t, struct result r)
{
	if (r.code == JSStreamReplicasNotSupportedErr)
		return transport_failed(t, -EINVAL, "the server is not one of a cluster: set --replicas 1");
	if (r.code == JSClusterNoPeersErr)
		return transport_failed(t, -EAGAIN,
			"the cluster has too few servers with room for the streams: start three, or set --replicas 1 or a smaller --size");
	if (r.code == JSStorageResourcesExceededErr || r.code == JSInsufficientResourcesErr)
		return transport_failed(t, -ENOSPC, "the servers have no room for the stream %s: set a smaller --size",
					STREAM_DATA);
	return jetstream_failed(t, r.status, "cannot make the streams");
}

int jetstream_streams(struct transport *t, struct streams_plan *plan)
{
	int64_t end = jetstream_now() + START_MS;
	struct jetstream *j = t->data;
	struct streams_plan wanted = *plan;
	struct result r = { 0 };
	jsCtx *js = NULL;

	r.status = natsConnection_JetStream(&js, j->connection, NULL);
	while (is_done(r)) {
		*plan = wanted;
		r = make_all(js, plan);
		if (is_done(r) || !is_starting(r) || jetstream_now() >= end)
			break;
		r.status = NATS_OK;
		poll(NULL, 0, PAUSE_MS);
	}
	jsCtx_Destroy(js);
	return is_done(r) ? 0 : report(t, r);
}

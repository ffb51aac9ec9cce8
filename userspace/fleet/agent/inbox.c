// SPDX-License-Identifier: GPL-2.0-only
/* Messages of the collector and the administrator. Each can be damaged or forged. */
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "agent.h"
#include "agent/commands/commands.h"
#include "agent/uplink/clocks.h"
#include "base/complain.h"
#include "message/message.h"

#define NAME_SIZE	32
#define VALUE_SIZE	256
#define ANSWER_SUFFIX	sizeof(".answer")

static void stored(struct agent *a, const struct message *m)
{
	struct incident *i = spool_find(&a->spool, m->source);

	if (!strcmp(m->source, STREAM_STORED)) {
		if (a->has_streams)
			stream_send_stored(&a->sender, &a->streams, m);
		return;
	}
	losses_stored(&a->spool.losses, m->source);
	if (!i)
		return;
	a->offered -= a->offered > 0 && i < a->spool.v + a->offered;
	spool_remove(&a->spool, i);
	/* All incidents of the last HELLO are stored: list the next ones. */
	if (!a->offered && a->spool.nr)
		a->hello = 0;
}

static void permit(struct agent *a, const struct message *m)
{
	struct incident *i = spool_find(&a->spool, m->source);
	uint64_t now = clock_monotonic();

	/* Ignore a permit that is delivered twice. */
	if (!i || i->requested || (i->permit == m->seq && now < i->busy_until))
		return;
	i->permit = m->seq;
	i->busy_until = now + SPOOL_PERMIT_NS;
	if (spool_request(&a->spool, i, 0, UINT64_MAX))
		complain("out of memory: %s is not sent now", i->id);
}

/* Parse FIRST-LAST, or one number. */
static bool parse_range(char *value, uint64_t *first, uint64_t *last)
{
	char *dash = strchr(value, '-');

	if (dash)
		*dash = '\0';
	return text_u64(value, first) && text_u64(dash ? dash + 1 : value, last);
}

static void missing(struct agent *a, const struct message *m)
{
	struct incident *i = spool_find(&a->spool, m->source);
	struct text t = { m->data, (const char *)m->data + m->size };
	char name[NAME_SIZE], value[VALUE_SIZE];
	uint64_t first, last;

	if (!i)
		return;
	while (text_next(&t, name, sizeof(name), value, sizeof(value))) {
		if (!strcmp(name, "part") && parse_range(value, &first, &last))
			spool_request(&a->spool, i, first, last);
		else if (!strcmp(name, "manifest") && !strcmp(value, "yes"))
			spool_request(&a->spool, i, 1, 0);
	}
	sending_again(&a->sending, i->id);
}

/**
 * struct order - the lines of a COMMAND
 * @time: when it was given, by CLOCK_TAI; 0: unknown
 */
struct order {
	char action[NAME_SIZE];
	char hosts[VALUE_SIZE];
	uint64_t time;
};

static void parse_order(struct order *o, const struct message *m)
{
	struct text t = { m->data, (const char *)m->data + m->size };
	char name[NAME_SIZE], value[VALUE_SIZE];

	*o = (struct order){ 0 };
	while (text_next(&t, name, sizeof(name), value, sizeof(value))) {
		if (!strcmp(name, "action"))
			snprintf(o->action, sizeof(o->action), "%.31s", value);
		else if (!strcmp(name, "hosts"))
			snprintf(o->hosts, sizeof(o->hosts), "%s", value);
		else if (!strcmp(name, "time-real"))
			text_u64(value, &o->time);
	}
}

static void add_answer(struct buf *out, const struct order *o, const struct ingest_wanted *w,
		       const char *error)
{
	text_add(out, "state", *error ? "failed" : "taken");
	if (*error)
		text_add(out, "error", error);
	if (*error || !w->found)
		return;
	text_add(out, "incident", w->id);
	if (!w->has_oldest)
		return;
	text_add_u64(out, "oldest-real", w->oldest);
	if (o->time)
		text_add_u64(out, "late", w->oldest > o->time ? w->oldest - o->time : 0);
}

/* Execute the only action of a command, the snapshot. */
static void execute(struct agent *a, const char *id, const struct order *o)
{
	struct ingest_wanted wanted = { .command = id };
	uint64_t received = clock_real();
	struct buf answer = { 0 };
	char error[VALUE_SIZE] = "";
	int ret;

	if (!strcmp(o->action, "snapshot"))
		snapshot_take(a->options->snapshot, &a->intake, &wanted, error, sizeof(error));
	else
		snprintf(error, sizeof(error), "unknown action '%s'", o->action);
	add_answer(&answer, o, &wanted, error);
	text_add_u64(&answer, "received-real", received);
	clock_add_error(&answer);
	ret = answer.failed ? -ENOMEM : command_log_answer(&a->command_log, id, &answer);
	if (ret)
		complain("cannot store the answer to the command %s: %s", id, strerror(-ret));
	buf_free(&answer);
	a->hello = 0;
}

static void refuse(struct agent *a, const struct parcel *p, const char *error)
{
	/* Print a line for each power of two, so that a flood of messages cannot fill the log. */
	if (!(a->invalid & (a->invalid + 1)))
		complain("a message was refused: %s: %s", p->id, error);
	a->invalid++;
}

static void command(struct agent *a, const struct message *m, const struct parcel *p)
{
	struct order o;
	int ret;

	parse_order(&o, m);
	/* The name of the answer begins with the id of the command. */
	if (!*m->source || strlen(m->source) > SOURCE_NAME_SIZE - ANSWER_SUFFIX ||
	    command_log_has(&a->command_log, m->source) ||
	    fnmatch(o.hosts, a->options->transport.host, 0))
		return;
	/* There is no answer: it would replace the one of before. */
	if (command_log_is_old(&a->command_log, o.time)) {
		refuse(a, p, "it is older than a command that this host has forgotten");
		return;
	}
	/* A process that is killed from here on does not execute the command again. */
	ret = command_log_begin(&a->command_log, m->source, o.time);
	if (!ret)
		execute(a, m->source, &o);
	else
		complain("the command %s is not executed: %s", m->source, ret == -EBUSY ?
			 "there were too many in two hours" : strerror(-ret));
}

static void handle(struct agent *a, const struct parcel *p)
{
	struct buf space = { 0 };
	struct message m;
	const char *error = message_decode(&m, &space, p->data, p->size);
	bool to_host = !error && p->channel == CHANNEL_HOST &&
		       !strcmp(m.host, a->options->transport.host);

	if (error)
		refuse(a, p, error);
	else if (m.kind == MESSAGE_COMMAND && p->channel == CHANNEL_ALL)
		command(a, &m, p);
	else if (m.kind == MESSAGE_STORED && to_host)
		stored(a, &m);
	else if (m.kind == MESSAGE_MISSING && to_host)
		missing(a, &m);
	else if (m.kind == MESSAGE_PERMIT && to_host)
		permit(a, &m);
	else
		refuse(a, p, "it is not for this host");
	if (to_host)
		a->received = clock_real();
	buf_free(&space);
}

bool agent_receive(struct agent *a, int timeout_ms)
{
	struct uplink *o = &a->uplink;
	struct parcel p;
	int ret = -EAGAIN;

	if (o->is_open && backoff_due(&o->receiving)) {
		ret = o->transport.ops->receive(&o->transport, &p, timeout_ms);
		if (ret < 0)
			backoff_failed(&o->receiving, "%s", o->transport.error);
		else
			backoff_over(&o->receiving, "receiving");
	}
	if (ret < 0)
		poll(NULL, 0, timeout_ms);
	if (ret <= 0)
		return false;
	handle(a, &p);
	/* Pause before a message that could not be acknowledged is delivered again. */
	if (o->transport.ops->acknowledge(&o->transport, &p, true))
		backoff_failed(&o->receiving, "%s", o->transport.error);
	return true;
}

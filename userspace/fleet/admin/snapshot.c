// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/complain.h"
#include "base/process.h"
#include "commands.h"
#include "message/message.h"

#define NS_PER_SEC	1000000000LL
#define POLL_MS		200
#define SEND_SECONDS	30

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

/* The id has the time, for the reader, and a random number, so that it is the only one. */
static bool make_command(struct index_command *c, const struct fleet_options *o)
{
	time_t seconds;
	uint32_t number;
	char time[32];
	struct tm tm;

	if (strlen(o->hosts) >= sizeof(c->hosts)) {
		complain("the pattern of --hosts is too long: it has at most %zu bytes",
			 sizeof(c->hosts) - 1);
		return false;
	}
	*c = (struct index_command){ .time = clock_ns(CLOCK_REALTIME) };
	seconds = c->time / NS_PER_SEC;
	if (getrandom(&number, sizeof(number), 0) != sizeof(number) || !gmtime_r(&seconds, &tm) ||
	    !strftime(time, sizeof(time), "%FT%H.%M.%SZ", &tm)) {
		complain("cannot make an id of the command");
		return false;
	}
	snprintf(c->name, sizeof(c->name), "snapshot-%s-%08" PRIx32, time, number);
	snprintf(c->hosts, sizeof(c->hosts), "%s", o->hosts);
	snprintf(c->reason, sizeof(c->reason), "%s", o->reason);
	return true;
}

static int encode(struct buf *bytes, const struct index_command *c)
{
	struct message m = { .kind = MESSAGE_COMMAND };
	struct buf text = { 0 };
	int ret;

	snprintf(m.source, sizeof(m.source), "%s", c->name);
	text_add(&text, "action", "snapshot");
	text_add(&text, "hosts", c->hosts);
	text_add(&text, "reason", c->reason);
	text_add_u64(&text, "time-real", c->time);
	m.data = text.data;
	m.size = text.size;
	ret = text.failed ? -1 : message_encode(bytes, &m);
	buf_free(&text);
	return ret;
}

/*
 * A server that has just failed does not answer: send the command again, to the others. Each
 * host executes a command once.
 */
static bool send_command(struct transport *t, const struct parcel *p)
{
	double end = now() + SEND_SECONDS;
	int ret = t->ops->publish(t, p, 1);

	while (ret == -EAGAIN && now() < end) {
		poll(NULL, 0, POLL_MS);
		ret = t->ops->publish(t, p, 1);
	}
	if (ret)
		complain("cannot send the command: %s", t->error);
	return !ret;
}

static bool publish(struct transport *t, const struct index_command *c)
{
	struct parcel p = { .channel = CHANNEL_ALL };
	struct buf bytes = { 0 };
	bool done = false;

	if (encode(&bytes, c)) {
		complain("out of memory");
	} else {
		snprintf(p.id, sizeof(p.id), "%s", c->name);
		p.data = bytes.data;
		p.size = bytes.size;
		done = send_command(t, &p);
	}
	buf_free(&bytes);
	return done;
}

/* The index has the command before any host can answer it. */
static bool give(struct fleet_index *ix, struct transport *t, struct index_command *c)
{
	index_begin(ix);
	index_command_add(ix, c);
	if (!index_commit(ix) || !index_command_find(ix, c->name, c))
		return false;
	if (publish(t, c))
		return true;
	index_command_remove(ix, c->name);
	return false;
}

static int wait_for_answers(struct fleet_index *ix, const struct index_command *c, double seconds)
{
	double end = now() + seconds;
	struct answers a;

	do {
		a = answers_count(ix, c);
		if (ix->code || (a.known && a.stored + a.failed >= a.known))
			break;
		poll(NULL, 0, POLL_MS);
	} while (now() < end);
	if (a.known || ix->code)
		return answers_print(ix, c, false);
	complain("the collector knows no host with a name like '%s': 'rbmap fleet hosts' lists the known ones",
		 c->hosts);
	return STATUS_CUT;
}

int fleet_snapshot(const struct fleet_options *o)
{
	int status = STATUS_ERROR;
	struct index_command c;
	struct fleet_index ix;
	struct transport t;

	if (!make_command(&c, o))
		return STATUS_ERROR;
	if (!fleet_open_index(&ix, o, INDEX_WRITE))
		return STATUS_ERROR;
	if (transport_open(&t, &o->transport)) {
		complain("%s", t.error);
		return fleet_close_index(&ix, o, STATUS_ERROR);
	}
	if (give(&ix, &t, &c))
		status = wait_for_answers(&ix, &c, o->wait);
	transport_close(&t);
	return fleet_close_index(&ix, o, status);
}

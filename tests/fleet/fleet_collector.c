// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plays the collector over a directory, for scripts:
 *
 *	fleet_collector URL collect OUT [NAME=VALUE]...
 *	fleet_collector URL send HOST KIND SOURCE SEQ [TEXT]
 *	fleet_collector URL command SOURCE TEXT
 *
 * "collect" writes to the directory OUT. ID is the file of an incident that is complete, and
 * ID.manifest its manifest. ID.loss is the record of a loss, COMMAND.answer an answer, and
 * hello the last HELLO. log has a line "KIND SOURCE SEQ" for each message. The program ends
 * when all came that these values name, or after `seconds`:
 *
 *	incidents=N	so many got STORED
 *	answers=N	so many answers, and
 *	losses=N	so many records of losses came
 *	empty=yes	no message is there
 *
 * Other values:
 *
 *	drop=N		leave out each Nth part the first time, and ask for it
 *	permit=no	send no PERMIT
 *	stored=no	send no STORED
 *
 * "send" sends a message of any kind with any source, also one that no collector sends.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../userspace/fleet/message/message.h"
#include "../../userspace/fleet/transport/transport.h"

#define PARTS_MAX	4096
#define IDLE		3
#define INCIDENTS_MAX	512
#define BOOT		"00000000000000000000000000000000"

struct incident {
	char id[SOURCE_NAME_SIZE];
	char host[HOST_NAME_SIZE];
	bool part[PARTS_MAX];
	bool has_manifest, is_stored;
	uint64_t parts, size;
	time_t permitted;
	int idle;	/* times that nothing came while parts were missing */
};

static struct {
	struct transport transport;
	const char *out;
	long seconds, incidents, answers, losses, drop;
	bool empty, no_permit, no_stored;
	long stored, answered, lost, seen;
	struct incident v[INCIDENTS_MAX];
	unsigned int nr;
} c = { .seconds = 600 };

static void fail(const char *what)
{
	fprintf(stderr, "fleet_collector: %s: %s\n", what, c.transport.error);
	exit(1);
}

static uint64_t number(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void publish(enum channel channel, const char *host, enum message_kind kind,
		    const char *source, uint64_t seq, const char *text)
{
	struct message m = { .kind = kind, .seq = seq, .data = text, .size = strlen(text) };
	struct parcel p = { .channel = channel };
	struct buf bytes = { 0 };

	if (channel != CHANNEL_ALL) {
		snprintf(m.host, sizeof(m.host), "%s", host);
		snprintf(m.boot, sizeof(m.boot), BOOT);
	}
	snprintf(m.source, sizeof(m.source), "%s", source);
	snprintf(p.host, sizeof(p.host), "%s", host);
	/* The name of the file does not matter to a host. */
	snprintf(p.id, sizeof(p.id), "m.%d.%" PRIu64, kind, number());
	if (message_encode(&bytes, &m))
		fail("encode");
	p.data = bytes.data;
	p.size = bytes.size;
	if (c.transport.ops->publish(&c.transport, &p, 1))
		fail("publish");
	buf_free(&bytes);
}

static FILE *open_out(const char *name, const char *end, const char *mode)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s%s", c.out, name, end);
	file = fopen(path, mode);
	if (!file)
		fail(path);
	return file;
}

static void write_out(const char *name, const char *end, const struct message *m)
{
	FILE *file = open_out(name, end, "w");

	fwrite(m->data, 1, m->size, file);
	fclose(file);
}

static struct incident *find(const char *id)
{
	for (unsigned int i = 0; i < c.nr; i++)
		if (!strcmp(c.v[i].id, id))
			return &c.v[i];
	if (c.nr == INCIDENTS_MAX)
		fail("too many incidents");
	snprintf(c.v[c.nr].id, sizeof(c.v[c.nr].id), "%s", id);
	return &c.v[c.nr++];
}

static void send_stored(const char *host, const char *id)
{
	if (!c.no_stored)
		publish(CHANNEL_HOST, host, MESSAGE_STORED, id, number(), "");
}

static void on_hello(const struct message *m)
{
	struct text t = { m->data, (const char *)m->data + m->size };
	char name[64], value[256];

	write_out("hello", "", m);
	while (text_next(&t, name, sizeof(name), value, sizeof(value))) {
		struct incident *i;

		if (strcmp(name, "incident"))
			continue;
		value[strcspn(value, " ")] = '\0';
		i = find(value);
		if (i->is_stored)
			send_stored(m->host, i->id);
		else if (!c.no_permit && time(NULL) - i->permitted > 10) {
			i->permitted = time(NULL);
			publish(CHANNEL_HOST, m->host, MESSAGE_PERMIT, i->id, number(), "");
		}
	}
}

static void finish(const char *host, struct incident *i)
{
	char missing[64 * 1024] = "", from[4096], to[4096];
	size_t len = 0;

	if (!i->has_manifest || i->is_stored)
		return;
	/* The manifest can come first: ask when nothing comes any more. */
	i->idle++;
	for (uint64_t part = 0; part < i->parts; part++)
		if (!i->part[part] && len < sizeof(missing) - 64)
			len += snprintf(missing + len, sizeof(missing) - len,
					"part = %" PRIu64 "-%" PRIu64 "\n", part, part);
	if (len && i->idle < IDLE)
		return;
	if (len) {
		publish(CHANNEL_HOST, host, MESSAGE_MISSING, i->id, number(), missing);
		i->has_manifest = false;
		return;
	}
	snprintf(from, sizeof(from), "%s/%s.parts", c.out, i->id);
	snprintf(to, sizeof(to), "%s/%s", c.out, i->id);
	/* An empty file has no parts. */
	if (!i->parts)
		fclose(open_out(i->id, ".parts", "w"));
	if (rename(from, to))
		fail("rename");
	i->is_stored = true;
	c.stored++;
	send_stored(host, i->id);
}

static void on_part(const struct message *m)
{
	struct incident *i = find(m->source);
	FILE *file;

	i->idle = 0;
	if (i->is_stored || m->seq >= PARTS_MAX)
		return;
	if (c.drop && !(++c.seen % c.drop) && !i->part[m->seq])
		return;
	fclose(open_out(i->id, ".parts", "a"));
	file = open_out(i->id, ".parts", "r+");
	fseeko(file, (off_t)m->seq * MESSAGE_PAYLOAD_MAX, SEEK_SET);
	fwrite(m->data, 1, m->size, file);
	fclose(file);
	i->part[m->seq] = true;
	finish(m->host, i);
}

static void on_manifest(const struct message *m)
{
	struct text t = { m->data, (const char *)m->data + m->size };
	struct incident *i = find(m->source);
	char name[64], value[256];

	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		if (!strcmp(name, "parts"))
			i->parts = strtoull(value, NULL, 10);
		else if (!strcmp(name, "size"))
			i->size = strtoull(value, NULL, 10);
	if (i->parts > PARTS_MAX)
		fail("too many parts");
	write_out(i->id, ".manifest", m);
	i->has_manifest = true;
	i->idle = 0;
	snprintf(i->host, sizeof(i->host), "%s", m->host);
	finish(m->host, i);
}

static void on_message(const struct message *m)
{
	static const char *const kinds[NR_MESSAGE_KINDS] = {
		[MESSAGE_PART] = "PART", [MESSAGE_MANIFEST] = "MANIFEST",
		[MESSAGE_LOSS] = "LOSS", [MESSAGE_HELLO] = "HELLO", [MESSAGE_ANSWER] = "ANSWER",
	};
	FILE *log = open_out("log", "", "a");

	fprintf(log, "%s %s %" PRIu64 "\n", kinds[m->kind] ? kinds[m->kind] : "OTHER", m->source,
		m->seq);
	fclose(log);
	if (m->kind == MESSAGE_HELLO)
		on_hello(m);
	else if (m->kind == MESSAGE_PART)
		on_part(m);
	else if (m->kind == MESSAGE_MANIFEST)
		on_manifest(m);
	else if (m->kind == MESSAGE_ANSWER)
		write_out(m->source, ".answer", m);
	c.answered += m->kind == MESSAGE_ANSWER;
	if (m->kind != MESSAGE_LOSS)
		return;
	c.lost++;
	write_out(m->source, ".loss", m);
	send_stored(m->host, m->source);
}

/* Return whether all came that was named. */
static bool has_all(void)
{
	return (c.incidents || c.answers || c.losses) && c.stored >= c.incidents &&
	       c.answered >= c.answers && c.lost >= c.losses;
}

static void collect(void)
{
	time_t end = time(NULL) + c.seconds;

	while (time(NULL) < end && !has_all()) {
		struct buf space = { 0 };
		struct message m;
		struct parcel p;
		const char *error;
		int ret = c.transport.ops->receive(&c.transport, &p, 200);

		if (ret < 0)
			fail("receive");
		if (!ret && c.empty)
			break;
		if (!ret) {
			for (unsigned int i = 0; i < c.nr; i++)
				finish(c.v[i].host, &c.v[i]);
			continue;
		}
		error = message_decode(&m, &space, p.data, p.size);
		if (error || strcmp(m.host, p.host)) {
			fprintf(stderr, "fleet_collector: invalid message: %s\n", error);
			exit(1);
		}
		on_message(&m);
		buf_free(&space);
		c.transport.ops->acknowledge(&c.transport, &p, true);
	}
}

static void set_value(const char *text)
{
	if (!strncmp(text, "seconds=", 8))
		c.seconds = atol(text + 8);
	else if (!strncmp(text, "incidents=", 10))
		c.incidents = atol(text + 10);
	else if (!strncmp(text, "answers=", 8))
		c.answers = atol(text + 8);
	else if (!strncmp(text, "losses=", 7))
		c.losses = atol(text + 7);
	else if (!strcmp(text, "empty=yes"))
		c.empty = true;
	else if (!strncmp(text, "drop=", 5))
		c.drop = atol(text + 5);
	else if (!strcmp(text, "permit=no"))
		c.no_permit = true;
	else if (!strcmp(text, "stored=no"))
		c.no_stored = true;
	else
		fail(text);
}

static enum message_kind kind_of(const char *name)
{
	static const char *const names[NR_MESSAGE_KINDS] = {
		"", "part", "manifest", "loss", "hello", "answer", "stored", "missing", "permit",
		"command",
	};

	for (int i = 1; i < NR_MESSAGE_KINDS; i++)
		if (!strcmp(names[i], name))
			return i;
	fail(name);
	return 0;
}

int main(int argc, char **argv)
{
	bool is_command = argc > 2 && !strcmp(argv[2], "command");
	struct transport_options options = {
		.url = argc > 1 ? argv[1] : "", .role = is_command ? ROLE_ADMIN : ROLE_COLLECTOR,
	};

	if (argc < 4 || transport_open(&c.transport, &options))
		fail("usage, or cannot open");
	if (is_command && argc == 5) {
		publish(CHANNEL_ALL, "", MESSAGE_COMMAND, argv[3], 0, argv[4]);
	} else if (!strcmp(argv[2], "send") && argc >= 7) {
		publish(CHANNEL_HOST, argv[3], kind_of(argv[4]), argv[5],
			strtoull(argv[6], NULL, 10), argc > 7 ? argv[7] : "");
	} else if (!strcmp(argv[2], "collect")) {
		c.out = argv[3];
		for (int i = 4; i < argc; i++)
			set_value(argv[i]);
		collect();
	} else {
		fail("usage");
	}
	transport_close(&c.transport);
	return 0;
}

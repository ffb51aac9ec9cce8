// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plays hosts for the collector, which must take anything from them:
 *
 *	fleet_host play URL		messages of a script on standard input
 *	fleet_host swarm URL NR FOLDER SIZE SECONDS [chaos]
 *					NR hosts with a file of SIZE bytes each in FOLDER;
 *					they follow the protocol until all are stored, or
 *					until no host gets an answer for SECONDS
 *
 * RBMAP_TEST_SEED=N repeats the order in which messages of a script are received.
 *
 * A line of the script: a kind, the sender, the source, a file or -, and NAME=VALUE:
 *
 *	part HOST ID FILE seq=N [header=HOST] [damage=1] [size=BYTES] [attempt=N]
 *	manifest HOST ID FILE [sha256=TEXT] [size=BYTES] [NAME=VALUE]...
 *	loss|hello|answer|stored HOST ID - [NAME=VALUE]...
 *	raw HOST ID FILE		a message of any bytes
 *
 * An underscore in a value becomes a space.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/process.h"
#include "message/digest.h"
#include "message/message.h"
#include "transport/transport.h"

#define BOOT	"0123456789abcdef0123456789abcdef"
#define MAX_VALUES	16

static uint64_t attempt;
static double hello_seconds;
static uint32_t state = 1;

static uint32_t random_below(uint32_t limit)
{
	state = state * 1103515245 + 12345;
	return (state >> 8) % limit;
}

static void die(const char *what)
{
	fprintf(stderr, "fleet_host: %s\n", what);
	exit(1);
}

static void open_host(struct transport *t, const char *url, const char *host)
{
	struct transport_options o = { .url = url, .role = ROLE_HOST, .host = host };

	if (transport_open(t, &o))
		die(t->error);
}

static struct buf read_file(const char *path)
{
	struct buf b = { 0 };

	if (buf_read_file(&b, path))
		die(path);
	return b;
}

static void publish(const char *url, const char *host, const char *id, const struct buf *bytes)
{
	struct parcel p = { .channel = CHANNEL_COLLECTOR, .data = bytes->data,
			    .size = bytes->size };
	struct transport t;

	open_host(&t, url, host);
	snprintf(p.host, sizeof(p.host), "%s", host);
	snprintf(p.id, sizeof(p.id), "%s", id);
	if (t.ops->publish(&t, &p, 1))
		die(t.error);
	transport_close(&t);
}

/* Publish a message of the sender @host; the header can name another one. */
static void publish_message(const char *url, const char *host, const char *header,
			    struct message *m, bool damage)
{
	char id[MESSAGE_ID_SIZE];
	struct buf bytes = { 0 };

	snprintf(m->host, sizeof(m->host), "%s", header);
	strcpy(m->boot, BOOT);
	if (message_encode(&bytes, m))
		die("cannot encode");
	if (damage)
		bytes.data[bytes.size / 2] ^= 1;
	/* The manifest of an incident can have any place among its parts. */
	snprintf(id, sizeof(id), "%04" PRIx32 ".%d.%" PRIu64 ".%" PRIu64, random_below(65536),
		 (int)m->kind, m->seq, ++attempt);
	publish(url, host, id, &bytes);
	buf_free(&bytes);
}

struct values {
	char *name[MAX_VALUES], *value[MAX_VALUES];
	int nr;
};

static const char *value_of(const struct values *v, const char *name, const char *other)
{
	for (int i = 0; i < v->nr; i++)
		if (!strcmp(v->name[i], name))
			return v->value[i];
	return other;
}

static void file_sum(const char *path, char sum[DIGEST_TEXT_SIZE])
{
	FILE *file = fopen(path, "re");

	if (!file || checksum_file(fileno(file), -1, sum))
		die(path);
	fclose(file);
}

static void add_manifest(struct buf *text, const char *path, uint64_t size, const struct values *v)
{
	char sum[DIGEST_TEXT_SIZE];

	file_sum(path, sum);
	text_add(text, "sha256", value_of(v, "sha256", sum));
	if (strcmp(value_of(v, "size", ""), ""))
		return;
	text_add_u64(text, "size", size);
	text_add_u64(text, "parts", (size + MESSAGE_PAYLOAD_MAX - 1) / MESSAGE_PAYLOAD_MAX);
}

static void play_text(const char *url, enum message_kind kind, char **word, const struct values *v)
{
	struct message m = { .kind = kind, .seq = ++attempt };
	struct buf text = { 0 }, bytes = { 0 };

	snprintf(m.source, sizeof(m.source), "%s", strcmp(word[2], "-") ? word[2] : "");
	for (int i = 0; i < v->nr; i++)
		if (strcmp(v->name[i], "sha256"))
			text_add(&text, v->name[i], v->value[i]);
	if (kind == MESSAGE_MANIFEST) {
		bytes = read_file(word[3]);
		add_manifest(&text, word[3], bytes.size, v);
	}
	m.data = text.data ? text.data : "";
	m.size = text.size;
	publish_message(url, word[1], value_of(v, "header", word[1]), &m, false);
	buf_free(&text);
	buf_free(&bytes);
}

static void play_part(const char *url, char **word, const struct values *v)
{
	struct message m = { .kind = MESSAGE_PART };
	struct buf bytes = read_file(word[3]);
	uint64_t offset, size;

	snprintf(m.source, sizeof(m.source), "%s", word[2]);
	m.seq = strtoull(value_of(v, "seq", "0"), NULL, 10);
	offset = m.seq * MESSAGE_PAYLOAD_MAX;
	size = offset < bytes.size ? bytes.size - offset : bytes.size;
	if (offset >= bytes.size)
		offset = 0;
	m.data = bytes.data + offset;
	m.size = strtoull(value_of(v, "size", "1048576"), NULL, 10);
	if (m.size > size)
		m.size = size;
	publish_message(url, word[1], value_of(v, "header", word[1]), &m,
			*value_of(v, "damage", "") != '\0');
	buf_free(&bytes);
}

static void play_line(const char *url, char *line)
{
	static const struct { const char *name; enum message_kind kind; } kinds[] = {
		{ "manifest", MESSAGE_MANIFEST }, { "loss", MESSAGE_LOSS },
		{ "hello", MESSAGE_HELLO }, { "answer", MESSAGE_ANSWER },
		{ "stored", MESSAGE_STORED },
	};
	char *word[4], *name, *save;
	struct values v = { 0 };
	struct buf bytes;

	for (int i = 0; i < 4; i++) {
		word[i] = strtok_r(i ? NULL : line, " \n", &save);
		if (!word[i])
			return;
	}
	while ((name = strtok_r(NULL, " \n", &save)) && v.nr < MAX_VALUES) {
		v.name[v.nr] = name;
		v.value[v.nr] = strchr(name, '=');
		if (!v.value[v.nr])
			die(name);
		*v.value[v.nr]++ = '\0';
		for (char *c = v.value[v.nr++]; *c; c++)
			if (*c == '_')
				*c = ' ';
	}
	if (!strcmp(word[0], "part")) {
		play_part(url, word, &v);
		return;
	}
	if (!strcmp(word[0], "raw")) {
		bytes = read_file(word[3]);
		publish(url, word[1], word[2], &bytes);
		buf_free(&bytes);
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, word[0])) {
			play_text(url, kinds[i].kind, word, &v);
			return;
		}
	die(word[0]);
}

static int play(const char *url)
{
	const char *seed = getenv("RBMAP_TEST_SEED");
	size_t size = 0;
	char *line = NULL;

	state = seed ? strtoul(seed, NULL, 10) : time(NULL);
	while (getline(&line, &size, stdin) >= 0) {
		/* Scripts with the same seed differ, too. */
		for (const char *c = line; *c; c++)
			state = state * 31 + (unsigned char)*c;
		play_line(url, line);
	}
	free(line);
	return 0;
}

/* A host of the swarm, with one incident */
struct host {
	char name[HOST_NAME_SIZE];
	char id[SOURCE_NAME_SIZE];
	char path[4096];
	char sum[DIGEST_TEXT_SIZE];
	uint64_t size;
	double next_hello;
	bool stored;
};

static void make_file(struct host *h, const char *folder, unsigned int nr, uint64_t size)
{
	FILE *file;

	snprintf(h->name, sizeof(h->name), "swarm-%u", nr);
	snprintf(h->path, sizeof(h->path), "%s/%s.dat", folder, h->name);
	file = fopen(h->path, "we");
	if (!file)
		die(h->path);
	for (uint64_t i = 0; i < size; i += 4) {
		uint32_t word = random_below(1U << 24);

		fwrite(&word, 1, size - i < 4 ? size - i : 4, file);
	}
	if (fclose(file))
		die(h->path);
	h->size = size;
	file_sum(h->path, h->sum);
	snprintf(h->id, sizeof(h->id), "2026-11-26T14.03.12-%.8s", h->sum);
}

static void send_text(const char *url, struct host *h, enum message_kind kind,
		      const struct buf *text)
{
	struct message m = { .kind = kind, .seq = ++attempt, .data = text->data,
			     .size = text->size };

	if (kind != MESSAGE_HELLO)
		snprintf(m.source, sizeof(m.source), "%s", h->id);
	publish_message(url, h->name, h->name, &m, false);
}

static void send_hello(const char *url, struct host *h)
{
	char incident[SOURCE_NAME_SIZE + 24];
	struct buf text = { 0 };

	snprintf(incident, sizeof(incident), "%s %" PRIu64, h->id, h->size);
	text_add(&text, "version", "test");
	text_add_u64(&text, "spool-bytes", h->size);
	text_add(&text, "incident", incident);
	send_text(url, h, MESSAGE_HELLO, &text);
	buf_free(&text);
	h->next_hello = now() + hello_seconds;
}

static void send_one(const char *url, struct host *h, const struct buf *bytes, uint64_t seq)
{
	struct message m = { .kind = MESSAGE_PART, .seq = seq };
	uint64_t offset = seq * MESSAGE_PAYLOAD_MAX;

	snprintf(m.source, sizeof(m.source), "%s", h->id);
	m.data = bytes->data + offset;
	m.size = bytes->size - offset < MESSAGE_PAYLOAD_MAX ? bytes->size - offset :
							      MESSAGE_PAYLOAD_MAX;
	publish_message(url, h->name, h->name, &m, false);
}

/* Send the parts from @first to @last, and the manifest. Chaos: lose some, double others. */
static void send_parts(const char *url, struct host *h, uint64_t first, uint64_t last, bool chaos)
{
	struct buf bytes = read_file(h->path), text = { 0 };
	struct values none = { 0 };

	for (uint64_t seq = first; seq <= last && seq * MESSAGE_PAYLOAD_MAX < bytes.size; seq++) {
		if (chaos && !random_below(5))
			continue;
		send_one(url, h, &bytes, seq);
		if (chaos && !random_below(5))
			send_one(url, h, &bytes, seq);
	}
	add_manifest(&text, h->path, h->size, &none);
	send_text(url, h, MESSAGE_MANIFEST, &text);
	if (chaos && !random_below(3))
		send_text(url, h, MESSAGE_MANIFEST, &text);
	buf_free(&text);
	buf_free(&bytes);
}

static void resend(const char *url, struct host *h, const struct message *m, bool chaos)
{
	struct text t = { m->data, (const char *)m->data + m->size };
	char name[32], value[64];
	uint64_t first, last;

	while (text_next(&t, name, sizeof(name), value, sizeof(value))) {
		if (sscanf(value, "%" SCNu64 "-%" SCNu64, &first, &last) == 2)
			send_parts(url, h, first, last, chaos);
		else
			send_parts(url, h, 1, 0, chaos);
	}
}

static void take_answer(const char *url, struct host *h, const struct parcel *p, bool chaos)
{
	struct buf space = { 0 };
	struct message m;
	const char *error = message_decode(&m, &space, p->data, p->size);

	if (error)
		die(error);
	if (strcmp(m.host, h->name) || strcmp(m.source, h->id))
		die("an answer to another host");
	if (m.kind == MESSAGE_STORED)
		h->stored = true;
	else if (m.kind == MESSAGE_PERMIT)
		send_parts(url, h, 0, UINT32_MAX, chaos);
	else if (m.kind == MESSAGE_MISSING)
		resend(url, h, &m, chaos);
	else
		die("an answer of another kind");
	buf_free(&space);
}

/* Return whether it has got an answer. */
static bool run_host(const char *url, struct host *h, bool chaos)
{
	struct transport t;
	struct parcel p = { 0 };
	bool answered = false;

	if (now() >= h->next_hello)
		send_hello(url, h);
	open_host(&t, url, h->name);
	while (t.ops->receive(&t, &p, 0) > 0) {
		take_answer(url, h, &p, chaos);
		t.ops->acknowledge(&t, &p, true);
		answered = true;
	}
	transport_close(&t);
	return answered;
}

static int swarm(const char *url, unsigned int nr, char **argv)
{
	struct host *hosts = calloc(nr, sizeof(*hosts));
	double seconds = strtod(argv[2], NULL), last;
	bool chaos = argv[3];
	unsigned int waiting = nr;

	hello_seconds = 3 + nr / 100;
	for (unsigned int i = 0; hosts && i < nr; i++)
		make_file(&hosts[i], argv[0], i, strtoull(argv[1], NULL, 10) + i);
	last = now();
	while (hosts && waiting && now() - last < seconds) {
		waiting = 0;
		for (unsigned int i = 0; i < nr; i++) {
			if (!hosts[i].stored && run_host(url, &hosts[i], chaos))
				last = now();
			waiting += !hosts[i].stored;
		}
	}
	printf("%u of %u hosts have an incident that is not stored\n", waiting, nr);
	free(hosts);
	return waiting > 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "play"))
		return play(argv[2]);
	if (argc >= 7 && !strcmp(argv[1], "swarm"))
		return swarm(argv[2], strtoul(argv[3], NULL, 10), argv + 4);
	die("usage: fleet_host play URL | swarm URL NR FOLDER SIZE SECONDS [chaos]");
}

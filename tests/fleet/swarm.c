// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plays many hosts, which follow the protocol as `rbmap ship` does:
 *
 *	swarm run URL HOSTS SECONDS	connect, wait for one command, send the incidents; give up
 *					if no host gets further for so long
 *	swarm verify FOLDER HOSTS	compare the files of a collector with what was sent
 *
 * One of 50 hosts fails to take a snapshot, and one of 100 does not answer. Each of the
 * others has an incident of 4 KiB to 64 KiB. The output of run is lines NAME = VALUE.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <openssl/sha.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/incident/spool.h"
#include "base/process.h"
#include "message/message.h"
#include "swarm.h"

#define BOOT		"0123456789abcdef0123456789abcdef"
#define SIZE_MIN	(4U << 10)
#define SIZE_MAX_BYTES	(64U << 10)
#define HELLO_SECONDS	60
#define WAIT_MS		20

struct swarm_sums sums;
static const struct link *line;
static struct host *hosts;
static unsigned int nr_hosts, nr_connected;
static uint64_t attempt;

void swarm_die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "swarm: ");
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(1);
}

static uint64_t real_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* The bytes of an incident follow from the number of its host. */
static unsigned char *make_bytes(const struct host *h)
{
	static unsigned char bytes[SIZE_MAX_BYTES];
	uint64_t state = h->number * 0x9e3779b97f4a7c15ULL + 1;

	for (uint32_t i = 0; i < h->size; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		bytes[i] = state >> 56;
	}
	return bytes;
}

static void digest(const struct host *h, char text[2 * SHA256_DIGEST_LENGTH + 1])
{
	unsigned char sum[SHA256_DIGEST_LENGTH];

	SHA256(make_bytes(h), h->size, sum);
	for (int i = 0; i < SHA256_DIGEST_LENGTH; i++)
		sprintf(text + 2 * i, "%02x", sum[i]);
}

static void make_host(struct host *h, uint32_t number)
{
	char text[2 * SHA256_DIGEST_LENGTH + 1];

	*h = (struct host){ .number = number, .answer_slot = -1 };
	snprintf(h->name, sizeof(h->name), "swarm-%05" PRIu32, number);
	h->kind = number % 50 == 7 ? HOST_FAILS : number % 100 == 5 ? HOST_SLEEPS : HOST_TAKES;
	h->size = SIZE_MIN + number * 2654435761U % (SIZE_MAX_BYTES - SIZE_MIN + 1);
	digest(h, text);
	snprintf(h->id, sizeof(h->id), "2026-11-26T14.03.12-%.8s", text);
}

static int publish(struct host *h, enum message_kind kind, const char *source, uint64_t seq,
		   const void *data, size_t size, const char *id)
{
	struct message m = { .kind = kind, .seq = seq, .data = data, .size = size };
	static struct buf bytes;
	int slot = 0;

	while (slot < SWARM_PENDING_MAX && h->sent[slot])
		slot++;
	if (slot == SWARM_PENDING_MAX)
		swarm_die("%s has too many messages without an answer", h->name);
	snprintf(m.host, sizeof(m.host), "%s", h->name);
	strcpy(m.boot, BOOT);
	snprintf(m.source, sizeof(m.source), "%s", source);
	bytes.size = 0;
	if (message_encode(&bytes, &m))
		swarm_die("out of memory");
	sums.bytes += bytes.size;
	h->sent[slot] = now();
	line->publish(h, id, bytes.data, bytes.size, slot);
	return slot;
}

static int publish_text(struct host *h, enum message_kind kind, const char *source,
			struct buf *text, const char *id)
{
	int slot = publish(h, kind, source, 0, text->data, text->size, id);

	buf_free(text);
	return slot;
}

static bool is_waiting(const struct host *h)
{
	return *h->command && h->kind == HOST_TAKES && !h->stored;
}

static void say_hello(struct host *h)
{
	char id[MESSAGE_ID_SIZE], incident[SOURCE_NAME_SIZE + 16];
	struct buf text = { 0 };

	text_add(&text, "version", "swarm");
	text_add_u64(&text, "spool-bytes", is_waiting(h) ? h->size : 0);
	if (is_waiting(h)) {
		snprintf(incident, sizeof(incident), "%s %" PRIu32, h->id, h->size);
		text_add(&text, "incident", incident);
		if (!h->granted)
			h->granted = now();
	}
	snprintf(id, sizeof(id), "hello.%" PRIu64, ++attempt);
	publish_text(h, MESSAGE_HELLO, "", &text, id);
	h->next_hello = now() + HELLO_SECONDS;
	sums.hellos++;
}

static void answer(struct host *h)
{
	char id[MESSAGE_ID_SIZE];
	struct buf text = { 0 };

	text_add(&text, "state", h->kind == HOST_TAKES ? "taken" : "failed");
	if (h->kind == HOST_TAKES)
		text_add(&text, "incident", h->id);
	else
		text_add(&text, "error", "this host has no recorder");
	text_add_u64(&text, "received-real", real_now());
	snprintf(id, sizeof(id), "%.100s.answer", h->command);
	h->answer_slot = publish_text(h, MESSAGE_ANSWER, h->command, &text, id);
	h->answer_due = true;
	sums.answers++;
}

static void send_manifest(struct host *h)
{
	char text_sum[2 * SHA256_DIGEST_LENGTH + 1], id[MESSAGE_ID_SIZE];
	struct buf text = { 0 };

	digest(h, text_sum);
	text_add(&text, "file", "2026-11-26T14.03.12.dat");
	text_add_u64(&text, "size", h->size);
	text_add(&text, "sha256", text_sum);
	text_add_u64(&text, "parts", 1);
	text_add(&text, "command", h->command);
	snprintf(id, sizeof(id), "%.60s.manifest.%" PRIu64, h->id, ++attempt);
	publish_text(h, MESSAGE_MANIFEST, h->id, &text, id);
	sums.manifests++;
}

static void send_part(struct host *h)
{
	char id[MESSAGE_ID_SIZE];

	snprintf(id, sizeof(id), "%.60s.part.0.%" PRIu64, h->id, ++attempt);
	publish(h, MESSAGE_PART, h->id, 0, make_bytes(h), h->size, id);
	sums.parts++;
}

static void take_command(struct host *h, const struct message *m)
{
	struct text t = { m->data, (const char *)m->data + m->size };
	char name[32], value[256], pattern[256] = "";

	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		if (!strcmp(name, "hosts"))
			memcpy(pattern, value, sizeof(pattern));
	if (*h->command || h->kind == HOST_SLEEPS || fnmatch(pattern, h->name, 0))
		return;
	snprintf(h->command, sizeof(h->command), "%s", m->source);
	answer(h);
	if (is_waiting(h))
		say_hello(h);
}

/*
 * The collector gives another permit if the incident is not stored when one has ended. It gave
 * the first one after the HELLO, and each later one at least as long after the one before it.
 */
static void count_expired(struct host *h)
{
	double length = SPOOL_PERMIT_NS / 1e9;

	if (!h->permit || now() < h->granted + length)
		return;
	h->granted += length;
	sums.expired++;
}

void swarm_receive(struct host *h, enum channel channel, const void *data, size_t size)
{
	struct buf space = { 0 };
	struct message m;
	const char *error = message_decode(&m, &space, data, size);

	if (error)
		swarm_die("a message to %s: %s", h->name, error);
	if (channel == CHANNEL_ALL && m.kind == MESSAGE_COMMAND) {
		take_command(h, &m);
	} else if (strcmp(m.host, h->name) || strcmp(m.source, h->id)) {
		swarm_die("%s has got a message of %s about %s", h->name, m.host, m.source);
	} else if (m.kind == MESSAGE_STORED) {
		h->stored = true;
	} else if (m.kind != MESSAGE_PERMIT || m.seq != h->permit || now() >= h->busy_until) {
		/* A permit that is delivered twice is one. */
		if (m.kind == MESSAGE_PERMIT)
			count_expired(h);
		h->permit = m.seq;
		h->busy_until = now() + SPOOL_PERMIT_NS / 1e9;
		sums.missing += m.kind == MESSAGE_MISSING;
		send_part(h);
		send_manifest(h);
	}
	buf_free(&space);
}

void swarm_connected(struct host *h)
{
	nr_connected++;
	say_hello(h);
}

void swarm_safe(struct host *h, unsigned int slot, bool safe)
{
	if (slot >= SWARM_PENDING_MAX || !h->sent[slot])
		return;
	if (now() - h->sent[slot] > sums.slowest)
		sums.slowest = now() - h->sent[slot];
	h->sent[slot] = 0;
	sums.refused += !safe;
	if (h->answer_slot == (int)slot) {
		h->answer_due = !safe;
		h->answer_slot = -1;
	}
}

static unsigned int count_pending(const struct host *h)
{
	unsigned int nr = 0;

	for (int i = 0; i < SWARM_PENDING_MAX; i++)
		nr += h->sent[i] != 0;
	return nr;
}

/*
 * Do what is due. Return whether the host has nothing more to do. It waits for each answer
 * of the engine: how long that takes depends on the disks below the servers.
 */
static bool keep_up(struct host *h)
{
	bool pending = count_pending(h) > 0;

	if (h->next_hello && now() >= h->next_hello) {
		if (h->answer_due)
			answer(h);
		say_hello(h);
		pending = true;
	}
	return h->kind == HOST_SLEEPS ? !pending : *h->command && !pending && !is_waiting(h);
}

static unsigned int count(enum host_kind kind)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < nr_hosts; i++)
		nr += hosts[i].kind == kind;
	return nr;
}

static unsigned int count_stored(void)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < nr_hosts; i++)
		nr += hosts[i].stored;
	return nr;
}

static unsigned int count_unanswered(void)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < nr_hosts; i++)
		nr += count_pending(&hosts[i]);
	return nr;
}

static void report(double connected, double commanded, double end)
{
	printf("take = %u\nfail = %u\nsleep = %u\nstored = %u\n", count(HOST_TAKES), count(HOST_FAILS),
	       count(HOST_SLEEPS), count_stored());
	printf("parts = %" PRIu64 "\nmanifests = %" PRIu64 "\nanswers = %" PRIu64 "\nhellos = %" PRIu64 "\n",
	       sums.parts, sums.manifests, sums.answers, sums.hellos);
	printf("missing = %" PRIu64 "\nexpired = %" PRIu64 "\n", sums.missing, sums.expired);
	printf("unanswered = %u\nrefused = %" PRIu64 "\nbytes = %" PRIu64 "\n", count_unanswered(),
	       sums.refused, sums.bytes);
	printf("slowest-answer-seconds = %.1f\n", sums.slowest);
	printf("connect-seconds = %.1f\nsnapshot-seconds = %.1f\n", connected, end - commanded);
}

static unsigned int count_commanded(void)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < nr_hosts; i++)
		nr += *hosts[i].command != 0;
	return nr;
}

/*
 * Run until all is stored, or until no host gets further for @seconds.  A busy machine may
 * take any time as long as hosts get further, and each can do so three times only.
 */
static int run(const char *url, double seconds)
{
	double begin = now(), connected = 0, commanded = 0, next = 0, last = begin;
	unsigned int progress = 0;
	bool done = false;

	line = strncmp(url, "dir:", 4) ? &link_nats : &link_directory;
	line->open(url, hosts, nr_hosts);
	while (!done && now() - last < seconds) {
		unsigned int steps;

		line->wait(WAIT_MS);
		if (!connected && nr_connected == nr_hosts) {
			connected = now() - begin;
			fprintf(stderr, "connected\n");
		}
		if (!commanded && count_commanded())
			commanded = now();
		if (now() < next)
			continue;
		steps = nr_connected + count_commanded() + count_stored();
		if (steps != progress)
			last = now();
		progress = steps;
		next = now() + 0.2;
		done = true;
		for (unsigned int i = 0; i < nr_hosts; i++)
			done &= keep_up(&hosts[i]);
	}
	report(connected, commanded, now());
	return !done;
}

/* Return whether the collector has the file, byte for byte. */
static bool is_collected(const struct host *h, const char *folder)
{
	static unsigned char got[SIZE_MAX_BYTES + 1];
	char path[4096];
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "%s/incidents/%s/%s.dat", folder, h->name, h->id);
	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(got, 1, sizeof(got), file);
	fclose(file);
	return size == h->size && !memcmp(got, make_bytes(h), size);
}

static int verify(const char *folder)
{
	unsigned int missing = 0;

	for (unsigned int i = 0; i < nr_hosts; i++)
		if (hosts[i].kind == HOST_TAKES && !is_collected(&hosts[i], folder)) {
			missing++;
			printf("%s is not the same\n", hosts[i].id);
		}
	return missing > 0;
}

int main(int argc, char **argv)
{
	nr_hosts = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	hosts = calloc(nr_hosts + 1, sizeof(*hosts));
	if (!nr_hosts || !hosts)
		swarm_die("usage: swarm run URL HOSTS SECONDS | verify FOLDER HOSTS");
	for (unsigned int i = 0; i < nr_hosts; i++)
		make_host(&hosts[i], i);
	if (!strcmp(argv[1], "verify"))
		return verify(argv[2]);
	if (argc != 5)
		swarm_die("run needs a number of seconds");
	return run(argv[2], strtod(argv[4], NULL));
}

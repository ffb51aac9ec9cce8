// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages for the collector. If the first byte is odd, the rest is one message, which
 * message_decode() gets as it is. Otherwise messages are made of the rest, so that their
 * checksums are right. Each has seven bytes, for the kind, the sender, the source, seq, lost,
 * the form of the payload and the length of what it is made of, which follows. A byte
 * stands for a number: a small one, or one near the ends of the types. Payloads are the bytes
 * themselves, a batch whose head has such numbers, or lines with such numbers. The index
 * must take each message without an error, and no host may add rows without a limit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/incoming.h"
#include "collector/index/hosts.h"
#include "collector/streams.h"
#include "message/message.h"
#include "message/stream/batch.h"

#define HEAD		7
#define MESSAGES_MAX	16
#define TOO_LONG		"0123456789012345678901234567890123456789012345678901234567890123456789" \
				"012345678901234567890123456789"
#define BOOT		"0123456789abcdef0123456789abcdef"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const hosts[] = { "web-1", "web-2", "", "not.valid" };
static const char *const sources[] = {
	"inc-1", "inc-2", "", "command-1", TOO_LONG, "x:y_z-1.2",
	"main.0.1.1", "main.0.1.2", "main.head.1.1", "main.4095.4294967295.18446744073709551615",
};

/* Names of the lines of all payloads that are text */
static const char *const names[] = {
	"size", "parts", "events", "lost", "trigger-real", "end-real", "received-real", "late",
	"oldest-real", "clock-error", "time-tai", "spool-bytes", "events-before", "lost-before",
	"unknown-before", "number", "real", "ring", "boot", "tai-offset", "error", "incident",
};

static struct collect_options options = {
	.permits = 4, .max_incident_kb = 2048, .max_host_kb = 8192,
};
static struct stream_answer answers[STREAM_ANSWERS_MAX];
static struct collector collector = { .options = &options, .answers = answers };
static char folder[] = "/tmp/fuzz-fleet-XXXXXX";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (!mkdtemp(folder) || !files_open(&collector.files, folder) ||
	    !index_open(&collector.index, folder, INDEX_CREATE) ||
	    stream_files_open(&collector.streams, folder) ||
	    !permits_init(&collector.permits, options.permits) || !budget_init(&collector.budget))
		abort();
	options.directory = folder;
	replies_init(&collector.replies);
	index_run(&collector.index, "INSERT INTO command (name, action, hosts, reason, time)"
		  " VALUES ('command-1', 'snapshot', '*', 'fuzz', 1)", "");
	return 0;
}

static void deliver(const char *host, const void *data, size_t size)
{
	struct parcel p = { .channel = CHANNEL_COLLECTOR, .data = data, .size = size };

	snprintf(p.host, sizeof(p.host), "%s", host);
	if (batch_message(&collector, &p) || collector.index.code)
		abort();
}

static uint64_t number(uint8_t byte)
{
	static const uint64_t ends[] = { UINT32_MAX, INT64_MAX / 2, INT64_MAX, UINT64_MAX };

	/* 0 to 15, and 30 below to 29 above each of the ends */
	return byte < 16 ? byte : ends[(byte - 16) / 60] + (byte - 16) % 60 - 30;
}

/* Add a batch with one event. The bytes are the numbers of its head. */
static void add_batch(struct buf *out, const uint8_t *data, size_t size)
{
	static const uint32_t event[] = { 1, 1 };
	struct batch_head head = { .events = 1 };
	uint64_t *const to[] = {
		&head.before.events, &head.before.lost, &head.before.unknown, &head.number,
		&head.begin, &head.end, &head.events,
	};

	for (size_t i = 0; i < size && i < sizeof(to) / sizeof(*to); i++)
		*to[i] = number(data[i]);
	batch_begin(out);
	batch_add(out, batch_subbuf(out, 1, 1), event, sizeof(event));
	batch_end(out, &head);
}

static void add_lines(struct buf *out, const uint8_t *data, size_t size)
{
	buf_printf(out, "sha256 = %064d\nstate = taken\n", 0);
	for (size_t i = 0; i + 2 <= size; i += 2)
		text_add_u64(out, names[data[i] % (sizeof(names) / sizeof(*names))],
			     number(data[i + 1]));
}

/* Make one message of the input. Return the number of bytes that it takes. */
static size_t make(const uint8_t *data, size_t size)
{
	struct message m = { .kind = data[0] % (NR_MESSAGE_KINDS + 1) };
	size_t length = data[6] < size - HEAD ? data[6] : size - HEAD;
	struct buf bytes = { 0 }, payload = { 0 };
	const char *host = hosts[data[1] % 4];

	snprintf(m.host, sizeof(m.host), "%s", hosts[data[1] / 4 % 8 ? data[1] % 4 : data[1] / 32 % 4]);
	strcpy(m.boot, BOOT);
	snprintf(m.source, sizeof(m.source), "%s",
		 sources[data[2] % (sizeof(sources) / sizeof(*sources))]);
	m.seq = number(data[3]);
	m.lost = number(data[4]);
	if (data[5] % 3 == 1)
		add_batch(&payload, data + HEAD, length);
	else if (data[5] % 3 == 2)
		add_lines(&payload, data + HEAD, length);
	else
		buf_add(&payload, data + HEAD, length);
	m.data = payload.data ? payload.data : "";
	m.size = payload.size;
	if (!message_encode(&bytes, &m))
		deliver(host, bytes.data, bytes.size);
	buf_free(&payload);
	buf_free(&bytes);
	return HEAD + length;
}

/* No message is refused because of those of the inputs before. */
static void refill(void)
{
	for (int i = 0; i < BUDGET_HOSTS; i++)
		if (*collector.budget.host[i].name)
			collector.budget.host[i].messages = BUDGET_MESSAGES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	index_begin(&collector.index);
	if (*data & 1) {
		deliver("web-1", data + 1, size - 1);
	} else {
		size_t at = 1;

		for (int i = 0; i < MESSAGES_MAX && at + HEAD <= size; i++)
			at += make(data + at, size - at);
	}
	permits_grant(&collector);
	if (collector.index.code ||
	    index_number(&collector.index, 0, "SELECT count(*) FROM refused", "") > 3 * NR_REFUSALS ||
	    index_number(&collector.index, 0, "SELECT count(*) FROM host", "") > 2)
		abort();
	/* Each input begins with the same index. */
	index_rollback(&collector.index);
	files_drop(&collector.files);
	stream_files_drop(&collector.streams);
	streams_cut(&collector, 0);
	replies_discard(&collector.replies);
	collector.permits.nr = 0;
	refill();
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages for the collector. If the first byte is odd, the rest is one message, which
 * message_decode() gets as it is. Otherwise messages are made of the rest, so that their
 * checksums are right. Each has five bytes, for the kind, the sender, the source, the part and
 * the length of the payload, and then the payload. The index must take each of them without an
 * error, and no host may add rows without a limit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/batch.h"
#include "message/message.h"

#define HEAD		5
#define MESSAGES_MAX	16
#define TOO_LONG		"0123456789012345678901234567890123456789012345678901234567890123456789" \
				"012345678901234567890123456789"
#define BOOT		"0123456789abcdef0123456789abcdef"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const hosts[] = { "web-1", "web-2", "", "not.valid" };
static const char *const sources[] = {
	"inc-1", "inc-2", "", "command-1", TOO_LONG, "x:y_z-1.2",
};

static struct collect_options options = {
	.permits = 4, .max_incident_kb = 2048, .max_host_kb = 8192,
};
static struct collector collector = { .options = &options };
static char folder[] = "/tmp/fuzz-fleet-XXXXXX";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (!mkdtemp(folder) || !files_open(&collector.files, folder) ||
	    !index_open(&collector.index, folder, INDEX_CREATE) ||
	    !permits_init(&collector.permits, options.permits))
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

/* Make one message of the input. Return the number of bytes that it takes. */
static size_t make(const uint8_t *data, size_t size)
{
	struct message m = { .kind = data[0] % (NR_MESSAGE_KINDS + 1) };
	const char *host = hosts[data[1] % 4];
	struct buf bytes = { 0 };

	snprintf(m.host, sizeof(m.host), "%s", hosts[data[1] / 4 % 8 ? data[1] % 4 : data[1] / 32 % 4]);
	strcpy(m.boot, BOOT);
	snprintf(m.source, sizeof(m.source), "%s",
		 sources[data[2] % (sizeof(sources) / sizeof(*sources))]);
	m.seq = data[3] == 255 ? UINT64_MAX : data[3] % 4;
	m.size = data[4] < size - HEAD ? data[4] : size - HEAD;
	m.data = data + HEAD;
	if (!message_encode(&bytes, &m))
		deliver(host, bytes.data, bytes.size);
	buf_free(&bytes);
	return HEAD + m.size;
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
	    index_number(&collector.index, 0, "SELECT count(*) FROM refused", "") > 3 * 12 ||
	    index_number(&collector.index, 0, "SELECT count(*) FROM host", "") > 2)
		abort();
	/* Each input begins with the same index. */
	index_rollback(&collector.index);
	files_drop(&collector.files);
	replies_discard(&collector.replies);
	collector.permits.nr = 0;
	return 0;
}

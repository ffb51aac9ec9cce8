// SPDX-License-Identifier: GPL-2.0-only
/* Messages between hosts and the collector: what was encoded, and what others make of it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

#include "message/message.h"

#define BOOT	"0123456789abcdef0123456789abcdef"

static const struct message example = {
	.kind = MESSAGE_PART, .host = "h-1_example", .boot = BOOT,
	.source = "2026-11-26T14.03.12-1a2b3c4d", .seq = 7, .lost = MESSAGE_LOST_UNKNOWN,
};

static unsigned char *contents(size_t size, bool compress)
{
	unsigned char *bytes = malloc(size + 1);

	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = compress ? i / 1000 : (size_t)rand() >> 7;
	return bytes;
}

static void assert_same(const struct message *a, const struct message *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_string_equal(a->host, b->host);
	assert_string_equal(a->boot, b->boot);
	assert_string_equal(a->source, b->source);
	assert_true(a->seq == b->seq && a->lost == b->lost && a->size == b->size);
	if (a->size)
		assert_memory_equal(a->data, b->data, a->size);
}

static void round_trip(const struct message *m)
{
	struct buf bytes = { 0 }, space = { 0 };
	struct message out;

	assert_int_equal(message_encode(&bytes, m), 0);
	assert_true(bytes.size <= MESSAGE_SIZE_MAX);
	assert_null(message_decode(&out, &space, bytes.data, bytes.size));
	assert_same(m, &out);
	buf_free(&bytes);
	buf_free(&space);
}

static void every_size(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 511, 4096, 65536, MESSAGE_PAYLOAD_MAX };

	(void)state;
	for (int compress = 0; compress < 2; compress++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct message m = example;
			unsigned char *bytes = contents(sizes[i], compress);

			m.data = bytes;
			m.size = sizes[i];
			round_trip(&m);
			free(bytes);
		}
	}
}

static void every_kind(void **state)
{
	(void)state;
	for (int kind = 1; kind < NR_MESSAGE_KINDS; kind++) {
		struct message m = example;

		m.kind = kind;
		m.data = "text";
		m.size = 4;
		round_trip(&m);
	}
}

static void a_command_names_no_host(void **state)
{
	const struct message m = {
		.kind = MESSAGE_COMMAND, .source = "now", .data = "action = snapshot\n", .size = 18,
	};

	(void)state;
	round_trip(&m);
}

static void too_large(void **state)
{
	unsigned char *bytes = contents(MESSAGE_PAYLOAD_MAX + 1, true);
	struct message m = example;
	struct buf out = { 0 };

	(void)state;
	m.data = bytes;
	m.size = MESSAGE_PAYLOAD_MAX + 1;
	assert_int_equal(message_encode(&out, &m), -EMSGSIZE);
	buf_free(&out);
	free(bytes);
}

/* Encode the example with a payload that is compressed. */
static struct buf encoded(void)
{
	unsigned char *bytes = contents(5000, true);
	struct message m = example;
	struct buf out = { 0 };

	m.data = bytes;
	m.size = 5000;
	assert_int_equal(message_encode(&out, &m), 0);
	free(bytes);
	return out;
}

static const char *decode(const struct buf *bytes, size_t size)
{
	/* A copy of this size, for the address sanitizer */
	char *copy = malloc(size ? size : 1);
	struct buf space = { 0 };
	struct message m;
	const char *error;

	assert_non_null(copy);
	memcpy(copy, bytes->data, size);
	error = message_decode(&m, &space, copy, size);
	buf_free(&space);
	free(copy);
	return error;
}

static void every_bit(void **state)
{
	struct buf bytes = encoded();

	(void)state;
	for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
		bytes.data[bit / 8] ^= 1 << bit % 8;
		assert_non_null(decode(&bytes, bytes.size));
		bytes.data[bit / 8] ^= 1 << bit % 8;
	}
	assert_null(decode(&bytes, bytes.size));
	buf_free(&bytes);
}

static void every_length(void **state)
{
	struct buf bytes = encoded();

	(void)state;
	for (size_t size = 0; size < bytes.size; size++)
		assert_non_null(decode(&bytes, size));
	buf_add(&bytes, "", 1);
	assert_non_null(decode(&bytes, bytes.size));
	buf_free(&bytes);
}

/* A host that lies computes a right checksum. */
static const char *forged(struct buf *bytes)
{
	uint32_t crc = crc32(0, (const unsigned char *)bytes->data + 8, bytes->size - 8);

	memcpy(bytes->data + 4, &crc, sizeof(crc));
	return decode(bytes, bytes->size);
}

static void a_liar(void **state)
{
	static const struct { size_t offset; uint32_t value; size_t size; const char *error; } lies[] = {
		{ 8, 2, 2, "version" },
		{ 10, 0, 2, "kind" },
		{ 10, NR_MESSAGE_KINDS, 2, "kind" },
		{ 12, 4999, 4, "payload" },		/* the frame has 5000 bytes */
		{ 12, MESSAGE_PAYLOAD_MAX + 1, 4, "payload" },
		{ 12, UINT32_MAX, 4, "payload" },
		{ 16, 1, 4, "payload" },
		{ 16, UINT32_MAX, 4, "payload" },
		{ 20, 0, 1, "" },			/* the rest moves */
		{ 20, 255, 1, "too long" },
		{ 21, 255, 1, "too long" },
		{ 22, 255, 1, "too long" },
		{ 40, '/', 1, "host" },
		{ 40, '.', 1, "host" },
		{ 41, 0, 1, "zero" },
		{ 40 + 11, 'G', 1, "boot" },
		{ 40 + 11 + 32, '.', 1, "source" },	/* "../" begins with a dot */
		{ 40 + 11 + 33, '/', 1, "source" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct buf bytes = encoded();
		const char *error;

		memcpy(bytes.data + lies[i].offset, &lies[i].value, lies[i].size);
		error = forged(&bytes);
		assert_non_null(error);
		if (!strstr(error, lies[i].error))
			fail_msg("lie %zu: %s", i, error);
		buf_free(&bytes);
	}
}

static void names(void **state)
{
	char host[HOST_NAME_SIZE], boot[BOOT_ID_SIZE], name[SOURCE_NAME_SIZE + 1];

	(void)state;
	assert_true(is_host_name("a") && is_host_name("db-7_example_org"));
	assert_false(is_host_name("") || is_host_name("a.b") || is_host_name("a/b") ||
		     is_host_name("a b") || is_host_name("*") || is_host_name("\xc3\xa9"));
	assert_true(is_source_name("2026-11-26T14.03.12-1a2b3c4d.part.0.1"));
	assert_false(is_source_name("") || is_source_name(".") || is_source_name("..") ||
		     is_source_name("a/b") || is_source_name("a\n"));
	memset(name, 'a', sizeof(name));
	name[SOURCE_NAME_SIZE] = '\0';
	assert_false(is_source_name(name));
	name[SOURCE_NAME_SIZE - 1] = '\0';
	assert_true(is_source_name(name));
	name[HOST_NAME_SIZE] = '\0';
	assert_false(is_host_name(name));
	name[HOST_NAME_SIZE - 1] = '\0';
	assert_true(is_host_name(name));
	assert_true(is_boot_id(BOOT));
	assert_false(is_boot_id(BOOT "0") || is_boot_id(BOOT + 1));
	assert_true(this_host(host) && !this_boot(boot));
}

static void texts(void **state)
{
	char name[8], value[8];
	struct buf out = { 0 };
	struct text text;
	uint64_t number;

	(void)state;
	text_add(&out, "reason", "two\nlines");
	buf_printf(&out, "no value\n\n=\n  x = a = b  \nlong-name=0123456789");
	text_add_u64(&out, "", UINT64_MAX);
	text = (struct text){ out.data, out.data + out.size };
	assert_true(text_next(&text, name, sizeof(name), value, sizeof(value)));
	assert_string_equal(name, "reason");
	assert_string_equal(value, "two lin");
	assert_true(text_next(&text, name, sizeof(name), value, sizeof(value)));
	assert_true(!*name && !*value);
	assert_true(text_next(&text, name, sizeof(name), value, sizeof(value)));
	assert_string_equal(name, "x");
	assert_string_equal(value, "a = b");
	assert_true(text_next(&text, name, sizeof(name), value, sizeof(value)));
	assert_string_equal(name, "long-na");
	assert_string_equal(value, "0123456");
	assert_false(text_next(&text, name, sizeof(name), value, sizeof(value)));
	buf_free(&out);

	assert_true(text_u64("18446744073709551615", &number) && number == UINT64_MAX);
	assert_false(text_u64("18446744073709551616", &number) || text_u64("", &number) ||
		     text_u64("-1", &number) || text_u64(" 1", &number) || text_u64("1x", &number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size),
		cmocka_unit_test(every_kind),
		cmocka_unit_test(a_command_names_no_host),
		cmocka_unit_test(too_large),
		cmocka_unit_test(every_bit),
		cmocka_unit_test(every_length),
		cmocka_unit_test(a_liar),
		cmocka_unit_test(names),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests_name("fleet_message", tests, NULL, NULL);
}

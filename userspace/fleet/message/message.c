// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "message.h"

#define BOOT_ID_FILE	"/proc/sys/kernel/random/boot_id"
#define DIGITS		"0123456789"
#define LETTERS		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define MAGIC		"rbFL"
#define VERSION		1
#define LEVEL		1	/* zstd's; sub-buffers compress 6.5 times */

static bool consists_of(const char *name, const char *characters, size_t size)
{
	size_t len = strnlen(name, size);

	return len && len < size && strspn(name, characters) == len;
}

bool is_host_name(const char *name)
{
	return consists_of(name, LETTERS DIGITS "-_", HOST_NAME_SIZE);
}

bool is_boot_id(const char *name)
{
	return consists_of(name, DIGITS "abcdef", BOOT_ID_SIZE) &&
	       strlen(name) == BOOT_ID_SIZE - 1;
}

bool is_source_name(const char *name)
{
	return *name != '.' && consists_of(name, LETTERS DIGITS "-_.:", SOURCE_NAME_SIZE);
}

bool this_host(char name[HOST_NAME_SIZE])
{
	/* gethostname() need not end a name that it cuts. */
	name[HOST_NAME_SIZE - 1] = '\0';
	if (gethostname(name, HOST_NAME_SIZE - 1))
		return false;
	for (char *c = name; *c; c++)
		if (*c == '.')
			*c = '_';
	return is_host_name(name);
}

int this_boot(char id[BOOT_ID_SIZE])
{
	FILE *file = fopen(BOOT_ID_FILE, "re");
	size_t len = 0;
	int c;

	if (!file)
		return -errno;
	while (len + 1 < BOOT_ID_SIZE && (c = getc(file)) != EOF)
		if (c != '-')
			id[len++] = (char)c;
	id[len] = '\0';
	fclose(file);
	return is_boot_id(id) ? 0 : -EBADMSG;
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

void text_add(struct buf *out, const char *name, const char *value)
{
	size_t from;

	buf_add(out, name, strlen(name));
	buf_add(out, " = ", 3);
	from = out->size;
	buf_add(out, value, strlen(value));
	for (size_t i = from; !out->failed && i < out->size; i++)
		if (is_control(out->data[i]))
			out->data[i] = ' ';
	buf_add(out, "\n", 1);
}

void text_add_u64(struct buf *out, const char *name, uint64_t value)
{
	buf_printf(out, "%s = %" PRIu64 "\n", name, value);
}

/* Store the text between two places, without spaces around it. */
static void store(char *to, size_t size, const char *at, const char *end)
{
	size_t len;

	while (at < end && *at == ' ')
		at++;
	while (at < end && end[-1] == ' ')
		end--;
	len = (size_t)(end - at) < size ? (size_t)(end - at) : size - 1;
	for (size_t i = 0; i < len; i++)
		to[i] = is_control(at[i]) ? ' ' : at[i];
	to[len] = '\0';
}

bool text_next(struct text *t, char *name, size_t name_size, char *value, size_t value_size)
{
	while (t->at < t->end) {
		const char *line = t->at;
		const char *end = memchr(line, '\n', t->end - line);
		const char *is;

		t->at = end ? end + 1 : t->end;
		end = end ? end : t->end;
		is = memchr(line, '=', end - line);
		if (!is)
			continue;
		store(name, name_size, line, is);
		store(value, value_size, is + 1, end);
		return true;
	}
	return false;
}

bool text_u64(const char *value, uint64_t *number)
{
	char *end;

	if (*value < '0' || *value > '9')
		return false;
	errno = 0;
	*number = strtoull(value, &end, 10);
	return !*end && !errno;
}

struct header {
	char		magic[4];
	uint32_t	crc;
	uint16_t	version;
	uint16_t	kind;
	uint32_t	size;
	uint32_t	stored;
	uint8_t		host;
	uint8_t		boot;
	uint8_t		source;
	uint8_t		zero;
	uint64_t	seq;
	uint64_t	lost;
};

_Static_assert(sizeof(struct header) == 40, "the header has no padding");

#define CHECKED_FROM	offsetof(struct header, version)

static uint32_t checksum(const void *bytes, size_t size)
{
	return crc32_z(0, (const unsigned char *)bytes + CHECKED_FROM, size - CHECKED_FROM);
}

/* Append the payload, compressed if that makes it smaller. Return its size as stored. */
static size_t add_payload(struct buf *out, const struct message *m)
{
	char *room = buf_room(out, ZSTD_compressBound(m->size));
	size_t size;

	if (!room)
		return 0;
	size = ZSTD_compress(room, ZSTD_compressBound(m->size), m->data, m->size, LEVEL);
	if (ZSTD_isError(size) || size >= m->size) {
		buf_add(out, m->data, m->size);
		return m->size;
	}
	buf_end(out, room + size);
	return size;
}

int message_encode(struct buf *out, const struct message *m)
{
	struct header header = {
		.magic = MAGIC,
		.version = htole16(VERSION),
		.kind = htole16(m->kind),
		.size = htole32(m->size),
		.host = strlen(m->host),
		.boot = strlen(m->boot),
		.source = strlen(m->source),
		.seq = htole64(m->seq),
		.lost = htole64(m->lost),
	};
	size_t begin = out->size;

	if (m->size > MESSAGE_PAYLOAD_MAX)
		return -EMSGSIZE;
	buf_add(out, &header, sizeof(header));
	buf_add(out, m->host, header.host);
	buf_add(out, m->boot, header.boot);
	buf_add(out, m->source, header.source);
	header.stored = htole32(add_payload(out, m));
	if (out->failed)
		return -ENOMEM;
	memcpy(out->data + begin, &header, sizeof(header));
	header.crc = htole32(checksum(out->data + begin, out->size - begin));
	memcpy(out->data + begin, &header, sizeof(header));
	return 0;
}

static const char *take_name(char *to, size_t room, const char **at, const char *end, size_t len)
{
	if (len >= room || len > (size_t)(end - *at))
		return "a name is too long";
	memcpy(to, *at, len);
	to[len] = '\0';
	*at += len;
	return strlen(to) == len ? NULL : "a name has a zero byte";
}

/* Return what is wrong with the names. They become parts of paths. */
static const char *check_names(const struct message *m)
{
	if (*m->host && !is_host_name(m->host))
		return "the host's name is invalid";
	if (*m->boot && !is_boot_id(m->boot))
		return "the boot id is invalid";
	if (*m->source && !is_source_name(m->source))
		return "the source's name is invalid";
	if (m->kind != MESSAGE_COMMAND && (!*m->host || !*m->boot))
		return "the message names no host";
	return NULL;
}

static const char *take_payload(struct message *m, struct buf *space, const char *at,
				size_t stored)
{
	char *room;

	m->data = at;
	if (stored == m->size)
		return NULL;
	/* The frame says how large its contents are: do not allocate for it before this. */
	if (ZSTD_getFrameContentSize(at, stored) != m->size)
		return "the payload is damaged";
	space->size = 0;
	room = buf_room(space, m->size);
	if (!room)
		return "out of memory";
	if (ZSTD_decompress(room, m->size, at, stored) != m->size)
		return "the payload is damaged";
	buf_end(space, room + m->size);
	m->data = space->data;
	return NULL;
}

const char *message_decode(struct message *m, struct buf *space, const void *bytes,
			   size_t size)
{
	const char *at = bytes, *end = at + size, *error;
	struct header header;
	size_t stored;

	*m = (struct message){ 0 };
	if (size < sizeof(header))
		return "the message is too short";
	memcpy(&header, at, sizeof(header));
	if (memcmp(header.magic, MAGIC, sizeof(header.magic)))
		return "it is not a message of rbmap";
	if (le32toh(header.crc) != checksum(bytes, size))
		return "the checksum is wrong";
	if (le16toh(header.version) != VERSION)
		return "its version of the format is unknown";
	m->kind = le16toh(header.kind);
	if (!m->kind || m->kind >= NR_MESSAGE_KINDS)
		return "its kind is unknown";
	m->seq = le64toh(header.seq);
	m->lost = le64toh(header.lost);
	m->size = le32toh(header.size);
	stored = le32toh(header.stored);
	at += sizeof(header);
	error = take_name(m->host, sizeof(m->host), &at, end, header.host);
	if (!error)
		error = take_name(m->boot, sizeof(m->boot), &at, end, header.boot);
	if (!error)
		error = take_name(m->source, sizeof(m->source), &at, end, header.source);
	if (!error)
		error = check_names(m);
	if (error)
		return error;
	if (m->size > MESSAGE_PAYLOAD_MAX || stored > m->size || stored != (size_t)(end - at))
		return "the size of the payload is invalid";
	return take_payload(m, space, at, stored);
}

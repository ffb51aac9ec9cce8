// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/uplink/clocks.h"
#include "message/message.h"
#include "sending.h"

#define CHANGED		"the file in the spool has changed"
#define UNREADABLE	"the file in the spool cannot be read"

/* The oldest incident that the collector waits for */
static struct incident *next_wanted(const struct spool *spool)
{
	for (size_t i = 0; i < spool->nr; i++)
		if (spool->v[i].requested)
			return &spool->v[i];
	return NULL;
}

bool sending_wanted(const struct sending *s, const struct spool *spool)
{
	return *s->id || next_wanted(spool);
}

void sending_again(struct sending *s, const char *id)
{
	/* Also unique after a restart */
	if (!strcmp(s->id, id))
		s->attempt = clock_real();
}

void sending_end(struct sending *s, struct uplink *uplink)
{
	if (!*s->id)
		return;
	*s->id = '\0';
	close(s->fd);
	free(s->part);
	s->part = NULL;
	digest_drop(&s->digest);
	uplink_shrink(uplink);
}

static int begin(struct sending *s, struct spool *spool, const struct incident *i)
{
	s->fd = openat(spool->data, i->id, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	s->part = malloc(MESSAGE_PAYLOAD_MAX);
	if (!s->part) {
		close(s->fd);
		return -ENOMEM;
	}
	s->attempt = clock_real();
	s->digested = 0;
	digest_begin(&s->digest);
	snprintf(s->id, sizeof(s->id), "%s", i->id);
	return 0;
}

static size_t part_size(const struct incident *i, uint64_t part)
{
	uint64_t left = i->size - part * MESSAGE_PAYLOAD_MAX;

	return left < MESSAGE_PAYLOAD_MAX ? left : MESSAGE_PAYLOAD_MAX;
}

static int read_part(struct sending *s, size_t size, uint64_t at)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(s->fd, s->part + done, size - done, at + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		done += got;
	}
	return 0;
}

static int add_part(struct sending *s, const struct incident *i, uint64_t part,
		    struct uplink *uplink)
{
	size_t size = part_size(i, part);
	int ret = read_part(s, size, part * MESSAGE_PAYLOAD_MAX);

	if (ret)
		return ret;
	if (part == s->digested) {
		digest_add(&s->digest, s->part, size);
		s->digested++;
	}
	return uplink_add(uplink, MESSAGE_PART, i->id, part, 0, s->part, size,
			  "part.%" PRIu64 ".%" PRIu64, part, s->attempt);
}

static bool is_wanted(const struct incident *i, uint64_t part)
{
	return i->wanted && i->wanted[part / 8] & 1 << part % 8;
}

/* Add the next parts that are wanted, and count them. Return 0 or a negative errno. */
static int add_parts(struct sending *s, const struct incident *i, struct uplink *uplink,
		     uint64_t parts[UPLINK_BATCH], unsigned int *nr)
{
	uint64_t end = spool_parts(i);

	*nr = 0;
	for (uint64_t part = 0; part < end && *nr < UPLINK_BATCH; part++) {
		int ret;

		if (!is_wanted(i, part))
			continue;
		ret = add_part(s, i, part, uplink);
		if (ret) {
			uplink->nr = 0;
			return ret;
		}
		parts[(*nr)++] = part;
	}
	return 0;
}

/* Store the SHA-256 that the manifest has, and the number of lost events. */
static void parse_manifest(const struct buf *text, char digits[DIGEST_TEXT_SIZE], uint64_t *lost)
{
	struct text t = { text->data, text->data + text->size };
	char name[32], value[DIGEST_TEXT_SIZE];

	*digits = '\0';
	*lost = MESSAGE_LOST_UNKNOWN;
	while (text_next(&t, name, sizeof(name), value, sizeof(value))) {
		if (!strcmp(name, "sha256"))
			strcpy(digits, value);
		else if (!strcmp(name, "lost") && !text_u64(value, lost))
			*lost = MESSAGE_LOST_UNKNOWN;
	}
}

/* The file has changed: the collector would refuse it at each attempt. */
static bool is_changed(struct sending *s, const struct incident *i, const char *digits)
{
	char sent[DIGEST_TEXT_SIZE];

	if (s->digested < spool_parts(i))
		return false;
	s->digested = 0;
	return digest_end(&s->digest, sent) && strcmp(sent, digits);
}

/* Return 0, a negative errno of the transport, or 1: the incident cannot be sent. */
static int send_manifest(struct sending *s, struct spool *spool, struct incident *i,
			 struct uplink *uplink, const char **cause)
{
	char digits[DIGEST_TEXT_SIZE];
	struct buf text = { 0 };
	uint64_t lost;
	int ret = spool_manifest(spool, i->id, &text);

	if (!ret) {
		parse_manifest(&text, digits, &lost);
		*cause = is_changed(s, i, digits) ? CHANGED : NULL;
		if (!*cause)
			ret = uplink_add(uplink, MESSAGE_MANIFEST, i->id, s->attempt, lost,
					 text.data, text.size, "manifest.%" PRIu64, s->attempt);
	} else if (ret != -ENOMEM) {
		*cause = "its state in the spool cannot be read";
	}
	buf_free(&text);
	return *cause ? 1 : ret ? ret : uplink_publish(uplink);
}

static int send_parts(struct sending *s, struct incident *i, struct uplink *uplink,
		      const char **cause)
{
	uint64_t parts[UPLINK_BATCH];
	unsigned int nr;
	int ret = add_parts(s, i, uplink, parts, &nr);

	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		*cause = UNREADABLE;
		return 1;
	}
	ret = uplink_publish(uplink);
	for (unsigned int k = 0; !ret && k < nr; k++)
		i->wanted[parts[k] / 8] &= ~(1 << parts[k] % 8);
	return ret;
}

static bool has_wanted_parts(const struct incident *i)
{
	uint64_t parts = spool_parts(i);

	for (uint64_t at = 0; i->wanted && at < parts; at += 8)
		if (i->wanted[at / 8])
			return true;
	return false;
}

static int step(struct sending *s, struct spool *spool, struct incident *i,
		struct uplink *uplink)
{
	const char *cause = NULL;
	bool has_parts;
	int ret;

	i->busy_until = clock_monotonic() + SPOOL_PERMIT_NS;
	has_parts = has_wanted_parts(i);
	ret = has_parts ? send_parts(s, i, uplink, &cause) :
			  send_manifest(s, spool, i, uplink, &cause);
	if (ret > 0)
		return spool_lose(spool, i, cause);
	if (!ret && !has_parts) {
		spool_requested_done(spool, i);
		sending_end(s, uplink);
	}
	return ret;
}

int sending_step(struct sending *s, struct spool *spool, struct uplink *uplink)
{
	struct incident *i = *s->id ? spool_find(spool, s->id) : next_wanted(spool);
	int ret;

	/* The incident is gone: the spool was full meanwhile, or the collector has stored it. */
	if (!i || (*s->id && !i->requested)) {
		sending_end(s, uplink);
		return 0;
	}
	if (!*s->id) {
		ret = begin(s, spool, i);
		if (ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE)
			return ret;
		if (ret)
			return spool_lose(spool, i, UNREADABLE);
	}
	return step(s, spool, i, uplink);
}

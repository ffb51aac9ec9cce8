/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The payload of MESSAGE_HEAD: what a recording needs besides sub-buffers. It has the formats
 * of all events that came up to now. It is compressed, because it can be larger than a message.
 */
#ifndef RBMAP_FLEET_MESSAGE_STREAM_HEAD_H
#define RBMAP_FLEET_MESSAGE_STREAM_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "clock.h"
#include "recording/write/dat_write.h"

#define STREAM_FORMATS_MAX	65536

/**
 * struct stream_head - the contents; texts are in @raw after stream_head_decode()
 * @clock: name of the ring's clock, such as "local"
 * @uname: "SYSTEM HOST RELEASE MACHINE"
 * @version: that of the agent
 * @names: lines "PID NAME"
 */
struct stream_head {
	uint32_t page_size;
	uint32_t nr_cpus;
	struct stream_clock moment;
	const char *clock;
	const char *uname;
	const char *version;
	struct dat_format *formats;
	uint32_t nr_formats;
	const char *names;
	struct buf raw;
};

/* Append the payload. Return 0 or a negative errno; -EMSGSIZE: it is too large. */
int stream_head_encode(struct buf *out, const struct stream_head *head);

/*
 * Decode a payload that nobody has checked. Return false if it is damaged. The caller frees
 * the head in both cases.
 */
bool stream_head_decode(struct stream_head *head, const void *data, size_t size);
void stream_head_free(struct stream_head *head);

#endif /* RBMAP_FLEET_MESSAGE_STREAM_HEAD_H */

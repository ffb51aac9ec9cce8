/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages to hosts. They wait until the transaction of the index has ended: a host that
 * gets STORED removes its file.
 */
#ifndef RBMAP_FLEET_COLLECTOR_REPLIES_H
#define RBMAP_FLEET_COLLECTOR_REPLIES_H

#include <stdint.h>

#include "base/buf.h"
#include "collector/index/hosts.h"
#include "message/message.h"
#include "transport/transport.h"

#define REPLIES_MAX	1024	/* Hosts ask again for those that did not fit. */

struct collector;

/**
 * struct replies - messages that wait
 * @offset: where each message is in @bytes
 * @number: that of the last message; an id needs one that was not used before
 */
struct replies {
	unsigned int nr;
	struct parcel parcel[REPLIES_MAX];
	size_t offset[REPLIES_MAX];
	struct buf bytes;
	uint64_t number;
};

void replies_init(struct replies *r);
void replies_free(struct replies *r);

/* Add a message about an incident. @text: its payload, or NULL. Return its number. */
uint64_t replies_add(struct replies *r, const struct index_host *host, const char *incident,
		     enum message_kind kind, const struct buf *text);
/* Add a PERMIT again, with the same number, so that a host ignores the second one. */
void replies_repeat(struct replies *r, const struct index_host *host, const char *incident,
		    uint64_t number);
void replies_discard(struct replies *r);
/* Discard those behind the first @nr. */
void replies_cut(struct replies *r, unsigned int nr);
/* Publish all. After an error they are discarded, because each HELLO asks for them again. */
void replies_send(struct collector *c);

#endif /* RBMAP_FLEET_COLLECTOR_REPLIES_H */

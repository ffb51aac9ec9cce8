// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "jetstream_names.h"
#include "jetstream_parcel.h"
#include "message/message.h"

#define NO_ID	"invalid"

/* Return the id in the header: ID, or HOST/ID; NULL if it is not of this host. */
static const char *id_of(natsMsg *msg, enum channel channel, const char *host)
{
	size_t len = strlen(host);
	const char *id;

	if (natsMsgHeader_Get(msg, HEADER_ID, &id) != NATS_OK)
		return NULL;
	if (channel == CHANNEL_ALL)
		return is_source_name(id) ? id : NULL;
	if (strncmp(id, host, len) || id[len] != '/' || !is_source_name(id + len + 1))
		return NULL;
	return id + len + 1;
}

void jetstream_parcel(struct parcel *p, natsMsg *msg, enum channel channel, const char *host)
{
	const char *id = id_of(msg, channel, host);
	int size = natsMsg_GetDataLength(msg);

	*p = (struct parcel){ .channel = channel, .handle = msg };
	snprintf(p->host, sizeof(p->host), "%s", channel == CHANNEL_ALL ? "" : host);
	snprintf(p->id, sizeof(p->id), "%s", id ? id : NO_ID);
	if (!id || size <= 0 || (unsigned int)size > MESSAGE_SIZE_MAX)
		return;
	p->data = natsMsg_GetData(msg);
	p->size = size;
}

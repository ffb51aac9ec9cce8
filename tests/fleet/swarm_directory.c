// SPDX-License-Identifier: GPL-2.0-only
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "swarm.h"

static struct host *all;
static struct transport *transports;
static unsigned int nr_all;

static void open_all(const char *url, struct host *hosts, unsigned int nr)
{
	all = hosts;
	nr_all = nr;
	transports = calloc(nr, sizeof(*transports));
	for (unsigned int i = 0; transports && i < nr; i++) {
		struct transport_options o = { .url = url, .role = ROLE_HOST, .host = hosts[i].name };

		if (transport_open(&transports[i], &o))
			swarm_die("%s", transports[i].error);
	}
}

static void publish(struct host *h, const char *id, const void *data, size_t size, int slot)
{
	struct transport *t = &transports[h - all];
	struct parcel p = { .channel = CHANNEL_COLLECTOR, .data = data, .size = size };

	snprintf(p.host, sizeof(p.host), "%s", h->name);
	snprintf(p.id, sizeof(p.id), "%s", id);
	swarm_safe(h, slot, !t->ops->publish(t, &p, 1));
}

/* Each host looks as often as the others, and none is waited for. */
static void wait_all(int timeout_ms)
{
	static bool connected;

	for (unsigned int i = 0; !connected && i < nr_all; i++)
		swarm_connected(&all[i]);
	connected = true;
	for (unsigned int i = 0; i < nr_all; i++) {
		struct transport *t = &transports[i];
		struct parcel p;

		while (t->ops->receive(t, &p, 0) > 0) {
			swarm_receive(&all[i], p.channel, p.data, p.size);
			t->ops->acknowledge(t, &p, true);
		}
	}
	poll(NULL, 0, timeout_ms);
}

const struct link link_directory = {
	.open		= open_all,
	.publish	= publish,
	.wait		= wait_all,
};

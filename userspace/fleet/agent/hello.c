// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>

#include <rbmap.h>

#include "agent.h"
#include "agent/uplink/clocks.h"
#include "message/message.h"
#include "rings.h"

#define INCIDENTS_MAX	64
#define STREAMS_MAX	256
/*
 * Ids repeat after this number of seconds. So a directory that nobody reads gets a bounded
 * number of files, and an engine has forgotten the id and does not drop the message.
 */
#define HELLO_IDS	600
#define NS_PER_S	1000000000ULL

static void add_incidents(struct agent *a, struct buf *out)
{
	const struct spool *s = &a->spool;
	char text[SOURCE_NAME_SIZE + 32];

	for (a->told = 0; a->told < s->nr && a->told < INCIDENTS_MAX; a->told++) {
		snprintf(text, sizeof(text), "%s %" PRIu64, s->v[a->told].id, s->v[a->told].size);
		text_add(out, "incident", text);
	}
}

uint64_t hello_number(void)
{
	return clock_real() / NS_PER_S % HELLO_IDS;
}

/*
 * A HELLO takes the same way as the parts, so it arrives behind those that were sent before
 * it. On a faster way it would list incidents whose parts the collector has not read yet, and
 * the collector would ask for them again.
 */
int agent_say_hello(struct agent *a)
{
	uint64_t events, lost, tai, number = hello_number();
	struct buf text = { 0 };
	struct utsname name;
	int ret;

	text_add(&text, "version", rbmap_version());
	if (!uname(&name))
		text_add(&text, "kernel", name.release);
	text_add_u64(&text, "spool-bytes", a->spool.bytes);
	add_incidents(a, &text);
	if (rings_read(&events, &lost)) {
		text_add_u64(&text, "events", events);
		text_add_u64(&text, "lost", lost);
	}
	if (a->has_streams)
		stream_spool_list(&a->streams, &text, STREAMS_MAX);
	clock_add_error(&text);
	if (clock_tai(&tai))
		text_add_u64(&text, "time-tai", tai);
	ret = uplink_add(&a->uplink, MESSAGE_HELLO, "", number, 0, text.data, text.size,
			 "hello.%" PRIu64, number);
	buf_free(&text);
	if (!ret)
		ret = uplink_publish(&a->uplink);
	if (!ret)
		a->hello_number = number;
	return ret;
}

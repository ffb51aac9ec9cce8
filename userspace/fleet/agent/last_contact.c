// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "agent.h"
#include "agent/uplink/clocks.h"
#include "agent/uplink/files.h"
#include "last_contact.h"
#include "message/message.h"

#define FILE_NAME	"contact"
#define SIZE_MOST	4096
#define PERIOD_NS	(60 * 1000000000ULL)

void last_contact_read(struct last_contact *c, int dir)
{
	char name[32], value[sizeof(c->error)];
	struct buf bytes = { 0 };
	struct text t;

	*c = (struct last_contact){ 0 };
	if (!files_read(dir, FILE_NAME, &bytes, SIZE_MOST)) {
		t = (struct text){ bytes.data, bytes.data + bytes.size };
		while (text_next(&t, name, sizeof(name), value, sizeof(value))) {
			if (!strcmp(name, "host"))
				snprintf(c->host, sizeof(c->host), "%.63s", value);
			else if (!strcmp(name, "transport"))
				text_u64(value, &c->transport);
			else if (!strcmp(name, "collector"))
				text_u64(value, &c->collector);
			else if (!strcmp(name, "error"))
				snprintf(c->error, sizeof(c->error), "%s", value);
		}
	}
	buf_free(&bytes);
}

void last_contact_write(const struct last_contact *c, int dir)
{
	struct buf text = { 0 };

	text_add(&text, "host", c->host);
	text_add_u64(&text, "transport", c->transport);
	text_add_u64(&text, "collector", c->collector);
	text_add(&text, "error", c->error);
	if (!text.failed)
		files_replace(dir, FILE_NAME, text.data, text.size, false);
	buf_free(&text);
}

/* The first error, in the order of importance; "": none */
static const char *error_of(const struct agent *a)
{
	const struct backoff *all[] = { &a->uplink.publishing, &a->uplink.receiving,
					&a->intake.backoff, &a->intake.full };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (*all[i]->text)
			return all[i]->text;
	return "";
}

void agent_write_last_contact(struct agent *a, bool now)
{
	struct last_contact c = { .transport = a->uplink.published, .collector = a->received };

	snprintf(c.host, sizeof(c.host), "%s", a->options->transport.host);
	snprintf(c.error, sizeof(c.error), "%s", error_of(a));
	/* Write the file at once if an error begins or ends. */
	if (!now && !strcmp(a->told_error, c.error) && clock_monotonic() < a->last_contact)
		return;
	snprintf(a->told_error, sizeof(a->told_error), "%s", c.error);
	a->last_contact = clock_monotonic() + PERIOD_NS;
	last_contact_write(&c, a->spool.dir);
}

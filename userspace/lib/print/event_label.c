// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/printable.h"
#include "event_label.h"

static bool set_text(struct event_label *label, unsigned int width, bool with_system)
{
	struct buf b = { 0 };
	size_t size;
	char *at;

	if (with_system) {
		buf_add_printable(&b, label->system, strlen(label->system));
		buf_add(&b, ":", 1);
	}
	buf_add_printable(&b, label->name, strlen(label->name));
	size = b.size < width ? width : b.size;
	buf_add(&b, ":", 1);
	at = buf_room(&b, width + 1 + LABEL_COPY);
	if (!at) {
		buf_free(&b);
		return false;
	}
	memset(at, ' ', width + 1 + LABEL_COPY);
	free(label->text);
	label->text = b.data;
	label->size = size + 2;
	return true;
}

static unsigned int hash(const char *name)
{
	unsigned int sum = 0;

	for (; *name; name++)
		sum = 31 * sum + (unsigned char)*name;
	return sum % LABEL_CHAINS;
}

bool event_label_add(struct event_labels *labels, struct event_label *label)
{
	struct event_label **chain = &labels->chain[hash(label->name)], *other;
	bool with_system = false;

	for (other = *chain; other; other = other->next) {
		if (strcmp(other->name, label->name) || !strcmp(other->system, label->system))
			continue;
		with_system = true;
		if (!set_text(other, labels->width, true))
			return false;
	}
	if (!set_text(label, labels->width, with_system))
		return false;
	label->next = *chain;
	*chain = label;
	return true;
}

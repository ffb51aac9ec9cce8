// SPDX-License-Identifier: LGPL-2.1-only
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/printable.h"
#include "event_label.h"

#define HAS_NAME(labels, key)	(!strcmp((labels)->first->name, (key)))
#define NAME_OF(labels)		((labels)->first->name)
HASH_FUNCTIONS(labels_by_name, struct named_labels, const char *, 256, hash_text, HAS_NAME, NAME_OF);

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

bool event_label_add(struct event_labels *labels, struct event_label *label)
{
	struct named_labels *same = labels_by_name_place(&labels->names, label->name);
	struct event_label *other;

	if (!same)
		return false;
	/* A label is changed once, however many systems have the name. */
	if (same->used && !same->with_system && strcmp(same->first->system, label->system)) {
		for (other = same->first; other; other = other->next)
			if (!set_text(other, labels->width, true))
				return false;
		same->with_system = true;
	}
	if (!set_text(label, labels->width, same->with_system))
		return false;
	labels->names.nr += !same->used;
	same->used = true;
	label->next = same->first;
	same->first = label;
	return true;
}

void event_labels_free(struct event_labels *labels)
{
	free(labels->names.slot);
}

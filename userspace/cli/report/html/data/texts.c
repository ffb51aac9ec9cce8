// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "texts.h"

#define FIRST_SLOTS	256	/* a power of two */
#define MOST_TEXTS	65536

static uint32_t *find_slot(const struct texts *texts, uint32_t *slot, uint32_t nr_slots,
			   const char *text)
{
	uint32_t i = (uintptr_t)text * 0x9e3779b97f4a7c15ULL >> 40 & (nr_slots - 1);

	while (slot[i] && texts->text[slot[i] - 1] != text)
		i = (i + 1) & (nr_slots - 1);
	return &slot[i];
}

static bool grow(struct texts *texts)
{
	uint32_t nr = texts->nr_slots ? 2 * texts->nr_slots : FIRST_SLOTS;
	const char **text = reallocarray(texts->text, nr, sizeof(*text));
	uint32_t *slot;

	if (!text)
		return false;
	texts->text = text;
	slot = calloc(nr, sizeof(*slot));
	if (!slot)
		return false;
	for (uint32_t i = 0; i < texts->nr; i++)
		*find_slot(texts, slot, nr, texts->text[i]) = i + 1;
	free(texts->slot);
	texts->slot = slot;
	texts->nr_slots = nr;
	return true;
}

void texts_free(struct texts *texts)
{
	free(texts->text);
	free(texts->slot);
}

static int64_t add(struct texts *texts, const char *text)
{
	uint32_t *slot;

	if (2 * texts->nr >= texts->nr_slots && !grow(texts))
		return -1;
	slot = find_slot(texts, texts->slot, texts->nr_slots, text);
	if (!*slot) {
		texts->text[texts->nr++] = text;
		*slot = texts->nr;
	}
	return *slot - 1;
}

int64_t texts_number(struct texts *texts, const char *text)
{
	static const char others[] = "other names";

	if (!texts->nr && add(texts, others) < 0)
		return -1;
	if (texts->nr < MOST_TEXTS)
		return add(texts, text);
	text = *find_slot(texts, texts->slot, texts->nr_slots, text) ? text : others;
	return add(texts, text);
}

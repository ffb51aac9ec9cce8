// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "texts.h"

#define FIRST_SLOTS	256	/* a power of two */
#define MOST_TEXTS	65536

#define HASH_OF_TEXT(text)		hash_u64((uintptr_t)(text))
#define SLOT_IS_OF(slot, its_text)	((slot)->text == (its_text))
#define TEXT_OF_SLOT(slot)		((slot)->text)
HASH_FUNCTIONS(text_table, struct text_slot, const char *, FIRST_SLOTS, HASH_OF_TEXT, SLOT_IS_OF,
	       TEXT_OF_SLOT);

void texts_free(struct texts *texts)
{
	free(texts->text);
	free(texts->table.slot);
}

static int64_t add(struct texts *texts, const char *text)
{
	struct text_slot *slot = text_table_place(&texts->table, text);
	uint32_t nr = texts->table.nr;

	if (!slot)
		return -1;
	if (slot->used)
		return slot->number;
	if (!array_grow_from(texts->text, nr, FIRST_SLOTS))
		return -1;
	texts->text[nr] = text;
	*slot = (struct text_slot){ text, nr, true };
	texts->table.nr++;
	return nr;
}

int64_t texts_number(struct texts *texts, const char *text)
{
	static const char others[] = "other names";
	const struct text_slot *slot;

	if (!texts->table.nr && add(texts, others) < 0)
		return -1;
	if (texts->table.nr < MOST_TEXTS)
		return add(texts, text);
	slot = text_table_find(&texts->table, text);
	return slot ? slot->number : 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The layout of records that the kernel has filled, and the addresses in them. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "lib/access.h"
#include "record_layout.h"

static bool rbmap_type_is_pointer(const char *type)
{
	size_t len = strlen(type);

	return len && type[len - 1] == '*';
}

static void rbmap_record_note_hidden(struct rbmap_record_layout *layout,
				     const struct rbmap_field *field, size_t at,
				     bool dynamic)
{
	struct rbmap_hidden *hidden = &layout->hidden[layout->nr_hidden++];

	*hidden = (struct rbmap_hidden) {
		.at		= at,
		.nr		= field->size / sizeof(u64),
		.pointers	= rbmap_type_is_pointer(field->type),
		.dynamic	= dynamic,
	};
}

/* The words of a field may hold addresses: pointers, and unsigned numbers of 8 bytes. */
static bool rbmap_field_may_be_address(const struct rbmap_field *field)
{
	if (rbmap_type_is_pointer(field->type))
		return true;
	if (field->is_signed)
		return false;
	/* The fields of a kprobe are packed: such a number can be at any offset. */
	return field->size == sizeof(u64) * max_t(int, field->len, 1) ||
	       (field->align == sizeof(u64) && !(field->size % sizeof(u64)));
}

static bool rbmap_array_may_be_address(const struct rbmap_field *field)
{
	return !field->is_signed && (strstr(field->type, "long") || strstr(field->type, "64") ||
				     strchr(field->type, '*'));
}

static bool rbmap_type_is_loc(const char *type, const char *prefix)
{
	return strstarts(type, prefix);
}

/* Return the offset behind a field, or 0 if the record has too many fields to follow. */
static size_t rbmap_record_note(struct rbmap_record_layout *layout,
				const struct rbmap_field *field, size_t end)
{
	const bool rel = rbmap_type_is_loc(field->type, "__rel_loc");
	const bool loc = rel || rbmap_type_is_loc(field->type, "__data_loc");
	const size_t at = ALIGN(end, field->align);
	const bool hide = loc ? !rel && rbmap_array_may_be_address(field) :
				rbmap_field_may_be_address(field);

	if (loc && layout->nr_dynamic == ARRAY_SIZE(layout->dynamic))
		return 0;
	if (hide && layout->nr_hidden == ARRAY_SIZE(layout->hidden))
		return 0;
	if (loc)
		layout->dynamic[layout->nr_dynamic++] = at | rel;
	if (hide)
		rbmap_record_note_hidden(layout, field, at, loc);
	return at + field->size;
}

/* Note how to see that a record has no address. */
static void rbmap_record_layout_note_words(struct rbmap_record_layout *layout)
{
	const struct rbmap_hidden *hidden;
	unsigned int i, word;

	layout->nr_words = 0;
	layout->hides_always = false;
	for (i = 0; i < layout->nr_hidden; i++) {
		hidden = &layout->hidden[i];
		if (hidden->dynamic || hidden->pointers ||
		    layout->nr_words + hidden->nr > RBMAP_HIDDEN_WORDS) {
			layout->hides_always = true;
			return;
		}
		for (word = 0; word < hidden->nr; word++)
			layout->word[layout->nr_words++] = hidden->at + word * sizeof(u64);
	}
}

/**
 * rbmap_record_layout_init - note where a record ends, and where it may have addresses
 * @layout: an empty layout
 * @fields: fields of the record, and an empty one
 *
 * Return: 0, or -E2BIG for a record with more fields or bytes than a layout can note.
 */
int rbmap_record_layout_init(struct rbmap_record_layout *layout,
			     const struct rbmap_field *fields)
{
	size_t end = sizeof(struct rbmap_record), align = sizeof(int);
	const struct rbmap_field *field;

	for (field = fields; field->name; field++) {
		end = rbmap_record_note(layout, field, end);
		if (!end || end > U16_MAX)
			return -E2BIG;
		align = max_t(size_t, align, field->align);
	}
	/* Arrays follow the last member without a gap. */
	layout->size = layout->nr_dynamic ? end : ALIGN(end, align);
	rbmap_record_layout_note_words(layout);
	return 0;
}

/**
 * rbmap_record_layout_hide_kernel - hash only those pointers that are the kernel's
 * @layout: an initialised layout, of records with addresses of processes
 */
void rbmap_record_layout_hide_kernel(struct rbmap_record_layout *layout)
{
	unsigned int i;

	for (i = 0; i < layout->nr_hidden; i++)
		layout->hidden[i].pointers = false;
	rbmap_record_layout_note_words(layout);
}

static bool rbmap_may_be_address(u64 word)
{
	return (s64)word < 0 && !IS_ERR_VALUE((unsigned long)word);
}

static void rbmap_words_hide(void *words, unsigned int nr, bool pointers)
{
	void *address;

	for (; nr; nr--, words += sizeof(address)) {
		memcpy(&address, words, sizeof(address));
		if (!pointers && !rbmap_may_be_address((unsigned long)address))
			continue;
		address = rbmap_address_hide(address);
		memcpy(words, &address, sizeof(address));
	}
}

/**
 * rbmap_record_hide - hash the addresses of a record, before a filter can compare them
 * @data: the layout of the record
 * @record: the record
 * @size: bytes of the record
 *
 * Context: any, including NMI.
 */
void rbmap_record_hide(const void *data, void *record, size_t size)
{
	const struct rbmap_record_layout *layout = data;
	const struct rbmap_hidden *hidden = layout->hidden;
	unsigned int i, at, len;
	u32 loc;

	for (i = 0; i < layout->nr_hidden; i++, hidden++) {
		at = hidden->at;
		len = hidden->nr * sizeof(u64);
		if (hidden->dynamic) {
			memcpy(&loc, record + at, sizeof(loc));
			at = loc & 0xffff;
			len = loc >> 16;
		}
		if (at + len <= size)
			rbmap_words_hide(record + at, len / sizeof(u64), hidden->pointers);
	}
}

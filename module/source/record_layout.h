/* SPDX-License-Identifier: GPL-2.0-only */
/* The layout of records that the kernel has filled, and the addresses in them. */
#ifndef RBMAP_SOURCE_RECORD_LAYOUT_H
#define RBMAP_SOURCE_RECORD_LAYOUT_H

#include <linux/string.h>
#include <linux/types.h>

#include "event/event.h"
#include "event/whole.h"

/**
 * struct rbmap_hidden - words of a record that may hold addresses
 * @at: offset of the first word, or of the __data_loc of an array of words
 * @nr: number of words
 * @pointers: hash all of them; otherwise only addresses of the kernel
 * @dynamic: @at is that of a __data_loc
 */
struct rbmap_hidden {
	u16	at;
	u16	nr;
	bool	pointers;
	bool	dynamic;
};

#define RBMAP_DYNAMIC_FIELDS	32
#define RBMAP_HIDDEN_FIELDS	64
#define RBMAP_HIDDEN_WORDS	24

/**
 * struct rbmap_record_layout - what a source must know of a whole record
 * @size: bytes of a record without its arrays
 * @nr_dynamic: number of arrays behind the members
 * @nr_hidden: number of elements of @hidden
 * @dynamic: offset of the __data_loc or __rel_loc of each array; a __rel_loc has bit 0
 * @nr_words: number of elements of @word
 * @hides_always: the words of @hidden are more than those of @word, or hashed in any case
 * @word: offsets of the words of @hidden
 * @hidden: words that may hold addresses
 */
struct rbmap_record_layout {
	u16			size;
	u8			nr_dynamic;
	u8			nr_hidden;
	u8			nr_words;
	bool			hides_always;
	u16			word[RBMAP_HIDDEN_WORDS];
	u16			dynamic[RBMAP_DYNAMIC_FIELDS];
	struct rbmap_hidden	hidden[RBMAP_HIDDEN_FIELDS];
};

int rbmap_record_layout_init(struct rbmap_record_layout *layout,
			     const struct rbmap_field *fields);
void rbmap_record_layout_hide_kernel(struct rbmap_record_layout *layout);
void rbmap_record_hide(const void *data, void *record, size_t size);

/* The end of an array behind the members; a __rel_loc counts from its own end. */
static __always_inline size_t rbmap_array_end(const void *record, u16 loc)
{
	size_t at = loc & ~1;
	u32 value;

	memcpy(&value, record + at, sizeof(value));
	return (value & 0xffff) + (value >> 16) + (loc & 1 ? at + sizeof(value) : 0);
}

/* Bytes of a record.  The kernel pads it, and hands over @room bytes. */
static __always_inline size_t
rbmap_layout_record_size(const struct rbmap_record_layout *layout, const void *record,
			 size_t room)
{
	size_t size = layout->size, end;
	unsigned int i;

	for (i = 0; i < layout->nr_dynamic; i++) {
		end = rbmap_array_end(record, layout->dynamic[i]);
		if (end > size)
			size = end;
	}
	return likely(size <= room) ? size : room;
}

/*
 * May the record have an address of the kernel?  Most numbers are no such address.  This saves
 * 20 instructions for each of them, and 20 more for the call.
 */
static __always_inline bool rbmap_layout_hides(const struct rbmap_record_layout *layout,
					       const void *record)
{
	unsigned int i;
	s64 word;

	if (layout->hides_always)
		return true;
	for (i = 0; i < layout->nr_words; i++) {
		memcpy(&word, record + layout->word[i], sizeof(word));
		if (unlikely(word < 0))
			return true;
	}
	return false;
}

/* Record an event.  Its addresses are hashed for the buffers that do not keep them. */
static __always_inline void
rbmap_layout_record(const struct rbmap_record_layout *layout,
		    const struct rbmap_event_file *event_file,
		    struct rbmap_record *record, size_t size)
{
	if (layout->nr_hidden && unlikely(rbmap_event_addresses(event_file))) {
		rbmap_event_record_shown(event_file, record, size, rbmap_record_hide, layout);
		return;
	}
	if (rbmap_layout_hides(layout, record))
		rbmap_record_hide(layout, record, size);
	rbmap_event_record(event_file, record, size);
}

#endif /* RBMAP_SOURCE_RECORD_LAYOUT_H */

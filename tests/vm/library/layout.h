/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layout of linux/rbmap.h, which must be the same for any word size: the
 * size of each structure, and the offset of each member.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stddef.h>

#include <linux/rbmap.h>

#define LAYOUT_SIZE(type, size)						\
	_Static_assert(sizeof(struct type) == (size), #type)
#define LAYOUT_AT(type, member, at)					\
	_Static_assert(offsetof(struct type, member) == (at),		\
		       #type "." #member)

LAYOUT_SIZE(rbmap_subbuf_header, RBMAP_SUBBUF_HEADER_SIZE);
LAYOUT_AT(rbmap_subbuf_header, time_stamp, 0);
LAYOUT_AT(rbmap_subbuf_header, commit, 8);
_Static_assert(sizeof(((struct rbmap_subbuf_header *)0)->commit) == 8,
	       "commit");

LAYOUT_SIZE(rbmap_event_common, 8);
LAYOUT_AT(rbmap_event_common, type, 0);
LAYOUT_AT(rbmap_event_common, flags, 2);
LAYOUT_AT(rbmap_event_common, preempt_count, 3);
LAYOUT_AT(rbmap_event_common, pid, 4);

LAYOUT_SIZE(rbmap_table_slot, 16);
LAYOUT_AT(rbmap_table_slot, slot, 0);
LAYOUT_AT(rbmap_table_slot, events, 8);
LAYOUT_SIZE(rbmap_slot_table, 64);
LAYOUT_AT(rbmap_slot_table, newest, 0);
LAYOUT_AT(rbmap_slot_table, modulus, 8);
LAYOUT_AT(rbmap_slot_table, reserved, 16);
LAYOUT_AT(rbmap_slot_table, slot, 64);

LAYOUT_SIZE(rbmap_meta, 224);
LAYOUT_AT(rbmap_meta, meta_page_size, 0);
LAYOUT_AT(rbmap_meta, meta_struct_len, 4);
LAYOUT_AT(rbmap_meta, subbuf_size, 8);
LAYOUT_AT(rbmap_meta, nr_subbufs, 12);
LAYOUT_AT(rbmap_meta, reader.lost_events, 16);
LAYOUT_AT(rbmap_meta, reader.id, 24);
LAYOUT_AT(rbmap_meta, reader.read, 28);
LAYOUT_AT(rbmap_meta, flags, 32);
LAYOUT_AT(rbmap_meta, entries, 40);
LAYOUT_AT(rbmap_meta, overrun, 48);
LAYOUT_AT(rbmap_meta, read, 56);
LAYOUT_AT(rbmap_meta, pages_lost, 64);
LAYOUT_AT(rbmap_meta, pages_touched, 72);
LAYOUT_AT(rbmap_meta, magic, RBMAP_META_TRACE_LEN);
LAYOUT_AT(rbmap_meta, version, 84);
LAYOUT_AT(rbmap_meta, generation, 88);
LAYOUT_AT(rbmap_meta, mode, 92);
LAYOUT_AT(rbmap_meta, clock, 96);
LAYOUT_AT(rbmap_meta, cpu, 100);
LAYOUT_AT(rbmap_meta, lost, 104);
LAYOUT_AT(rbmap_meta, dropped_full, 112);
LAYOUT_AT(rbmap_meta, dropped_lapped, 120);
LAYOUT_AT(rbmap_meta, dropped_nested, 128);
LAYOUT_AT(rbmap_meta, dropped_too_large, 136);
LAYOUT_AT(rbmap_meta, disabled, 144);
LAYOUT_AT(rbmap_meta, lost_reported, 152);
LAYOUT_AT(rbmap_meta, now, 160);
LAYOUT_AT(rbmap_meta, retired, 168);
LAYOUT_AT(rbmap_meta, snapshot, 172);
LAYOUT_AT(rbmap_meta, slot_table_size, 176);
LAYOUT_AT(rbmap_meta, raw, 180);
LAYOUT_AT(rbmap_meta, slot_table_offset, 184);
LAYOUT_AT(rbmap_meta, first_seq, 192);
LAYOUT_AT(rbmap_meta, expired, 200);
LAYOUT_AT(rbmap_meta, dropped_no_ring, 208);
LAYOUT_AT(rbmap_meta, discarded, 216);

#endif /* LAYOUT_H */

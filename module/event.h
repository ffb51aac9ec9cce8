/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of events: what each is called, how its records look, and
 * whether its probe is on a tracepoint.
 */
#ifndef RBMAP_EVENT_H
#define RBMAP_EVENT_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/rbmap.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <rbmap/buffer.h>

#include "compat/compat.h"
#include "compat/context.h"

struct tracepoint;

/* Payload that fits any buffer: the smallest sub-buffer has 4 KiB. */
#define RBMAP_EVENT_MAX		(4096 - RBMAP_SUBBUF_HEADER_SIZE - 8)

/* What __data_loc fields hold: where in the record, and how many bytes. */
#define RBMAP_DATA_LOC(offset, len)	((u32)(len) << 16 | (u32)(offset))

/**
 * struct rbmap_field - a member of an event's record
 * @type: of the member, or of its elements
 * @name: the member
 * @size: bytes of the member, 0 for an array up to the end of the record
 * @align: of the member in a structure
 * @len: elements: above 0 of an array, 0 of what is none, or
 *	RBMAP_FIELD_OPEN for an array up to the end of the record
 * @is_signed: of the type
 *
 * A record begins with struct rbmap_record, which is not listed.  Where
 * a member lies follows from @size and @align, as in any C structure.
 */
struct rbmap_field {
	const char	*type;
	const char	*name;
	u16		size;
	u16		align;
	s16		len;
	bool		is_signed;
};

#define RBMAP_FIELD_OPEN	(-1)

#define RBMAP_ALIGN_OF(_type)	__alignof__(struct { _type member; })

#define RBMAP_FIELD(_type, _name) {					\
	.type = #_type, .name = #_name, .size = sizeof(_type),		\
	.align = RBMAP_ALIGN_OF(_type), .is_signed = rbmap_is_signed(_type) }

#define RBMAP_FIELD_ARRAY(_type, _name, _len) {				\
	.type = #_type, .name = #_name, .size = sizeof(_type[_len]),	\
	.align = RBMAP_ALIGN_OF(_type), .len = _len,			\
	.is_signed = rbmap_is_signed(_type) }

/* The rest of the record. */
#define RBMAP_FIELD_REST(_type, _name) {				\
	.type = #_type, .name = #_name,					\
	.align = RBMAP_ALIGN_OF(_type), .len = RBMAP_FIELD_OPEN,	\
	.is_signed = rbmap_is_signed(_type) }

/* An array somewhere behind the members; the member says where. */
#define RBMAP_FIELD_DYNAMIC(_type, _name) {				\
	.type = "__data_loc " #_type "[]", .name = #_name,		\
	.size = sizeof(u32), .align = RBMAP_ALIGN_OF(u32),		\
	.is_signed = rbmap_is_signed(_type) }

#define RBMAP_FIELD_STRUCT(_type, _name) {				\
	.type = #_type, .name = #_name, .size = sizeof(_type),		\
	.align = RBMAP_ALIGN_OF(_type) }

#define rbmap_is_signed(_type)	((_type)(-1) < (_type)1)

/**
 * struct rbmap_event - a kind of event
 * @id: common_type of its records; the registry's
 * @preempt: how often this kernel has disabled preemption to call the probe;
 *	the registry's
 * @enabled: records are wanted; written under the registry's lock
 * @buffer: where records go; the registry's
 * @system: group, for instance "sched"
 * @name: its own, and of its tracepoint
 * @fields: of its record, ended by an empty one; NULL if unknown
 * @print_fmt: how a record is printed: the text after "print fmt: "
 * @enum_value: gives the value of a constant that is named in @print_fmt;
 *	NULL: none is
 * @probe: the tracepoint's callback; its first argument is the event.  NULL:
 *	no tracepoint, the author looks at @enabled
 * @unavailable: why it can't be enabled; NULL: it can
 * @tracepoint: where @probe goes; the registry's
 * @list: all events; the registry's
 */
struct rbmap_event {
	u16			id;
	u8			preempt;
	bool			enabled;
	struct rbmap_buffer	*buffer;

	const char		*system;
	const char		*name;
	const struct rbmap_field *fields;
	const char		*print_fmt;
	bool			(*enum_value)(const char *name, size_t len,
					      long *value);
	void			*probe;
	const char		*unavailable;
	struct tracepoint	*tracepoint;
	struct list_head	list;
};

/**
 * rbmap_event_reserve - make room for a record and fill its common fields
 * @event: whose record
 * @r: as for rbmap_reserve()
 * @size: bytes of the record, common fields included
 *
 * What the context was is looked at first: the reservation itself disables
 * preemption.
 *
 * Return: the record, or NULL.
 */
static __always_inline void *
rbmap_event_reserve(const struct rbmap_event *event,
		    struct rbmap_reservation *r, size_t size)
{
	struct rbmap_context context = rbmap_context(event->preempt);
	struct rbmap_record *record;

	record = rbmap_reserve(event->buffer, r, size);
	if (likely(record))
		rbmap_record_begin(record, event->id, context);
	return record;
}

int rbmap_events_init(struct rbmap_buffer *buf);
void rbmap_events_exit(void);

int rbmap_event_register(struct rbmap_event *event);
void rbmap_event_unregister(struct rbmap_event *event);
struct rbmap_event *rbmap_event_find(const char *name);
int rbmap_events_walk(int (*call)(struct rbmap_event *event, void *data),
		      void *data);

int rbmap_event_enable(struct rbmap_event *event, bool on);
int rbmap_events_enable(const char *system, bool on);
char rbmap_events_state(const char *system);

int rbmap_event_format(const struct rbmap_event *event, char *buf, size_t size);

#endif /* RBMAP_EVENT_H */

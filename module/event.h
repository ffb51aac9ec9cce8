/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of events: what each is called, how its records look, and in
 * which buffers it is recorded.
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
 * @system: group, for instance "sched"
 * @name: its own
 * @tracepoint: name of the tracepoint, or NULL: the same
 * @fields: of its record, ended by an empty one; NULL if unknown
 * @print_fmt: how a record is printed: the text after "print fmt: "
 * @enum_value: gives the value of a constant that is named in @print_fmt;
 *	NULL: none is
 * @probe: the tracepoint's callback; its first argument is a struct
 *	rbmap_event_target.  NULL: no tracepoint, the author looks at the
 *	target's @enabled
 * @unavailable: why it can't be enabled; NULL: it can
 * @waits: its tracepoint may be that of a module which is not loaded yet
 * @tp: where @probe goes; NULL while it waits; the registry's
 * @list: all events; the registry's
 */
struct rbmap_event {
	u16			id;
	u8			preempt;

	const char		*system;
	const char		*name;
	const char		*tracepoint;
	const struct rbmap_field *fields;
	const char		*print_fmt;
	bool			(*enum_value)(const char *name, size_t len,
					      long *value);
	void			*probe;
	const char		*unavailable;
	bool			waits;
	struct tracepoint	*tp;
	struct list_head	list;
};

/**
 * struct rbmap_event_target - an event in a buffer: what a probe is handed
 * @id: the event's
 * @preempt: the event's
 * @enabled: records are wanted; written under the registry's lock
 * @buffer: where they go
 * @event: the event
 * @list: the buffer's
 * @dir: the directory that shows it; of the set's operations
 */
struct rbmap_event_target {
	u16			id;
	u8			preempt;
	bool			enabled;
	struct rbmap_buffer	*buffer;
	const struct rbmap_event *event;
	struct list_head	list;
	struct kobject		*dir;
};

/**
 * struct rbmap_event_set_ops - who shows a buffer's events to users
 * @show: an event has come; 0 or a negative error
 * @hide: it goes, or show() has failed: nobody is in a callback afterwards.  No
 *	callback may wait for rbmap_event_register() or
 *	rbmap_event_unregister(), which waits for this
 */
struct rbmap_event_set_ops {
	int	(*show)(struct rbmap_event_target *target, void *data);
	void	(*hide)(struct rbmap_event_target *target, void *data);
};

/**
 * struct rbmap_event_set - all events, for one buffer
 * @buffer: where their records go
 * @targets: each
 * @list: the sets of all buffers
 * @ops: of who shows them; NULL: nobody does
 * @data: for @ops
 */
struct rbmap_event_set {
	struct rbmap_buffer		*buffer;
	struct list_head		targets;
	struct list_head		list;
	const struct rbmap_event_set_ops *ops;
	void				*data;
};

/**
 * rbmap_event_reserve - make room for a record and fill its common fields
 * @target: whose record, and where
 * @r: as for rbmap_reserve()
 * @size: bytes of the record, common fields included
 *
 * What the context was is looked at first: the reservation itself disables
 * preemption.
 *
 * Return: the record, or NULL.
 */
static __always_inline void *
rbmap_event_reserve(const struct rbmap_event_target *target,
		    struct rbmap_reservation *r, size_t size)
{
	struct rbmap_context context = rbmap_context(target->preempt);
	struct rbmap_record *record;

	record = rbmap_reserve(target->buffer, r, size);
	if (likely(record))
		rbmap_record_begin(record, target->id, context);
	return record;
}

/* event.c */
int rbmap_events_init(void);
void rbmap_events_exit(void);
int rbmap_event_register(struct rbmap_event *event);
void rbmap_event_unregister(struct rbmap_event *event);
void rbmap_event_forget(struct rbmap_event *event);

/* event_set.c */
struct rbmap_event_set *rbmap_event_set_create(struct rbmap_buffer *buf);
void rbmap_event_set_destroy(struct rbmap_event_set *set);
struct rbmap_event_target *
rbmap_event_set_find(struct rbmap_event_set *set,
		     const struct rbmap_event *event);
int rbmap_event_set_add(struct rbmap_event_set *set,
			const struct rbmap_event *event);
void rbmap_event_set_remove(struct rbmap_event_set *set,
			    const struct rbmap_event *event,
			    struct list_head *removed);
void rbmap_event_set_attach(struct rbmap_event_set *set,
			    const struct rbmap_event *event, bool on);
void rbmap_targets_free(struct list_head *targets);

int rbmap_event_enable(struct rbmap_event_target *target, bool on);
int rbmap_event_set_enable(struct rbmap_event_set *set, const char *system,
			   bool on);
char rbmap_event_set_state(struct rbmap_event_set *set, const char *system);

/* Who shows the events: the set is in the registry meanwhile. */
int rbmap_event_set_show(struct rbmap_event_set *set,
			 const struct rbmap_event_set_ops *ops, void *data);
void rbmap_event_set_hide(struct rbmap_event_set *set);

/* tracepoints.c */
int rbmap_tracepoints_init(void);
void rbmap_tracepoints_exit(void);
struct tracepoint *rbmap_tracepoint_find(const char *name);
void rbmap_tracepoint_came(struct tracepoint *tp);
void rbmap_tracepoint_goes(struct tracepoint *tp);

static inline const char *
rbmap_event_tracepoint(const struct rbmap_event *event)
{
	return event->tracepoint ?: event->name;
}

/* event_format.c */
int rbmap_event_format(const struct rbmap_event *event, char *buf, size_t size);

#endif /* RBMAP_EVENT_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of other modules: what each is called, how its records look, and who
 * fills them.  <rbmap/probe.h> makes all of that of one declaration.
 */
#ifndef RBMAP_EVENT_H
#define RBMAP_EVENT_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/rbmap.h>
#include <linux/types.h>
#include <rbmap/buffer.h>

struct rbmap_event_file;
struct tracepoint;

/* Payload that fits any buffer: the smallest sub-buffer has 4 KiB. */
#define RBMAP_EVENT_MAX		(4096 - RBMAP_SUBBUF_HEADER_SIZE - 8)

/* Characters of the names of systems, events and fields. */
#define RBMAP_EVENT_NAME_MAX		64

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
 * A record begins with struct trace_entry, which is not listed.  Where
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
#define RBMAP_FIELD_DYNAMIC(_type, _name, _is_signed) {			\
	.type = "__data_loc " #_type "[]", .name = #_name,		\
	.size = sizeof(u32), .align = RBMAP_ALIGN_OF(u32),		\
	.is_signed = _is_signed }

#define RBMAP_FIELD_STRUCT(_type, _name) {				\
	.type = #_type, .name = #_name, .size = sizeof(_type),		\
	.align = RBMAP_ALIGN_OF(_type) }

#define rbmap_is_signed(_type)	((_type)(-1) < (_type)1)

/**
 * struct rbmap_event_type - a kind of event
 * @id: common_type of its records; the registry's
 * @preempt: how often this kernel has disabled preemption to call the probe;
 *	the registry's
 * @system: group, for instance "sched"; a C identifier of at most
 *	RBMAP_EVENT_NAME_MAX characters
 * @name: its own; the same
 * @tracepoint: name of the tracepoint, or NULL: the same
 * @fields: of its record, ended by an empty one; NULL if unknown
 * @print_fmt: how a record is printed: the text after "print fmt: "
 * @enum_value: gives the value of a constant that is named in @print_fmt;
 *	NULL: none is
 * @probe: the tracepoint's callback; its first argument is a struct
 *	rbmap_event_file.  NULL: no tracepoint, the author looks at the
 *	target's @enabled
 * @unavailable: why it can't be enabled; NULL: it can
 * @waits: its tracepoint may be that of a module which is not loaded yet
 * @apart: not one of many: the event is enabled at first, events/enable neither
 *	changes nor shows it, and it is recorded whatever task it comes from.  For
 *	events that a program writes itself
 * @tp: where @probe goes; NULL while it waits; the registry's
 * @list: all events; the registry's
 */
struct rbmap_event_type {
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
	bool			apart;
	struct tracepoint	*tp;
	struct list_head	list;
};

/**
 * rbmap_event_register - from now on it can be recorded, in each buffer
 * @event: filled; it and what it refers to stay until
 *	rbmap_event_unregister()
 *
 * What refuses it is told in the kernel log.
 *
 * Context: may sleep; no lock that is held while a module is loaded or unloaded.
 * Return: 0; -EEXIST: there is one of that system and name; -EINVAL: a name, a
 * field or the print format can't be right; -E2BIG: the members of its record
 * are larger than RBMAP_EVENT_MAX; -ENOSPC: there are 65535 events; -ENOMEM.
 */
int rbmap_event_register(struct rbmap_event_type *event);

/**
 * rbmap_event_unregister - no record of it comes any more
 * @event: registered; enabled or not
 *
 * Records that were written can still be read, but there is no format file to
 * decode them by: who wants that has read it before.
 *
 * Context: sleeps until its probe runs nowhere: the code may go then.
 */
void rbmap_event_unregister(struct rbmap_event_type *event);

/**
 * rbmap_events_register - register several, or none of them
 * @system: what they are grouped by
 * @events: ended by NULL
 *
 * Context: sleeps, as rbmap_event_register() does.
 * Return: 0, or an error as from there: none is registered then.
 */
int rbmap_events_register(const char *system,
			  struct rbmap_event_type *const *events);

/** rbmap_events_unregister - undo rbmap_events_register() */
void rbmap_events_unregister(struct rbmap_event_type *const *events);

/**
 * struct rbmap_event_head - what a target begins with
 * @checks: what is to be asked before an event is recorded: RBMAP_GATE_*, or 0
 * @buffer: where records go
 */
struct rbmap_event_head {
	u8			checks;
	struct rbmap_buffer	*buffer;
};

/**
 * rbmap_event_buffer - where records go
 * @event_file: what the probe was handed
 *
 * Context: any.
 * Return: the buffer, for rbmap_reserve().
 */
static __always_inline struct rbmap_buffer *
rbmap_event_buffer(const struct rbmap_event_file *event_file)
{
	return ((const struct rbmap_event_head *)event_file)->buffer;
}

/**
 * rbmap_event_fill_common - fill what all records begin with
 * @event_file: whose record
 * @record: what rbmap_reserve() made room for
 *
 * Context: between rbmap_reserve() and rbmap_commit().
 */
void rbmap_event_fill_common(const struct rbmap_event_file *event_file,
			     void *record);

/**
 * rbmap_event_reserve - make room for a record and fill its common fields
 * @event_file: whose record, and where: what the probe was handed
 * @resv: as for rbmap_reserve()
 * @size: bytes of the record, its struct trace_entry included
 *
 * Context: as rbmap_reserve().
 * Return: the record, or NULL: the event is counted with the cause.
 */
static __always_inline void *
rbmap_event_reserve(const struct rbmap_event_file *event_file,
		    struct rbmap_reservation *resv, size_t size)
{
	void *record = rbmap_reserve(rbmap_event_buffer(event_file), resv, size);

	if (likely(record))
		rbmap_event_fill_common(event_file, record);
	return record;
}

/* The same as a call: more instructions, and less code. */
void *rbmap_event_reserve_noinline(const struct rbmap_event_file *event_file,
				   struct rbmap_reservation *resv, size_t size);

/**
 * rbmap_event_write - record what was put together elsewhere
 * @event_file: what the probe was handed
 * @record: the record; what its struct trace_entry holds is not looked at
 * @size: its bytes, that struct included
 *
 * Context: as rbmap_reserve().
 */
void rbmap_event_write(const struct rbmap_event_file *event_file,
		       const void *record, size_t size);

/*
 * Filters: a probe asks for the task first, and then for a record that it has put
 * together, best not in the ring.  <rbmap/probe.h> does that.
 */
#define RBMAP_CHECK_TASK		1
#define RBMAP_CHECK_RECORD	2

static __always_inline u8 rbmap_event_checks(const void *event_file)
{
	return READ_ONCE(((const struct rbmap_event_head *)event_file)->checks);
}

/**
 * rbmap_task_wanted - may an event of this task be wanted?
 * @event_file: what the probe was handed; RBMAP_CHECK_TASK is set, or may be
 *
 * Context: any, NMI included; called by a probe.
 * Return: false: do not record it.
 */
bool rbmap_task_wanted(const struct rbmap_event_file *event_file);

/**
 * rbmap_record_wanted - is a record wanted?
 * @event_file: what the probe was handed; RBMAP_CHECK_RECORD is set, or may be, and
 *	the task is wanted
 * @fields: the record's members, which may lie elsewhere than the record; its
 *	struct trace_entry is filled by rbmap_event_reserve(), or all 0: then it
 *	is filled here if that is looked at
 * @record: the record, for what is behind its members
 * @size: its bytes
 *
 * Context: any, NMI included; called by a probe, in the context that the event
 * has.
 * Return: false: do not record it.
 */
bool rbmap_record_wanted(const struct rbmap_event_file *event_file, void *fields,
			 const void *record, size_t size);

/**
 * rbmap_addresses_shown - may events have the kernel's addresses?
 *
 * Context: any.
 * Return: whether they may, as the parameter kptr says.
 */
bool rbmap_addresses_shown(void);

/**
 * rbmap_address_hide - what to write in place of an address
 * @address: any
 *
 * The same for the same address until rbmap is unloaded, so that what belongs
 * together can be found.
 *
 * Context: any.
 * Return: 32 bits; NULL for NULL.
 */
void *rbmap_address_hide(const void *address);

#endif /* RBMAP_EVENT_H */

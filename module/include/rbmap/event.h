/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event types: the name, the fields of a record, and the probe that fills it.
 * <rbmap/probe.h> generates all of them from one declaration.
 */
#ifndef RBMAP_EVENT_H
#define RBMAP_EVENT_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/rbmap.h>
#include <linux/types.h>
#include <rbmap/buffer.h>

struct rbmap_event_file;
struct rbmap_event_hook;
struct rbmap_source;

/* Largest payload that fits any buffer: the smallest sub-buffer has 4 KiB. */
#define RBMAP_EVENT_MAX		(4096 - RBMAP_SUBBUF_HEADER_SIZE - 8)

/* Longest name of a system, an event or a field, in characters. */
#define RBMAP_EVENT_NAME_MAX		64

/* Value of a __data_loc field: offset in the record, and length in bytes. */
#define RBMAP_DATA_LOC(offset, len)	((u32)(len) << 16 | (u32)(offset))

/**
 * struct rbmap_field - a member of an event's record
 * @type: C type of the member, or of the elements of an array
 * @name: name of the member
 * @size: bytes of the member; 0 for an array up to the end of the record
 * @align: alignment of the member in a structure, in bytes
 * @len: number of elements of an array; 0 if the member is not an array;
 *	RBMAP_FIELD_OPEN for an array up to the end of the record
 * @is_signed: the type is signed
 * @length: text that the format file shows in place of @len, or NULL
 *
 * A record begins with struct trace_entry, which is not listed.  @size and @align
 * determine the offset of a member, as in any C structure.
 */
struct rbmap_field {
	const char	*type;
	const char	*name;
	u16		size;
	u16		align;
	s16		len;
	bool		is_signed;
	const char	*length;
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

/* An array up to the end of the record. */
#define RBMAP_FIELD_REST(_type, _name) {				\
	.type = #_type, .name = #_name,					\
	.align = RBMAP_ALIGN_OF(_type), .len = RBMAP_FIELD_OPEN,	\
	.is_signed = rbmap_is_signed(_type) }

/*
 * An array behind the members; the member holds its offset and length.  @_type is as ftrace
 * shows it: char[], but cpumask_t.
 */
#define RBMAP_FIELD_DYNAMIC(_type, _name, _is_signed) {			\
	.type = "__data_loc " #_type, .name = #_name,			\
	.size = sizeof(u32), .align = RBMAP_ALIGN_OF(u32),		\
	.is_signed = _is_signed }

#define RBMAP_FIELD_STRUCT(_type, _name) {				\
	.type = #_type, .name = #_name, .size = sizeof(_type),		\
	.align = RBMAP_ALIGN_OF(_type) }

#define rbmap_is_signed(_type)	((_type)(-1) < (_type)1)

/**
 * struct rbmap_event_type - a type of events
 * @id: common_type of the records; set by the registry
 * @preempt: number of times that the kernel disables preemption before it calls the
 *	probe; set by the source
 * @system: name of the group, for instance "sched"; a C identifier of at most
 *	RBMAP_EVENT_NAME_MAX characters
 * @name: name of the event; the same limits as for @system
 * @tracepoint: name of the tracepoint; NULL: the same as @name
 * @fields: fields of a record, ended by an empty one; NULL: unknown
 * @print_fmt: print format of a record: the text after "print fmt: "
 * @enum_value: returns the value of a constant in @print_fmt; NULL: @print_fmt has
 *	no constants
 * @probe: the tracepoint's callback; its first argument is a struct
 *	rbmap_event_file.  NULL: there is no tracepoint, and the writer tests
 *	@enabled of the event file itself
 * @unavailable: reason why the event cannot be enabled; NULL: it can be enabled
 * @waits: the tracepoint may belong to a module that is not loaded yet
 * @apart: the event is enabled at first, events/enable does not change it or
 *	include it, and set_event_pid does not apply to it.  For events that a program
 *	writes itself
 * @checks: the probe does what rbmap_event_checks() says
 * @whole: the source brings whole records, and there is no @probe
 * @replaceable: an event on demand takes the place of this one if it is unavailable
 * @on_demand: a buffer has the event only after somebody has named it there
 * @hook: the probe that all buffers share, or NULL; set by the registry
 * @called: the buffers that record an event of RBMAP_DRIVER_EVENT(), for the function that
 *	calls the probe; NULL: another mechanism calls it
 * @source: mechanism that calls the probe; NULL: a tracepoint, if there is a @probe
 * @origin: place that @source has found, such as the tracepoint; NULL while the event waits;
 *	set by the source
 * @list: entry in the list of all events; used by the registry
 * @named: entry in the registry's table of names
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
	bool			checks;
	bool			whole;
	bool			replaceable;
	bool			on_demand;
	struct rbmap_event_hook	*hook;
	struct rbmap_called	**called;
	const struct rbmap_source *source;
	void			*origin;
	struct list_head	list;
	struct hlist_node	named;
};

/**
 * rbmap_event_register - make an event available in all buffers
 * @event: filled by the caller; it and all that it points to must stay valid until
 *	rbmap_event_unregister()
 *
 * The kernel log has the reason for each error.
 *
 * Context: may sleep.  The caller must not hold a lock that is taken while a module
 * is loaded or unloaded.
 * Return: 0 or a negative error.  -EEXIST: an event of that system and name exists.
 * -EINVAL: a name, a field or the print format is invalid.  -E2BIG: the members of the
 * record are larger than RBMAP_EVENT_MAX.  -ENOSPC: 65504 events exist already.
 * -ENOMEM.
 */
int rbmap_event_register(struct rbmap_event_type *event);

/**
 * rbmap_event_unregister - remove an event from all buffers
 * @event: a registered event, enabled or not
 *
 * Records that were written before can still be read.  The format file is removed:
 * a program that decodes the records must have read the file before.
 *
 * Context: sleeps until the probe does not run on any CPU: its code may be freed
 * then.
 */
void rbmap_event_unregister(struct rbmap_event_type *event);

/**
 * rbmap_events_register - register several events, or none of them
 * @system: name of the group of all of them
 * @events: array of events, ended by NULL
 *
 * Context: the same as for rbmap_event_register().
 * Return: 0, or an error of rbmap_event_register(): then no event is registered.
 */
int rbmap_events_register(const char *system,
			  struct rbmap_event_type *const *events);

/** rbmap_events_unregister - undo rbmap_events_register() */
void rbmap_events_unregister(struct rbmap_event_type *const *events);

/**
 * struct rbmap_called - the data of a driver's event, for its probe
 * @nr: number of entries
 * @event_file: argument of the probe for each buffer; NULL: no buffer
 */
struct rbmap_called {
	unsigned int		nr;
	struct rbmap_event_file	*event_file[];
};

/*
 * The acquire makes the entries and their event files visible.  Preemption is off, which
 * the source waits for before it frees them.
 * litmus: filter-init, filter-free
 */
static __always_inline const struct rbmap_called *
rbmap_called_begin(struct rbmap_called *const *called)
{
	preempt_disable_notrace();
	return smp_load_acquire(called);
}

static __always_inline void rbmap_called_end(void)
{
	preempt_enable_notrace();
}

/* litmus: filter-init */
static __always_inline struct rbmap_event_file *
rbmap_called_file(const struct rbmap_called *called, unsigned int i)
{
	return smp_load_acquire(&called->event_file[i]);
}

/**
 * struct rbmap_event_head - the beginning of an event file
 * @checks: checks before an event is recorded: RBMAP_CHECK_*, or 0
 * @addresses: which records keep the kernel's addresses: RBMAP_ADDRESSES_*, or 0
 * @rings: rbmap_buffer_rings() of @buffer: an event need not load the buffer
 * @buffer: buffer of the records
 */
struct rbmap_event_head {
	u8			checks;
	u8			addresses;
	struct rbmap_ring * __percpu *rings;
	struct rbmap_buffer	*buffer;
};

/* The records of @buffer keep the kernel's addresses. */
#define RBMAP_ADDRESSES_SHOWN	1
/* Several buffers get copies, and the records of some of them keep the addresses. */
#define RBMAP_ADDRESSES_COPIED	2

/**
 * rbmap_event_buffer - the buffer of an event file
 * @event_file: first argument of the probe
 *
 * Context: any.
 * Return: the buffer, for rbmap_reserve().
 */
static __always_inline struct rbmap_buffer *
rbmap_event_buffer(const struct rbmap_event_file *event_file)
{
	return ((const struct rbmap_event_head *)event_file)->buffer;
}

static __always_inline struct rbmap_ring * __percpu *
rbmap_event_rings(const struct rbmap_event_file *event_file)
{
	return ((const struct rbmap_event_head *)event_file)->rings;
}

/**
 * rbmap_event_fill_common - fill the common fields of a record
 * @event_file: first argument of the probe
 * @record: payload that rbmap_reserve() returned
 *
 * Context: between rbmap_reserve() and rbmap_commit().
 */
void rbmap_event_fill_common(const struct rbmap_event_file *event_file,
			     void *record);

/**
 * rbmap_event_reserve - reserve a record and fill its common fields
 * @event_file: first argument of the probe
 * @resv: reservation, the same as for rbmap_reserve()
 * @size: bytes of the record, including its struct trace_entry
 *
 * Context: the same as for rbmap_reserve().
 * Return: the record; NULL: the event is dropped and counted by its cause.
 */
static __always_inline void *
rbmap_event_reserve(const struct rbmap_event_file *event_file,
		    struct rbmap_reservation *resv, size_t size)
{
	void *record = rbmap_reserve_in(rbmap_event_rings(event_file), resv, size);

	if (likely(record))
		rbmap_event_fill_common(event_file, record);
	return record;
}

/* rbmap_event_reserve() as a call: smaller code, but more instructions an event. */
void *rbmap_event_reserve_noinline(const struct rbmap_event_file *event_file,
				   struct rbmap_reservation *resv, size_t size);

/**
 * rbmap_event_write - copy a complete record into the buffer
 * @event_file: first argument of the probe
 * @record: the record; the contents of its struct trace_entry are ignored
 * @size: bytes of the record, including that structure
 *
 * Context: the same as for rbmap_reserve().
 */
void rbmap_event_write(const struct rbmap_event_file *event_file,
		       const void *record, size_t size);

/*
 * Filters: a probe checks the task first.  Then it assembles the record, preferably
 * outside of the ring, and checks the record.  <rbmap/probe.h> does that.
 *
 * If several buffers record an event, its probe is called once, with RBMAP_CHECK_RECORD,
 * and rbmap_record_wanted() copies the record to each of them.  This needs `checks` in
 * the struct rbmap_event_type, and a record of at most RBMAP_STACK_MAX bytes without
 * arrays and strings, which the probe must not reserve before the check.
 */
#define RBMAP_STACK_MAX		512
#define RBMAP_CHECK_TASK	1
#define RBMAP_CHECK_RECORD	2

static __always_inline u8 rbmap_event_checks(const void *event_file)
{
	return READ_ONCE(((const struct rbmap_event_head *)event_file)->checks);
}

/* Has it any checks?  A plain load, which the compiler merges into the comparison. */
static __always_inline bool rbmap_event_has_checks(const void *event_file)
{
	return rb_read_plain(((const struct rbmap_event_head *)event_file)->checks);
}

/**
 * rbmap_task_wanted - may the current task's event pass set_event_pid?
 * @event_file: first argument of the probe; rbmap_event_checks() had
 *	RBMAP_CHECK_TASK
 *
 * Context: any, including NMI; called by a probe.
 * Return: false: do not record the event.
 */
bool rbmap_task_wanted(const struct rbmap_event_file *event_file);

/**
 * rbmap_record_wanted - does a record pass the filter?
 * @event_file: first argument of the probe; rbmap_event_checks() had
 *	RBMAP_CHECK_RECORD, and the task is wanted
 * @fields: the members of the record, which need not be in the record itself.
 *	rbmap_event_reserve() has filled their struct trace_entry, or it is all 0:
 *	then this function fills it if the filter uses it
 * @record: the record, for the arrays behind its members
 * @size: bytes of the record
 *
 * Context: any, including NMI; called by a probe, in the context of the event.
 * Return: false: do not record the event, because it is not wanted, or because all
 * buffers that want it have a copy.
 */
bool rbmap_record_wanted(const struct rbmap_event_file *event_file, void *fields,
			 const void *record, size_t size);

/**
 * rbmap_event_addresses - may records contain the kernel's addresses?
 * @event_file: first argument of the probe
 *
 * A probe that finds RBMAP_ADDRESSES_SHOWN may leave the addresses as they are in a record
 * that it reserves itself.  A probe that asks rbmap_record_wanted() and finds any value
 * but 0 leaves them, and calls rbmap_record_wanted_shown() instead.
 *
 * Context: any.
 * Return: RBMAP_ADDRESSES_*, or 0.
 */
static __always_inline u8 rbmap_event_addresses(const void *event_file)
{
	return READ_ONCE(((const struct rbmap_event_head *)event_file)->addresses);
}

/*
 * Hash the kernel's addresses in a record.  @data: argument of the caller of
 * rbmap_record_wanted_shown().  Any context, including NMI.
 */
typedef void rbmap_hide_fn(const void *data, void *record, size_t size);

/**
 * rbmap_record_wanted_shown - rbmap_record_wanted() for a record with addresses
 * @event_file: the same as for rbmap_record_wanted()
 * @fields: the same; the addresses in them are not hashed yet.  They are hashed
 *	afterwards, unless the event's buffer keeps them
 * @record: the same
 * @size: the same
 * @hide: hashes the addresses in @fields
 * @data: first argument of @hide
 *
 * Buffers that keep addresses get their copies first.  Then the addresses are hashed, and
 * the other buffers get theirs.
 *
 * Context: the same as for rbmap_record_wanted().
 * Return: the same.
 */
bool rbmap_record_wanted_shown(const struct rbmap_event_file *event_file, void *fields,
			       const void *record, size_t size, rbmap_hide_fn *hide,
			       const void *data);

/**
 * rbmap_address_hide - hash an address
 * @address: any address
 *
 * The hash of an address is the same until rbmap is unloaded, so that events with
 * the same address can be found.
 *
 * Context: any.
 * Return: a hash of 32 bits; NULL for NULL.
 */
void *rbmap_address_hide(const void *address);

#endif /* RBMAP_EVENT_H */

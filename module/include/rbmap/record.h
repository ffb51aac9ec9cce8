/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records with TRACE_EVENT()'s macros.  Each field of TP_STRUCT__entry() becomes
 * (kind, ...), so that one declaration serves all purposes: RBMAP_EACH_FIELD() expands
 * the fields once for each purpose.
 *
 * Used by <rbmap/probe.h> and by rbmap's own events.
 */
#ifndef RBMAP_RECORD_H
#define RBMAP_RECORD_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/kconfig.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <rbmap/event.h>

/*
 * Reserve a record, and fill its common fields.  The common fields are filled last, so
 * that few registers must be saved across the call.  rbmap's own events have both
 * inline.
 */
#ifndef RBMAP_EVENT_RESERVE
#define RBMAP_EVENT_RESERVE(_target, _r, _size)				\
	rbmap_reserve_in(rbmap_event_rings(_target), _r, _size)
#define RBMAP_EVENT_FILL	rbmap_event_fill_common
#endif

/* rbmap's own events can measure their cost. */
#ifndef RBMAP_COST_BEGIN
#define RBMAP_COST_BEGIN()	do { } while (0)
#define RBMAP_COST_END()	do { } while (0)
#endif

/* Largest part of a record on the stack of the task that hits the tracepoint. */
#define RBMAP_HIDDEN_MAX	RBMAP_STACK_MAX

/* Bytes of arrays and strings on the stack, if the event has a filter. */
#define RBMAP_CHECKED_BEHIND	256

/*
 * An array behind the members of a record.  It is measured before the record is
 * reserved; the length is kept, so that the source is measured once.
 */
struct rbmap_dynamic {
	const void	*src;
	void		*data;
	u32		offset;
	u32		len;
};

/* Size of a record that exceeds any buffer: the record is dropped and counted. */
#define RBMAP_SIZE_TOO_LARGE	U16_MAX

static __always_inline void rbmap_dynamic_measure(struct rbmap_dynamic *dynamic,
						  size_t nr, size_t size,
						  u32 *end)
{
	dynamic->offset = *end;
	dynamic->len = min_t(size_t, array_size(nr, size),
			     RBMAP_SIZE_TOO_LARGE - *end);
	*end += dynamic->len;
}

/*
 * Truncate a string that is too long, so that the record is not lost.  The limit is
 * the room that remains after the arrays, and a 0 for each of the @behind next strings.
 * Characters beyond @max are not read: the source may be an array without a 0.
 */
static __always_inline void rbmap_string_measure(struct rbmap_dynamic *dynamic,
						 const char *src, size_t max,
						 u32 behind, u32 *end)
{
	u32 used = *end + behind + 1;
	size_t len;

	max = min_t(size_t, max,
		    used < RBMAP_EVENT_MAX ? RBMAP_EVENT_MAX - used : 0);
	dynamic->src = src ? src : "(null)";
	len = strnlen(dynamic->src, max);
	/* Saves the compiler's test in rbmap_dynamic_measure(). */
	if (len > max)
		__builtin_unreachable();
	rbmap_dynamic_measure(dynamic, 1, len + 1, end);
}

static __always_inline u32 rbmap_dynamic_place(struct rbmap_dynamic *dynamic,
					       void *record)
{
	dynamic->data = record + dynamic->offset;
	return RBMAP_DATA_LOC(dynamic->offset, dynamic->len);
}

/* Write the 0, do not copy it: the source may have changed since it was measured. */
static __always_inline u32 rbmap_string_place(struct rbmap_dynamic *dynamic,
					      void *record)
{
	u32 loc = rbmap_dynamic_place(dynamic, record);

	memcpy(dynamic->data, dynamic->src, dynamic->len - 1);
	((char *)dynamic->data)[dynamic->len - 1] = 0;
	return loc;
}

static __always_inline void rbmap_bitmask_assign(struct rbmap_dynamic dynamic,
						 const void *src, size_t bits)
{
	u32 len = min_t(size_t, BITS_TO_LONGS(bits) * sizeof(long),
			dynamic.len);

	memcpy(dynamic.data, src, len);
	memset(dynamic.data + len, 0, dynamic.len - len);
}

/*
 * Clear a small record word by word.  The compiler drops stores that are overwritten,
 * and plain stores are cheaper than the string instruction of memset().
 */
static __always_inline void rbmap_record_clear(void *record, size_t size)
{
	u64 *at = record;

	if (size > 8 * sizeof(*at)) {
		memset(record, 0, size);
		return;
	}
#define RBMAP_CLEAR_WORD(_i)						\
	do {								\
		if (size / sizeof(*at) > (_i))				\
			at[_i] = 0;					\
	} while (0)
	RBMAP_CLEAR_WORD(0);
	RBMAP_CLEAR_WORD(1);
	RBMAP_CLEAR_WORD(2);
	RBMAP_CLEAR_WORD(3);
	RBMAP_CLEAR_WORD(4);
	RBMAP_CLEAR_WORD(5);
	RBMAP_CLEAR_WORD(6);
	RBMAP_CLEAR_WORD(7);
#undef RBMAP_CLEAR_WORD
	memset(&at[size / sizeof(*at)], 0, size % sizeof(*at));
}

/* Copy a record without its common fields. */
static __always_inline void rbmap_record_copy(void *to, const void *from,
					      size_t size)
{
	memcpy(to + sizeof(struct trace_entry),
	       from + sizeof(struct trace_entry),
	       size - sizeof(struct trace_entry));
}

static __always_inline size_t rbmap_record_size(u32 size, size_t least)
{
	return size < RBMAP_SIZE_TOO_LARGE ? max_t(size_t, size, least) :
					     SIZE_MAX;
}

/* sparse lacks __builtin_classify_type(). */
#ifdef __CHECKER__
#define rbmap_is_pointer(_type)		0
#else
#define rbmap_is_pointer(_type)						\
	(__builtin_classify_type((_type)0) ==				\
	 __builtin_classify_type((void *)0))
#endif

static __always_inline void rbmap_pointer_hide(void *field)
{
	void *address;

	memcpy(&address, field, sizeof(address));
	address = rbmap_address_hide(address);
	memcpy(field, &address, sizeof(address));
}

/*
 * #define RBMAP_ADDRESS_<item> 1 declares an integer that holds an address, of the
 * kernel or of a program.
 */
#define rbmap_is_address(_item)		__is_defined(RBMAP_ADDRESS_##_item)

static __always_inline void rbmap_integer_hide(void *field, size_t size)
{
	long address;

	if (size != sizeof(address))
		return;
	memcpy(&address, field, sizeof(address));
	if (address < 0)
		rbmap_pointer_hide(field);
}

/* TRACE_EVENT()'s macros for the fields of a record */
#undef TP_STRUCT__entry
#undef TP_fast_assign
#undef TP_printk
#undef __entry
#undef __field
#undef __field_ext
#undef __field_struct
#undef __field_struct_ext
#undef __array
#undef __string
#undef __string_len
#undef __dynamic_array
#undef __bitmask
#undef __cpumask
#define TP_STRUCT__entry(args...)	args
#define TP_fast_assign(args...)		args
#define TP_printk(fmt, args...)		"\"" fmt "\", " __stringify(args)
/* REC is the name in the format file, and a variable while the record is filled. */
#define __entry				REC
#define __field(type, item)		(plain, type, item)
#define __field_ext(type, item, filter)	(plain, type, item)
#define __field_struct(type, item)	(compound, type, item)
#define __field_struct_ext(type, item, filter)	(compound, type, item)
#define __array(type, item, len)	(fixed, type, item, len)
#define __string(item, src)		(text, item, src, SIZE_MAX)
#define __string_len(item, src, len)	(text, item, src, len)
#define __dynamic_array(type, item, len)	(dynamic, type, type[], item, len)
#define __bitmask(item, bits)						\
	(dynamic, unsigned long, unsigned long[], item, BITS_TO_LONGS(bits))
#define __cpumask(item)							\
	(dynamic, unsigned long, cpumask_t, item, BITS_TO_LONGS(nr_cpumask_bits))

/*
 * Macros that fill and print the record.  In the probe the prefix turns the name of the
 * field into a variable.  rbmap_event_format() removes the prefix for the format file.
 */
#undef __get_str
#undef __get_dynamic_array
#undef __get_dynamic_array_len
#define __get_str(item)			__get_str(__data_loc_##item)
#define __get_dynamic_array(item)	__get_dynamic_array(__data_loc_##item)
#define __get_dynamic_array_len(item)	__get_dynamic_array_len(__data_loc_##item)

static __always_inline char *(__get_str)(struct rbmap_dynamic dynamic)
{
	return dynamic.data;
}

static __always_inline void *(__get_dynamic_array)(struct rbmap_dynamic dynamic)
{
	return dynamic.data;
}

static __always_inline u32 (__get_dynamic_array_len)(struct rbmap_dynamic dynamic)
{
	return dynamic.len;
}

#undef __assign_str
#undef __assign_str_len
#undef __assign_bitmask
#undef __assign_cpumask
#undef __perf_task
#undef __perf_count
/* __string() has copied the string, with the room that is known there. */
#define __assign_str(item, ...)		do { } while (0)
#define __assign_str_len(item, src, len)	do { } while (0)
#define __assign_bitmask(item, src, bits)				\
	rbmap_bitmask_assign(__data_loc_##item, src, bits)
#define __assign_cpumask(item, src)					\
	rbmap_bitmask_assign(__data_loc_##item, src, nr_cpumask_bits)
/* Used by perf only. */
#define __perf_task(task)		(task)
#define __perf_count(count)		(count)

/*
 * RBMAP_EACH_FIELD(WHAT, fields) expands to RBMAP_WHAT_<kind>(...) for each field.  A
 * macro does not expand within itself, so two macros alternate.  The last one leaves the
 * name of the next behind, which _END expands to nothing.
 */
#define RBMAP_EACH_FIELD(what, fields)					\
	RBMAP_EACH_FIELD_DONE(RBMAP_##what##_1 fields)
#define RBMAP_EACH_FIELD_DONE(...)	RBMAP_EACH_FIELD_END(__VA_ARGS__)
#define RBMAP_EACH_FIELD_END(...)	__VA_ARGS__##_END

#define RBMAP_MEMBER_1(kind, ...) RBMAP_MEMBER_##kind(__VA_ARGS__) RBMAP_MEMBER_2
#define RBMAP_MEMBER_2(kind, ...) RBMAP_MEMBER_##kind(__VA_ARGS__) RBMAP_MEMBER_1
#define RBMAP_MEMBER_1_END
#define RBMAP_MEMBER_2_END
#define RBMAP_MEMBER_plain(type, item)			type item;
#define RBMAP_MEMBER_compound(type, item)		type item;
#define RBMAP_MEMBER_fixed(type, item, len)		type item[len];
#define RBMAP_MEMBER_text(item, src, max)		u32 __data_loc_##item;
#define RBMAP_MEMBER_dynamic(type, shown, item, len)	u32 __data_loc_##item;

#define RBMAP_LOCAL_1(kind, ...) RBMAP_LOCAL_##kind(__VA_ARGS__) RBMAP_LOCAL_2
#define RBMAP_LOCAL_2(kind, ...) RBMAP_LOCAL_##kind(__VA_ARGS__) RBMAP_LOCAL_1
#define RBMAP_LOCAL_1_END
#define RBMAP_LOCAL_2_END
#define RBMAP_LOCAL_plain(...)
#define RBMAP_LOCAL_compound(...)
#define RBMAP_LOCAL_fixed(...)
#define RBMAP_LOCAL_text(item, ...)					\
	struct rbmap_dynamic __data_loc_##item rbmap_uninitialized;
#define RBMAP_LOCAL_dynamic(type, shown, item, len)			\
	struct rbmap_dynamic __data_loc_##item rbmap_uninitialized;

#define RBMAP_MEASURE_1(kind, ...) RBMAP_MEASURE_##kind(__VA_ARGS__) RBMAP_MEASURE_2
#define RBMAP_MEASURE_2(kind, ...) RBMAP_MEASURE_##kind(__VA_ARGS__) RBMAP_MEASURE_1
#define RBMAP_MEASURE_1_END
#define RBMAP_MEASURE_2_END
#define RBMAP_MEASURE_plain(...)
#define RBMAP_MEASURE_compound(...)
#define RBMAP_MEASURE_fixed(...)
#define RBMAP_MEASURE_text(...)		__texts++;
#define RBMAP_MEASURE_dynamic(type, shown, item, len)			\
	rbmap_dynamic_measure(&__data_loc_##item, len, sizeof(type), &__size);

#define RBMAP_CUT_1(kind, ...) RBMAP_CUT_##kind(__VA_ARGS__) RBMAP_CUT_2
#define RBMAP_CUT_2(kind, ...) RBMAP_CUT_##kind(__VA_ARGS__) RBMAP_CUT_1
#define RBMAP_CUT_1_END
#define RBMAP_CUT_2_END
#define RBMAP_CUT_plain(...)
#define RBMAP_CUT_compound(...)
#define RBMAP_CUT_fixed(...)
#define RBMAP_CUT_text(item, src, max)					\
	/* Measure here: in a function, clang only knows where the structure ends. */ \
	rbmap_string_measure(&__data_loc_##item, src,			\
			     min_t(size_t, max, __builtin_object_size(src, 1)), \
			     --__texts, &__size);
#define RBMAP_CUT_dynamic(...)

#define RBMAP_PLACE_1(kind, ...) RBMAP_PLACE_##kind(__VA_ARGS__) RBMAP_PLACE_2
#define RBMAP_PLACE_2(kind, ...) RBMAP_PLACE_##kind(__VA_ARGS__) RBMAP_PLACE_1
#define RBMAP_PLACE_1_END
#define RBMAP_PLACE_2_END
#define RBMAP_PLACE_plain(...)
#define RBMAP_PLACE_compound(...)
#define RBMAP_PLACE_fixed(...)
#define RBMAP_PLACE_text(item, ...)					\
	REC->__data_loc_##item =					\
		rbmap_string_place(&__data_loc_##item, __record);
#define RBMAP_PLACE_dynamic(type, shown, item, len)			\
	REC->__data_loc_##item =					\
		rbmap_dynamic_place(&__data_loc_##item, __record);

/* How many members have addresses to hide */
#define RBMAP_POINTERS_1(kind, ...) RBMAP_POINTERS_##kind(__VA_ARGS__) RBMAP_POINTERS_2
#define RBMAP_POINTERS_2(kind, ...) RBMAP_POINTERS_##kind(__VA_ARGS__) RBMAP_POINTERS_1
#define RBMAP_POINTERS_1_END
#define RBMAP_POINTERS_2_END
#define RBMAP_POINTERS_plain(type, item)				\
	+ (rbmap_is_pointer(type) || rbmap_is_address(item))
#define RBMAP_POINTERS_compound(...)
#define RBMAP_POINTERS_fixed(type, item, len)		+ rbmap_is_pointer(type)
#define RBMAP_POINTERS_text(...)
#define RBMAP_POINTERS_dynamic(...)

#define RBMAP_HIDE_1(kind, ...) RBMAP_HIDE_##kind(__VA_ARGS__) RBMAP_HIDE_2
#define RBMAP_HIDE_2(kind, ...) RBMAP_HIDE_##kind(__VA_ARGS__) RBMAP_HIDE_1
#define RBMAP_HIDE_1_END
#define RBMAP_HIDE_2_END
#define RBMAP_HIDE_plain(type, item)					\
	if (rbmap_is_pointer(type))					\
		rbmap_pointer_hide(&REC->item);				\
	else if (rbmap_is_address(item))				\
		rbmap_integer_hide(&REC->item, sizeof(REC->item));
#define RBMAP_HIDE_compound(...)
#define RBMAP_HIDE_fixed(type, item, len)				\
	if (rbmap_is_pointer(type)) {					\
		unsigned int i;						\
									\
		for (i = 0; i < ARRAY_SIZE(REC->item); i++)		\
			rbmap_pointer_hide(&REC->item[i]);		\
	}
#define RBMAP_HIDE_text(...)
#define RBMAP_HIDE_dynamic(type, shown, item, len)			\
	BUILD_BUG_ON_MSG(rbmap_is_pointer(type),			\
		"rbmap: a dynamic array of pointers would show the kernel's addresses");

/* Fields of the format file */
#define RBMAP_TABLE_1(kind, ...) RBMAP_TABLE_##kind(__VA_ARGS__) RBMAP_TABLE_2
#define RBMAP_TABLE_2(kind, ...) RBMAP_TABLE_##kind(__VA_ARGS__) RBMAP_TABLE_1
#define RBMAP_TABLE_1_END
#define RBMAP_TABLE_2_END
#define RBMAP_TABLE_plain(type, item)		RBMAP_FIELD(type, item),
#define RBMAP_TABLE_compound(type, item)	RBMAP_FIELD_STRUCT(type, item),
#define RBMAP_TABLE_fixed(type, item, len)	RBMAP_FIELD_ARRAY(type, item, len),
#define RBMAP_TABLE_text(item, src, max)				\
	RBMAP_FIELD_DYNAMIC(char[], item, rbmap_is_signed(char)),
#define RBMAP_TABLE_dynamic(type, shown, item, len)			\
	RBMAP_FIELD_DYNAMIC(shown, item, rbmap_is_signed(type)),

/**
 * struct rbmap_checked - a record that is assembled for a filter
 * @record: the whole record: on the stack, or in the ring
 * @members: its members without arrays and strings: on the stack, or @record
 * @total: bytes of the record
 * @on_stack: @record is on the stack
 */
struct rbmap_checked {
	void	*record;
	void	*members;
	size_t	total;
	bool	on_stack;
};

/*
 * Select where a record for a filter is assembled, and clear that part of the stack.
 * @room: bytes of @stack, which has room for the members if they are small
 * @members: bytes of the members
 * @size: bytes of the record
 * Return: false if the record was dropped.
 */
static __always_inline bool
rbmap_checked_begin(struct rbmap_checked *checked,
		    const struct rbmap_event_file *event_file,
		    struct rbmap_reservation *resv, void *stack, size_t room,
		    size_t members, u32 size)
{
	const bool small = members <= RBMAP_HIDDEN_MAX;

	checked->total = rbmap_record_size(size, members);
	checked->on_stack = small && checked->total <= room;
	checked->record = stack;
	checked->members = stack;
	if (small)
		rbmap_record_clear(stack, members);
	if (checked->on_stack && checked->total > members)
		memset(stack + members, 0, checked->total - members);
	if (checked->on_stack)
		return true;
	checked->record = rbmap_event_reserve_noinline(event_file, resv,
						       checked->total);
	if (!checked->record)
		return false;
	if (small)
		*(struct trace_entry *)checked->members =
			*(struct trace_entry *)checked->record;
	else
		checked->members = checked->record;
	return true;
}

/*
 * Record the event if the filter admits it.
 * @members: bytes of the members
 * @fixed: bytes up to the arrays and strings
 * @hide: hashes the addresses in the members; NULL: there is no address to hash
 */
static __always_inline void
rbmap_checked_end(struct rbmap_checked *checked,
		  const struct rbmap_event_file *event_file,
		  struct rbmap_reservation *resv, size_t members,
		  size_t fixed, rbmap_hide_fn *hide)
{
	if (!(hide ? rbmap_record_wanted_shown(event_file, checked->members,
					       checked->record, checked->total,
					       hide, NULL) :
		     rbmap_record_wanted(event_file, checked->members,
					 checked->record, checked->total))) {
		if (!checked->on_stack)
			rbmap_discard(resv);
		return;
	}
	if (checked->on_stack) {
		rbmap_event_write(event_file, checked->members, checked->total);
		return;
	}
	if (members <= RBMAP_HIDDEN_MAX)
		rbmap_record_copy(checked->record, checked->members, fixed);
	rbmap_commit(resv);
}

/**
 * RBMAP_CLASS - define a record, the probe that fills it, and its format
 * @_name: name of the class; defines rbmap_record_<name>, rbmap_probe_<name>,
 *	rbmap_fields_<name> and rbmap_print_<name>
 * @_proto: parameters of the tracepoint
 * @_args: names of the parameters
 * @_fields: TP_STRUCT__entry()
 * @_assign: TP_fast_assign()
 * @_print: TP_printk()
 *
 * A record with pointers to hash is assembled on the stack, because a map shows the
 * ring's bytes at once.  A record for a filter is assembled on the stack as well, before
 * it is reserved.  A record that is too large for the stack is written to the ring, and
 * discarded if the filter refuses it.
 *
 * The stack holds the kernel's own data, so a record on the stack is cleared up to
 * its last byte: TP_fast_assign() need not fill an array.  A record in the ring is
 * not cleared.  The bytes that TP_fast_assign() leaves there are zeroes, or bytes of
 * an earlier event of the same ring.  A reader of the ring could read that event
 * before, and a map shows the whole sub-buffer at any time, also after a reset.
 *
 * Addresses are hashed before the filter compares them.  Otherwise a filter could
 * find an address by halving: it tells by a record whether the address is above a
 * number.
 */
#define RBMAP_CLASS(_name, _proto, _args, _fields, _assign, _print)	\
	RBMAP_CLASS_RECORD(_name, PARAMS(_fields))			\
	RBMAP_CLASS_HIDE(_name, PARAMS(_fields))			\
	RBMAP_CLASS_CHECKED(_name, PARAMS(_proto), PARAMS(_fields), PARAMS(_assign)) \
	RBMAP_CLASS_UNCHECKED(_name, PARAMS(_proto), PARAMS(_fields), PARAMS(_assign)) \
	RBMAP_CLASS_PROBE(_name, PARAMS(_proto), PARAMS(_args))		\
	RBMAP_CLASS_FORMAT(_name, PARAMS(_fields), PARAMS(_print))

/* The structure of a record. */
#define RBMAP_CLASS_RECORD(_name, _fields)				\
	struct rbmap_record_##_name {					\
		struct trace_entry __common;				\
		RBMAP_EACH_FIELD(MEMBER, _fields)			\
		char __behind[];					\
	};								\
	enum {								\
		rbmap_fixed_##_name =					\
			offsetof(struct rbmap_record_##_name, __behind), \
		rbmap_pointers_##_name = 0				\
			RBMAP_EACH_FIELD(POINTERS, _fields)		\
	};								\
	static_assert(sizeof(struct rbmap_record_##_name) <=		\
		      RBMAP_EVENT_MAX,					\
		      "rbmap: the record of " #_name			\
		      " is too large: its members can have RBMAP_EVENT_MAX bytes"); \
	static_assert(!rbmap_pointers_##_name ||			\
		      sizeof(struct rbmap_record_##_name) <=		\
		      RBMAP_HIDDEN_MAX,					\
		      "rbmap: the record of " #_name			\
		      " is too large: with pointers it can have RBMAP_HIDDEN_MAX bytes");

/* Hash the addresses in the members of a record. */
#define RBMAP_CLASS_HIDE(_name, _fields)				\
	static noinline notrace __cold __maybe_unused void		\
	rbmap_hide_##_name(const void *data, void *members, size_t size) \
	{								\
		struct rbmap_record_##_name *REC __maybe_unused = members; \
									\
		RBMAP_EACH_FIELD(HIDE, _fields)				\
	}

/* Bytes on the stack for a record whose members have that size. */
#define RBMAP_CHECKED_ROOM(_members)					\
	((_members) <= RBMAP_HIDDEN_MAX ? (_members) + RBMAP_CHECKED_BEHIND : 1)

/* The variables of the fields, and the size of the record: the arrays, then the strings. */
#define RBMAP_RECORD_LOCALS(_name, _fields)				\
	RBMAP_EACH_FIELD(LOCAL, _fields)				\
	struct rbmap_record_##_name *__record, *REC;			\
	u32 __size = rbmap_fixed_##_name;				\
	u32 __texts __maybe_unused = 0;
#define RBMAP_RECORD_MEASURE(_fields)					\
	RBMAP_EACH_FIELD(MEASURE, _fields)				\
	RBMAP_EACH_FIELD(CUT, _fields)

/*
 * Fill the members of REC, and the arrays and strings of __record.  TP_fast_assign()
 * of some kernel headers names the record `entry`, as ftrace's own code does.
 */
#define RBMAP_RECORD_FILL(_fields, _assign)				\
	RBMAP_EACH_FIELD(PLACE, _fields)				\
	{								\
		typeof(REC) entry __maybe_unused = REC;			\
									\
		_assign							\
	}

/* The probe of an event that selects tasks or has a filter. */
#define RBMAP_CLASS_CHECKED(_name, _proto, _fields, _assign)		\
	static noinline notrace __cold __maybe_unused void		\
	rbmap_checked_##_name(void *__data, _proto)			\
	{								\
		RBMAP_RECORD_LOCALS(_name, PARAMS(_fields))		\
		char __stack[RBMAP_CHECKED_ROOM(sizeof(*REC))]		\
			__aligned(8) rbmap_uninitialized;		\
		struct rbmap_reservation __r rbmap_uninitialized;	\
		struct rbmap_checked __checked rbmap_uninitialized;	\
		const bool __shown = rbmap_pointers_##_name > 0 &&	\
				     rbmap_event_addresses(__data);	\
									\
		RBMAP_COST_BEGIN();					\
		if (rbmap_event_checks(__data) & RBMAP_CHECK_TASK &&	\
		    !rbmap_task_wanted(__data))				\
			return;						\
		RBMAP_RECORD_MEASURE(PARAMS(_fields))			\
		if (!rbmap_checked_begin(&__checked, __data, &__r, __stack, \
					 sizeof(__stack), sizeof(*REC), __size)) \
			return;						\
		__record = __checked.record;				\
		REC = __checked.members;				\
		RBMAP_RECORD_FILL(PARAMS(_fields), PARAMS(_assign))	\
		if (rbmap_pointers_##_name > 0 && !__shown) {		\
			RBMAP_EACH_FIELD(HIDE, _fields)			\
		}							\
		rbmap_checked_end(&__checked, __data, &__r,		\
				  sizeof(*REC), rbmap_fixed_##_name,	\
				  __shown ? rbmap_hide_##_name : NULL);	\
		RBMAP_COST_END();					\
	}

/* The probe of an event that records each hit.  @_hide: whether it hashes addresses. */
#define RBMAP_CLASS_RECORDS(_kind, _name, _proto, _fields, _assign, _hide) \
	static noinline notrace __maybe_unused void			\
	rbmap_##_kind##_##_name(void *__data, _proto)			\
	{								\
		RBMAP_RECORD_LOCALS(_name, PARAMS(_fields))		\
		struct rbmap_reservation __r rbmap_uninitialized;	\
		struct rbmap_record_##_name __hidden rbmap_uninitialized; \
									\
		RBMAP_COST_BEGIN();					\
		RBMAP_RECORD_MEASURE(PARAMS(_fields))			\
		__record = RBMAP_EVENT_RESERVE(__data, &__r,		\
				rbmap_record_size(__size, sizeof(*REC))); \
		if (!__record)						\
			return;						\
		REC = _hide ? &__hidden : __record;			\
		if (_hide)						\
			rbmap_record_clear(&__hidden, sizeof(__hidden)); \
		RBMAP_RECORD_FILL(PARAMS(_fields), PARAMS(_assign))	\
		if (_hide) {						\
			RBMAP_EACH_FIELD(HIDE, _fields)			\
			rbmap_record_copy(__record, &__hidden,		\
					  rbmap_fixed_##_name);		\
		}							\
		RBMAP_EVENT_FILL(__data, __record);			\
		rbmap_commit(&__r);					\
		RBMAP_COST_END();					\
	}

/*
 * Calls that hash need registers, which each event would save.  Without these calls the
 * probe is a function of its own.
 */
#define RBMAP_CLASS_UNCHECKED(_name, _proto, _fields, _assign)		\
	RBMAP_CLASS_RECORDS(hidden, _name, PARAMS(_proto), PARAMS(_fields), \
			    PARAMS(_assign), true)			\
	RBMAP_CLASS_RECORDS(unchecked, _name, PARAMS(_proto), PARAMS(_fields), \
			    PARAMS(_assign), false)

/* Tail calls of three functions: a refused event saves no register. */
#define RBMAP_CLASS_PROBE(_name, _proto, _args)				\
	static notrace __maybe_unused void				\
	rbmap_probe_##_name(void *__data, _proto)			\
	{								\
		if (unlikely(rbmap_event_has_checks(__data)))		\
			rbmap_checked_##_name(__data, _args);		\
		else if (rbmap_pointers_##_name > 0 &&			\
			 !(rbmap_event_addresses(__data) &		\
			   RBMAP_ADDRESSES_SHOWN))			\
			rbmap_hidden_##_name(__data, _args);		\
		else							\
			rbmap_unchecked_##_name(__data, _args);		\
	}

/* The fields and the print format of a record. */
#define RBMAP_CLASS_FORMAT(_name, _fields, _print)			\
	static const struct rbmap_field rbmap_fields_##_name[]		\
						__maybe_unused = {	\
		RBMAP_EACH_FIELD(TABLE, _fields)			\
		{}							\
	};								\
	static const char rbmap_print_##_name[] __maybe_unused = _print

/* The members of an event that its class defines */
#define RBMAP_EVENT_OF_CLASS(_class)					\
	.fields = rbmap_fields_##_class,				\
	.print_fmt = rbmap_print_##_class,				\
	.probe = rbmap_probe_##_class,					\
	.checks = true

/*
 * The kernel calls a probe with the arguments of its tracepoint: with another prototype
 * the probe would misinterpret them.  Check twice: the assertion has the clear message,
 * and the call makes the compiler print the expected prototype.
 */
#define RBMAP_CHECK_PROTO(_name, _class, _tracepoint, _proto)		\
	static_assert(__builtin_types_compatible_p(			\
			typeof(check_trace_callback_type_##_tracepoint), \
			void (void (*)(void *, _proto))),		\
		      "rbmap: the TP_PROTO of " #_name			\
		      " does not fit this kernel: see the tracepoint "	\
		      #_tracepoint);					\
	static inline __maybe_unused void rbmap_check_##_name(void)	\
	{								\
		check_trace_callback_type_##_tracepoint(		\
			rbmap_probe_##_class);				\
	}								\
	static_assert(1)

#endif /* RBMAP_RECORD_H */

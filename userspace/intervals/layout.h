/* SPDX-License-Identifier: GPL-2.0-only */
/* The offsets of the fields of those events with which intervals begin and end. */
#ifndef RBMAP_INTERVALS_LAYOUT_H
#define RBMAP_INTERVALS_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

#define LAYOUT_FIELDS	7

enum layout_role {
	ROLE_SWITCH, ROLE_WAKING, ROLE_WAKEUP, ROLE_WAKEUP_NEW,
	ROLE_SYS_ENTER, ROLE_SYS_EXIT,
	ROLE_IRQ_ENTRY, ROLE_IRQ_EXIT, ROLE_VECTOR_ENTRY, ROLE_VECTOR_EXIT,
	ROLE_SOFTIRQ_ENTRY, ROLE_SOFTIRQ_EXIT,
	ROLE_INSERT, ROLE_ISSUE, ROLE_COMPLETE, ROLE_REQUEUE,
	ROLE_HRTIMER_START, ROLE_HRTIMER_ENTRY, ROLE_HRTIMER_EXIT,
	ROLE_TIMER_ENTRY, ROLE_TIMER_EXIT,
	ROLE_WORK_BEGIN, ROLE_WORK_END, ROLE_LOCK_BEGIN, ROLE_LOCK_END,
	ROLE_RECLAIM_BEGIN, ROLE_RECLAIM_END, ROLE_FAULT,
	NR_ROLES
};

/* The fields of each role, in the order of the names in layout.c */
enum {
	SWITCH_PREV_COMM, SWITCH_PREV_PID, SWITCH_PREV_STATE, SWITCH_NEXT_COMM, SWITCH_NEXT_PID,
	SWITCH_PREV_PRIO, SWITCH_NEXT_PRIO
};
enum { WAKE_COMM, WAKE_PID };
enum { CALL_NR, CALL_ARGS };
enum { CALL_END_NR, CALL_RESULT };
enum { IRQ_NUMBER, IRQ_NAME };
enum { SOFTIRQ_VEC };
enum { REQUEST_DEV, REQUEST_SECTOR, REQUEST_SECTORS, REQUEST_RWBS };
enum { TIMER_ADDRESS, TIMER_FUNCTION, TIMER_NOW };
enum { TIMER_START_ADDRESS, TIMER_START_EXPIRES };
enum { WORK_ADDRESS, WORK_FUNCTION };
enum { LOCK_ADDRESS, LOCK_FLAGS };

/**
 * struct layout_field - a field
 * @size: in bytes; 0: the event has no such field
 * @element_size: bytes of an element of an array
 * @dynamic: the record has the place of the data there
 * @relative: the place counts from the end of the field
 */
struct layout_field {
	uint32_t offset;
	uint32_t size;
	uint32_t element_size;
	bool dynamic;
	bool relative;
};

/**
 * struct layout - an event
 * @need: bytes that a record must have
 * @name: the vector or the system call in the name of the event; or NULL
 */
struct layout {
	enum layout_role role;
	uint32_t need;
	char *name;
	struct layout_field field[LAYOUT_FIELDS];
};

struct layouts;
struct layout_comms;
struct rbmap_format_field;

struct layouts *layouts_new(void);	/* NULL: out of memory */
void layouts_free(struct layouts *layouts);

/* Return 0, also for formats that are not needed or invalid, or -ENOMEM. */
int layouts_add(struct layouts *layouts, const char *system, const char *format, size_t size);

bool layouts_has_role(const struct layouts *layouts, enum layout_role role);

/* Return the layout of a record that has all its fields, or NULL. */
const struct layout *layouts_find(const struct layouts *layouts, const struct rbmap_event *ev);

/* Return the fields in which a record that has them all names tasks, or NULL. */
const struct layout_comms *layouts_comms(const struct layouts *layouts,
					 const struct rbmap_event *ev);

struct layout_field layout_field_of(const struct rbmap_format_field *f);

/* Return true if the event has the field. Some fields need not exist. */
bool layout_has(const struct layout *layout, unsigned int field);

/* Return the number in a field; 0 if the event lacks the field. */
uint64_t layout_number(const struct layout *layout, const struct rbmap_event *ev,
		       unsigned int field);

/* Return an element of an array of the kernel's words; 0 if the array has no such element. */
uint64_t layout_word(const struct layout *layout, const struct rbmap_event *ev,
		     unsigned int field, unsigned int word);

/*
 * Copy a text, terminated by a 0, at most @room bytes. Bytes outside of the record are
 * left out.
 */
void layout_text(const struct layout *layout, const struct rbmap_event *ev,
		 unsigned int field, char *text, size_t room);

#endif /* RBMAP_INTERVALS_LAYOUT_H */

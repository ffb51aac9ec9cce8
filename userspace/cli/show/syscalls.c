// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "numbers.h"
#include "syscalls.h"

#define NR_NAMES	1024	/* more than the system calls of any architecture */
#define NR_ARGS		6
#define CALL_ROOM	64	/* for the number and the name of a system call */
#define TEXT_ROOM	256	/* for all numbers of an event */

/**
 * struct syscalls_event - the places of an event's fields
 * @value: the arguments, or what the system call returned
 */
struct syscalls_event {
	bool enter;
	int id;
	int value;
};

const char *syscalls_name(long nr)
{
	static char *name[NR_NAMES];
	static bool asked[NR_NAMES];

	if (nr < 0 || nr >= NR_NAMES)
		return NULL;
	if (!asked[nr]) {
		asked[nr] = true;
		name[nr] = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE,
							    nr);
	}
	return name[nr];
}

static bool find_place(struct tep_event *event, const char *name, size_t size,
		       int *place)
{
	struct tep_format_field *field = tep_find_field(event, name);

	if (!field || field->offset < 0 || field->size < (int)size)
		return false;
	*place = field->offset;
	return true;
}

struct syscalls_event *syscalls_event_new(struct tep_event *event)
{
	struct syscalls_event found = { .enter = !strcmp(event->name, "sys_enter") }, *e;

	if (strcmp(event->system, "raw_syscalls") ||
	    (!found.enter && strcmp(event->name, "sys_exit")))
		return NULL;
	if (!find_place(event, "id", sizeof(long), &found.id) ||
	    !find_place(event, found.enter ? "args" : "ret",
			found.enter ? NR_ARGS * sizeof(long) : sizeof(long), &found.value))
		return NULL;
	e = malloc(sizeof(*e));
	if (e)
		*e = found;
	return e;
}

/* "NR 1 (write)": many events have the same, so it is kept. @size is 0 before that. */
struct call {
	unsigned int size;
	const char *name;		/* NULL: it has none */
	char text[CALL_ROOM];
};

static char *put_number(char *at, long nr)
{
	return put_signed(mempcpy(at, "NR ", strlen("NR ")), nr);
}

static void set_call(struct call *call, long nr)
{
	const char *name = syscalls_name(nr);
	char *at = put_number(call->text, nr);

	if (name && strlen(name) < CALL_ROOM / 2) {
		at += sprintf(at, " (%s)", name);
		call->name = name;
	}
	/* Pairs with the acquire in find_call(): the text is complete. */
	__atomic_store_n(&call->size, at - call->text, __ATOMIC_RELEASE);
}

/* Return the text of a system call. Several threads may look for the same one. */
static const struct call *find_call(long nr)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct call calls[NR_NAMES];
	struct call *call = &calls[nr];

	if (__atomic_load_n(&call->size, __ATOMIC_ACQUIRE))
		return call;
	pthread_mutex_lock(&lock);
	if (!call->size)
		set_call(call, nr);
	pthread_mutex_unlock(&lock);
	return call;
}

static char *put_call(char *at, long nr)
{
	const struct call *call;

	if (nr < 0 || nr >= NR_NAMES)
		return put_number(at, nr);
	call = find_call(nr);
	/* A constant number of bytes needs no call. */
	memcpy(at, call->text, sizeof(call->text));
	return at + call->size;
}

static char *put_arguments(char *at, const char *from)
{
	unsigned long arg[NR_ARGS];

	memcpy(arg, from, sizeof(arg));
	*at++ = ' ';
	*at++ = '(';
	for (unsigned int i = 0; i < NR_ARGS; i++) {
		if (i) {
			*at++ = ',';
			*at++ = ' ';
		}
		/* Many arguments have a single digit. */
		if (arg[i] < 10)
			*at++ = '0' + arg[i];
		else
			at = put_hex(at, arg[i], false);
	}
	*at++ = ')';
	return at;
}

static char *put_result(char *at, const char *from)
{
	long value;

	memcpy(&value, from, sizeof(value));
	return put_signed(mempcpy(at, " = ", strlen(" = ")), value);
}

void syscalls_event_print(const struct syscalls_event *event, const void *record,
			  struct buf *out)
{
	char *at = buf_room(out, TEXT_ROOM);
	const char *data = record;
	long nr;

	if (!at)
		return;
	memcpy(&nr, data + event->id, sizeof(nr));
	at = put_call(at, nr);
	at = event->enter ? put_arguments(at, data + event->value) :
			    put_result(at, data + event->value);
	buf_end(out, at);
}

const char *syscalls_event_name(const struct syscalls_event *event, const void *record)
{
	long nr;

	memcpy(&nr, (const char *)record + event->id, sizeof(nr));
	return nr < 0 || nr >= NR_NAMES ? NULL : find_call(nr)->name;
}

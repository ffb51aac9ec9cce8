// SPDX-License-Identifier: LGPL-2.1-only
#include <pthread.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <traceevent/event-parse.h>

#include "fields.h"
#include "numbers.h"
#include "syscalls.h"

#define NR_NAMES	1024	/* more than the system calls of any architecture */
#define NR_ARGS		6
#define CALL_ROOM	64	/* for the number and the name of a system call */
#define TEXT_ROOM	256	/* for all numbers of an event */

/**
 * struct syscalls_event - the places of an event's fields
 * @size: bytes of a number
 * @value: the arguments, or what the system call returned
 */
struct syscalls_event {
	bool enter;
	uint32_t size;
	int id;
	int value;
};

/* "NR 1 (write)": many events have the same, so it is kept. @size is 0 before that. */
struct call {
	unsigned int size;
	const char *name;		/* NULL: it has none */
	char text[CALL_ROOM];
};

#define TABLE(number, name)	{ .arch = (number), .mark = (name) }

/* The system calls of an architecture */
static struct table {
	uint32_t arch;
	const char *mark;		/* names as a 32-bit program's have it behind them */
	struct call call[NR_NAMES];
} tables[] = {
	TABLE(SCMP_ARCH_X86_64, "x86_64"), TABLE(SCMP_ARCH_X86, "i386"), TABLE(SCMP_ARCH_AARCH64, "aarch64"),
	TABLE(SCMP_ARCH_ARM, "arm"), TABLE(SCMP_ARCH_PPC64LE, "ppc64le"), TABLE(SCMP_ARCH_RISCV64, "riscv64"),
	TABLE(SCMP_ARCH_MIPSEL, "mipsel"), TABLE(SCMP_ARCH_MIPSEL64, "mipsel64"),
};

/* @name: its beginning */
static const struct {
	const char *name;
	struct syscalls_machine machine;
} machines[] = {
	{ "x86_64", { SCMP_ARCH_X86_64, SCMP_ARCH_X86 } },
	{ "i386", { SCMP_ARCH_X86, 0 } },
	{ "i486", { SCMP_ARCH_X86, 0 } },
	{ "i586", { SCMP_ARCH_X86, 0 } },
	{ "i686", { SCMP_ARCH_X86, 0 } },
	{ "aarch64", { SCMP_ARCH_AARCH64, SCMP_ARCH_ARM } },
	{ "arm", { SCMP_ARCH_ARM, 0 } },
	{ "ppc64le", { SCMP_ARCH_PPC64LE, 0 } },
	{ "riscv64", { SCMP_ARCH_RISCV64, 0 } },
	{ "mips64", { SCMP_ARCH_MIPSEL64, 0 } },
	{ "mips", { SCMP_ARCH_MIPSEL, 0 } },
};

struct syscalls_machine syscalls_machine(const char *name)
{
	struct utsname here;

	if (!name && !uname(&here))
		name = here.machine;
	for (size_t i = 0; name && i < sizeof(machines) / sizeof(*machines); i++)
		if (!strncmp(name, machines[i].name, strlen(machines[i].name)))
			return machines[i].machine;
	return (struct syscalls_machine){ 0 };
}

struct syscalls_machine syscalls_machine_of(const char *text)
{
	char name[65];

	if (!text || sscanf(text, "%*s %*s %*s %64s", name) != 1)
		return syscalls_machine(NULL);
	return syscalls_machine(name);
}

bool syscalls_shows_compat(const struct syscalls_machine *machine)
{
	return machine->compat == SCMP_ARCH_X86;
}

static struct table *find_table(uint32_t arch)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (tables[i].arch == arch)
			return &tables[i];
	return NULL;
}

static struct table *table_of(const struct syscalls_machine *machine, bool compat)
{
	return find_table(compat ? machine->compat : machine->native);
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
	const struct tep_format_field *id = tep_find_field(event, "id");

	if (strcmp(event->system, "raw_syscalls") || !id || (id->size != 4 && id->size != 8) ||
	    (!found.enter && strcmp(event->name, "sys_exit")))
		return NULL;
	found.size = id->size;
	if (!find_place(event, "id", found.size, &found.id) ||
	    !find_place(event, found.enter ? "args" : "ret",
			found.enter ? NR_ARGS * found.size : found.size, &found.value))
		return NULL;
	e = malloc(sizeof(*e));
	if (e)
		*e = found;
	return e;
}

static char *put_number(char *at, long nr)
{
	return put_signed(mempcpy(at, "NR ", strlen("NR ")), nr);
}

static void set_call(const struct table *table, struct call *call, long nr, bool compat)
{
	char *name = seccomp_syscall_resolve_num_arch(table->arch, nr);
	char *at = put_number(call->text, nr);

	if (name && strlen(name) < CALL_ROOM / 2) {
		at += sprintf(at, compat ? " (%s, %s)" : " (%s)", name, table->mark);
		call->name = name;
	} else {
		free(name);
		/* The number is that of a 32-bit program, too. */
		if (compat)
			at += sprintf(at, " (%s)", table->mark);
	}
	/* Pairs with the acquire in find_call(): the text is complete. */
	__atomic_store_n(&call->size, at - call->text, __ATOMIC_RELEASE);
}

/* Return the text of a system call. Several threads may look for the same one. */
static const struct call *find_call(const struct syscalls_machine *machine, bool compat, long nr)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct table *table = table_of(machine, compat);
	struct call *call;

	if (!table || nr < 0 || nr >= NR_NAMES)
		return NULL;
	call = &table->call[nr];
	if (__atomic_load_n(&call->size, __ATOMIC_ACQUIRE))
		return call;
	pthread_mutex_lock(&lock);
	if (!call->size)
		set_call(table, call, nr, compat);
	pthread_mutex_unlock(&lock);
	return call;
}

const char *syscalls_name(const struct syscalls_machine *machine, bool compat, long nr)
{
	const struct call *call = find_call(machine, compat, nr);

	return call ? call->name : NULL;
}

const char *syscalls_compat_mark(const struct syscalls_machine *machine)
{
	const struct table *table = table_of(machine, true);

	return table ? table->mark : "";
}

static int64_t signed_at(const struct syscalls_event *event, const char *from)
{
	return sign_extend(field_number(from, event->size), 8 * event->size);
}

static char *put_arguments(char *at, const struct syscalls_event *event, const char *from)
{
	*at++ = ' ';
	*at++ = '(';
	for (unsigned int i = 0; i < NR_ARGS; i++) {
		uint64_t arg = field_number(from + i * event->size, event->size);

		if (i) {
			*at++ = ',';
			*at++ = ' ';
		}
		/* Many arguments have a single digit. */
		if (arg < 10)
			*at++ = '0' + arg;
		else
			at = put_hex(at, arg, false);
	}
	*at++ = ')';
	return at;
}

void syscalls_event_print(const struct syscalls_event *event,
			  const struct syscalls_machine *machine, bool compat,
			  const void *record, struct buf *out)
{
	char *at = buf_room(out, TEXT_ROOM);
	const struct call *call;
	const char *data = record;
	long nr;

	if (!at)
		return;
	nr = signed_at(event, data + event->id);
	call = find_call(machine, compat, nr);
	if (call) {
		/* A constant number of bytes needs no call. */
		memcpy(at, call->text, sizeof(call->text));
		at += call->size;
	} else {
		at = put_number(at, nr);
	}
	if (event->enter)
		at = put_arguments(at, event, data + event->value);
	else
		at = put_signed(mempcpy(at, " = ", strlen(" = ")),
				signed_at(event, data + event->value));
	buf_end(out, at);
}

static bool has_wide_argument(const struct syscalls_event *event, const char *from)
{
	uint64_t all = 0;

	for (unsigned int i = 0; event->size == 8 && i < NR_ARGS; i++)
		all |= field_number(from + i * 8, 8);
	return all >> 32;
}

bool syscalls_event_learn(const struct syscalls_event *event,
			  const struct syscalls_machine *machine, const void *record,
			  struct syscall_state *state)
{
	const char *data = record;
	int64_t nr = signed_at(event, data + event->id);

	if (!syscalls_shows_compat(machine))
		return false;
	if (event->enter)
		syscall_state_enter(state, nr, has_wide_argument(event, data + event->value),
				    field_number(data + event->value, event->size));
	else
		syscall_state_exit(state, nr, signed_at(event, data + event->value));
	return state->abi == ABI_COMPAT;
}

const char *syscalls_event_name(const struct syscalls_event *event,
				const struct syscalls_machine *machine, bool compat,
				const void *record)
{
	return syscalls_name(machine, compat,
			     signed_at(event, (const char *)record + event->id));
}

// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/hash.h"
#include "syscall_abi.h"

/* Numbers of x86 */
enum {
	NATIVE_FORK = 57, NATIVE_VFORK = 58, NATIVE_CLONE = 56,
	NATIVE_EXECVE = 59, NATIVE_EXECVEAT = 322,
	COMPAT_EXECVE = 11, COMPAT_EXECVEAT = 358, COMPAT_CLONE = 120, COMPAT_VFORK = 190,
	/* 64-bit programs have no system calls with these numbers. */
	NO_NATIVE_BEGIN = 387, NO_NATIVE_END = 423,
};

static bool is_native_exec(int64_t nr)
{
	return nr == NATIVE_EXECVE || nr == NATIVE_EXECVEAT;
}

static bool is_compat_exec(int64_t nr)
{
	return nr == COMPAT_EXECVE || nr == COMPAT_EXECVEAT;
}

static bool has_no_native(int64_t nr)
{
	return nr >= NO_NATIVE_BEGIN && nr <= NO_NATIVE_END;
}

void syscall_state_enter(struct syscall_state *s, int64_t nr, bool wide)
{
	/* The kernel fills up arguments of 32 bits with zeros. */
	if (wide)
		s->abi = ABI_NATIVE;
	else if (has_no_native(nr) && s->abi == ABI_UNKNOWN)
		s->abi = ABI_COMPAT;
	s->entered = nr + 1;
}

void syscall_state_exit(struct syscall_state *s, int64_t nr)
{
	int64_t entered = s->entered - 1;

	/* The kernel stores the number of the new program's execve(). */
	if (s->entered && is_native_exec(entered) && s->abi != ABI_COMPAT && nr == COMPAT_EXECVE)
		s->abi = ABI_COMPAT;
	else if (s->entered && is_compat_exec(entered) && nr == NATIVE_EXECVE)
		s->abi = ABI_NATIVE;
	else if (has_no_native(nr) && s->abi == ABI_UNKNOWN)
		s->abi = ABI_COMPAT;
	/* The first event of a new thread is the end of its creation. */
	else if (!s->entered && s->abi == ABI_UNKNOWN &&
		 (nr == COMPAT_CLONE || nr == COMPAT_VFORK))
		s->abi = ABI_COMPAT;
	else if (!s->entered && s->abi == ABI_UNKNOWN &&
		 (nr == NATIVE_CLONE || nr == NATIVE_VFORK || nr == NATIVE_FORK))
		s->abi = ABI_NATIVE;
	s->entered = 0;
}

/* ---- the states of threads */

struct slot {
	bool used;
	int pid;
	uint8_t first;		/* the kind that was known first */
	struct syscall_state state;
};

#define SLOT_IS_OF(slot, key)	((slot)->pid == (key))
#define PID_OF_SLOT(slot)	((slot)->pid)

HASH_TABLE(syscall_states, struct slot);
HASH_FUNCTIONS(syscall_states, struct slot, int, 1024, hash_u32, SLOT_IS_OF, PID_OF_SLOT);

struct syscall_states *syscall_states_new(void)
{
	struct syscall_states *states = calloc(1, sizeof(*states));

	/* With slots, a search need not ask whether there are some. */
	if (states && !syscall_states_grow(states)) {
		free(states);
		return NULL;
	}
	return states;
}

void syscall_states_free(struct syscall_states *states)
{
	if (states)
		free(states->slot);
	free(states);
}

struct syscall_state *syscall_states_get(struct syscall_states *states, int pid)
{
	struct slot *slot = syscall_states_slot(states->slot, states->nr_slots, pid);

	if (slot->used)
		return &slot->state;
	slot = syscall_states_place(states, pid);
	if (!slot)
		return NULL;
	states->nr++;
	*slot = (struct slot){ .used = true, .pid = pid };
	return &slot->state;
}

void syscall_states_note(struct syscall_states *states, int pid)
{
	struct slot *slot = syscall_states_slot(states->slot, states->nr_slots, pid);

	if (slot->used && slot->first == ABI_UNKNOWN)
		slot->first = slot->state.abi;
}

void syscall_states_rewind(struct syscall_states *states)
{
	struct slot *slot;

	hash_for_each(states, slot)
		slot->state = (struct syscall_state){ .abi = slot->first };
}

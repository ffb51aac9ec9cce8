// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "syscall_abi.h"

#define FIRST_SLOTS	1024	/* a power of two */

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

/* The table uses open addressing. It always has free slots, which end a search. */
struct syscall_states {
	struct slot *slot;
	size_t nr_slots;	/* a power of two */
	size_t nr_used;
};

struct syscall_states *syscall_states_new(void)
{
	struct syscall_states *states = calloc(1, sizeof(*states));

	if (!states)
		return NULL;
	states->nr_slots = FIRST_SLOTS;
	states->slot = calloc(states->nr_slots, sizeof(*states->slot));
	if (!states->slot) {
		free(states);
		return NULL;
	}
	return states;
}

void syscall_states_free(struct syscall_states *states)
{
	if (!states)
		return;
	free(states->slot);
	free(states);
}

static struct slot *find_slot(const struct syscall_states *states, int pid)
{
	size_t mask = states->nr_slots - 1, i = (uint32_t)pid * 2654435761u & mask;

	while (states->slot[i].used && states->slot[i].pid != pid)
		i = (i + 1) & mask;
	return &states->slot[i];
}

static bool grow(struct syscall_states *states)
{
	struct syscall_states more = { .nr_slots = 2 * states->nr_slots };

	more.slot = calloc(more.nr_slots, sizeof(*more.slot));
	if (!more.slot)
		return false;
	for (size_t i = 0; i < states->nr_slots; i++)
		if (states->slot[i].used)
			*find_slot(&more, states->slot[i].pid) = states->slot[i];
	free(states->slot);
	states->slot = more.slot;
	states->nr_slots = more.nr_slots;
	return true;
}

struct syscall_state *syscall_states_get(struct syscall_states *states, int pid)
{
	struct slot *slot = find_slot(states, pid);

	if (slot->used)
		return &slot->state;
	if (2 * (states->nr_used + 1) > states->nr_slots) {
		if (!grow(states))
			return NULL;
		slot = find_slot(states, pid);
	}
	states->nr_used++;
	*slot = (struct slot){ .used = true, .pid = pid };
	return &slot->state;
}

void syscall_states_note(struct syscall_states *states, int pid)
{
	struct slot *slot = find_slot(states, pid);

	if (slot->used && slot->first == ABI_UNKNOWN)
		slot->first = slot->state.abi;
}

void syscall_states_rewind(struct syscall_states *states)
{
	for (size_t i = 0; i < states->nr_slots; i++)
		states->slot[i].state = (struct syscall_state){ .abi = states->slot[i].first };
}

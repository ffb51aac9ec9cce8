// SPDX-License-Identifier: LGPL-2.1-only
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

/* First arguments with which a system call can succeed */
enum first { FIRST_ANY, FIRST_ADDRESS, FIRST_FILE, FIRST_NONE };

/* No program has memory below it, and no process has as many files as the next one says. */
#define LOWEST_ADDRESS	0x1000
#define HIGHEST_FILE	0x7ffffff

#define A	FIRST_ADDRESS
#define F	FIRST_FILE
#define N	FIRST_NONE

/*
 * 64-bit programs' calls. 32-bit programs have others with these numbers: close() has that of
 * lstat(), write() that of stat(), open() that of fstat().
 */
static const uint8_t first_of[] = {
	/* read, write, open, close, stat, fstat, lstat, lseek, ioctl */
	[0] = F, [1] = F, [2] = A, [3] = F, [4] = A, [5] = F, [6] = A, [8] = F, [16] = F,
	/* pread64, pwrite64, readv, writev, access, pipe, dup, dup2, nanosleep */
	[17] = F, [18] = F, [19] = F, [20] = F, [21] = A, [22] = A, [32] = F, [33] = F, [35] = A,
	/* connect, accept, sendto, recvfrom, sendmsg, recvmsg, shutdown, bind, listen */
	[42] = F, [43] = F, [44] = F, [45] = F, [46] = F, [47] = F, [48] = F, [49] = F, [50] = F,
	/* getsockname, getpeername, setsockopt, getsockopt, uname, fcntl, flock, fsync */
	[51] = F, [52] = F, [54] = F, [55] = F, [63] = A, [72] = F, [73] = F, [74] = F,
	/* fdatasync, truncate, ftruncate, getdents, chdir, fchdir, rename, mkdir, rmdir */
	[75] = F, [76] = A, [77] = F, [78] = F, [80] = A, [81] = F, [82] = A, [83] = A, [84] = A,
	/* creat, link, unlink, symlink, readlink, chmod, fchmod, chown, fchown, lchown */
	[85] = A, [86] = A, [87] = A, [88] = A, [89] = A, [90] = A, [91] = F, [92] = A, [93] = F,
	[94] = A,
	/* gettimeofday, sysinfo, statfs, fstatfs, init_module, delete_module, removexattr */
	[96] = A, [99] = A, [137] = A, [138] = F, [175] = A, [176] = A, [197] = A,
	/* those that the kernel does not have any more, as create_module */
	[174] = N, [177] = N, [178] = N, [180] = N, [181] = N, [182] = N, [183] = N, [184] = N,
	[185] = N,
	/* futex, getdents64, epoll_wait, epoll_ctl, mq_open, mq_unlink */
	[202] = A, [217] = F, [232] = F, [233] = F, [240] = A, [241] = A,
};

#undef A
#undef F
#undef N

/* Return whether a 64-bit program's call would fail, whatever its other arguments are. */
static bool must_fail(int64_t nr, uint64_t first)
{
	switch (nr >= 0 && nr < (int64_t)sizeof(first_of) ? first_of[nr] : FIRST_ANY) {
	case FIRST_ADDRESS:
		/* Some calls do without: gettimeofday(). */
		return first && first < LOWEST_ADDRESS;
	case FIRST_FILE:
		return first > HIGHEST_FILE;
	case FIRST_NONE:
		return true;
	}
	return false;
}

void syscall_state_enter(struct syscall_state *s, int64_t nr, bool wide, uint64_t first)
{
	s->fails = must_fail(nr, first);
	/* The kernel fills up arguments of 32 bits with zeros. */
	if (wide)
		s->abi = ABI_NATIVE;
	else if (has_no_native(nr) && s->abi == ABI_UNKNOWN)
		s->abi = ABI_COMPAT;
	s->entered = nr + 1;
}

bool syscall_state_exit(struct syscall_state *s, int64_t nr, int64_t result)
{
	bool shown = s->fails && s->abi == ABI_UNKNOWN && s->entered == nr + 1 && result >= 0;
	int64_t entered = s->entered - 1;

	if (shown)
		s->abi = ABI_COMPAT;
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
	s->fails = false;
	return shown;
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

enum syscall_abi syscall_states_first(const struct syscall_states *states, int pid)
{
	/* A slot that is not used has no first kind: ABI_UNKNOWN is 0. */
	return syscall_states_slot(states->slot, states->nr_slots, pid)->first;
}

void syscall_states_rewind(struct syscall_states *states)
{
	struct slot *slot;

	hash_for_each(states, slot)
		slot->state = (struct syscall_state){ .abi = slot->first };
}

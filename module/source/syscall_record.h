/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of system calls. */
#ifndef RBMAP_SOURCE_SYSCALL_RECORD_H
#define RBMAP_SOURCE_SYSCALL_RECORD_H

#include "compat/context.h"

/* No system call has more arguments. */
#define RBMAP_SYSCALL_ARGS	6

/**
 * struct rbmap_syscall_record - the record of a system call, as ftrace has it
 * @begin: the fields with which all records begin
 * @nr: number of the call
 * @args: its arguments, or its result
 */
struct rbmap_syscall_record {
	struct rbmap_record	begin;
	int			nr;
	unsigned long		args[RBMAP_SYSCALL_ARGS];
};

struct pt_regs;

void rbmap_syscall_enter(void *data, struct pt_regs *regs, long id);
void rbmap_syscall_exit(void *data, struct pt_regs *regs, long ret);

#endif /* RBMAP_SOURCE_SYSCALL_RECORD_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The places of a function's arguments, of which the function only knows that
 * they are integers and pointers.
 */
#ifndef RBMAP_DYNAMIC_ARGUMENTS_H
#define RBMAP_DYNAMIC_ARGUMENTS_H

#include "dynamic/platform.h"

/*
 * A tracepoint calls probe(void *__data, ...).  The first words are in registers:
 * six of them on x86-64, eight on arm64, __data among them.  A register that the
 * tracepoint did not load holds an arbitrary value.  The other words lie on the
 * stack, eight bytes each, where the caller put them.  Their number is unknown,
 * and the stack may end behind them.  So they are not parameters of the function:
 * it reads them as any other memory that may be missing.
 *
 * The bits of a register above an argument that is narrower are undefined in
 * both ABIs: FETCH:TYPE cuts them off.
 */
#if defined(CONFIG_X86_64)
#define RBMAP_REGISTER_ARGS	5
#elif defined(CONFIG_ARM64)
#define RBMAP_REGISTER_ARGS	7
#else
#define RBMAP_REGISTER_ARGS	1
#define RBMAP_ARGS_UNKNOWN
#endif

/*
 * The first of the words on the stack: the frame's canonical address is the stack
 * pointer before the call.  clang knows it on x86 only.
 */
#if defined(CONFIG_ARM64) && defined(__clang__)
#define RBMAP_ARGS_MAX		RBMAP_REGISTER_ARGS
#define rbmap_stack_args()	0
#else
#define RBMAP_ARGS_MAX		12
#ifdef __CHECKER__ /* sparse has no such builtin */
#define rbmap_stack_args()	0
#else
#define rbmap_stack_args()	((unsigned long)__builtin_dwarf_cfa())
#endif
#endif

/**
 * struct rbmap_fetch_args - arguments that a tracepoint has passed
 * @registers: the first arguments, without __data
 * @stack: place of the others
 * @blind: memory must not be read now
 * @addresses: not 0: addresses of the kernel are not hashed
 */
struct rbmap_fetch_args {
	unsigned long	registers[RBMAP_REGISTER_ARGS];
	unsigned long	stack;
	bool		blind;
	u8		addresses;
};

#endif /* RBMAP_DYNAMIC_ARGUMENTS_H */

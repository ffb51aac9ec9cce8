/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that the writer's fast path seldom makes in the middle of an event.
 *
 * A function may change most registers.  The compiler keeps in the others what is needed
 * after the call.  So each event would save those on the stack and restore them, although
 * the call hardly ever comes.  On x86-64 the fast path calls a thunk, which saves what it
 * may not change.  The kernel calls its paravirtual operations in this way.
 *
 * User Mode Linux has no CONFIG_X86.
 */
#ifndef RBMAP_RING_RARE_H
#define RBMAP_RING_RARE_H

#if defined(CONFIG_X86) && defined(CONFIG_X86_64)
#include <linux/export.h>
#include <linux/linkage.h>
#include <linux/ptrace.h>	/* <asm/frame.h> uses its structure, and does not include it */
#include <asm/asm.h>
#include <asm/frame.h>

/* The kernel's objtool wants it in each exported function. */
#ifdef ASM_ENDBR
#define RB_THUNK_ENDBR	ASM_ENDBR
#else
#define RB_THUNK_ENDBR
#endif

#define RB_THUNK(_name, _save, _restore)				\
	extern void rbmap_thunk_##_name(void);				\
	asm(".pushsection .text\n"					\
	    ".balign 16\n"						\
	    ".globl rbmap_thunk_" #_name "\n"				\
	    ".type rbmap_thunk_" #_name ", @function\n"			\
	    "rbmap_thunk_" #_name ":\n"					\
	    RB_THUNK_ENDBR						\
	    FRAME_BEGIN							\
	    _save							\
	    "call " #_name "\n"						\
	    _restore							\
	    FRAME_END							\
	    ASM_RET							\
	    ".size rbmap_thunk_" #_name ", .-rbmap_thunk_" #_name "\n"	\
	    ".popsection")

/* For functions that the fast path calls in other modules, too */
#define RB_EXPORT_THUNK(_name)	EXPORT_SYMBOL_GPL(rbmap_thunk_##_name)

/* The compiler checks the types of _call, and does not make this call. */
#define RB_CALL_THUNK(_name, _call, _clobbers, ...)			\
({									\
	unsigned long __result;						\
									\
	asm volatile("call rbmap_thunk_" #_name				\
		     : "=a" (__result), ASM_CALL_CONSTRAINT		\
		     : __VA_ARGS__ : _clobbers);			\
	(typeof(_call))__result;					\
})

/*
 * RB_RARE_FUNCTION() defines the thunk of a function with two arguments at
 * most.  It changes only the register of the result.
 */
#define RB_RARE_FUNCTION(_name)						\
	RB_THUNK(_name,							\
		 "push %rdi\n push %rsi\n push %rdx\n push %rcx\n"	\
		 "push %r8\n push %r9\n push %r10\n push %r11\n",	\
		 "pop %r11\n pop %r10\n pop %r9\n pop %r8\n"		\
		 "pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n")
#define RB_RARE_CLOBBERS	"cc", "memory"
#define rb_rare_call0(_name)						\
	RB_CALL_THUNK(_name, _name(), RB_RARE_CLOBBERS)
#define rb_rare_call2(_name, _first, _second)				\
	RB_CALL_THUNK(_name, _name(_first, _second), RB_RARE_CLOBBERS,	\
		      "D" (_first), "S" (_second))

/*
 * Until an event has its place, the fast path needs few registers, and the clock takes rdx.
 * Functions that are called then keep no more than it needs: a clock that is not computed in
 * place is called for each event.
 */
#define RB_EARLY_FUNCTION(_name)					\
	RB_THUNK(_name,							\
		 "push %rdi\n push %rsi\n push %rcx\n push %r8\n push %r9\n", \
		 "pop %r9\n pop %r8\n pop %rcx\n pop %rsi\n pop %rdi\n")
#define RB_EARLY_CLOBBERS	RB_RARE_CLOBBERS, "rdx", "r10", "r11"
#define rb_early_call0(_name)						\
	RB_CALL_THUNK(_name, _name(), RB_EARLY_CLOBBERS)
#define rb_early_call1(_name, _arg)					\
	RB_CALL_THUNK(_name, _name(_arg), RB_EARLY_CLOBBERS, "D" (_arg))
#define rb_early_call2(_name, _first, _second)				\
	RB_CALL_THUNK(_name, _name(_first, _second), RB_EARLY_CLOBBERS,	\
		      "D" (_first), "S" (_second))
#else
#define RB_EXPORT_THUNK(_name)
#define RB_RARE_FUNCTION(_name)
#define RB_EARLY_FUNCTION(_name)
#define rb_rare_call0(_name)			_name()
#define rb_rare_call2(_name, _first, _second)	_name(_first, _second)
#define rb_early_call0(_name)			_name()
#define rb_early_call1(_name, _arg)		_name(_arg)
#define rb_early_call2(_name, _first, _second)	_name(_first, _second)
#endif

#endif /* RBMAP_RING_RARE_H */

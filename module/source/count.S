/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probe of all aliases: count the call, and go on to the kernel's probe.  The arguments
 * stay where they are, whatever their number and their types.  The first one points to
 * @call of struct rbmap_kernel_event, before which are the counters and the kernel's probe.
 */
#include <linux/linkage.h>

#if defined(CONFIG_X86_64)

#include <asm/nospec-branch.h>

#ifdef CONFIG_SMP
#define THIS_CPU	%gs:
#else
#define THIS_CPU
#endif

	.text
SYM_START(rbmap_alias_count_call, SYM_L_GLOBAL, SYM_A_ALIGN)
	/* Tracepoints with several probes call them by their addresses. */
#ifdef ENDBR
	ENDBR
#endif
	movq	-16(%rdi), %rax
	incq	THIS_CPU(%rax)
	movq	-8(%rdi), %rax
	JMP_NOSPEC rax
SYM_FUNC_END(rbmap_alias_count_call)

#elif defined(CONFIG_ARM64)

#include <asm/assembler.h>

/*
 * The task may move to another CPU in between.  Its counter then has the call: the
 * exclusive store loses none.
 */
	.text
SYM_FUNC_START(rbmap_alias_count_call)
	ldr	x16, [x0, #-16]
	get_this_cpu_offset x17
	add	x16, x16, x17
1:	ldxr	x17, [x16]
	add	x17, x17, #1
	stxr	w9, x17, [x16]
	cbnz	w9, 1b
	ldr	x16, [x0, #-8]
	br	x16
SYM_FUNC_END(rbmap_alias_count_call)

#endif

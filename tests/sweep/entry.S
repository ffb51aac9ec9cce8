/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts that C cannot express: entry and exit of an interrupt, and rewinding. */

#define TRAP_FLAG	0x100

	.text

/*
 * The address of the interrupted instruction is on the stack. Run an act, then
 * continue at that address with the interrupted registers and flags, and with the
 * trap flag if machine_act() returns it.
 */
	.globl	machine_interrupt
machine_interrupt:
	pushfq
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%rbp
	mov	%rsp, %rbp
	and	$-16, %rsp
	cld
	call	machine_act
	mov	%rbp, %rsp
	or	%rax, 10*8(%rsp)
	pop	%rbp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	popfq
	ret

/* A function outside the ring, which is not stepped through, returns to here. */
	.globl	machine_called
machine_called:
	push	machine_return(%rip)
	pushfq
	orq	$TRAP_FLAG, (%rsp)
	popfq
	ret

/* machine_step(): set the trap flag, which starts single-stepping. */
	.globl	machine_step
machine_step:
	pushfq
	orq	$TRAP_FLAG, (%rsp)
	popfq
	ret

/*
 * machine_resume(regs): continue with these registers. With the trap flag set, the
 * CPU traps after the instruction that IRET returns to: the next boundary.
 */
	.globl	machine_resume
machine_resume:
	mov	%rdi, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rbp
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rbx
	pop	%rax
	iretq

/* machine_on_stack(stack, function): call function on that stack; never returns. */
	.globl	machine_on_stack
machine_on_stack:
	mov	%rdi, %rsp
	xor	%ebp, %ebp
	call	*%rsi
	ud2

	.section .note.GNU-stack, "", @progbits

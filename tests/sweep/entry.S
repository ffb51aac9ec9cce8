/* SPDX-License-Identifier: GPL-2.0-only */
/* What C can't say: an interrupt's way in and out, and the way back in time. */

#define TRAP_FLAG	0x100

	.text

/*
 * The interrupted instruction's address is on the stack: run an act, then go
 * on there with the registers and flags that it had, and the trap flag if
 * machine_act() says so.
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

/* Where a function outside the ring returns to, not stepped through. */
	.globl	machine_called
machine_called:
	push	machine_return(%rip)
	pushfq
	orq	$TRAP_FLAG, (%rsp)
	popfq
	ret

/* machine_step(): step from here on. */
	.globl	machine_step
machine_step:
	pushfq
	orq	$TRAP_FLAG, (%rsp)
	popfq
	ret

/*
 * machine_resume(regs): IRET traps after the instruction that it goes to, and
 * so the next boundary is the next trap.
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

/* machine_on_stack(stack, function): call it there, for good. */
	.globl	machine_on_stack
machine_on_stack:
	mov	%rdi, %rsp
	xor	%ebp, %ebp
	call	*%rsi
	ud2

	.section .note.GNU-stack, "", @progbits

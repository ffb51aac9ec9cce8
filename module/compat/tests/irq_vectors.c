// SPDX-License-Identifier: GPL-2.0-only
/*
 * A header of the architecture declares the tracepoints of interrupt vectors: x86 alone.
 * User Mode Linux finds the header of x86, but lacks what it uses.
 * Linux 3.11: cf910e83ae23 ("x86, trace: Add irq vector tracepoints")
 */
#include <linux/ptrace.h>
#include <linux/tracepoint.h>
#include <asm/trace/irq_vectors.h>

unsigned long look(const struct pt_regs *regs);
unsigned long look(const struct pt_regs *regs)
{
	return regs->ip;
}

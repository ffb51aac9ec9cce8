// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page faults' tracepoints are the architecture's.  User Mode Linux sees those
 * of x86, and has no such registers.
 */
#include <linux/ptrace.h>
#include <asm/trace/exceptions.h>

unsigned long look(const struct pt_regs *regs);
unsigned long look(const struct pt_regs *regs)
{
	return regs->ip;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A header of the architecture declares the tracepoints of page faults. User Mode
 * Linux finds the header of x86, but lacks the registers that it uses.
 * Until Linux 6.16: 06aa9378df01 ("x86/tracing, x86/mm: Move page fault tracepoints
 * to generic")
 */
#include <linux/ptrace.h>
#include <asm/trace/exceptions.h>

unsigned long look(const struct pt_regs *regs);
unsigned long look(const struct pt_regs *regs)
{
	return regs->ip;
}

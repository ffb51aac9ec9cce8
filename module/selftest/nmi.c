// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writers in NMIs.  On x86 a CPU sends an NMI to itself, which needs no performance
 * counter, so that virtual machines have it too.  Other architectures offer modules
 * nothing of that kind.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>

#include "nmi.h"
#include "writer.h"

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>

/* An NMI that has not arrived after this time does not arrive. */
#define RBMAP_SELFTEST_NMI_WAIT	(HZ / 10)

/*
 * The kernel calls all handlers for each local NMI.  A handler cannot find out which one
 * an NMI is for: the NMI of a performance counter can arrive just before the one that
 * was sent.  So this handler claims every NMI while it is registered, and an NMI that
 * was sent is never reported as unknown.
 */
static int rbmap_selftest_nmi(unsigned int type, struct pt_regs *regs)
{
	struct rbmap_selftest_cpu *cpu = this_cpu_ptr(&rbmap_selftest_cpus);

	if (READ_ONCE(cpu->nmi_sent)) {
		WRITE_ONCE(cpu->nmi_sent, false);
		rbmap_selftest_write(cpu, RBMAP_SELFTEST_NMI);
	}
	return NMI_HANDLED;
}

/**
 * rbmap_selftest_nmi_start - handle NMIs
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_selftest_nmi_start(void)
{
	return register_nmi_handler(NMI_LOCAL, rbmap_selftest_nmi, 0,
				    "rbmap_selftest");
}

static bool rbmap_selftest_nmi_pending(void)
{
	unsigned int id;

	for_each_online_cpu(id)
		if (READ_ONCE(per_cpu_ptr(&rbmap_selftest_cpus, id)->nmi_sent))
			return true;
	return false;
}

/**
 * rbmap_selftest_nmi_stop - stop handling NMIs, after the ones that were sent
 *
 * Context: sleeps; no writer sends an NMI any longer.
 */
void rbmap_selftest_nmi_stop(void)
{
	unsigned long end = jiffies + RBMAP_SELFTEST_NMI_WAIT;

	while (rbmap_selftest_nmi_pending() && time_before(jiffies, end))
		usleep_range(100, 200);
	/* This waits for handlers that run. */
	unregister_nmi_handler(NMI_LOCAL, "rbmap_selftest");
}

/**
 * rbmap_selftest_nmi_send - send an NMI to this CPU, unless one is under way
 * @cpu: the writers of this CPU
 *
 * Context: any but NMI, with preemption off.
 */
void rbmap_selftest_nmi_send(struct rbmap_selftest_cpu *cpu)
{
	if (READ_ONCE(cpu->nmi_sent))
		return;
	WRITE_ONCE(cpu->nmi_sent, true);
	apic->send_IPI(cpu->id, NMI_VECTOR);
}
#else
int rbmap_selftest_nmi_start(void)
{
	return 0;
}

void rbmap_selftest_nmi_stop(void)
{
}

void rbmap_selftest_nmi_send(struct rbmap_selftest_cpu *cpu)
{
}
#endif

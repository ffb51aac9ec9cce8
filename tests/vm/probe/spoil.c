// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spoils records before rbmap sees them, as if the code of another kernel had filled them.
 * Load it after rbmap.
 *
 *	part=NAME	what is spoiled: record (it does not arrive), size, number, task, flags,
 *			count or text
 *	from=N		only records whose number is N or more
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/trace_events.h>

/* TRACE_FLAG_IRQS_OFF, which headers of 5.10 do not have */
#define IRQS_OFF	0x01

static char *part = "text";
module_param(part, charp, 0444);
MODULE_PARM_DESC(part, "part of a record that is spoiled");

static unsigned int from;
module_param(from, uint, 0444);
MODULE_PARM_DESC(from, "smallest number of a record that is spoiled");

static struct perf_sample_data *second_argument(struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return (void *)regs->si;
#else
	return (void *)regs->regs[1];
#endif
}

/* Called instead of the handler. */
static noinline void ignore(void)
{
}

/* rbmap_alias_overflow(holder, data, regs) */
static int before(struct kprobe *probe, struct pt_regs *regs)
{
	struct perf_raw_frag *raw = (void *)&second_argument(regs)->raw->frag;
	struct trace_entry *record = raw->data;

	if (record->type < from)
		return 0;
	if (!strcmp(part, "record")) {
		instruction_pointer_set(regs, (unsigned long)ignore);
		return 1;
	}
	if (!strcmp(part, "size"))
		raw->size += sizeof(u64);
	else if (!strcmp(part, "number"))
		record->type--;
	else if (!strcmp(part, "task"))
		record->pid++;
	else if (!strcmp(part, "flags"))
		record->flags ^= IRQS_OFF;
	else if (!strcmp(part, "count"))
		record->preempt_count++;
	else if (!strcmp(part, "text"))
		((u8 *)record)[16]++;
	return 0;
}
NOKPROBE_SYMBOL(before);

/* A probe that changes the next instruction must have this function. */
static void after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe probe = {
	.symbol_name	= "rbmap:rbmap_alias_overflow",
	.pre_handler	= before,
	.post_handler	= after,
};

static int __init spoil_init(void)
{
	return register_kprobe(&probe);
}

static void __exit spoil_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(spoil_init);
module_exit(spoil_exit);

MODULE_DESCRIPTION("Spoils records of the kernel");
MODULE_LICENSE("GPL");

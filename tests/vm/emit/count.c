// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write events of 16 bytes in a loop that nothing interrupts, and measure the
 * time. In a machine whose clock counts instructions (QEMU's -icount), the time
 * is the number of instructions.
 *
 *	echo N >/sys/module/emit/parameters/count; cat ...
 *
 * count_calls does the same with function calls instead of the inline
 * functions.
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <rbmap/buffer.h>

#include "internal.h"

static u64 emit_counted;

static __always_inline void emit_count_one(unsigned int n, bool calls)
{
	struct rbmap_reservation r rbmap_uninitialized;
	const size_t size = 2 * sizeof(u64);
	u64 *payload;

	payload = calls ? rbmap_reserve_noinline(emit_buffer, &r, size) :
			  rbmap_reserve(emit_buffer, &r, size);
	if (!payload)
		return;
	payload[0] = n;
	payload[1] = n;
	if (calls)
		rbmap_commit_noinline(&r);
	else
		rbmap_commit(&r);
}

static __always_inline int emit_count(const char *text, bool calls)
{
	unsigned long flags;
	unsigned int times, n;
	u64 begin;
	int err;

	err = kstrtouint(text, 0, &times);
	if (err)
		return err;
	n = times;
	local_irq_save(flags);
	begin = ktime_get_ns();
	for (; n; n--)
		emit_count_one(n, calls);
	emit_counted = ktime_get_ns() - begin;
	local_irq_restore(flags);
	return 0;
}

static int emit_count_inline(const char *text,
			     const struct kernel_param *param)
{
	return emit_count(text, false);
}

static int emit_count_calls(const char *text, const struct kernel_param *param)
{
	return emit_count(text, true);
}

static int emit_count_get(char *text, const struct kernel_param *param)
{
	return scnprintf(text, PAGE_SIZE, "%llu\n", emit_counted);
}

static const struct kernel_param_ops emit_count_inline_ops = {
	.set	= emit_count_inline,
	.get	= emit_count_get,
};

static const struct kernel_param_ops emit_count_calls_ops = {
	.set	= emit_count_calls,
	.get	= emit_count_get,
};

module_param_cb(count, &emit_count_inline_ops, NULL, 0600);
module_param_cb(count_calls, &emit_count_calls_ops, NULL, 0600);

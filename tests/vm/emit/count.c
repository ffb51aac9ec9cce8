// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of 16 bytes in a loop that nothing interrupts, and the time it took:
 * instructions, in a machine whose clock counts these (QEMU's -icount).
 *
 *	echo N >/sys/module/emit/parameters/count; cat ...
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <rbmap/buffer.h>

#include "internal.h"

static u64 emit_counted;

static int emit_count(const char *text, const struct kernel_param *param)
{
	struct rbmap_reservation r;
	unsigned long flags;
	unsigned int n;
	u64 *payload;
	u64 begin;
	int err;

	err = kstrtouint(text, 0, &n);
	if (err)
		return err;
	local_irq_save(flags);
	begin = ktime_get_ns();
	for (; n; n--) {
		payload = rbmap_reserve(emit_buffer, &r, 2 * sizeof(*payload));
		if (!payload)
			continue;
		payload[0] = n;
		payload[1] = n;
		rbmap_commit(&r);
	}
	emit_counted = ktime_get_ns() - begin;
	local_irq_restore(flags);
	return 0;
}

static int emit_count_get(char *text, const struct kernel_param *param)
{
	return scnprintf(text, PAGE_SIZE, "%llu\n", emit_counted);
}

static const struct kernel_param_ops emit_count_ops = {
	.set	= emit_count,
	.get	= emit_count_get,
};

module_param_cb(count, &emit_count_ops, NULL, 0600);

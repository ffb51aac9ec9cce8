// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare the clock that writers compute in place with sched_clock(), on this CPU:
 *
 *	echo N >/sys/module/emit/parameters/clocks; cat ...	N times: N and the largest
 *								difference, in ns
 *	echo N >/sys/module/emit/parameters/clock_error		make the former wrong by N ns
 */
#include <linux/irqflags.h>
#include <linux/module.h>
#include <rbmap/buffer.h>
#include <asm/barrier.h>

static unsigned int emit_compared;
static s64 emit_difference;

static void emit_compare(void)
{
	u64 before, ns, after;
	unsigned long flags;

	local_irq_save(flags);
	before = rb_clock_local();
	rmb();
	ns = sched_clock();
	rmb();
	after = rb_clock_local();
	local_irq_restore(flags);
	emit_difference = max3(emit_difference, (s64)(before - ns), (s64)(ns - after));
}

static int emit_clocks_set(const char *text, const struct kernel_param *param)
{
	unsigned int n;
	int err = kstrtouint(text, 0, &n);

	if (err)
		return err;
	emit_difference = 0;
	for (emit_compared = 0; emit_compared < n; emit_compared++)
		emit_compare();
	return 0;
}

static int emit_clocks_get(char *text, const struct kernel_param *param)
{
	return scnprintf(text, PAGE_SIZE, "%u %lld\n", emit_compared, emit_difference);
}

static int emit_clock_error(const char *text, const struct kernel_param *param)
{
#ifdef RBMAP_HAS_TSC_SCALE
	s64 ns;
	int err = kstrtoll(text, 0, &ns);

	if (!err)
		WRITE_ONCE(rbmap_tsc_scale.offset, rbmap_tsc_scale.offset + ns);
	return err;
#else
	return -ENODEV;
#endif
}

static const struct kernel_param_ops emit_clocks_ops = {
	.set	= emit_clocks_set,
	.get	= emit_clocks_get,
};

static const struct kernel_param_ops emit_clock_error_ops = {
	.set	= emit_clock_error,
};

module_param_cb(clocks, &emit_clocks_ops, NULL, 0600);
module_param_cb(clock_error, &emit_clock_error_ops, NULL, 0200);

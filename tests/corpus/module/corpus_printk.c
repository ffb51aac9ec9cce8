// SPDX-License-Identifier: GPL-2.0-only
/* Writes texts by trace_printk() when its parameter is set. */
#include <linux/kernel.h>
#include <linux/module.h>

static int set(const char *text, const struct kernel_param *param)
{
	for (int i = 0; i < 5; i++) {
		trace_printk("number %d of %s at %pS\n", i, "five", set);
		trace_printk("a constant text\n");
		trace_printk("long %lu char %c hex %#x text %-8s|\n", 1UL << 40, 'x', 255, text);
	}
	return 0;
}

static const struct kernel_param_ops ops = { .set = set };

module_param_cb(write, &ops, NULL, 0200);
MODULE_DESCRIPTION("writes texts by trace_printk()");
MODULE_LICENSE("GPL");

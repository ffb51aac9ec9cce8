// SPDX-License-Identifier: GPL-2.0-only
/*
 * A live patch of the function that source.c calls for each of its events. It does the same,
 * and counts its calls in the parameter `calls`.
 */
#include <linux/module.h>

static unsigned long patched_calls;

module_param_named(calls, patched_calls, ulong, 0444);

#ifdef CONFIG_LIVEPATCH
#include <linux/livepatch.h>

static unsigned int patched_number(unsigned int i)
{
	WRITE_ONCE(patched_calls, patched_calls + 1);
	return i;
}

static struct klp_func patched_funcs[] = {
	{ .old_name = "source_number", .new_func = patched_number },
	{}
};

static struct klp_object patched_objects[] = {
	{ .name = "source", .funcs = patched_funcs },
	{}
};

static struct klp_patch patched_patch = { .mod = THIS_MODULE, .objs = patched_objects };

static int __init patched_init(void)
{
	return klp_enable_patch(&patched_patch);
}

MODULE_INFO(livepatch, "Y");
#else
static int __init patched_init(void)
{
	return -EOPNOTSUPP;
}
#endif

static void __exit patched_exit(void)
{
}

module_init(patched_init);
module_exit(patched_exit);

MODULE_DESCRIPTION("A live patch, to test events whose callers are patched");
MODULE_LICENSE("GPL");

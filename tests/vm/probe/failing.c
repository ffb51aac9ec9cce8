// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets a function of the kernel fail when rbmap calls it, on a stock kernel.
 *
 *	functions=NAME,...	functions to watch; those that the kernel lacks are left out
 *	nth=N			number of the call that fails, counted from 1 over all of
 *				these functions; 0: none. Writing it restarts the count
 *	calls			names of the functions that were called since then, in order
 *	processes=1		watch only calls by processes, and none by threads of the kernel
 *
 * The call that fails takes DELAY_MS, in which everybody else can use what rbmap has
 * already published.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#define MAX_FUNCTIONS	16
#define MAX_CALLS	256
#define DELAY_MS	200

static char *functions[MAX_FUNCTIONS];
static int nr_functions;
module_param_array(functions, charp, &nr_functions, 0444);
MODULE_PARM_DESC(functions, "names of functions to watch");

static bool processes;
module_param(processes, bool, 0644);
MODULE_PARM_DESC(processes, "watch only calls by processes");

static struct kprobe probes[MAX_FUNCTIONS];
static const char *called[MAX_CALLS];
static unsigned int nr_called;
static unsigned int nth;

static int set_nth(const char *text, const struct kernel_param *param)
{
	nr_called = 0;
	return param_set_uint(text, param);
}

static const struct kernel_param_ops nth_ops = {
	.set	= set_nth,
	.get	= param_get_uint,
};
module_param_cb(nth, &nth_ops, &nth, 0644);
MODULE_PARM_DESC(nth, "number of the call that fails");

static int get_calls(char *page, const struct kernel_param *param)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < min_t(unsigned int, nr_called, MAX_CALLS); i++)
		len += scnprintf(page + len, PAGE_SIZE - len, "%s\n", called[i]);
	return len;
}

static const struct kernel_param_ops calls_ops = {
	.get	= get_calls,
};
module_param_cb(calls, &calls_ops, NULL, 0444);
MODULE_PARM_DESC(calls, "functions that were called");

/* Called instead of a function that returns an error, or a pointer that may be one. */
static noinline long fail_with_error(void)
{
	msleep(DELAY_MS);
	return -ENOMEM;
}

/* Called instead of a function that returns NULL on failure. */
static noinline void *fail_with_null(void)
{
	msleep(DELAY_MS);
	return NULL;
}

static unsigned long caller_of(struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return *(unsigned long *)regs->sp;
#else
	return regs->regs[30];
#endif
}

static bool by_rbmap(struct pt_regs *regs)
{
	char symbol[KSYM_SYMBOL_LEN];

	sprint_symbol(symbol, caller_of(regs));
	return strstr(symbol, "[rbmap]");
}

static bool returns_null(const char *name)
{
	return strstarts(name, "alloc_workqueue") || strstr(name, "kvmalloc");
}

static int before(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned int number;

	if ((processes && current->flags & PF_KTHREAD) || !by_rbmap(regs))
		return 0;
	number = nr_called++;
	if (number < MAX_CALLS)
		called[number] = probe->symbol_name;
	if (number + 1 != nth)
		return 0;
	instruction_pointer_set(regs, returns_null(probe->symbol_name) ?
				(unsigned long)fail_with_null :
				(unsigned long)fail_with_error);
	return 1;
}
NOKPROBE_SYMBOL(before);

/* A probe that changes the next instruction must have this function. */
static void after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static void remove_probes(int nr)
{
	while (nr--)
		if (probes[nr].pre_handler)
			unregister_kprobe(&probes[nr]);
}

static int __init failing_init(void)
{
	int i, err;

	for (i = 0; i < nr_functions; i++) {
		probes[i].symbol_name = functions[i];
		probes[i].pre_handler = before;
		probes[i].post_handler = after;
		err = register_kprobe(&probes[i]);
		if (err == -ENOENT) {
			probes[i].pre_handler = NULL;
		} else if (err) {
			remove_probes(i);
			return err;
		}
	}
	return 0;
}

static void __exit failing_exit(void)
{
	remove_probes(nr_functions);
}

module_init(failing_init);
module_exit(failing_exit);

MODULE_DESCRIPTION("Lets functions of the kernel fail");
MODULE_LICENSE("GPL");

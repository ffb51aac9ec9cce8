// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find tracepoints of the kernel and of modules by name, and follow modules that are
 * loaded and unloaded.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "event.h"
#include "registry.h"
#include "tracepoints.h"

/* A loaded module with tracepoints. */
struct rbmap_tp_module {
	struct list_head	list;
	struct module		*mod;
};

static DEFINE_MUTEX(rbmap_tp_modules_lock);
static LIST_HEAD(rbmap_tp_modules);

struct rbmap_search {
	const char		*name;
	struct tracepoint	*found;
};

static void rbmap_tracepoint_match(struct tracepoint *tp, void *data)
{
	struct rbmap_search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

static struct tracepoint *rbmap_module_tracepoint(struct module *mod,
						  unsigned int i)
{
	return tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);
}

static void rbmap_module_visit(struct module *mod,
			       void (*visit)(struct tracepoint *tp))
{
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++)
		visit(rbmap_module_tracepoint(mod, i));
}

/**
 * rbmap_tracepoint_find - find a tracepoint of the kernel or of a loaded module
 * @name: name of the tracepoint
 *
 * A module's tracepoint is freed with the module, after rbmap_tracepoint_goes().
 *
 * Context: may sleep; the registry's lock is held, so that no tracepoint is freed.
 * Return: the tracepoint, or NULL.
 */
struct tracepoint *rbmap_tracepoint_find(const char *name)
{
	struct rbmap_search search = { .name = name };
	struct rbmap_tp_module *module;
	unsigned int i;

	for_each_kernel_tracepoint(rbmap_tracepoint_match, &search);
	if (search.found)
		return search.found;
	mutex_lock(&rbmap_tp_modules_lock);
	list_for_each_entry(module, &rbmap_tp_modules, list) {
		for (i = 0; i < module->mod->num_tracepoints; i++)
			rbmap_tracepoint_match(rbmap_module_tracepoint(module->mod, i),
					       &search);
	}
	mutex_unlock(&rbmap_tp_modules_lock);
	return search.found;
}

static int rbmap_module_comes(struct module *mod)
{
	struct rbmap_tp_module *module = kmalloc(sizeof(*module), GFP_KERNEL);

	if (!module)
		return -ENOMEM;
	module->mod = mod;
	mutex_lock(&rbmap_tp_modules_lock);
	list_add_tail(&module->list, &rbmap_tp_modules);
	mutex_unlock(&rbmap_tp_modules_lock);
	rbmap_module_visit(mod, rbmap_tracepoint_came);
	return 0;
}

static void rbmap_module_goes(struct module *mod)
{
	struct rbmap_tp_module *module, *next;

	/*
	 * Remove the module first, so that nobody can find its tracepoints from here
	 * on.
	 */
	mutex_lock(&rbmap_tp_modules_lock);
	list_for_each_entry_safe(module, next, &rbmap_tp_modules, list) {
		if (module->mod == mod) {
			list_del(&module->list);
			kfree(module);
		}
	}
	mutex_unlock(&rbmap_tp_modules_lock);
	rbmap_module_visit(mod, rbmap_tracepoint_goes);
}

static int rbmap_module_notify(struct notifier_block *block,
			       unsigned long action, void *data)
{
	struct tp_module *tp_module = data;

	if (action == MODULE_STATE_COMING)
		return notifier_from_errno(rbmap_module_comes(tp_module->mod));
	if (action == MODULE_STATE_GOING)
		rbmap_module_goes(tp_module->mod);
	return NOTIFY_OK;
}

static struct notifier_block rbmap_module_block = {
	.notifier_call	= rbmap_module_notify,
};

/**
 * rbmap_tracepoints_init - follow modules, including those already loaded
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_tracepoints_init(void)
{
	return register_tracepoint_module_notifier(&rbmap_module_block);
}

/**
 * rbmap_tracepoints_exit - stop following modules
 *
 * Context: sleeps.
 */
void rbmap_tracepoints_exit(void)
{
	/*
	 * This calls the notifier for each module, as if the module were unloaded.
	 */
	unregister_tracepoint_module_notifier(&rbmap_module_block);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints by name: the kernel's, and those of modules as they come and go. */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "event.h"
#include "registry.h"
#include "tracepoints.h"

/* Modules that have tracepoints. */
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
 * rbmap_tracepoint_find - a tracepoint of the kernel or of a loaded module
 * @name: its name
 *
 * A module's goes with the module: rbmap_tracepoint_goes() says so before.
 *
 * Context: may sleep; the registry's lock is held, so that none goes meanwhile.
 * Return: it, or NULL.
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

	/* First: whoever looks for one from here on must not find it. */
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
 * rbmap_tracepoints_init - hear of modules, and of those that are there
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_tracepoints_init(void)
{
	return register_tracepoint_module_notifier(&rbmap_module_block);
}

/**
 * rbmap_tracepoints_exit - hear of them no more
 *
 * Context: sleeps.
 */
void rbmap_tracepoints_exit(void)
{
	/* It calls us for each module: they seem to go. */
	unregister_tracepoint_module_notifier(&rbmap_module_block);
}

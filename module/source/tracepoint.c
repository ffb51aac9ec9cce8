// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of events that have a probe for a tracepoint: find tracepoints of the kernel
 * and of modules by name, and follow modules that are loaded and unloaded.
 */
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat/context.h"
#include "event/registry.h"
#include "event/source.h"
#include "tracepoint.h"

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

/**
 * rbmap_tracepoint_find - find a tracepoint of the kernel or of a loaded module
 * @name: name of the tracepoint
 *
 * A module's tracepoint is freed with the module, after rbmap_origin_goes().
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

static int rbmap_tp_module_add(struct module *mod)
{
	struct rbmap_tp_module *module = kmalloc(sizeof(*module), GFP_KERNEL);

	if (!module)
		return -ENOMEM;
	module->mod = mod;
	mutex_lock(&rbmap_tp_modules_lock);
	list_add_tail(&module->list, &rbmap_tp_modules);
	mutex_unlock(&rbmap_tp_modules_lock);
	return 0;
}

static void rbmap_tp_module_remove(struct module *mod)
{
	struct rbmap_tp_module *module, *next;

	mutex_lock(&rbmap_tp_modules_lock);
	list_for_each_entry_safe(module, next, &rbmap_tp_modules, list) {
		if (module->mod == mod) {
			list_del(&module->list);
			kfree(module);
		}
	}
	mutex_unlock(&rbmap_tp_modules_lock);
}

/*
 * The kernel calls this with the lock of its own list of modules with tracepoints, which newer
 * kernels take while they attach a probe.  So it takes no lock under which others attach.
 */
static int rbmap_tp_module_notify(struct notifier_block *block,
				  unsigned long action, void *data)
{
	struct tp_module *tp_module = data;

	if (action == MODULE_STATE_COMING)
		return notifier_from_errno(rbmap_tp_module_add(tp_module->mod));
	if (action == MODULE_STATE_GOING)
		rbmap_tp_module_remove(tp_module->mod);
	return NOTIFY_OK;
}

static struct notifier_block rbmap_tp_module_block = {
	.notifier_call	= rbmap_tp_module_notify,
};

static int rbmap_module_comes(struct notifier_block *block,
			      unsigned long action, void *data)
{
	struct module *mod = data;
	unsigned int i;

	if (action != MODULE_STATE_COMING)
		return NOTIFY_OK;
	for (i = 0; i < mod->num_tracepoints; i++)
		rbmap_origin_came(rbmap_module_tracepoint(mod, i)->name);
	return NOTIFY_OK;
}

/* After the kernel's own, which make its tracepoints and its events known */
static struct notifier_block rbmap_module_comes_block = {
	.notifier_call	= rbmap_module_comes,
	.priority	= -1,
};

static int rbmap_module_goes(struct notifier_block *block,
			     unsigned long action, void *data)
{
	struct module *mod = data;
	struct tracepoint *tp;
	unsigned int i;

	if (action != MODULE_STATE_GOING || !mod->num_tracepoints)
		return NOTIFY_OK;
	/* From here on, nobody can find its tracepoints. */
	rbmap_tp_module_remove(mod);
	for (i = 0; i < mod->num_tracepoints; i++) {
		tp = rbmap_module_tracepoint(mod, i);
		rbmap_origin_goes(tp, tp->name);
	}
	return NOTIFY_OK;
}

/* Before the kernel's own, which expect no probe at the tracepoints */
static struct notifier_block rbmap_module_goes_block = {
	.notifier_call	= rbmap_module_goes,
	.priority	= INT_MAX,
};

/* By name, because most tracepoints are not exported to modules. */
static const char *rbmap_tracepoint_source_find(struct rbmap_event_type *event)
{
	struct tracepoint *tp = rbmap_tracepoint_find(rbmap_event_tracepoint(event));

	if (tp)
		event->preempt = rbmap_tracepoint_preempt(tp);
	WRITE_ONCE(event->origin, tp);
	return tp || event->waits ? NULL :
	       "this kernel was built without the tracepoint";
}

static int rbmap_tracepoint_source_attach(const struct rbmap_event_type *event,
					  void *data)
{
	return tracepoint_probe_register(event->origin, event->probe, data);
}

static int rbmap_tracepoint_source_detach(const struct rbmap_event_type *event,
					  void *data)
{
	return tracepoint_probe_unregister(event->origin, event->probe, data);
}

static void rbmap_tracepoint_source_settle(void)
{
	tracepoint_synchronize_unregister();
}

const struct rbmap_source rbmap_tracepoint_source = {
	.name	= "probe",
	.find	= rbmap_tracepoint_source_find,
	.attach	= rbmap_tracepoint_source_attach,
	.detach	= rbmap_tracepoint_source_detach,
	.settle	= rbmap_tracepoint_source_settle,
};

/**
 * rbmap_tracepoints_init - follow modules, including those already loaded
 *
 * Context: may sleep; no event is registered yet, which a module could bring or take.
 * Return: 0 or a negative error.
 */
int rbmap_tracepoints_init(void)
{
	int err = register_tracepoint_module_notifier(&rbmap_tp_module_block);

	if (err)
		return err;
	err = register_module_notifier(&rbmap_module_goes_block);
	if (err)
		goto err_tp_module;
	err = register_module_notifier(&rbmap_module_comes_block);
	if (err)
		goto err_module_goes;
	return 0;

err_module_goes:
	unregister_module_notifier(&rbmap_module_goes_block);
err_tp_module:
	unregister_tracepoint_module_notifier(&rbmap_tp_module_block);
	return err;
}

/**
 * rbmap_tracepoints_exit - stop following modules
 *
 * Context: sleeps.
 */
void rbmap_tracepoints_exit(void)
{
	unregister_module_notifier(&rbmap_module_comes_block);
	unregister_module_notifier(&rbmap_module_goes_block);
	/* This calls the notifier for each module, as if the module were unloaded. */
	unregister_tracepoint_module_notifier(&rbmap_tp_module_block);
}

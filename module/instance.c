// SPDX-License-Identifier: GPL-2.0-only
/*
 * All buffers, each with its rings, events, control files and devices.  The default
 * buffer is in /sys/kernel/rbmap and /dev/rbmap.  Buffers created by writing to
 * instances/create, through /dev/rbmap/control, or by another module, are in
 * instances/NAME and /dev/rbmap/NAME.
 */
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "buffer/resize.h"
#include "control/control.h"
#include "control/dir.h"
#include "control/files.h"
#include "control/instances.h"
#include "device/device.h"
#include "device/marker.h"
#include "event/event.h"
#include "event/event_set.h"
#include "event/release.h"
#include "instance.h"
#include "lib/access.h"
#include "lib/log.h"

/**
 * struct rbmap_instance - a buffer, and the files that show it
 * @list: entry in the list of named buffers
 * @hotplug: entry in the list of instances of rbmap_online_state
 * @name: name; "" for the default buffer
 * @owner: name of the module that created the buffer and alone may destroy it, or ""
 * @keeper: open file of /dev/rbmap/control that the buffer ends with, or NULL
 * @keeper_pid: process that created the buffer through @keeper, or NULL
 * @buffer: rings of the buffer
 * @events: events of the buffer
 * @own_types: registered events of the module that created the buffer, or NULL
 * @control: files in /sys
 * @devices: files in /dev
 * @lock: protects @closing, and serializes the creation of the files of CPUs
 * @closing: whether no more files of CPUs are created
 * @retry_work: work that allocates what CPUs lack for want of memory
 */
struct rbmap_instance {
	struct list_head	list;
	struct hlist_node	hotplug;
	char			name[RBMAP_NAME_MAX + 1];
	char			owner[MODULE_NAME_LEN];
	const struct file	*keeper;
	struct pid		*keeper_pid;
	struct rbmap_buffer	*buffer;
	struct rbmap_event_set	*events;
	struct rbmap_event_type *const *own_types;
	struct rbmap_control	control;
	struct rbmap_devices	devices;
	struct mutex		lock;
	bool			closing;
	struct work_struct	retry_work;
};

static struct rbmap_instance *rbmap_default;
static struct rbmap_buffer_config rbmap_default_config;
static struct kobject *rbmap_instances_dir;
static enum cpuhp_state rbmap_online_state;

/*
 * Protects the list of named buffers, and serializes their creation and destruction.
 * No callback of files in their directories takes this lock, and CPU hotplug does
 * not take it either: both are waited for while it is held.
 */
static DEFINE_MUTEX(rbmap_instances_lock);
static LIST_HEAD(rbmap_instances);

/**
 * __rbmap_default_buffer - get the default buffer, with or without rings
 */
struct rbmap_buffer *__rbmap_default_buffer(void)
{
	return rbmap_default->buffer;
}

struct rbmap_buffer *rbmap_default_buffer(void)
{
	struct rbmap_buffer *buf = __rbmap_default_buffer();

	rbmap_buffer_expand_for_module(buf);
	return buf;
}
EXPORT_SYMBOL_GPL(rbmap_default_buffer);

static int rbmap_instance_add_cpu(struct rbmap_instance *instance, int cpu)
{
	int err = rbmap_devices_add_cpu(&instance->devices, cpu);

	lockdep_assert_held(&instance->lock);
	return err ? err : rbmap_control_add_cpu(&instance->control, cpu);
}

/*
 * A CPU that was on line once keeps its devices and files.  Without memory for them,
 * the CPU comes up without them.
 */
static int rbmap_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct rbmap_instance *instance =
		hlist_entry(node, struct rbmap_instance, hotplug);
	int err;

	mutex_lock(&instance->lock);
	err = rbmap_instance_add_cpu(instance, cpu);
	if (err)
		rbmap_buffer_set_missing(instance->buffer, cpu, true);
	mutex_unlock(&instance->lock);
	if (err)
		rbmap_err("cannot create the files of CPU %d: error %d: any write to a file of /sys/kernel/rbmap tries again\n",
			  cpu, err);
	return 0;
}

/* Allocate what CPUs lack for want of memory, if there is memory now. */
static void rbmap_instance_add_missing(struct work_struct *work)
{
	struct rbmap_instance *instance =
		container_of(work, struct rbmap_instance, retry_work);
	struct rbmap_buffer *buf = instance->buffer;
	int cpu;

	rbmap_buffer_add_missing(buf);
	mutex_lock(&instance->lock);
	for_each_possible_cpu(cpu) {
		if (instance->closing)
			break;
		if (rbmap_buffer_cpu_missing(buf, cpu) &&
		    !rbmap_instance_add_cpu(instance, cpu) &&
		    rbmap_buffer_has_ring(buf, cpu))
			rbmap_buffer_set_missing(buf, cpu, false);
	}
	if (!instance->closing && rbmap_buffer_markers_missing(buf) &&
	    !rbmap_devices_add_markers(&instance->devices))
		rbmap_buffer_set_markers_missing(buf, false);
	mutex_unlock(&instance->lock);
}

/* No files of CPUs are created from here on. */
static void rbmap_instance_close(struct rbmap_instance *instance)
{
	mutex_lock(&instance->lock);
	instance->closing = true;
	mutex_unlock(&instance->lock);
}

/*
 * Does nothing, but must exist.  When CPU hotplug rolls back a failed step, it skips
 * a state without a teardown callback.  The next state then finds the instance still
 * in its place, and the kernel warns.
 */
static int rbmap_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	return 0;
}

/* A buffer that ends with a process is that process's alone. */
static bool rbmap_instance_is_shared(const struct rbmap_control *control)
{
	const struct rbmap_instance *instance =
		container_of(control, struct rbmap_instance, control);

	return !instance->keeper && rbmap_devices_shared(instance->name);
}

static int rbmap_instance_show(struct rbmap_instance *instance,
			       struct kobject *parent)
{
	int err;

	instance->devices.is_private = instance->keeper;
	err = rbmap_devices_init(&instance->devices, instance->name,
				 instance->buffer);
	if (err)
		return err;
	instance->control.buffer = instance->buffer;
	instance->control.events = instance->events;
	instance->control.owner = instance->owner;
	instance->control.keeper_pid = instance->keeper_pid;
	instance->control.copies_marker = &instance->devices.marker.copies;
	instance->control.is_shared = rbmap_instance_is_shared;
	err = rbmap_control_init(&instance->control,
				 parent == kernel_kobj ? "rbmap" :
							 instance->name,
				 parent);
	if (err)
		goto err_devices_exit;
	err = cpuhp_state_add_instance(rbmap_online_state, &instance->hotplug);
	if (err)
		goto err_control_exit;
	/* A CPU may come up without files.  A new buffer fails instead. */
	err = rbmap_buffer_any_missing(instance->buffer) ? -ENOMEM : 0;
	if (err)
		goto err_remove_hotplug;
	err = rbmap_devices_add_root(&instance->devices);
	if (err)
		goto err_remove_hotplug;
	if (instance->events)
		rbmap_marker_begin(&instance->devices.marker,
				   rbmap_event_set_find(instance->events,
							&rbmap_marker_event),
				   rbmap_event_set_find(instance->events,
							&rbmap_marker_raw_event));
	return 0;

err_remove_hotplug:
	cpuhp_state_remove_instance_nocalls(rbmap_online_state,
					    &instance->hotplug);
err_control_exit:
	rbmap_instance_close(instance);
	rbmap_control_exit(&instance->control);
err_devices_exit:
	rbmap_devices_exit(&instance->devices);
	return err;
}

/* The buffer can be opened from rbmap_instance_offer() on. */
static struct rbmap_instance *
rbmap_instance_create(const char *name, struct kobject *parent,
		      const struct rbmap_buffer_config *config,
		      const char *owner, const struct file *keeper)
{
	struct rbmap_instance *instance;
	int err = -ENOMEM;

	instance = kzalloc(sizeof(*instance), GFP_KERNEL);
	if (!instance)
		return ERR_PTR(-ENOMEM);
	strscpy(instance->name, name, sizeof(instance->name));
	strscpy(instance->owner, owner, sizeof(instance->owner));
	instance->keeper = keeper;
	if (keeper)
		instance->keeper_pid = get_pid(task_tgid(current));
	mutex_init(&instance->lock);
	INIT_WORK(&instance->retry_work, rbmap_instance_add_missing);
	/* A named buffer is made for a use.  The default one is there in any case. */
	instance->buffer = rbmap_buffer_alloc(config, *name);
	if (IS_ERR(instance->buffer)) {
		err = PTR_ERR(instance->buffer);
		goto err_free_instance;
	}
	rbmap_buffer_set_retry_work(instance->buffer, &instance->retry_work);
	if (!config->raw) {
		instance->events = rbmap_event_set_create(instance->buffer);
		if (!instance->events)
			goto err_free_buffer;
	}
	err = rbmap_instance_show(instance, parent);
	if (err)
		goto err_destroy_events;
	return instance;

err_destroy_events:
	if (instance->events) {
		/* The control files were there: somebody may have chosen pids to follow. */
		rbmap_event_set_stop(instance->events);
		rbmap_release_settle();
		rbmap_event_set_destroy(instance->events);
	}
err_free_buffer:
	cancel_work_sync(&instance->retry_work);
	rbmap_buffer_free(instance->buffer);
err_free_instance:
	put_pid(instance->keeper_pid);
	kfree(instance);
	return ERR_PTR(err);
}

/*
 * Let the buffer be opened.  The markers are created last: a program that waits for them
 * finds all other files, and can open each of them.  On failure the buffer has no markers,
 * and may have open files.
 */
static int rbmap_instance_offer(struct rbmap_instance *instance)
{
	int err = 0;

	rbmap_buffer_offer(instance->buffer);
	mutex_lock(&instance->lock);
	if (instance->events)
		err = rbmap_devices_add_markers(&instance->devices);
	mutex_unlock(&instance->lock);
	return err;
}

/*
 * Begin to end a buffer.  The buffer cannot be opened any more, and open files keep what
 * they read.  rbmap_release_settle() must follow, for any number of buffers: it also
 * waits for a grace period.
 */
static void rbmap_instance_hide(struct rbmap_instance *instance)
{
	cpuhp_state_remove_instance_nocalls(rbmap_online_state,
					    &instance->hotplug);
	rbmap_instance_close(instance);
	rbmap_devices_exit(&instance->devices);
	rbmap_control_exit(&instance->control);
	if (instance->events)
		rbmap_event_set_stop(instance->events);
	rbmap_buffer_stop(instance->buffer);
}

static void rbmap_instance_free(void *data)
{
	struct rbmap_instance *instance = data;

	/* Nobody can schedule the work any more. */
	cancel_work_sync(&instance->retry_work);
	rbmap_buffer_free(instance->buffer);
	put_pid(instance->keeper_pid);
	kfree(instance);
}

/* Hide a buffer, whose files may be open, and put it into a list of those that end. */
static void rbmap_instance_hide_in(struct rbmap_instance *instance,
				   struct list_head *ended)
{
	lockdep_assert_held(&rbmap_instances_lock);
	rbmap_instance_hide(instance);
	list_move_tail(&instance->list, ended);
}

/* Remove the events of a hidden buffer's module from all other buffers. */
static void rbmap_instances_remove_types(struct list_head *ended)
{
	struct rbmap_instance *instance;

	list_for_each_entry(instance, ended, list) {
		if (instance->own_types)
			rbmap_events_unregister(instance->own_types);
	}
}

/*
 * End hidden buffers, with one wait for all of them.  A buffer with open files is freed
 * with the last one.
 */
static void rbmap_instances_end(struct list_head *ended)
{
	struct rbmap_instance *instance, *next;

	if (list_empty(ended))
		return;
	rbmap_instances_remove_types(ended);
	rbmap_release_settle();
	list_for_each_entry_safe(instance, next, ended, list) {
		struct rbmap_buffer *buf = instance->buffer;

		if (instance->events)
			rbmap_event_set_destroy(instance->events);
		rbmap_buffer_end(buf);
		rbmap_buffer_abandon(buf, rbmap_instance_free, instance);
		cond_resched();
	}
}

/*
 * Make the events of the buffer's module, and record them.  The buffer's name is that of
 * their system, so they are removed before the instance is freed.
 */
static int rbmap_instance_add_types(struct rbmap_instance *instance,
				    struct rbmap_event_type *const *types)
{
	unsigned int i;
	int err;

	if (!types)
		return 0;
	err = rbmap_events_register(instance->name, types);
	if (err)
		return err;
	instance->own_types = types;
	for (i = 0; types[i] && !err; i++)
		err = rbmap_event_enable(rbmap_event_set_find(instance->events, types[i]),
					 true);
	return err;
}

static struct rbmap_instance *rbmap_instance_find(const char *name)
{
	struct rbmap_instance *instance;

	lockdep_assert_held(&rbmap_instances_lock);
	list_for_each_entry(instance, &rbmap_instances, list) {
		if (!strcmp(instance->name, name))
			return instance;
	}
	return NULL;
}

static struct rbmap_buffer *
rbmap_create(const char *name, const struct rbmap_buffer_config *config,
	     const char *owner, const struct file *keeper)
{
	struct rbmap_instance *instance;
	struct rbmap_buffer *buf;
	LIST_HEAD(ended);
	int err;

	if (mutex_lock_killable(&rbmap_instances_lock))
		return ERR_PTR(-EINTR);
	if (rbmap_instance_find(name)) {
		rbmap_warn("create: there is a buffer %s already\n", name);
		buf = ERR_PTR(-EEXIST);
		goto out;
	}
	instance = rbmap_instance_create(name, rbmap_instances_dir, config,
					 owner, keeper);
	if (IS_ERR(instance)) {
		buf = ERR_CAST(instance);
		goto out;
	}
	list_add_tail(&instance->list, &rbmap_instances);
	buf = instance->buffer;
	err = rbmap_instance_add_types(instance, config->events) ?:
	      rbmap_instance_offer(instance);
	if (err) {
		rbmap_instance_hide_in(instance, &ended);
		buf = ERR_PTR(err);
	}
out:
	mutex_unlock(&rbmap_instances_lock);
	rbmap_instances_end(&ended);
	return buf;
}

static int rbmap_create_as(const char *name, const struct rbmap_buffer_config *config,
			   const struct file *keeper)
{
	return PTR_ERR_OR_ZERO(rbmap_create(name, config, "", keeper));
}

static int rbmap_destroy(const char *name)
{
	struct rbmap_instance *instance;
	LIST_HEAD(ended);
	int err = 0;

	if (mutex_lock_killable(&rbmap_instances_lock))
		return -EINTR;
	instance = rbmap_instance_find(name);
	if (!instance) {
		rbmap_warn("destroy: there is no buffer %s\n", name);
		err = -ENOENT;
	} else if (*instance->owner) {
		rbmap_warn("destroy: %s belongs to the module %s: remove both with rmmod %s\n",
			   name, instance->owner, instance->owner);
		err = -EPERM;
	} else if (instance->keeper) {
		rbmap_warn("destroy: %s belongs to a process: it goes when process %d ends\n",
			   name, pid_vnr(instance->keeper_pid));
		err = -EPERM;
	} else if (!rbmap_buffer_withdraw(instance->buffer)) {
		rbmap_warn("destroy: %s is in use: close and unmap all files of /dev/rbmap/%s first\n",
			   name, name);
		err = -EBUSY;
	} else {
		rbmap_instance_hide_in(instance, &ended);
	}
	mutex_unlock(&rbmap_instances_lock);
	rbmap_instances_end(&ended);
	return err;
}

static int rbmap_config_check(const struct rbmap_buffer_config *config)
{
	if (config->mode != RBMAP_MODE_OVERWRITE &&
	    config->mode != RBMAP_MODE_DISCARD) {
		rbmap_err("invalid mode %d: use %d (overwrite) or %d (discard)\n",
			  config->mode, RBMAP_MODE_OVERWRITE,
			  RBMAP_MODE_DISCARD);
		return -EINVAL;
	}
	if (!rbmap_clock_available(config->clock)) {
		rbmap_err("clock %d is not available on this machine: use %d (local)\n",
			  config->clock, RBMAP_CLOCK_LOCAL);
		return -EINVAL;
	}
	if (config->raw && config->events) {
		rbmap_err("a raw buffer has no events: leave out one of both\n");
		return -EINVAL;
	}
	return 0;
}

struct rbmap_buffer *
rbmap_buffer_create_for(struct module *owner, const char *name,
			const struct rbmap_buffer_config *config)
{
	struct rbmap_buffer_config whole = *config;
	int err;

	whole.size_kb = config->size_kb ?: rbmap_default_config.size_kb;
	whole.subbuf_size_kb = config->subbuf_size_kb ?:
			       rbmap_default_config.subbuf_size_kb;
	err = rbmap_control_name(__rbmap_default_buffer(), "rbmap_buffer_create", name);
	if (!err)
		err = rbmap_config_check(config);
	if (err)
		return ERR_PTR(err);
	/*
	 * Code that is built into the kernel has no module, and so no module name.
	 */
	return rbmap_create(name, &whole, owner ? module_name(owner) : "?",
			    NULL);
}
EXPORT_SYMBOL_GPL(rbmap_buffer_create_for);

void rbmap_buffer_destroy(struct rbmap_buffer *buf)
{
	struct rbmap_instance *instance, *found = NULL;
	LIST_HEAD(ended);

	if (IS_ERR_OR_NULL(buf))
		return;
	mutex_lock(&rbmap_instances_lock);
	list_for_each_entry(instance, &rbmap_instances, list) {
		if (instance->buffer == buf && *instance->owner)
			found = instance;
	}
	if (!WARN_ON(!found))
		rbmap_instance_hide_in(found, &ended);
	mutex_unlock(&rbmap_instances_lock);
	rbmap_instances_end(&ended);
}
EXPORT_SYMBOL_GPL(rbmap_buffer_destroy);

struct rbmap_buffer *rbmap_buffer_find(const char *name)
{
	struct rbmap_instance *instance;

	mutex_lock(&rbmap_instances_lock);
	instance = *name ? rbmap_instance_find(name) : rbmap_default;
	if (instance && !rbmap_buffer_get(instance->buffer))
		instance = NULL;
	mutex_unlock(&rbmap_instances_lock);
	if (!instance)
		return NULL;
	rbmap_buffer_expand_for_module(instance->buffer);
	return instance->buffer;
}
EXPORT_SYMBOL_GPL(rbmap_buffer_find);

/* Hide one of the buffers of a file.  Return whether there was one. */
static bool rbmap_instance_hide_kept(const struct file *keeper,
				     struct list_head *ended)
{
	struct rbmap_instance *instance;

	lockdep_assert_held(&rbmap_instances_lock);
	list_for_each_entry(instance, &rbmap_instances, list) {
		if (instance->keeper == keeper) {
			rbmap_instance_hide_in(instance, ended);
			return true;
		}
	}
	return false;
}

/**
 * rbmap_instances_end_with - end the buffers of a file that is closed
 * @keeper: the file
 *
 * The lock is released after each buffer, so that others need not wait for all of them.
 *
 * Context: sleeps.
 */
void rbmap_instances_end_with(const struct file *keeper)
{
	LIST_HEAD(ended);
	bool more;

	do {
		mutex_lock(&rbmap_instances_lock);
		more = rbmap_instance_hide_kept(keeper, &ended);
		mutex_unlock(&rbmap_instances_lock);
		cond_resched();
	} while (more);
	rbmap_instances_end(&ended);
}

/**
 * rbmap_instance_mkdir - create a named buffer with the settings of the module
 * @name: its name
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_instance_mkdir(const char *name)
{
	int err = rbmap_locked_down();

	if (err)	/* step: locked_down */
		return err;
	err = rbmap_control_name(__rbmap_default_buffer(), "mkdir", name);
	return err ?: rbmap_create_as(name, &rbmap_default_config, NULL);
}

/**
 * rbmap_instance_rmdir - destroy a named buffer
 * @name: its name
 *
 * Context: may sleep.
 * Return: 0 or a negative error; -EBUSY if a file of the buffer is open or mapped.
 */
int rbmap_instance_rmdir(const char *name)
{
	return rbmap_locked_down() ?: rbmap_destroy(name);
}

static const struct rbmap_control_instances_ops rbmap_instances_ops = {
	.config		= &rbmap_default_config,
	.create		= rbmap_create_as,
	.destroy	= rbmap_destroy,
};

/**
 * rbmap_instances_init - create the default buffer, and the files that create others
 * @config: settings of the default buffer, and defaults for others
 *
 * Context: may sleep.
 * Return: 0, or a negative error after which nothing remains.
 */
int rbmap_instances_init(const struct rbmap_buffer_config *config)
{
	LIST_HEAD(ended);
	int err;

	rbmap_default_config = *config;
	err = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "rbmap:online",
				      rbmap_cpu_online, rbmap_cpu_offline);
	if (err < 0)
		return err;
	rbmap_online_state = err;
	rbmap_default = rbmap_instance_create("", kernel_kobj, config, "", NULL);
	if (IS_ERR(rbmap_default)) {
		err = PTR_ERR(rbmap_default);
		goto err_remove_state;
	}
	err = -ENOMEM;
	rbmap_instances_dir = rbmap_dir_create("instances",
					       rbmap_default->control.dir,
					       NULL, rbmap_default->buffer);
	if (!rbmap_instances_dir)
		goto err_destroy_instance;
	err = rbmap_control_instances_init(rbmap_instances_dir, &rbmap_instances_ops);
	if (err)
		goto err_remove_dir;
	return 0;

err_remove_dir:
	rbmap_dir_remove(rbmap_instances_dir);
err_destroy_instance:
	rbmap_instance_hide(rbmap_default);
	list_add(&rbmap_default->list, &ended);
	rbmap_instances_end(&ended);
err_remove_state:
	cpuhp_remove_multi_state(rbmap_online_state);
	return err;
}

/**
 * rbmap_instances_offer - let the default buffer be opened
 *
 * This cannot fail, because the module of a failed load would be freed below its open
 * files.  Without memory for the markers, the buffer comes without them.
 *
 * Context: may sleep; after rbmap_chrdevs_offer().
 */
void rbmap_instances_offer(void)
{
	int err = rbmap_instance_offer(rbmap_default);

	if (!err)
		return;
	rbmap_buffer_set_markers_missing(rbmap_default->buffer, true);
	rbmap_err("cannot create /dev/rbmap/marker: error %d: any write to a file of /sys/kernel/rbmap tries again\n",
		  err);
}

/**
 * rbmap_instances_exit - destroy all buffers, of which no file is open
 *
 * Context: sleeps.
 */
void rbmap_instances_exit(void)
{
	struct rbmap_instance *instance, *next;
	LIST_HEAD(ended);

	rbmap_control_instances_exit(rbmap_instances_dir);
	mutex_lock(&rbmap_instances_lock);
	list_for_each_entry_safe(instance, next, &rbmap_instances, list)
		rbmap_instance_hide_in(instance, &ended);
	mutex_unlock(&rbmap_instances_lock);
	rbmap_dir_remove(rbmap_instances_dir);
	rbmap_instance_hide(rbmap_default);
	list_add_tail(&rbmap_default->list, &ended);
	rbmap_instances_end(&ended);
	cpuhp_remove_multi_state(rbmap_online_state);
}

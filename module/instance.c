// SPDX-License-Identifier: GPL-2.0-only
/* A buffer and all that shows it: rings, events, control files and devices. */
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "control.h"
#include "device.h"
#include "event.h"
#include "instance.h"
#include "marker.h"

/**
 * struct rbmap_instance - a buffer and all that shows it
 * @hotplug: in rbmap_online_state
 * @buffer: its rings
 * @events: its events
 * @control: its files in /sys
 * @devices: its files in /dev
 */
struct rbmap_instance {
	struct hlist_node	hotplug;
	struct rbmap_buffer	*buffer;
	struct rbmap_event_set	*events;
	struct rbmap_control	control;
	struct rbmap_devices	devices;
};

static struct rbmap_instance *rbmap_default;
static enum cpuhp_state rbmap_online_state;

struct rbmap_buffer *rbmap_default_buffer(void)
{
	return rbmap_default->buffer;
}
EXPORT_SYMBOL_GPL(rbmap_default_buffer);

/* A CPU that has come on line once keeps its device and its files. */
static int rbmap_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct rbmap_instance *instance =
		hlist_entry(node, struct rbmap_instance, hotplug);
	int err = rbmap_devices_add_cpu(&instance->devices, cpu);

	return err ? err : rbmap_control_add_cpu(&instance->control, cpu);
}

static int rbmap_instance_show(struct rbmap_instance *instance)
{
	int err;

	instance->control.buffer = instance->buffer;
	instance->control.events = instance->events;
	err = rbmap_control_init(&instance->control, "rbmap", kernel_kobj);
	if (err)
		return err;
	err = rbmap_devices_init(&instance->devices, "", instance->buffer);
	if (err)
		goto control;
	err = cpuhp_state_add_instance(rbmap_online_state, &instance->hotplug);
	if (err)
		goto devices;
	/* The last one that comes: what waits for it finds all others. */
	err = rbmap_devices_add_marker(&instance->devices,
				rbmap_event_set_find(instance->events,
						     &rbmap_marker_event));
	if (!err)
		return 0;

	cpuhp_state_remove_instance_nocalls(rbmap_online_state,
					    &instance->hotplug);
devices:
	rbmap_devices_exit(&instance->devices);
control:
	rbmap_control_exit(&instance->control);
	return err;
}

/* To be opened from rbmap_buffer_offer() on. */
static struct rbmap_instance *
rbmap_instance_create(const struct rbmap_buffer_config *config)
{
	struct rbmap_instance *instance;
	int err = -ENOMEM;

	instance = kzalloc(sizeof(*instance), GFP_KERNEL);
	if (!instance)
		return ERR_PTR(-ENOMEM);
	instance->buffer = rbmap_buffer_create(config);
	if (IS_ERR(instance->buffer)) {
		err = PTR_ERR(instance->buffer);
		goto instance;
	}
	instance->events = rbmap_event_set_create(instance->buffer);
	if (!instance->events)
		goto buffer;
	err = rbmap_instance_show(instance);
	if (err)
		goto events;
	return instance;

events:
	rbmap_event_set_destroy(instance->events);
buffer:
	rbmap_buffer_destroy(instance->buffer);
instance:
	kfree(instance);
	return ERR_PTR(err);
}

/* Nobody has it open or can open it. */
static void rbmap_instance_destroy(struct rbmap_instance *instance)
{
	cpuhp_state_remove_instance_nocalls(rbmap_online_state,
					    &instance->hotplug);
	rbmap_devices_exit(&instance->devices);
	rbmap_control_exit(&instance->control);
	rbmap_event_set_destroy(instance->events);
	rbmap_buffer_destroy(instance->buffer);
	kfree(instance);
}

/**
 * rbmap_instances_init - make the default buffer
 * @config: of it
 *
 * Context: may sleep.
 * Return: 0 or a negative error; then all is undone.
 */
int rbmap_instances_init(const struct rbmap_buffer_config *config)
{
	int err;

	err = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "rbmap:online",
				      rbmap_cpu_online, NULL);
	if (err < 0)
		return err;
	rbmap_online_state = err;
	rbmap_default = rbmap_instance_create(config);
	if (IS_ERR(rbmap_default)) {
		err = PTR_ERR(rbmap_default);
		goto state;
	}
	rbmap_buffer_offer(rbmap_default->buffer);
	return 0;

state:
	cpuhp_remove_multi_state(rbmap_online_state);
	return err;
}

/**
 * rbmap_instances_exit - destroy all buffers; no file is open
 *
 * Context: sleeps.
 */
void rbmap_instances_exit(void)
{
	rbmap_instance_destroy(rbmap_default);
	cpuhp_remove_multi_state(rbmap_online_state);
}

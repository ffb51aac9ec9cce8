// SPDX-License-Identifier: GPL-2.0-only
/* Load and unload: put the parts together, and take them apart. */
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/module.h>

#include "access.h"
#include "buffer.h"
#include "control.h"
#include "device.h"
#include "event.h"
#include "marker.h"

static unsigned long buffer_size_kb = 1408;
module_param(buffer_size_kb, ulong, 0444);
MODULE_PARM_DESC(buffer_size_kb, "KiB of ring per CPU, rounded up to whole sub-buffers (default 1408)");

static unsigned long subbuf_size_kb = 4;
module_param(subbuf_size_kb, ulong, 0444);
MODULE_PARM_DESC(subbuf_size_kb, "KiB of a sub-buffer, a power of two, 4 to 4096 (default 4)");

static bool overwrite = true;
module_param(overwrite, bool, 0444);
MODULE_PARM_DESC(overwrite, "when a ring is full: 1 overwrites the oldest events, 0 drops new ones (default 1)");

static struct rbmap_buffer *rbmap_buffer;
static enum cpuhp_state rbmap_online_state;

struct rbmap_buffer *rbmap_default_buffer(void)
{
	return rbmap_buffer;
}
EXPORT_SYMBOL_GPL(rbmap_default_buffer);

/* A CPU that has come on line once keeps its device and its files. */
static int rbmap_cpu_online(unsigned int cpu)
{
	int err = rbmap_device_add_cpu(cpu);

	return err ? err : rbmap_control_add_cpu(cpu);
}

static int __init rbmap_init(void)
{
	const struct rbmap_buffer_config config = {
		.size_kb	= buffer_size_kb,
		.subbuf_size_kb	= subbuf_size_kb,
		.mode		= overwrite ? RBMAP_MODE_OVERWRITE :
					      RBMAP_MODE_DISCARD,
	};
	struct rbmap_sizes sizes;
	int err;

	rbmap_access_init();
	err = rbmap_buffers_init();
	if (err)
		return err;
	rbmap_buffer = rbmap_buffer_create(&config);
	if (IS_ERR(rbmap_buffer)) {
		err = PTR_ERR(rbmap_buffer);
		goto buffers;
	}
	/* The parameters show what there is. */
	rbmap_buffer_sizes(rbmap_buffer, RBMAP_ALL_CPUS, &sizes);
	buffer_size_kb = rbmap_sizes_kb(&sizes);

	err = rbmap_events_init(rbmap_buffer);
	if (err)
		goto buffer;
	err = rbmap_control_init(rbmap_buffer);
	if (err)
		goto events;
	err = rbmap_device_init(rbmap_buffer);
	if (err)
		goto control;
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "rbmap:online",
				rbmap_cpu_online, NULL);
	if (err < 0)
		goto device;
	rbmap_online_state = err;
	err = rbmap_marker_init(rbmap_buffer);
	if (err)
		goto online;
	return 0;

online:
	cpuhp_remove_state_nocalls(rbmap_online_state);
device:
	rbmap_device_exit();
control:
	rbmap_control_exit();
events:
	rbmap_events_exit();
buffer:
	rbmap_buffer_destroy(rbmap_buffer);
buffers:
	rbmap_buffers_exit();
	return err;
}

static void __exit rbmap_exit(void)
{
	rbmap_marker_exit();
	cpuhp_remove_state_nocalls(rbmap_online_state);
	rbmap_device_exit();
	rbmap_control_exit();
	rbmap_events_exit();
	rbmap_buffer_destroy(rbmap_buffer);
	rbmap_buffers_exit();
}

module_init(rbmap_init);
module_exit(rbmap_exit);

MODULE_DESCRIPTION("Mappable per-CPU ring buffer of trace events");
MODULE_LICENSE("GPL");
MODULE_VERSION(RBMAP_VERSION);

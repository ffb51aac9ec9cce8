// SPDX-License-Identifier: GPL-2.0-only
/* Load and unload the module: set up all parts, and tear them down. */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "buffer/buffer.h"
#include "buffer/resize.h"
#include "control/control.h"
#include "control/files.h"
#include "control_device.h"
#include "device/chrdev.h"
#include "device/files.h"
#include "device/marker.h"
#include "event/event.h"
#include "event/registry.h"
#include "event/self_cost.h"
#include "instance.h"
#include "lib/access.h"
#include "lib/local_clock.h"
#include "probes/probes.h"
#include "source/foreign_event.h"
#include "source/kernel_event.h"
#include "source/syscall_event.h"
#include "source/tracepoint.h"
#include "tracefs/tracefs.h"

static unsigned long buffer_size_kb = 1408;
module_param(buffer_size_kb, ulong, 0444);
MODULE_PARM_DESC(buffer_size_kb, "KiB of ring per CPU, rounded up to whole sub-buffers (default 1408)");

static unsigned long subbuf_size_kb;
module_param(subbuf_size_kb, ulong, 0444);
MODULE_PARM_DESC(subbuf_size_kb, "KiB of a sub-buffer, a power of two, 4 to 4096, a page or more; 0: determined by buffer_size_kb (default 0)");

static bool overwrite = true;
module_param(overwrite, bool, 0444);
MODULE_PARM_DESC(overwrite, "when a ring is full: 1 overwrites the oldest events, 0 drops new ones (default 1)");

static unsigned long retired_size_kb = 16384;
module_param(retired_size_kb, ulong, 0444);
MODULE_PARM_DESC(retired_size_kb, "KiB of a CPU's replaced rings that may wait to be read (default 16384)");

static const struct rbmap_tracefs_ops rbmap_main_tracefs_ops = {
	.create		= rbmap_instance_mkdir,
	.destroy	= rbmap_instance_rmdir,
};

/*
 * Wait for callers of the file system that it has refused.  Each has a reference until it
 * has left the module's code, and init has one.  Without CONFIG_MODULE_UNLOAD the kernel
 * counts no references.
 */
static void rbmap_wait_refused(void)
{
#ifdef CONFIG_MODULE_UNLOAD
	while (module_refcount(THIS_MODULE) > 1)
		usleep_range(1000, 2000);
#endif
}

/*
 * The kernel frees the module of a failed load, even if files hold references to it.  So all
 * that can fail comes first, and nothing can be opened or mounted before it has succeeded.
 */
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
	err = rbmap_local_clock_init();
	if (err)
		return err;
	err = rbmap_self_cost_init();
	if (err)
		goto err_local_clock_exit;
	err = rbmap_tracepoints_init();
	if (err)
		goto err_self_cost_exit;
	err = rbmap_event_register(&rbmap_marker_event);
	if (!err)
		err = rbmap_event_register(&rbmap_marker_raw_event);
	if (!err)
		err = rbmap_probes_register();
	if (err)
		goto err_events_exit;
	err = rbmap_buffers_init(retired_size_kb);
	if (err)
		goto err_events_exit;
	err = rbmap_chrdevs_init();
	if (err)
		goto err_buffers_exit;
	err = rbmap_instances_init(&config);
	if (err)
		goto err_chrdevs_exit;
	err = rbmap_control_device_init();
	if (err)
		goto err_instances_exit;
	err = rbmap_cmdlines_init(__rbmap_default_buffer());
	if (err)
		goto err_control_device_exit;
	err = rbmap_tracefs_init(&rbmap_main_tracefs_ops);
	if (err)
		goto err_cmdlines_exit;
	err = rbmap_chrdevs_offer();
	if (err)
		goto err_tracefs_exit;
	/* Nothing fails from here on. */
	/* The parameters show the real sizes. */
	rbmap_buffer_sizes(__rbmap_default_buffer(), RBMAP_ALL_CPUS, &sizes);
	buffer_size_kb = rbmap_sizes_kb(&sizes);
	subbuf_size_kb = sizes.subbuf_size >> 10;
	rbmap_tracefs_offer();
	rbmap_instances_offer();
	return 0;

err_tracefs_exit:
	rbmap_tracefs_exit();
	rbmap_wait_refused();
err_cmdlines_exit:
	rbmap_cmdlines_exit();
err_control_device_exit:
	rbmap_control_device_exit();
err_instances_exit:
	rbmap_instances_exit();
err_chrdevs_exit:
	rbmap_chrdevs_exit();
err_buffers_exit:
	rbmap_buffers_exit();
err_events_exit:
	rbmap_control_dynamic_exit();
	rbmap_foreign_events_exit();
	rbmap_syscall_events_exit();
	rbmap_kernel_events_exit();
	rbmap_tracepoints_exit();
	rbmap_events_exit();
err_self_cost_exit:
	rbmap_self_cost_exit();
err_local_clock_exit:
	rbmap_local_clock_exit();
	return err;
}

static void __exit rbmap_exit(void)
{
	rbmap_tracefs_exit();
	rbmap_chrdevs_withdraw();
	rbmap_cmdlines_exit();
	rbmap_control_device_exit();
	rbmap_instances_exit();
	rbmap_chrdevs_exit();
	rbmap_buffers_exit();
	rbmap_control_dynamic_exit();
	rbmap_foreign_events_exit();
	rbmap_syscall_events_exit();
	rbmap_kernel_events_exit();
	rbmap_tracepoints_exit();
	rbmap_events_exit();
	rbmap_self_cost_exit();
	rbmap_local_clock_exit();
}

module_init(rbmap_init);
module_exit(rbmap_exit);

MODULE_AUTHOR("The rbmap developers");
MODULE_DESCRIPTION("Mappable per-CPU ring buffer of trace events");
MODULE_LICENSE("GPL");
MODULE_VERSION(RBMAP_VERSION);

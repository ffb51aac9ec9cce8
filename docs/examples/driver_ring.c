// SPDX-License-Identifier: MIT
/* A driver's private ring: what it did last, in /dev/rbmap/driver_ring/cpuN. */
#include <linux/err.h>
#include <linux/module.h>
#include <rbmap/probe.h>

/* The events, in the driver's own words. */
RBMAP_DRIVER_EVENT(request,
	TP_PROTO(u32 sector, u32 bytes),
	TP_ARGS(sector, bytes),
	TP_STRUCT__entry(
		__field(u32, sector)
		__field(u32, bytes)),
	TP_fast_assign(
		__entry->sector = sector;
		__entry->bytes = bytes;),
	TP_printk("%u bytes at sector %u", __entry->bytes, __entry->sector));

RBMAP_DRIVER_EVENT(reset,
	TP_PROTO(const char *reason),
	TP_ARGS(reason),
	TP_STRUCT__entry(
		__string(reason, reason)),
	TP_fast_assign(
		__assign_str(reason);),
	TP_printk("reset: %s", __get_str(reason)));

RBMAP_PROBE_TABLE(driver_events, request, reset);

static struct rbmap_buffer *ring;

static int sector = 42;

/* Writing to /sys/module/driver_ring/parameters/sector makes a request. */
static int sector_set(const char *value, const struct kernel_param *param)
{
	int err = param_set_int(value, param);

	if (!err && !IS_ERR_OR_NULL(ring))
		rbmap_trace_request(sector, 512);
	return err;
}

static const struct kernel_param_ops sector_ops = {
	.set = sector_set,
	.get = param_get_int,
};
module_param_cb(sector, &sector_ops, &sector, 0644);
MODULE_PARM_DESC(sector, "sector of the latest request");

static int __init driver_ring_init(void)
{
	const struct rbmap_buffer_config config = {
		.size_kb = 64, .events = driver_events,
	};

	ring = rbmap_buffer_create("driver_ring", &config);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	rbmap_trace_reset("the driver was loaded");
	rbmap_trace_request(sector, 4096);
	return 0;
}

static void __exit driver_ring_exit(void)
{
	rbmap_buffer_destroy(ring);
}

module_init(driver_ring_init);
module_exit(driver_ring_exit);
MODULE_DESCRIPTION("Example of a driver with a ring of its own");
MODULE_LICENSE("Dual MIT/GPL");

// SPDX-License-Identifier: MIT
/* A driver's private ring: what it did last, in /dev/rbmap/driver_ring/cpuN. */
#include <linux/err.h>
#include <linux/module.h>
#include <rbmap/buffer.h>

static struct rbmap_buffer *ring;

struct request {
	u32	sector;
	u32	bytes;
};

/* From any context, NMI included. */
static void note_request(u32 sector, u32 bytes)
{
	struct rbmap_reservation r rbmap_uninitialized;
	struct request *note = rbmap_reserve(ring, &r, sizeof(*note));

	if (note) {
		*note = (struct request){ sector, bytes };
		rbmap_commit(&r);
	}
}

static int __init driver_ring_init(void)
{
	const struct rbmap_buffer_config config = { .size_kb = 64, .raw = true };

	ring = rbmap_buffer_create("driver_ring", &config);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	note_request(42, 4096);
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

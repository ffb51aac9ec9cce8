// SPDX-License-Identifier: MIT
/* Print the events of one CPU as they come: reader [DEVICE] */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <linux/rbmap.h>

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "/dev/rbmap/cpu0";
	struct pollfd ring = { open(path, O_RDONLY | O_NONBLOCK), POLLIN, 0 };
	const struct rbmap_meta *meta = mmap(NULL, 4096, PROT_READ, MAP_SHARED,
					     ring.fd, 0);
	unsigned int id = -1, at = 0;
	const char *data;
	__u64 time = 0;

	if (meta == MAP_FAILED)
		goto failed;
	data = mmap(NULL, (size_t)meta->nr_subbufs * meta->subbuf_size,
		    PROT_READ, MAP_SHARED, ring.fd, meta->meta_page_size);
	if (data == MAP_FAILED)
		goto failed;
	setlinebuf(stdout);

	while (!ioctl(ring.fd, RBMAP_IOCTL_GET_READER)) {
		const struct rbmap_subbuf_header *subbuf = (const void *)
			(data + (size_t)meta->reader.id * meta->subbuf_size);
		unsigned int end = __atomic_load_n(&subbuf->commit,
				__ATOMIC_ACQUIRE) & RBMAP_COMMIT_MASK;

		if (id != meta->reader.id) {
			id = meta->reader.id;
			at = 0;
			time = subbuf->time_stamp;
			if (meta->reader.lost_events)
				printf("lost %llu\n", meta->reader.lost_events);
		} else if (at >= end) {
			poll(&ring, 1, 100);	/* filled, or 0.1 s later */
		}
		while (at < end) {
			const __u32 *e = (const __u32 *)(subbuf + 1) + at / 4;
			__u32 type = *e & 31, delta = *e >> 5, size = 4 * type;

			if (type == RBMAP_TYPE_TIME_STAMP)
				time = time >> 59 << 59;
			if (type > RBMAP_TYPE_PADDING) {
				time += (__u64)e[1] << RBMAP_TS_SHIFT;
				size = 4;
			} else if (type == RBMAP_TYPE_PADDING) {
				size = delta ? e[1] : end - at;
			} else if (type == 0) {
				size = e++[1];	/* its own word included */
			}
			at += 4 + size;
			time += delta;
			if (type < RBMAP_TYPE_PADDING)
				printf("%llu cpu%u type %u size %u\n", time,
				       meta->cpu, (__u16)e[1],
				       type ? size : size - 4);
		}
	}
failed:
	perror(path);
	return 1;
}

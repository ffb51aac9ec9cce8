// SPDX-License-Identifier: GPL-2.0-only
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device_watch.h"

#define GROUP_KERNEL	1	/* udev's own messages have another group */

int device_watch_open(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = GROUP_KERNEL };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || !bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

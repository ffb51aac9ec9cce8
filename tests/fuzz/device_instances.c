// SPDX-License-Identifier: GPL-2.0-only
/*
 * Create and destroy named buffers while their files are open, also in the file system
 * rbmap.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/rbmap.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"

#define INSTANCES	"/sys/kernel/rbmap/instances/"
#define NR_INSTANCES	3

static void random_instance(char *text, size_t size)
{
	int len = snprintf(text, size, "fuzz%u buffer_size_kb=%u",
			   pick(NR_INSTANCES), 8U << pick(6));

	if (pick(2))
		snprintf(text + len, size - len,
			 " subbuf_size_kb=%u overwrite=%u clock=%s",
			 4U << pick(4), pick(2), pick(2) ? "mono" : "local");
}

bool do_instance_create(void)
{
	char text[128];

	random_instance(text, sizeof(text));
	return write_file(INSTANCES "create", text);
}

/* Ask for symbols, of addresses that are there or not, with room for their text or not. */
static void ask_symbols(int fd)
{
	static char text[4096];
	uint64_t addresses[64];
	struct rbmap_symbols symbols = {
		.addresses = pick(8) ? (uintptr_t)addresses : next_random(),
		.text = pick(8) ? (uintptr_t)text : next_random(),
		.nr = pick(8) ? pick(64) : (uint32_t)next_random(),
		.size = pick(sizeof(text)),
	};

	for (size_t i = 0; i < 64; i++)
		addresses[i] = 0xffffffff81000000ull + (uint32_t)next_random() % 0x40000000;
	ioctl(fd, RBMAP_IOCTL_SYMBOLS, &symbols);
}

/* Create a buffer that ends with a file, and mostly close the file soon. */
bool do_instance_kept(void)
{
	struct rbmap_create create = { { 0 } };
	int fd = open("/dev/rbmap/control", O_RDWR | O_CLOEXEC), ret;

	if (fd < 0)
		return false;
	random_instance(create.text, sizeof(create.text));
	if (!pick(8))
		create.text[pick(sizeof(create.text))] = (char)next_random();
	ret = ioctl(fd, RBMAP_IOCTL_CREATE, &create);
	if (!pick(4))
		ask_symbols(fd);
	if (pick(3))
		close(fd);
	else
		keep_file(fd);
	return !ret;
}

bool do_instance_destroy(void)
{
	char text[32];

	snprintf(text, sizeof(text), "fuzz%u", pick(NR_INSTANCES));
	return write_file(INSTANCES "destroy", text);
}

/*
 * Open a device or the marker of a named buffer, and keep it among the common
 * files or close it.
 */
bool do_instance_open(void)
{
	char name[16], path[96];
	int fd;

	snprintf(name, sizeof(name), "fuzz%u", pick(NR_INSTANCES));
	switch (pick(4)) {
	case 0:
		device_path(path, sizeof(path), name, "marker");
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd >= 0 && write(fd, "fuzz", 4) < 0)
			/* The event is disabled; the step only needs the file. */
			(void)!write(fd, "", 0);
		break;
	case 1:
		device_path(path, sizeof(path), name, "snapshot/cpu");
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		break;
	default:
		device_path(path, sizeof(path), name, "cpu");
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	if (fd < 0)
		return false;
	/*
	 * An instance with an open file cannot be destroyed: mostly close the
	 * file soon.
	 */
	if (pick(3))
		close(fd);
	else
		keep_file(fd);
	return true;
}

/* Read a directory and the targets of its links. @fd is closed. */
static void read_directory(int fd)
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	char target[256];

	while (dir && (entry = readdir(dir)))
		(void)!readlinkat(fd, entry->d_name, target, sizeof(target));
	if (dir)
		closedir(dir);
	else
		close(fd);
}

/* Mount the file system without a place, so that it ends with the returned file. */
static int mount_nowhere(void)
{
	int fs = fsopen("rbmap", FSOPEN_CLOEXEC), fd = -1;
	char name[16];

	if (fs < 0)
		return -1;
	snprintf(name, sizeof(name), "fuzz%u", pick(NR_INSTANCES));
	if (!pick(4))
		fsconfig(fs, FSCONFIG_SET_STRING, "buffer", name, 0);
	if (!fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	return fd;
}

/* Create, destroy and read buffers in the file system. */
bool do_instance_mount(void)
{
	int fd = mount_nowhere();
	char path[64];

	if (fd < 0)
		return false;
	snprintf(path, sizeof(path), "instances/fuzz%u%s", pick(NR_INSTANCES),
		 pick(8) ? "" : "!");
	switch (pick(4)) {
	case 0:
		mkdirat(fd, path, 0755);
		break;
	case 1:
		unlinkat(fd, path, AT_REMOVEDIR);
		break;
	case 2:
		read_directory(openat(fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
		break;
	default:
		read_directory(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	}
	close(fd);
	return true;
}

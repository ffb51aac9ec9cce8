// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers that end with an open file of /dev/rbmap/control: when they end, and that files
 * of theirs which are open then can be read to their end.
 *
 *	kept		all cases; fewer rounds with SHORT=1 in the environment
 *	kept brief	cases that allocate all kinds of memory in little time
 *	kept texts DIR	read the rings of a buffer, DIR/cpuN, and print the markers in
 *			them that begin with "text-"
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CONTROL	"/dev/rbmap/control"

static int open_control(void)
{
	int fd = open(CONTROL, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		bail_out("cannot open " CONTROL ": %s", strerror(errno));
	return fd;
}

/* Return 0 or an errno. */
static int create(int fd, const char *text)
{
	struct rbmap_create arg = { { 0 } };

	snprintf(arg.text, sizeof(arg.text), "%s", text);
	return ioctl(fd, RBMAP_IOCTL_CREATE, &arg) ? errno : 0;
}

static bool exists(const char *name)
{
	char device[96], dir[96];
	bool device_there, dir_there;

	snprintf(device, sizeof(device), "/dev/rbmap/%s/cpu0", name);
	snprintf(dir, sizeof(dir), "/sys/kernel/rbmap/instances/%s", name);
	device_there = !access(device, F_OK);
	dir_there = !access(dir, F_OK);
	if (device_there != dir_there)
		diag("%s has only half of its files", name);
	return device_there;
}

static void use(const char *name)
{
	snprintf(target.device, sizeof(target.device), "/dev/rbmap/%s/cpu%%d", name);
	snprintf(target.marker, sizeof(target.marker), "/dev/rbmap/%s/marker", name);
	snprintf(target.control, sizeof(target.control), "/sys/kernel/rbmap/instances/%s",
		 name);
}

static void test_ends_with_file(void)
{
	int fd = open_control(), other = open_control();

	is_error(create(fd, "kept-a buffer_size_kb=64 clock=mono"), 0, "a file makes a buffer");
	is_error(create(fd, "kept-b buffer_size_kb=64"), 0, "a file makes a second buffer");
	is_error(create(other, "kept-c buffer_size_kb=64"), 0, "another file makes a buffer");
	is_error(create(other, "kept-a"), EEXIST, "a name that is in use is refused");
	ok(exists("kept-a") && exists("kept-b") && exists("kept-c"), "all three are there");
	close(fd);
	ok(!exists("kept-a") && !exists("kept-b"), "the buffers of a closed file are gone");
	ok(exists("kept-c"), "the buffer of the other file is there");
	is_error(create(other, "kept-a"), 0, "the name is free again");
	close(other);
	ok(!exists("kept-a") && !exists("kept-c"), "the others are gone with their file");
}

/* Descriptors of one open file, in other processes too, keep its buffers together. */
static void test_shared_file(void)
{
	int fd = open_control(), copy, go[2], status;
	char byte;
	pid_t pid;

	create(fd, "kept-a buffer_size_kb=64");
	copy = dup(fd);
	close(fd);
	ok(exists("kept-a"), "a duplicate of the descriptor keeps the buffer");
	if (pipe(go))
		bail_out("pipe: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		close(go[1]);
		_exit(read(go[0], &byte, 1) != 0);
	}
	close(copy);
	ok(exists("kept-a"), "a child that inherited the file keeps the buffer");
	close(go[1]);
	waitpid(pid, &status, 0);
	ok(!exists("kept-a"), "the buffer goes with the child");
	close(go[0]);
}

static void test_killed(void)
{
	int ready[2], status;
	char byte;
	pid_t pid;

	if (pipe(ready))
		bail_out("pipe: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		if (create(open_control(), "kept-a buffer_size_kb=64"))
			_exit(1);
		(void)!write(ready[1], "x", 1);
		pause();
	}
	(void)!read(ready[0], &byte, 1);
	ok(exists("kept-a"), "a process has a buffer");
	use("kept-a");
	is(stat_of(0, "entries"), 0, "its counters can be read");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ok(!exists("kept-a"), "the buffer goes with a killed process");
	close(ready[0]);
	close(ready[1]);
}

static void test_readable_to_the_end(void)
{
	int fd = open_control(), reader, marker;
	struct client client;
	char buffer[MAX_SUBBUF];
	ssize_t got;

	create(fd, "kept-a buffer_size_kb=64");
	use("kept-a");
	pin(0);
	if (!client_open(&client, 0, O_RDONLY | O_NONBLOCK))
		bail_out("cannot map the ring");
	reader = device_open(0, O_RDONLY);
	marker = open(target.marker, O_WRONLY);
	is(emit(0, 100, 40), 100, "100 events are written");
	close(fd);
	ok(!exists("kept-a"), "the file is closed while the ring is mapped");
	is_error(get_reader(client.fd), 0, "the mapped ring can be read");
	ok(client.meta->reader.read > 0, "and has the events");
	is(client.meta->retired, RBMAP_RETIRED_LAST, "no ring follows");
	is_error(write(marker, "x", 1) < 0 ? errno : 0, EBADF, "its marker refuses a text");
	while (!get_reader(client.fd))
		;
	is_error(get_reader(client.fd), ESTALE, "the mapped ring comes to its end");
	while ((got = read(reader, buffer, sizeof(buffer))) > 0)
		;
	is(got, 0, "a file that waits for events comes to its end");
	client_close(&client);
	close(reader);
	close(marker);
}

static void test_refused(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct all[2], some[2];
	int fd = open_control(), read_only = open("/dev/rbmap/cpu0", O_RDONLY);
	struct rbmap_create arg;

	memset(&arg, 'x', sizeof(arg));
	is_error(ioctl(fd, RBMAP_IOCTL_CREATE, &arg) ? errno : 0, EINVAL,
		 "a text without an end is refused");
	is_error(ioctl(fd, RBMAP_IOCTL_CREATE, NULL) ? errno : 0, EFAULT,
		 "a bad address is refused");
	is_error(create(fd, ""), EINVAL, "an empty text is refused");
	is_error(create(fd, "control"), EINVAL, "the name of a device is refused");
	is_error(create(fd, "kept-a sun=1"), EINVAL, "an unknown setting is refused");
	is_error(create(fd, "kept-a buffer_size_kb=0"), EINVAL, "a bad size is refused");
	is_error(create(read_only, "kept-a"), ENOTTY, "the file of a ring does not make buffers");
	is_error(ioctl(fd, RBMAP_IOCTL_GET_READER) ? errno : 0, ENOTTY,
		 "the control device has no ring");
	syscall(SYS_capget, &header, all);
	memcpy(some, all, sizeof(some));
	some[CAP_SYS_ADMIN / 32].effective &= ~(1U << CAP_SYS_ADMIN % 32);
	syscall(SYS_capset, &header, some);
	is_error(create(fd, "kept-a"), EPERM, "a process without CAP_SYS_ADMIN is refused");
	syscall(SYS_capset, &header, all);
	ok(!exists("kept-a"), "no refused buffer is there");
	close(fd);
	close(read_only);
}

static void test_not_destroyed_by_others(void)
{
	static const char destroy[] = "/sys/kernel/rbmap/instances/destroy";
	int fd = open_control(), file;
	char text[16] = "";

	create(fd, "kept-a buffer_size_kb=64");
	file = open(destroy, O_WRONLY);
	is_error(write(file, "kept-a", 6) < 0 ? errno : 0, EPERM, "nobody else can destroy it");
	close(file);
	file = open("/sys/kernel/rbmap/instances/kept-a/keeper_pid", O_RDONLY);
	(void)!read(file, text, sizeof(text) - 1);
	close(file);
	is(atoi(text), getpid(), "keeper_pid is the process that made it");
	close(fd);
	ok(!exists("kept-a"), "it ends with its file");
}

/* Buffers end while others open, read and write them. */
static void test_ends_in_use(void)
{
	const int rounds = getenv("SHORT") ? 10 : 40;
	char buffer[MAX_SUBBUF];
	int fd, file, status;
	pid_t pid;

	use("kept-a");
	pid = fork();
	if (!pid) {
		for (;;) {
			file = open("/dev/rbmap/kept-a/cpu0", O_RDONLY | O_NONBLOCK);
			if (file >= 0) {
				(void)!read(file, buffer, sizeof(buffer));
				close(file);
			}
			file = open(target.marker, O_WRONLY);
			if (file >= 0) {
				(void)!write(file, "x", 1);
				close(file);
			}
		}
	}
	for (int i = 0; i < rounds; i++) {
		fd = open_control();
		if (create(fd, "kept-a buffer_size_kb=64"))
			break;
		emit(0, 20, 40);
		close(fd);
		if (exists("kept-a") || i == rounds - 1) {
			is(i, rounds - 1, "a buffer ends %d times while it is used", rounds);
			break;
		}
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static void print_texts(const char *subbuf)
{
	const char *end = subbuf + RBMAP_SUBBUF_HEADER_SIZE + subbuf_commit(subbuf), *at = subbuf;

	while ((at = memmem(at, end - at, "text-", 5))) {
		for (; at < end && (*at == '-' || islower(*at) || isdigit(*at)); at++)
			putchar(*at);
		putchar(' ');
	}
}

/* This program starts much faster than rbmap, and kept.sh looks many times. */
static int texts(const char *dir)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char subbuf[MAX_SUBBUF];
	int cpu, fd;

	snprintf(target.device, sizeof(target.device), "%s/cpu%%d", dir);
	for (cpu = 0; cpu < cpus; cpu++) {
		fd = device_open(cpu, O_RDONLY | O_NONBLOCK);
		while (read(fd, subbuf, sizeof(subbuf)) > 0)
			print_texts(subbuf);
		close(fd);
	}
	return 0;
}

int main(int argc, char **argv)
{
	target.own = true;
	if (argc == 3 && !strcmp(argv[1], "texts"))
		return texts(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "brief")) {
		test_ends_with_file();
		test_killed();
		test_readable_to_the_end();
		return done_testing();
	}
	test_ends_with_file();
	test_shared_file();
	test_killed();
	test_readable_to_the_end();
	test_refused();
	test_not_destroyed_by_others();
	test_ends_in_use();
	return done_testing();
}

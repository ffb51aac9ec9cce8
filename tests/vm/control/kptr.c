// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses of the kernel in a buffer, and names for them.
 *
 *	kptr calls		arguments of RBMAP_IOCTL_SYMBOLS, and who may call it
 *	kptr files NAME		files of the buffer NAME that are open or mapped
 *	kptr pipes NAME		memory of the buffer NAME that a pipe has
 *	kptr names ADDRESS...	print the symbol of each address, or an error
 *	kptr member COMMAND	run a command of the shell as a user of the group 1000
 *	kptr without COMMAND	run it as root without CAP_SYSLOG
 *	kptr find DEVICE	print how many words of a ring look like addresses
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CONTROL		"/dev/rbmap/control"
#define RESTRICT	"/proc/sys/kernel/kptr_restrict"
#define TEXT_SIZE	(1 << 20)

static char text[TEXT_SIZE];

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		bail_out("cannot open %s: %s", path, strerror(errno));
	return fd;
}

/* Return the number of addresses that were handled, or a negative errno. */
static int ask(int fd, const uint64_t *addr, uint32_t nr, uint32_t size)
{
	struct rbmap_symbols symbols = {
		.addresses = (uintptr_t)addr, .text = (uintptr_t)text, .nr = nr, .size = size,
	};
	int ret;

	memset(text, 'x', sizeof(text));
	ret = ioctl(fd, RBMAP_IOCTL_SYMBOLS, &symbols);
	return ret < 0 ? -errno : ret;
}

static bool write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);

	if (fd >= 0)
		close(fd);
	return good;
}

/* Return the address of a function in /proc/kallsyms. */
static uint64_t address_of(const char *name)
{
	unsigned long long addr, found = 0;
	char line[512], here[256];
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %255s", &addr, here) == 2 && !strcmp(here, name))
			found = addr;
	if (f)
		fclose(f);
	if (!found)
		bail_out("/proc/kallsyms has no %s", name);
	return found;
}

/* Lose a capability, or all of them. */
static void lose(int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (cap >= 0) {
		syscall(SYS_capget, &header, data);
		data[cap / 32].effective &= ~(1u << cap % 32);
	}
	syscall(SYS_capset, &header, data);
}

/* Ask in a process without a capability, and without root's user id. */
static int ask_without(int fd, uint64_t addr, int cap, int uid)
{
	int status, ret;

	fflush(stdout);
	if (!fork()) {
		if (uid && (setgid(uid) || setuid(uid)))
			_exit(255);
		lose(cap);
		ret = ask(fd, &addr, 1, TEXT_SIZE);
		_exit(ret < 0 ? -ret : 0);
	}
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_rights(int fd, uint64_t addr)
{
	is_error(ask_without(fd, addr, -1, 1000), EPERM,
		 "a user who was passed the file gets no name");
	is_error(ask_without(fd, addr, CAP_SYSLOG, 0), EPERM,
		 "root without CAP_SYSLOG gets no name");
	is_error(ask_without(fd, addr, CAP_SYS_ADMIN, 0), 0,
		 "CAP_SYSLOG is the only capability that it takes");
	write_file(RESTRICT, "2");
	is_error(-ask(fd, &addr, 1, TEXT_SIZE), EPERM, "kptr_restrict=2: root gets no name");
	is(text[0], 'x', "nothing was written");
	write_file(RESTRICT, "1");
	is(ask(fd, &addr, 1, TEXT_SIZE), 1, "kptr_restrict=1: root gets a name");
	write_file(RESTRICT, "0");
}

static void test_arguments(int fd, uint64_t addr)
{
	static uint64_t many[RBMAP_SYMBOLS_MAX + 10];
	uint64_t three[] = { addr + 1, 0x1000, addr };
	struct rbmap_symbols symbols = {
		.addresses = 8, .text = (uintptr_t)text, .nr = 1, .size = TEXT_SIZE,
	};
	const char *at = text;

	is(ask(fd, three, 3, TEXT_SIZE), 3, "three addresses are handled");
	ok(!strncmp(at, "vfs_read", 8) && strstr(at, "+0x1/0x"),
	   "the offset in the function: %s", at);
	at += strlen(at) + 1;
	is(*at, 0, "an address without a symbol has an empty text");
	ok(!strncmp(at + 1, "vfs_read", 8) && strstr(at + 1, "+0x0/0x"),
	   "the beginning of the function: %s", at + 1);
	is(ask(fd, three, 0, 0), 0, "no address");
	is_error(-ask(fd, three, 3, 8), ENOSPC, "no place for the first text");
	is(text[0], 'x', "a text without place is not written");
	is(ask(fd, three, 3, 25), 2, "place for the texts of two");
	for (size_t i = 0; i < RBMAP_SYMBOLS_MAX + 10; i++)
		many[i] = ~0ull;
	is(ask(fd, many, RBMAP_SYMBOLS_MAX + 10, TEXT_SIZE), RBMAP_SYMBOLS_MAX,
	   "a call handles so many at most");
	is(ask(fd, many, UINT32_MAX, TEXT_SIZE), RBMAP_SYMBOLS_MAX,
	   "a number that no array has is no more");
	is_error(ioctl(fd, RBMAP_IOCTL_SYMBOLS, NULL) ? errno : 0, EFAULT, "a bad argument");
	is_error(ioctl(fd, RBMAP_IOCTL_SYMBOLS, &symbols) ? errno : 0, EFAULT,
		 "a bad array of addresses");
	symbols.addresses = (uintptr_t)three;
	symbols.text = 8;
	is_error(ioctl(fd, RBMAP_IOCTL_SYMBOLS, &symbols) ? errno : 0, EFAULT,
		 "a bad place for the text");
	symbols.text = -4096ull;
	is_error(ioctl(fd, RBMAP_IOCTL_SYMBOLS, &symbols) ? errno : 0, EFAULT,
		 "a place in the kernel for the text");
}

static int calls(void)
{
	uint64_t addr = address_of("vfs_read");
	int fd = open_file(CONTROL);

	test_arguments(fd, addr);
	test_rights(fd, addr);
	close(fd);
	return done_testing();
}

/* Return 0 or the errno of writing to the buffer's file kptr. */
static int set_kptr(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/rbmap/instances/%s/kptr", name);
	return write_file(path, value) ? 0 : errno;
}

static void test_open(const char *name, const char *file)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/dev/rbmap/%s/%s", name, file);
	fd = open_file(path);
	is_error(set_kptr(name, "1"), EBUSY, "%s is open: kptr is refused", file);
	close(fd);
	is_error(set_kptr(name, "1"), 0, "%s is closed: kptr is set", file);
	fd = open_file(path);
	is_error(set_kptr(name, "0"), EBUSY, "%s is open: kptr stays", file);
	close(fd);
	is_error(set_kptr(name, "0"), 0, "%s is closed: kptr is cleared", file);
}

/* A map and a snapshot outlive the file that they were made with. */
static void test_kept(const char *name)
{
	size_t size = sysconf(_SC_PAGESIZE);
	char path[128];
	void *map;
	int fd, snapshot;

	snprintf(path, sizeof(path), "/dev/rbmap/%s/cpu0", name);
	fd = open_file(path);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		bail_out("cannot map %s: %s", path, strerror(errno));
	is_error(set_kptr(name, "1"), EBUSY, "a map is left: kptr is refused");
	munmap(map, size);
	fd = open_file(path);
	snapshot = ioctl(fd, RBMAP_IOCTL_SNAPSHOT);
	close(fd);
	is_error(set_kptr(name, "1"), EBUSY, "a snapshot is left: kptr is refused");
	close(snapshot);
	is_error(set_kptr(name, "1"), 0, "nothing is left: kptr is set");
	is_error(set_kptr(name, "0"), 0, "kptr is cleared");
}

static int files(const char *name)
{
	test_open(name, "cpu0");
	test_open(name, "trace");
	test_open(name, "trace_pipe");
	test_open(name, "per_cpu/0/trace");
	test_open(name, "per_cpu/0/trace_pipe");
	test_open(name, "snapshot/trace");
	test_open(name, "per_cpu/0/snapshot");
	test_kept(name);
	return done_testing();
}

static int names(int nr, char **addresses)
{
	int fd = open_file(CONTROL);

	for (int i = 0; i < nr; i++) {
		uint64_t addr = strtoull(addresses[i], NULL, 16);
		int ret = ask(fd, &addr, 1, TEXT_SIZE);

		if (ret < 0) {
			fprintf(stderr, "%s\n", strerror(-ret));
			return 1;
		}
		puts(text);
	}
	return 0;
}

/* The events have no word of their own that looks like an address of a function. */
static size_t count_addresses(const char *data, size_t size)
{
	size_t nr = 0;

	for (size_t at = 0; at + sizeof(uint64_t) <= size; at += 4) {
		uint64_t word;

		memcpy(&word, data + at, sizeof(word));
		nr += word >> 31 == 0x1ffffffffull && word < -4096ull;
	}
	return nr;
}

/* Map the sub-buffers of an open device. */
static const char *map_ring(const char *device, int fd, size_t *size)
{
	const struct rbmap_meta *meta;
	const char *map;

	meta = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (meta == MAP_FAILED)
		bail_out("cannot map %s: %s", device, strerror(errno));
	*size = (size_t)meta->nr_subbufs * meta->subbuf_size;
	map = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, meta->meta_page_size);
	if (map == MAP_FAILED)
		bail_out("cannot map %s: %s", device, strerror(errno));
	munmap((void *)meta, sysconf(_SC_PAGESIZE));
	return map;
}

static size_t count_of(const char *device)
{
	int fd = open_file(device);
	size_t size, nr;
	const char *map = map_ring(device, fd, &size);

	nr = count_addresses(map, size);
	munmap((void *)map, size);
	close(fd);
	return nr;
}

static int find(const char *device)
{
	printf("%zu\n", count_of(device));
	return 0;
}

/* Put the memory of a ring into a pipe, which outlives the file and the map. */
static int pipe_of(const char *device, size_t *size)
{
	int fd = open_file(device), pipes[2];
	const char *map = map_ring(device, fd, size);
	struct iovec part = { (void *)map, *size };

	/* A pipe has place for as many pages as its size has. */
	if (pipe(pipes) || fcntl(pipes[1], F_SETPIPE_SZ, 1 << 20) < 0)
		bail_out("cannot make a pipe: %s", strerror(errno));
	is(vmsplice(pipes[1], &part, 1, SPLICE_F_NONBLOCK), *size, "a pipe has the memory");
	munmap((void *)map, *size);
	close(fd);
	return pipes[0];
}

/* The memory that a process can still read gets no address. */
static int pipes(const char *name)
{
	char device[128], enable[128];
	size_t size, at = 0, found = 0;
	int in;

	snprintf(device, sizeof(device), "/dev/rbmap/%s/cpu0", name);
	snprintf(enable, sizeof(enable),
		 "/sys/kernel/rbmap/instances/%s/events/timer/hrtimer_start/enable", name);
	in = pipe_of(device, &size);
	is_error(set_kptr(name, "1"), 0, "kptr is set");
	write_file(enable, "1");
	for (int i = 0; i < 1000 && !(found = count_of(device)); i++)
		nap(10);
	write_file(enable, "0");
	ok(found, "the ring has addresses");
	while (at < size) {
		ssize_t len = read(in, text + at, size - at);

		if (len <= 0)
			bail_out("cannot read the pipe: %s", strerror(errno));
		at += len;
	}
	is(count_addresses(text, size), 0, "the memory in the pipe has none");
	is_error(set_kptr(name, "0"), 0, "kptr is cleared");
	return done_testing();
}

static int as(bool member, char *command)
{
	if (member ? setgroups(0, NULL) || setgid(1000) || setuid(1000) :
		     prctl(PR_CAPBSET_DROP, CAP_SYSLOG, 0, 0, 0))
		bail_out("cannot lose rights: %s", strerror(errno));
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	bail_out("cannot run a shell: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "calls"))
		return calls();
	if (argc == 3 && !strcmp(argv[1], "files"))
		return files(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "pipes"))
		return pipes(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "names"))
		return names(argc - 2, argv + 2);
	if (argc == 3 && (!strcmp(argv[1], "member") || !strcmp(argv[1], "without")))
		return as(!strcmp(argv[1], "member"), argv[2]);
	if (argc == 3 && !strcmp(argv[1], "find"))
		return find(argv[2]);
	bail_out("unknown arguments");
}

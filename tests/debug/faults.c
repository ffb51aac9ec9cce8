// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does the module survive a failing allocation? Each operation runs again and
 * again. Its first allocation fails, then its second, its third, and so on,
 * until the operation has no allocation of that number. Each time the operation
 * must fail cleanly, or succeed without the allocation, and it must succeed the
 * next time.
 *
 *	faults FILE [OPERATION]	FILE is rbmap.ko; needs /proc/self/fail-nth;
 *				-OPERATION: all but this one
 *
 * Other threads allocate on behalf of an operation, too: the CPU's hotplug
 * thread, and the thread that creates nodes in /dev.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CONTROL		"/sys/kernel/rbmap/"
#define DEVICE		"/dev/rbmap/cpu0"
#define MARKER		"/dev/rbmap/marker"
#define ONLINE		"/sys/devices/system/cpu/cpu1/online"
#define MAX_FAULTS	20000

/*
 * Addresses of modules on a kernel without randomization; rbmap is the only
 * module.
 */
#define MODULES_BEGIN	"0xffffffffa0000000"
#define MODULES_END	"0xffffffffff000000"

static const char *module;
static int fault_fd = -1;
static int fd = -1;	/* the file that the operation has opened */
static void *map;
static size_t map_size;

/* Write without stdio, which would allocate. Return 0 or the errno. */
static int put(const char *file, const char *text)
{
	int file_fd = open(file, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (file_fd < 0)
		return errno;
	if (write(file_fd, text, strlen(text)) < 0)
		err = errno;
	close(file_fd);
	return err;
}

static int get(const char *file)
{
	char text[16384];
	int file_fd = open(file, O_RDONLY | O_CLOEXEC);
	int err = 0;
	ssize_t len;

	if (file_fd < 0)
		return errno;
	while ((len = read(file_fd, text, sizeof(text))) > 0)
		;
	if (len < 0)
		err = errno;
	close(file_fd);
	return err;
}

static bool there(const char *file)
{
	return !access(file, F_OK);
}

/* ---- faults */

static void set_faults(const char *name, const char *value)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc" };
	char file[128];
	size_t i;
	int err;

	for (i = 0; i < 2; i++) {
		snprintf(file, sizeof(file), "/sys/kernel/debug/%s/%s",
			 kinds[i], name);
		err = put(file, value);
		if (err)
			bail_out("%s: %s", file, error_name(err));
	}
}

static void init_faults(void)
{
	set_faults("ignore-gfp-wait", "0");
	set_faults("verbose", "0");
	set_faults("stacktrace-depth", "32");
	if (put("/sys/kernel/debug/fail_page_alloc/min-order", "0") ||
	    put("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "0"))
		bail_out("no fail_page_alloc: %s", error_name(errno));
}

/* Select the allocations with a function of the module on the stack, or all. */
static void only_ours(bool ours)
{
	set_faults("require-start", ours ? MODULES_BEGIN : "0");
	set_faults("require-end", ours ? MODULES_END : "0xffffffffffffffff");
}

static int thread_fault_fd(const char *comm)
{
	char file[300], name[32];
	struct dirent *entry;
	int found = -1;
	DIR *dir;

	if (!comm)
		return open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	dir = opendir("/proc");
	while (found < 0 && (entry = readdir(dir))) {
		FILE *of;

		snprintf(file, sizeof(file), "/proc/%s/comm", entry->d_name);
		of = fopen(file, "re");
		if (!of)
			continue;
		if (fscanf(of, "%31s", name) == 1 && !strcmp(name, comm)) {
			snprintf(file, sizeof(file), "/proc/%s/fail-nth",
				 entry->d_name);
			found = open(file, O_RDWR | O_CLOEXEC);
		}
		fclose(of);
	}
	closedir(dir);
	return found;
}

static void arm(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(fault_fd, text, len, 0) != len)
		bail_out("fail-nth: %s", error_name(errno));
}

/* Return how many more allocations the armed fault would have waited for. */
static unsigned int disarm(void)
{
	char text[16] = "";

	if (pread(fault_fd, text, sizeof(text) - 1, 0) < 1)
		bail_out("fail-nth: %s", error_name(errno));
	arm(0);
	return atoi(text);
}

/* ---- operations: each returns 0 or an errno */

static const char *parameters;

static int load(void)
{
	int file_fd = open(module, O_RDONLY | O_CLOEXEC);
	int err = 0;

	if (file_fd < 0)
		return errno;
	if (syscall(SYS_finit_module, file_fd, parameters, 0))
		err = errno;
	close(file_fd);
	return err;
}

static int unload(void)
{
	return syscall(SYS_delete_module, "rbmap", O_NONBLOCK) ? errno : 0;
}

static bool all_gone(void)
{
	static const char *const names[] = {
		"/sys/module/rbmap", "/sys/kernel/rbmap", "/sys/class/rbmap",
		"/dev/rbmap",
	};
	bool gone = true;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!there(names[i]))
			continue;
		diag("%s is left", names[i]);
		gone = false;
	}
	return gone;
}

/*
 * The kernel builds the name of a node in /dev when it creates the node, and
 * again when it removes it. If that allocation fails, the kernel continues
 * without a node or leaves the old one, and reports no error to the driver.
 */
static unsigned int nodes_missing, nodes_left;

static bool has_device(const char *in_sysfs, const char *node)
{
	nodes_missing += there(in_sysfs) && !there(node);
	return there(in_sysfs);
}

static bool loaded_or_not(int err)
{
	if (err)
		return all_gone();
	return has_device("/sys/class/rbmap/cpu0", DEVICE) &&
	       has_device("/sys/class/rbmap/marker", MARKER) &&
	       there(CONTROL "events/enable") &&
	       there(CONTROL "per_cpu/cpu0/stats");
}

static void unload_if_loaded(void)
{
	if (there("/sys/module/rbmap"))
		unload();
}

static int enable_all(void)
{
	return put(CONTROL "events/enable", "1");
}

static int disable_all(void)
{
	return put(CONTROL "events/enable", "0");
}

static int load_and_enable(void)
{
	int err = load();

	return err ? err : enable_all();
}

static bool unloaded(int err)
{
	bool gone = true;

	if (err)
		return there(CONTROL "version");
	if (there("/dev/rbmap")) {
		nodes_left++;
		gone = !system("rm -r /dev/rbmap");
	}
	return all_gone() && gone;
}

static int open_device(void)
{
	fd = open(DEVICE, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? errno : 0;
}

static int take_snapshot(void)
{
	return put(CONTROL "snapshot", "1");
}

static int open_snapshot(void)
{
	fd = open("/dev/rbmap/snapshot/cpu0", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? errno : 0;
}

static int snapshot_of_device(void)
{
	int snapshot = ioctl(fd, RBMAP_IOCTL_SNAPSHOT);

	if (snapshot < 0)
		return errno;
	close(snapshot);
	return 0;
}

static unsigned long unread(void)
{
	FILE *file = fopen(CONTROL "per_cpu/cpu0/stats", "r");
	unsigned long events = 0;

	if (file && fscanf(file, "entries: %lu", &events) != 1)
		events = 0;
	if (file)
		fclose(file);
	return events;
}

/* An operation that takes the events leaves them if it fails. */
static bool taken_or_left(int err)
{
	return err ? unread() != 0 : unread() == 0;
}

static int truncate_trace(void)
{
	int file = open("/dev/rbmap/trace", O_RDWR | O_TRUNC | O_CLOEXEC);

	if (file < 0)
		return errno;
	close(file);
	return 0;
}

static int open_marker(void)
{
	fd = open(MARKER, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? errno : 0;
}

static int pipe_fds[2] = { -1, -1 };

static void close_file(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (pipe_fds[i] >= 0)
			close(pipe_fds[i]);
		pipe_fds[i] = -1;
	}
	if (map)
		munmap(map, map_size);
	if (fd >= 0)
		close(fd);
	map = NULL;
	fd = -1;
}

static int map_device(void)
{
	const struct rbmap_meta *meta = map;
	void *all;
	size_t size;

	if (!meta)
		return EINVAL;
	size = meta->meta_page_size +
	       (size_t)meta->nr_subbufs * meta->subbuf_size;
	all = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (all == MAP_FAILED)
		return errno;
	munmap(all, size);
	return 0;
}

/* Map the first page to learn the size of all. */
static int open_and_map(void)
{
	int err = open_device();

	if (err)
		return err;
	map_size = 4096;
	map = mmap(NULL, map_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		map = NULL;
		return errno;
	}
	return 0;
}

static int write_event(void)
{
	return put(MARKER, "an event");
}

static int write_large(void)
{
	static char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	return put(MARKER, text);
}

static int open_with_event(void)
{
	int err = write_event();

	return err ? err : open_device();
}

static int map_with_event(void)
{
	int err = write_event();

	return err ? err : open_and_map();
}

static int read_device(void)
{
	static char text[1 << 20];

	return read(fd, text, sizeof(text)) < 0 ? errno : 0;
}

/* Write more than a sub-buffer, so that the writer leaves one. */
static int open_with_closed(void)
{
	int i, err = open_with_event();

	for (i = 0; !err && i < 2; i++)
		err = write_large();
	if (!err && pipe(pipe_fds))
		err = errno;
	return err;
}

static int splice_device(void)
{
	return splice(fd, NULL, pipe_fds[1], NULL, 1 << 16,
		      SPLICE_F_NONBLOCK) <= 0 ? errno : 0;
}

static int get_reader_once(void)
{
	return ioctl(fd, RBMAP_IOCTL_GET_READER) ? errno : 0;
}

static int poll_device(void)
{
	struct pollfd poll_fd = { fd, POLLIN, 0 };

	return poll(&poll_fd, 1, 0) < 0 ? errno : 0;
}

static int epoll_device(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	int err = 0;

	if (epoll_fd < 0)
		return errno;
	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) ||
	    epoll_wait(epoll_fd, &event, 1, 0) < 0)
		err = errno;
	close(epoll_fd);
	return err;
}

static int write_long(void)
{
	static char text[3000];

	memset(text, 'x', sizeof(text));
	return write(fd, text, sizeof(text)) < 0 ? errno : 0;
}

static int enable_one(void)
{
	return put(CONTROL "events/sched/sched_switch/enable", "1");
}

static void forget_snapshot(void)
{
	put(CONTROL "snapshot", "0");
}

static void close_and_forget(void)
{
	close_file();
	forget_snapshot();
}

static int show_all(void)
{
	static const char *const names[] = {
		"version", "tracing_on", "trace_clock", "overwrite",
		"buffer_percent", "buffer_size_kb", "buffer_subbuf_size_kb",
		"events/enable", "events/header_page", "events/header_event",
		"events/sched/enable", "events/sched/sched_switch/enable",
		"events/sched/sched_switch/format",
		"events/sched/sched_switch/id",
		"events/sched/sched_switch/status", "per_cpu/cpu0/stats",
	};
	char file[128];
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(names) / sizeof(*names); i++) {
		snprintf(file, sizeof(file), CONTROL "%s", names[i]);
		err = get(file);
	}
	return err;
}

static int store_all(void)
{
	static const char *const settings[][2] = {
		{ "tracing_on", "0" }, { "tracing_on", "1" },
		{ "overwrite", "0" }, { "overwrite", "1" },
		{ "buffer_percent", "0" }, { "buffer_percent", "50" },
		{ "trace_clock", "mono" }, { "trace_clock", "local" },
		{ "buffer_size_kb", "24" }, { "buffer_subbuf_size_kb", "8" },
		{ "per_cpu/cpu0/buffer_size_kb", "16" },
		{ "reset", "1" },
	};
	char file[128];
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(settings) / sizeof(*settings); i++) {
		snprintf(file, sizeof(file), CONTROL "%s", settings[i][0]);
		err = put(file, settings[i][1]);
	}
	return err;
}

/*
 * Load the module while a CPU is offline, so that the CPU is new to the module. The other
 * CPUs have their rings.
 */
static int load_without_cpu(void)
{
	int err = put(ONLINE, "0");

	if (!err)
		err = load();
	if (!err)
		err = open_device();
	if (!err)
		close_file();
	return err;
}

static int set_size(void)
{
	return put(CONTROL "buffer_size_kb", "32");
}

static int cpu_online(void)
{
	return put(ONLINE, "1");
}

static void unload_and_online(void)
{
	unload_if_loaded();
	if (cpu_online())
		put(ONLINE, "1");
}

/* ---- what must be true after an operation */

/* The operation works the next time, and so do all operations after it. */
static bool works(int err)
{
	int fds = fd, again;

	if (!err)
		return true;
	fd = -1;
	put(CONTROL "tracing_on", "1");
	again = open_with_event();
	if (!again)
		again = read_device();
	if (again)
		diag("then: %s", error_name(again));
	if (fd >= 0)
		close(fd);
	fd = fds;
	return !again;
}

static unsigned int generation(const char *stats)
{
	static char text[4096];
	int stats_fd = open(stats, O_RDONLY | O_CLOEXEC);
	ssize_t len = stats_fd < 0 ? -1 : read(stats_fd, text, sizeof(text) - 1);
	const char *at;

	if (stats_fd >= 0)
		close(stats_fd);
	text[len < 0 ? 0 : len] = 0;
	at = strstr(text, "generation: ");
	return at ? atoi(at + strlen("generation: ")) : 99;
}

/* The first use gives each CPU its ring, or none of them. A later step may have failed. */
static bool used_or_not(int err)
{
	unsigned int rings = generation(CONTROL "per_cpu/cpu0/stats");

	return rings <= 1 && (rings || err) &&
	       generation(CONTROL "per_cpu/cpu1/stats") == rings && works(err);
}

static void close_and_unload(void)
{
	close_file();
	put(CONTROL "events/enable", "0");
	unload_if_loaded();
}

/* Sub-buffers that a failed splice() did not hand over are still in the ring. */
static bool spliced(int err)
{
	return !err || !splice_device();
}

static bool all_enabled(int err)
{
	return !err || (!disable_all() && !enable_all());
}

static bool one_enabled(int err)
{
	return !err || !enable_one();
}

static bool all_disabled(int err)
{
	return !err || !disable_all();
}

/*
 * The CPU comes online without the objects whose allocation failed; the next
 * write creates them.
 */
static bool cpu_came(int err)
{
	char lacking[8];
	unsigned int i;
	int file;

	if (err || put(CONTROL "tracing_on", "1"))
		return false;
	for (i = 0; i < 500 * slowness(); i++) {
		file = open(CONTROL "cpus_lacking", O_RDONLY | O_CLOEXEC);
		if (file < 0)
			return false;
		err = read(file, lacking, sizeof(lacking));
		close(file);
		if (err == 1)
			break;	/* empty list: a newline */
		usleep(10000);
	}
	return err == 1 && there(CONTROL "per_cpu/cpu1/buffer_size_kb") &&
	       has_device("/sys/class/rbmap/cpu1", "/dev/rbmap/cpu1");
}

static void stay_disabled(void)
{
	disable_all();
}

/**
 * struct operation - an operation and the allocations that fail in it
 * @name: name of the operation
 * @prepare: runs before it, without faults
 * @run: the operation itself
 * @good: runs after it, without faults: does the state match this result?
 * @finish: runs at the end
 * @thread: name of the thread whose allocations fail; NULL: this one
 * @ours: only allocations with a function of the module on the stack fail
 * @loaded: the module is loaded before the first run and unloaded after the last
 * @none: the operation allocates nothing
 * @parameters: parameters of the module
 */
static const struct operation {
	const char *name;
	int (*prepare)(void);
	int (*run)(void);
	bool (*good)(int err);
	void (*finish)(void);
	const char *thread;
	bool ours;
	bool loaded;
	bool none;
	const char *parameters;
} operations[] = {
	{ .name = "open", .run = open_device, .good = works,
	  .finish = close_file, .loaded = true },
	{ .name = "read", .prepare = open_with_event, .run = read_device,
	  .good = works, .finish = close_file, .loaded = true },
	{ .name = "splice", .prepare = open_with_closed,
	  .run = splice_device, .good = spliced, .finish = close_file,
	  .loaded = true },
	{ .name = "mmap", .prepare = open_and_map, .run = map_device,
	  .good = works, .finish = close_file, .loaded = true },
	{ .name = "GET_READER", .prepare = map_with_event,
	  .run = get_reader_once, .good = works, .finish = close_file,
	  .loaded = true, .none = true },
	{ .name = "poll", .prepare = open_device, .run = poll_device,
	  .good = works, .finish = close_file, .loaded = true, .none = true },
	{ .name = "epoll", .prepare = open_device, .run = epoll_device,
	  .good = works, .finish = close_file, .loaded = true },
	{ .name = "snapshot", .run = take_snapshot, .good = works,
	  .finish = forget_snapshot, .loaded = true },
	{ .name = "open a snapshot", .prepare = take_snapshot,
	  .run = open_snapshot, .good = works, .finish = close_and_forget,
	  .loaded = true },
	{ .name = "snapshot as a file", .prepare = open_with_event,
	  .run = snapshot_of_device, .good = taken_or_left, .finish = close_file,
	  .loaded = true },
	{ .name = "truncate the trace", .prepare = open_with_event,
	  .run = truncate_trace, .good = taken_or_left, .finish = close_file,
	  .loaded = true },
	{ .name = "open the marker", .run = open_marker, .good = works,
	  .finish = close_file, .loaded = true },
	{ .name = "write to the marker", .prepare = open_marker,
	  .run = write_long, .good = works, .finish = close_file,
	  .loaded = true },
	{ .name = "enable an event", .run = enable_one, .good = one_enabled,
	  .finish = stay_disabled, .loaded = true },
	{ .name = "enable all events", .run = enable_all, .good = all_enabled,
	  .finish = stay_disabled, .loaded = true },
	{ .name = "disable all events", .prepare = enable_all,
	  .run = disable_all, .good = all_disabled, .loaded = true },
	{ .name = "show files", .run = show_all, .good = works,
	  .loaded = true },
	{ .name = "write to files", .run = store_all, .good = works,
	  .loaded = true },
	{ .name = "use by opening a device", .prepare = load, .run = open_device,
	  .good = used_or_not, .finish = close_and_unload },
	{ .name = "use by opening a marker", .prepare = load, .run = open_marker,
	  .good = used_or_not, .finish = close_and_unload },
	{ .name = "use by a size", .prepare = load, .run = set_size,
	  .good = used_or_not, .finish = close_and_unload },
	{ .name = "use with large sub-buffers", .prepare = load, .run = open_device,
	  .good = used_or_not, .finish = close_and_unload, .ours = true,
	  .parameters = "buffer_size_kb=128 subbuf_size_kb=64" },
	{ .name = "load, thread of CPU 0", .run = load, .good = loaded_or_not,
	  .finish = unload_if_loaded, .thread = "cpuhp/0", .ours = true },
	{ .name = "load, thread of CPU 1", .run = load, .good = loaded_or_not,
	  .finish = unload_if_loaded, .thread = "cpuhp/1", .ours = true },
	{ .name = "load, thread of /dev", .run = load, .good = loaded_or_not,
	  .finish = unload_if_loaded, .thread = "kdevtmpfs" },
	{ .name = "unload", .prepare = load_and_enable, .run = unload,
	  .good = unloaded, .finish = unload_if_loaded },
	{ .name = "a CPU comes", .prepare = load_without_cpu,
	  .run = cpu_online, .good = cpu_came,
	  .finish = unload_and_online, .ours = true },
	{ .name = "a CPU comes, its thread", .prepare = load_without_cpu,
	  .run = cpu_online, .good = cpu_came,
	  .finish = unload_and_online, .thread = "cpuhp/1", .ours = true },
	{ .name = "load", .run = load, .good = loaded_or_not,
	  .finish = unload_if_loaded },
};

/*
 * Run once with the nth allocation failing. Return true if there was an nth
 * allocation.
 */
static bool try(const struct operation *op, unsigned int nth, int *err,
		bool *good)
{
	unsigned int left;

	*err = op->prepare ? op->prepare() : 0;
	if (*err) {
		diag("%s: cannot even begin: %s", op->name, error_name(*err));
		*good = false;
		return false;
	}
	arm(nth);
	*err = op->run();
	left = disarm();
	*good = op->good(*err);
	if (op->finish)
		op->finish();
	return left == 0;
}

static void sweep(const struct operation *op)
{
	unsigned int nth, failed = 0, bad = 0;
	bool good;
	int err;

	parameters = op->parameters ? op->parameters : "buffer_size_kb=8";
	if (op->loaded && load()) {
		ok(false, "%s: the module loads", op->name);
		return;
	}
	fault_fd = thread_fault_fd(op->thread);
	if (fault_fd < 0)
		bail_out("no fail-nth of %s", op->thread ?: "ours");
	only_ours(op->ours);
	for (nth = 1; nth <= MAX_FAULTS; nth++) {
		bool fault = try(op, nth, &err, &good);

		if (!good || (err && (err != ENOMEM || !fault))) {
			diag("%s: allocation %u: %s%s", op->name, nth,
			     error_name(err), good ? "" : ", and not clean");
			if (++bad == 20)
				break;
		}
		if (!fault)
			break;
		failed += err != 0;
	}
	if (op->none)
		ok(!bad && nth == 1, "%s: allocates nothing", op->name);
	else
		ok(!bad && nth > 1 && nth < MAX_FAULTS,
		   "%s: each of %u allocations failed; %u times ENOMEM, %u times success without it",
		   op->name, nth - 1, failed, nth - 1 - failed);
	close(fault_fd);
	if (op->loaded)
		is_error(unload(), 0, "%s: the module unloads", op->name);
}

/*
 * Find pages that functions of the module have allocated and nobody has freed;
 * the module is not loaded. Pages that an allocator or a debugging tool took
 * for itself on the way do not count. kmemleak does not track pages.
 */
static void test_pages(void)
{
	static const char *const allocators[] = {
		"slab", "depot", "kasan", "pte_alloc", "pmd_alloc", "pud_alloc",
		"p4d_alloc", "pcpu_",
	};
	FILE *file = fopen("/sys/kernel/debug/page_owner_stacks/show_stacks",
			   "re");
	char line[256], stack[4096] = "";
	unsigned int stacks = 0, left = 0;
	size_t i;

	if (!ok(file != NULL, "the kernel tracks the owners of pages"))
		return;
	while (fgets(line, sizeof(line), file)) {
		bool ours = strstr(stack, " 0xffffffff") != NULL;
		int pages;

		if (sscanf(line, "nr_base_pages: %d", &pages) != 1) {
			strncat(stack, line, sizeof(stack) - strlen(stack) - 1);
			continue;
		}
		for (i = 0; i < sizeof(allocators) / sizeof(*allocators); i++)
			ours = ours && !strstr(stack, allocators[i]);
		if (ours && pages > 0) {
			diag("%d pages:\n%s", pages, stack);
			left += pages;
		}
		stacks++;
		*stack = 0;
	}
	fclose(file);
	is(left, 0, "no page is left (%u stacks)", stacks);
}

static bool is_wanted(const struct operation *op, const char *wanted)
{
	if (!wanted)
		return true;
	if (*wanted == '-')
		return strcmp(op->name, wanted + 1) != 0;
	return !strcmp(op->name, wanted);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2)
		bail_out("usage: faults RBMAP.KO [[-]OPERATION]");
	module = argv[1];
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		diag("mlockall: %s", error_name(errno));
	pin(0);
	init_faults();
	for (i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		if (is_wanted(&operations[i], argv[2]))
			sweep(&operations[i]);
	}
	diag("nodes in /dev that the kernel did not make: %u, did not take away: %u",
	     nodes_missing, nodes_left);
	test_pages();
	return done_testing();
}

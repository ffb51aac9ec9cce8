// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices that lie: files of a temporary directory stand for the devices of CPUs. The
 * library opens and maps them by its own code, as readers, observers and merges. The input
 * chooses the calls, what the system calls return, and what the mapped pages contain.
 * Calls must end.
 *
 * The linker replaces the system calls that a file does not have (--wrap).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../userspace/lib/internal.h"

#define META_SIZE	4096
#define SUBBUF		128
#define NR_SUBBUFS	4
#define DATA_SIZE	(NR_SUBBUFS * SUBBUF)
#define TABLE_AT	8192
#define FILE_SIZE	12288
#define NR_DEVICES	3

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_ioctl(int fd, unsigned long cmd, ...);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t at);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t at);
ssize_t __wrap_splice(int in, off_t *in_at, int out, off_t *out_at, size_t len,
		      unsigned int flags);

static char dir[] = "/dev/shm/rbmap-lib_open.XXXXXX";
static const char *const devices[NR_DEVICES] = { "cpu0", "cpu1", "cpu7" };
/* Names that are not those of devices. */
static const char *const others[] = { "cpu", "cpux", "cpu3x", "cpu-1", "marker" };
static unsigned char *memory[NR_DEVICES];

static const uint8_t *input;
static size_t left;

static unsigned int take(void)
{
	if (!left)
		return 0;
	left--;
	return *input++;
}

/* Copy bytes of the input to a place in one of the files. */
static void change(void)
{
	static const struct {
		size_t at, size;
	} areas[] = {
		{ 0, sizeof(struct rbmap_meta) },
		{ META_SIZE, DATA_SIZE },
		{ TABLE_AT, 128 },
	};
	unsigned int which = take(), at = take() | take() << 8, len = take() % 32;
	size_t area = which / NR_DEVICES % 3, size = areas[area].size;

	at %= size;
	for (; len && left && at < size; len--)
		memory[which % NR_DEVICES][areas[area].at + at++] = take();
}

static void remove_files(void)
{
	char path[64];

	for (size_t i = 0; i < NR_DEVICES; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, devices[i]);
		unlink(path);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, others[i]);
		unlink(path);
	}
	rmdir(dir);
}

static int make_file(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || ftruncate(fd, FILE_SIZE))
		abort();
	return fd;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (!mkdtemp(dir))
		abort();
	atexit(remove_files);
	for (size_t i = 0; i < NR_DEVICES; i++) {
		int fd = make_file(devices[i]);

		memory[i] = __real_mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
					fd, 0);
		if (memory[i] == MAP_FAILED)
			abort();
		close(fd);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		close(make_file(others[i]));
	return 0;
}

/* One input in eight finds a plain file in place of a device. */
int __wrap_fstat(int fd, struct stat *st)
{
	int ret = __real_fstat(fd, st);

	if (!ret && left && *input % 8)
		st->st_mode = S_IFCHR | 0600;
	return ret;
}

static int fail(int error)
{
	errno = error;
	return -1;
}

int __wrap_ioctl(int fd, unsigned long cmd, ...)
{
	static const int errors[] = {
		EAGAIN, ESTALE, ENODEV, ENXIO, EINTR, ENOTTY, EACCES, EBUSY,
	};
	unsigned int what;

	(void)fd;
	if (cmd == RBMAP_IOCTL_GET_READER && !left)
		return fail(EAGAIN);
	what = take();
	if (what >= 192)
		return fail(errors[what % 8]);
	change();
	return 0;
}

/* A device maps no byte beyond its end. */
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t at)
{
	if (at < 0 || at > FILE_SIZE || len > (size_t)(FILE_SIZE - at) ||
	    (left && *input == 255)) {
		errno = left && *input % 2 ? ENOMEM : EINVAL;
		return MAP_FAILED;
	}
	return __real_mmap(addr, len, prot, flags, fd, at);
}

ssize_t __wrap_splice(int in, off_t *in_at, int out, off_t *out_at, size_t len,
		      unsigned int flags)
{
	unsigned int what = take();

	(void)in, (void)in_at, (void)out, (void)out_at, (void)flags;
	change();
	if (what < 64)
		return fail(what % 2 ? EAGAIN : ESTALE);
	return what < 128 ? fail(EINVAL) : (ssize_t)(len * (what - 128) / 128);
}

static void prepare(unsigned char *at)
{
	struct rbmap_meta *meta = (struct rbmap_meta *)at;
	struct rbmap_slot_table *table = (struct rbmap_slot_table *)(at + TABLE_AT);

	memset(at, 0, FILE_SIZE);
	meta->meta_page_size = META_SIZE;
	meta->meta_struct_len = sizeof(*meta);
	meta->subbuf_size = SUBBUF;
	meta->nr_subbufs = NR_SUBBUFS;
	meta->magic = RBMAP_META_MAGIC;
	meta->version = RBMAP_META_VERSION;
	meta->generation = 1;
	meta->slot_table_offset = TABLE_AT;
	meta->slot_table_size = rbmap_observer_size(NR_SUBBUFS);
	table->modulus = 1ULL << 20;
	table->newest = NR_SUBBUFS - 2;
	for (unsigned int i = 0; i < NR_SUBBUFS - 1; i++)
		table->slot[i].slot = RBMAP_TABLE_SLOT(i, i + 1);
}

static void read_event(const struct rbmap_event *ev)
{
	const uint8_t *payload = ev->data;
	volatile uint8_t sum = 0;

	for (uint32_t i = 0; i < ev->size; i++)
		sum ^= payload[i];
	(void)sum;
}

static void use_map(struct rbmap_map *map)
{
	struct rbmap_subbuf sb;
	struct rbmap_event ev;
	struct rbmap_loss loss;

	while (left) {
		switch (take() % 12) {
		case 0:
			change();
			break;
		case 1:
			(void)rbmap_next_subbuf(map, &sb);
			break;
		case 2:
			(void)rbmap_wait(map, 0);
			break;
		case 3:
			(void)rbmap_wake(map);
			break;
		case 4:
			(void)rbmap_discard_unread(map);
			break;
		case 5:
			(void)rbmap_splice(map, -1, 1 << 20);
			break;
		case 6:
			(void)rbmap_loss(map, &loss);
			(void)rbmap_events_read(map);
			break;
		case 7:
			(void)rbmap_clock(map);
			(void)rbmap_generation(map);
			break;
		default:
			if (rbmap_next_event(map, &ev) == 1)
				read_event(&ev);
		}
	}
	rbmap_close(map);
}

static void use_merge(struct rbmap_merge *m)
{
	struct rbmap_event ev;
	struct rbmap_loss loss;

	while (left) {
		switch (take() % 8) {
		case 0:
			change();
			break;
		case 1:
			(void)rbmap_merge_wait(m, 0);
			break;
		case 2:
			(void)rbmap_merge_wake(m);
			break;
		case 3:
			rbmap_merge_set_hold(m, take());
			break;
		case 4:
			(void)rbmap_merge_loss(m, &loss);
			break;
		default:
			if (rbmap_merge_next(m, &ev) == 1)
				read_event(&ev);
		}
	}
	rbmap_merge_close(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct rbmap_map *map;
	struct rbmap_merge *m;
	unsigned int how;
	int ret;

	input = data;
	left = size;
	how = take();
	for (size_t i = 0; i < NR_DEVICES; i++)
		prepare(memory[i]);
	for (unsigned int changes = how / 4 % 4; changes; changes--)
		change();
	if (how & 2) {
		ret = how & 1 ? rbmap_merge_observe_path(&m, dir, how / 128) :
				rbmap_merge_open_path(&m, dir, how / 128);
		if (!ret)
			use_merge(m);
	} else {
		snprintf(path, sizeof(path), "%s/%s", dir, how & 64 ? others[how % 5] : devices[0]);
		ret = how & 1 ? rbmap_observe_path(&map, path, how / 128) :
				rbmap_open_path(&map, path, how / 128);
		if (!ret)
			use_map(map);
	}
	/* Nobody has loaded the module here, and these names are no device's. */
	if (how & 32) {
		(void)rbmap_merge_open_path(&m, "/nowhere/rbmap", 0);
		(void)rbmap_open_path(&map, "/nowhere/cpu0", 0);
		(void)rbmap_open(&map, -1, 0);
	}
	return 0;
}

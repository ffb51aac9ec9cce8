// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A mapped ring: open, map, close.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "internal.h"

#define MODULE_DIR	"/sys/module/rbmap"

static int device_get_reader(struct rbmap_map *map)
{
	return ioctl(map->fd, RBMAP_IOCTL_GET_READER) < 0 ? -errno : 0;
}

static int device_wake(struct rbmap_map *map)
{
	return ioctl(map->fd, 0) < 0 ? -errno : 0;
}

static int device_discard(struct rbmap_map *map)
{
	return ioctl(map->fd, RBMAP_IOCTL_DISCARD) < 0 ? -errno : 0;
}

static int open_error(int cpu)
{
	int error = errno;

	switch (error) {
	case EACCES:
	case EPERM:
		return RBMAP_ERR_PERMISSION;
	case ENOENT:
	case ENXIO:
	case ENODEV:
		if (cpu < 0)
			return -error;
		if (!access(MODULE_DIR, F_OK) || !access(DEVICE_DIR, F_OK))
			return RBMAP_ERR_NO_CPU;
		return RBMAP_ERR_NOT_LOADED;
	}
	return -error;
}

/*
 * An access to a map beyond the end of its file kills the process.  Accept only
 * devices and tracefs' files: all their mapped pages exist.
 */
static int check_file(int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) || fstatfs(fd, &fs))
		return -errno;
	if (S_ISCHR(st.st_mode))
		return 0;
	if (S_ISREG(st.st_mode) && fs.f_type == TRACEFS_MAGIC)
		return 0;
	return RBMAP_ERR_NOT_RBMAP;
}

/* A kernel that cannot map the file fails with one of these errors. */
static int map_error(void)
{
	switch (errno) {
	case ENODEV:
	case EINVAL:
	case EACCES:
	case ENXIO:
		return RBMAP_ERR_NOT_RBMAP;
	}
	return -errno;
}

int rbmap_map_read_position(struct rbmap_map *map)
{
	map->id = META(map, reader.id);
	map->offset = META(map, reader.read);
	map->counted = map->offset;
	map->skip = map->offset;
	if (map->id >= map->nr_subbufs ||
	    map->offset > map->subbuf_size - RBMAP_SUBBUF_HEADER_SIZE)
		return RBMAP_ERR_CORRUPT;
	return 0;
}

/* Check the meta-page, and store its sizes in *map. */
int rbmap_map_init(struct rbmap_map *map, const void *meta, size_t size)
{
	uint64_t head, len, data;

	map->meta = meta;
	map->meta_page_size = META(map, meta_page_size);
	map->meta_struct_len = META(map, meta_struct_len);
	map->subbuf_size = META(map, subbuf_size);
	map->nr_subbufs = META(map, nr_subbufs);

	head = map->meta_page_size;
	len = map->meta_struct_len;
	if (len < RBMAP_META_TRACE_LEN || len > head || head % size)
		return RBMAP_ERR_NOT_RBMAP;
	if (map->subbuf_size < 64 || map->subbuf_size % 8 ||
	    map->nr_subbufs < 2)
		return RBMAP_ERR_NOT_RBMAP;
	if (__builtin_mul_overflow(map->subbuf_size, map->nr_subbufs, &data))
		return RBMAP_ERR_NOT_RBMAP;
	/* A 32-bit program lacks the address space for a large ring. */
	if (data > PTRDIFF_MAX - head)
		return sizeof(size_t) < 8 ? -EFBIG : RBMAP_ERR_NOT_RBMAP;

	map->is_rbmap = len >= meta_end(magic) && META(map, magic) == RBMAP_META_MAGIC;
	if (map->is_rbmap && (len < meta_end(version) ||
			      META(map, version) != RBMAP_META_VERSION))
		return RBMAP_ERR_VERSION;

	return rbmap_map_read_position(map);
}

static const void *map_pages(int fd, size_t size, off_t at)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, at);

	return p == MAP_FAILED ? NULL : p;
}

/* Map the slot table; it must have a slot for each sub-buffer. */
static int map_slot_table(struct rbmap_map *map)
{
	uint64_t offset = META_OWN(map, slot_table_offset);
	const void *table;
	int ret;

	map->slot_table_size = META_OWN(map, slot_table_size);
	if (map->slot_table_size < rbmap_observer_size(map->nr_subbufs))
		return RBMAP_ERR_VERSION;
	table = map_pages(map->fd, map->slot_table_size, offset);
	if (!table)
		return map_error();
	ret = rbmap_observer_init(map, table);
	if (ret)
		munmap((void *)table, map->slot_table_size);
	else
		map->slot_table = table;
	return ret;
}

static size_t subbufs_size(const struct rbmap_map *map)
{
	return map->subbuf_size * map->nr_subbufs;
}

static void unmap_subbufs(struct rbmap_map *map)
{
	if (map->data)
		munmap((void *)map->data, subbufs_size(map));
	map->data = NULL;
	map->start = NULL;
}

/*
 * The kernel maps each page of a map at once. A reader of the last few events of a large
 * ring needs a few of its pages. So only the addresses are reserved here.
 */
static int map_subbufs(struct rbmap_map *map)
{
	map->nr_single = 0;
	map->whole = map->observer || !map->is_rbmap;
	if (map->whole) {
		map->data = map_pages(map->fd, subbufs_size(map), map->meta_page_size);
	} else {
		map->data = mmap(NULL, subbufs_size(map), PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (map->data == MAP_FAILED)
			map->data = NULL;
	}
	return map->data ? 0 : map_error();
}

/* Map sub-buffers at their reserved addresses. After an error nothing is reserved. */
static int map_reserved(struct rbmap_map *map, uint32_t id, size_t size)
{
	size_t at = id * map->subbuf_size;
	int ret;

	if (mmap((void *)(map->data + at), size, PROT_READ, MAP_SHARED | MAP_FIXED, map->fd,
		 map->meta_page_size + at) != MAP_FAILED)
		return 0;
	ret = map_error();
	unmap_subbufs(map);
	return ret;
}

static int map_subbuf(struct rbmap_map *map, uint32_t id)
{
	if (map->whole)
		return 0;
	for (unsigned int i = 0; i < map->nr_single; i++)
		if (map->single[i] == id)
			return 0;
	if (map->nr_single < RBMAP_SINGLE_MAX) {
		map->single[map->nr_single++] = id;
		return map_reserved(map, id, map->subbuf_size);
	}
	map->whole = true;
	return map_reserved(map, 0, subbufs_size(map));
}

static int map_ring(struct rbmap_map *map)
{
	size_t page = sysconf(_SC_PAGESIZE), mapped = page;
	const struct rbmap_meta *meta;
	int ret;

	meta = map_pages(map->fd, page, 0);
	if (!meta)
		return map_error();
	ret = rbmap_map_init(map, meta, page);
	if (!ret && map->meta_page_size > page) {
		const void *whole;

		/* Map the whole first, then unmap: the ring must stay mapped. */
		mapped = map->meta_page_size;
		whole = map_pages(map->fd, mapped, 0);
		munmap((void *)meta, page);
		if (!whole) {
			map->meta = NULL;
			return map_error();
		}
		map->meta = whole;
	}
	if (!ret)
		ret = map_subbufs(map);
	if (!ret && map->observer)
		ret = map_slot_table(map);
	if (ret) {
		unmap_subbufs(map);
		munmap((void *)map->meta, mapped);
		map->meta = NULL;
	}
	return ret;
}

static void unmap_ring(struct rbmap_map *map)
{
	if (map->slot_table)
		munmap((void *)map->slot_table, map->slot_table_size);
	map->slot_table = NULL;
	unmap_subbufs(map);
	if (map->meta)
		munmap((void *)map->meta, map->meta_page_size);
	map->meta = NULL;
}

static int device_next_ring(struct rbmap_map *map)
{
	unmap_ring(map);
	return map_ring(map);
}

/*
 * The kernel moves a page only if no process has mapped it.  The meta-page stays mapped:
 * it keeps the ring, and has the counters.
 */
static ssize_t device_splice(struct rbmap_map *map, int pipe, size_t size)
{
	ssize_t ret;

	unmap_subbufs(map);
	ret = splice(map->fd, NULL, pipe, NULL, size, SPLICE_F_NONBLOCK);
	return ret < 0 ? -errno : ret;
}

static void device_close(struct rbmap_map *map)
{
	unmap_ring(map);
	if (map->wake_fd >= 0)
		close(map->wake_fd);
	if (map->fd >= 0)
		close(map->fd);
	rbmap_observer_free(map);
	free(map);
}

static const struct rbmap_transport device = {
	.get_reader	= device_get_reader,
	.wake		= device_wake,
	.discard	= device_discard,
	.next_ring	= device_next_ring,
	.splice		= device_splice,
	.map_subbufs	= map_subbufs,
	.map_subbuf	= map_subbuf,
	.close		= device_close,
};

/* A file without observers, such as ftrace's, fails with ENOTTY. */
static int observe(struct rbmap_map *map)
{
	if (ioctl(map->fd, RBMAP_IOCTL_OBSERVE) < 0)
		return errno == ENOTTY ? RBMAP_ERR_NOT_RBMAP : -errno;
	return rbmap_observer_new(map);
}

/* Takes ownership of @fd, also on an error. */
static int map_fd(struct rbmap_map **out, int fd, int cpu, bool observes)
{
	struct rbmap_map *map;
	int ret;

	map = calloc(1, sizeof(*map));
	if (!map) {
		close(fd);
		return -ENOMEM;
	}
	map->transport = &device;
	map->fd = fd;
	map->cpu = cpu;
	map->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = map->wake_fd < 0 ? -errno : check_file(fd);
	if (!ret && observes)
		ret = observe(map);
	if (!ret)
		ret = map_ring(map);
	if (ret) {
		rbmap_close(map);
		return ret;
	}
	if (cpu < 0 && map->is_rbmap && map->meta_struct_len >= meta_end(cpu))
		map->cpu = META(map, cpu);
	*out = map;
	return 0;
}

/* "…/cpu3" or "…/cpu3/trace_pipe_raw" */
static int cpu_of_path(const char *path)
{
	const char *at = path, *found = NULL;
	int cpu, len;

	while ((at = strstr(at, "cpu"))) {
		if (at == path || at[-1] == '/')
			found = at;
		at++;
	}
	if (!found || sscanf(found, "cpu%d%n", &cpu, &len) != 1 || cpu < 0)
		return -1;
	return found[len] == '\0' || found[len] == '/' ? cpu : -1;
}

static int open_map(struct rbmap_map **map, const char *path, int cpu,
		    bool observes)
{
	/* O_NONBLOCK: only rbmap_wait() may wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	*map = NULL;
	if (fd < 0)
		return open_error(cpu);
	return map_fd(map, fd, cpu, observes);
}

int rbmap_map_open(struct rbmap_map **map, const char *dir, int cpu,
		   bool observes)
{
	char path[PATH_MAX];

	*map = NULL;
	if (snprintf(path, sizeof(path), "%s/cpu%d", dir, cpu) >= PATH_MAX)
		return -ENAMETOOLONG;
	return open_map(map, path, cpu, observes);
}

static int open_cpu(struct rbmap_map **map, int cpu, unsigned int flags,
		    bool observes)
{
	*map = NULL;
	if (cpu < 0 || flags)
		return -EINVAL;
	return rbmap_map_open(map, DEVICE_DIR, cpu, observes);
}

RBMAP_API int rbmap_open(struct rbmap_map **map, int cpu, unsigned int flags)
{
	return open_cpu(map, cpu, flags, false);
}

RBMAP_API int rbmap_observe(struct rbmap_map **map, int cpu, unsigned int flags)
{
	return open_cpu(map, cpu, flags, true);
}

static int open_path(struct rbmap_map **map, const char *path,
		     unsigned int flags, bool observes)
{
	int ret;

	*map = NULL;
	if (flags)
		return -EINVAL;
	ret = open_map(map, path, -1, observes);
	if (*map && (*map)->cpu < 0)
		(*map)->cpu = cpu_of_path(path);
	return ret;
}

RBMAP_API int rbmap_open_path(struct rbmap_map **map, const char *path,
			      unsigned int flags)
{
	return open_path(map, path, flags, false);
}

RBMAP_API int rbmap_observe_path(struct rbmap_map **map, const char *path,
				 unsigned int flags)
{
	return open_path(map, path, flags, true);
}

RBMAP_API void rbmap_close(struct rbmap_map *map)
{
	if (map)
		map->transport->close(map);
}

RBMAP_API int rbmap_fd(const struct rbmap_map *map)
{
	return map->fd;
}

RBMAP_API int rbmap_cpu(const struct rbmap_map *map)
{
	return map->cpu;
}

RBMAP_API size_t rbmap_subbuf_size(const struct rbmap_map *map)
{
	return map->subbuf_size;
}

RBMAP_API unsigned int rbmap_nr_subbufs(const struct rbmap_map *map)
{
	return map->nr_subbufs;
}

RBMAP_API int rbmap_clock(const struct rbmap_map *map)
{
	return map->meta && map->is_rbmap ? (int)META_OWN(map, clock) : -1;
}

RBMAP_API unsigned int rbmap_generation(const struct rbmap_map *map)
{
	return map->meta ? META_OWN(map, generation) : 0;
}

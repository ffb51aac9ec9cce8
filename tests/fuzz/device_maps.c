// SPDX-License-Identifier: GPL-2.0-only
/* Steps that create, change or read maps. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <fcntl.h>

#include <linux/rbmap.h>

#include "device.h"

static struct fuzz_map *maps[NR_MAPS];
static struct fuzz_map map_pool[4 * NR_MAPS];

struct fuzz_map *take_map(void)
{
	return __atomic_exchange_n(&maps[pick(NR_MAPS)], NULL,
				   __ATOMIC_ACQ_REL);
}

void put_map(struct fuzz_map *map)
{
	struct fuzz_map *old;

	old = __atomic_exchange_n(&maps[pick(NR_MAPS)], map, __ATOMIC_ACQ_REL);
	if (!old)
		return;
	munmap(old->addr, old->len);
	__atomic_store_n(&old->addr, NULL, __ATOMIC_RELEASE);
}

/* Return NULL if all slots are in use. If that lasts, the fuzzer leaks slots. */
static struct fuzz_map *new_map(char *addr, size_t len)
{
	for (size_t i = 0; i < sizeof(map_pool) / sizeof(*map_pool); i++) {
		char *none = NULL;

		if (!__atomic_compare_exchange_n(&map_pool[i].addr, &none, addr,
						 false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		map_pool[i].len = len;
		return &map_pool[i];
	}
	munmap(addr, len);
	return NULL;
}

static void free_map(struct fuzz_map *map)
{
	__atomic_store_n(&map->addr, NULL, __ATOMIC_RELEASE);
}

bool do_mmap(void)
{
	static const int prots[] = {
		PROT_READ, PROT_READ, PROT_READ, PROT_READ, PROT_READ,
		PROT_READ, PROT_READ, PROT_READ, PROT_READ, PROT_NONE,
		PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC,
	};
	static const int flags[] = {
		MAP_SHARED, MAP_SHARED, MAP_SHARED, MAP_SHARED, MAP_SHARED,
		MAP_SHARED, MAP_SHARED, MAP_SHARED, MAP_SHARED | MAP_POPULATE,
		MAP_SHARED | MAP_LOCKED, MAP_PRIVATE, MAP_SHARED_VALIDATE,
		MAP_SHARED_VALIDATE | MAP_SYNC,
	};
	static const off_t offsets[] = { 0, 0, 1, 1, 2, 16 };
	off_t offset = pick_of(offsets) * page;
	struct rbmap_meta *meta;
	int fd = a_file();
	size_t len = pick_size();
	char *addr;

	/*
	 * Map the sizes that the meta-page gives, as a client does, or random
	 * sizes.
	 */
	if (pick(4)) {
		meta = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
		if (meta == MAP_FAILED)
			return false;
		len = (size_t)meta->subbuf_size * meta->nr_subbufs;
		offset = meta->meta_page_size;
		if (!pick(4)) {
			len += offset;
			offset = 0;
		}
		munmap(meta, page);
	} else if (!pick(6)) {
		offset = next_random() & ~(page - 1);
	}
	addr = mmap(NULL, len, pick_of(prots), pick_of(flags), fd, offset);
	if (addr == MAP_FAILED)
		return false;
	put_map(new_map(addr, (len + page - 1) & ~(page - 1)));
	return true;
}

bool do_munmap(void)
{
	struct fuzz_map *map = take_map();
	bool good;

	if (!map)
		return false;
	if (map->len > page && !pick(4)) {
		/* Unmap a part, which is refused. */
		good = !munmap(map->addr + page * pick(map->len / page), page);
		put_map(map);
		return good;
	}
	good = !munmap(map->addr, map->len);
	free_map(map);
	return good;
}

bool do_mremap(void)
{
	static const int flags[] = { 0, MREMAP_MAYMOVE, MREMAP_MAYMOVE,
				     MREMAP_MAYMOVE | MREMAP_DONTUNMAP,
				     MREMAP_MAYMOVE | MREMAP_FIXED };
	struct fuzz_map *map = take_map();
	int flag = pick_of(flags);
	size_t len, old;
	char *to = NULL, *addr;

	if (!map)
		return false;
	len = old = map->len;
	if (!pick(3))
		len = page * (1 + pick(2 * old / page));
	if (!pick(10))
		old = 0;
	if (flag & MREMAP_FIXED || pick(2)) {
		/* Reserve a free address range, which mremap() then replaces. */
		to = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
		if (to == MAP_FAILED)
			to = NULL;
		else
			flag |= MREMAP_MAYMOVE | MREMAP_FIXED;
	}
	if (!to)
		flag &= ~MREMAP_FIXED;
	addr = mremap(map->addr, old, len, flag, to);
	if (addr == MAP_FAILED) {
		/*
		 * The reserved range stays until the process ends. The kernel
		 * may have unmapped the range before mremap() failed, and
		 * another thread may have mapped something there.
		 */
		put_map(map);
		return false;
	}
	if (!old || flag & MREMAP_DONTUNMAP) {
		put_map(new_map(addr, len));
	} else {
		map->addr = addr;
		map->len = len;
	}
	put_map(map);
	return true;
}

bool do_mprotect(void)
{
	static const int prots[] = { PROT_READ, PROT_READ, PROT_NONE,
				     PROT_READ | PROT_WRITE,
				     PROT_READ | PROT_EXEC };
	struct fuzz_map *map = take_map();
	bool good;

	if (!map)
		return false;
	good = !mprotect(map->addr, pick(3) ? map->len : page, pick_of(prots));
	put_map(map);
	return good;
}

bool do_madvise(void)
{
	/* All advice except the kinds that take memory away from the machine. */
	static const int advice[] = {
		MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED,
		MADV_DONTNEED, MADV_DONTNEED, MADV_DONTNEED, 8, 9, MADV_DONTFORK,
		MADV_DOFORK, MADV_DOFORK, 12, 13, 14, 15, MADV_DONTDUMP,
		MADV_DODUMP, 18, 19, 20, 21, 22, 23, 24, 25,
	};
	struct fuzz_map *map = take_map();
	size_t at, len;
	bool good;

	if (!map)
		return false;
	at = pick(2) ? 0 : page * pick(map->len / page);
	len = pick(2) ? map->len - at : page;
	good = !madvise(map->addr + at, len, pick_of(advice));
	put_map(map);
	return good;
}

bool do_mlock(void)
{
	struct fuzz_map *map = take_map();
	unsigned char *resident;
	bool good;

	if (!map)
		return false;
	switch (pick(4)) {
	case 0:
		good = !mlock(map->addr, map->len);
		break;
	case 1:
		good = !munlock(map->addr, map->len);
		break;
	case 2:
		good = !msync(map->addr, map->len, MS_SYNC);
		break;
	default:
		resident = malloc(map->len / page);
		good = resident && !mincore(map->addr, map->len, resident);
		free(resident);
	}
	put_map(map);
	return good;
}

/* Read all of a map, if it is readable. */
bool do_touch(void)
{
	struct fuzz_map *map = take_map();
	volatile bool good = false;

	if (!map)
		return false;
	if (!sigsetjmp(fault, 1)) {
		may_fault = 1;
		for (size_t at = 0; at < map->len; at += page)
			(void)*(volatile char *)(map->addr + at);
		good = true;
	}
	may_fault = 0;
	put_map(map);
	return good;
}

/* Have the kernel read a map by looking its pages up. */
bool do_peek(void)
{
	struct fuzz_map *map = take_map();
	static __thread char text[CHUNK];
	struct iovec to = { text, CHUNK }, from;
	bool good;

	if (!map)
		return false;
	from.iov_base = map->addr + page * pick(map->len / page);
	from.iov_len = CHUNK;
	if (pick(2))
		good = process_vm_readv(getpid(), &to, 1, &from, 1, 0) > 0;
	else
		good = vmsplice(pipes[1], &from, 1, SPLICE_F_NONBLOCK) > 0;
	put_map(map);
	return good;
}

/* Find a file that can be mapped with that length; give up after a few tries. */
static int a_file_to_map(size_t len)
{
	for (int i = 0; i < 8; i++) {
		int fd = a_file();
		void *at = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);

		if (at != MAP_FAILED) {
			munmap(at, len);
			return fd;
		}
	}
	return a_file();
}

bool do_map_over(void)
{
	struct fuzz_map *map = take_map();
	char *at;
	bool good;

	if (!map)
		return false;
	/* Map over the middle, which is refused, or over all of the map. */
	at = map->addr + (pick(2) ? 0 : page * pick(map->len / page));
	good = mmap(at, map->addr + map->len - at, PROT_READ,
		    MAP_SHARED | MAP_FIXED, a_file_to_map(map->len),
		    0) != MAP_FAILED;
	/*
	 * The kernel may have unmapped the old map before it failed, as in
	 * do_mremap().
	 */
	if (good || at > map->addr)
		put_map(map);
	else
		free_map(map);
	return good;
}

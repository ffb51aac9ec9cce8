// SPDX-License-Identifier: GPL-2.0-only
/* Which maps are allowed, and with which errno the others are refused. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi.h"
#include "case.h"
#include "tap.h"

#ifndef MAP_SHARED_VALIDATE
#define MAP_SHARED_VALIDATE 3
#endif
#ifndef MAP_SYNC
#define MAP_SYNC 0x80000
#endif

/* Labels of errors that other rings had; ./bugs.c lists them. */
#define OVERFLOW	"bug-1: "
#define SWALLOWED	"bug-2: "
#define LEAKED		"bug-3: "

struct map_row {
	const char	*what;
	int		open_flags;
	int		prot;
	int		flags;
	uint64_t	offset;
	uint64_t	len;
	int		wanted;
};

static const int ro = O_RDONLY | O_NONBLOCK, rw = O_RDWR | O_NONBLOCK;

/*
 * Map a row. Return the name of its errno, or of the signal that reading both
 * ends of the map raises.
 */
static const char *try_row(int fd, const struct map_row *row)
{
	/* libc itself refuses an offset that is not a multiple of a page. */
	long ret = syscall(SYS_mmap, NULL, row->len, row->prot, row->flags, fd,
			   row->offset);
	const char *at = (const char *)ret;
	int signal = 0;

	if (ret == -1)
		return error_name(errno);
	if (row->prot & PROT_READ) {
		signal = touch(at);
		if (!signal)
			signal = touch(at + row->len - 1);
	}
	munmap((void *)ret, row->len);
	return signal_word(signal);
}

/*
 * The first map of a ring takes a code path of its own, so test each row with
 * and without another map.
 */
static void test_map_row(const struct map_row *row)
{
	const char *wanted = row->wanted ? error_name(row->wanted) : "works";
	int fd = device_open(CPU, row->open_flags);
	struct client other;

	case_text(try_row(fd, row), wanted, "%smmap: %s",
		  row->wanted ? SWALLOWED : "", row->what);
	case_error(get_reader(fd), ENODEV, "%smmap: %s: nothing stays mapped",
		   row->wanted ? LEAKED : "", row->what);
	close(fd);

	client_open(&other, CPU, ro);
	fd = device_open(CPU, row->open_flags);
	case_text(try_row(fd, row), wanted, "mmap: %s, while mapped",
		  row->what);
	close(fd);
	client_unmap(&other);
	case_error(get_reader(other.fd), ENODEV,
		   "%smmap: %s, while mapped: nothing stays mapped",
		   row->wanted ? LEAKED : "", row->what);
	close(other.fd);
}

static void test_map_table(void)
{
	const uint64_t end = meta_size + data_size;
	const int read = PROT_READ, shared = MAP_SHARED;
	const struct map_row rows[] = {
		{ "the meta-page", ro, read, shared, 0, page, 0 },
		{ "meta_page_size at 0", ro, read, shared, 0, meta_size, 0 },
		{ "meta and data", ro, read, shared, 0, end, 0 },
		{ "the data", ro, read, shared, meta_size, data_size, 0 },
		{ "the last sub-buffer", ro, read, shared, end - subbuf_size,
		  subbuf_size, 0 },
		{ "one page of a sub-buffer", ro, read, shared,
		  meta_size + subbuf_size, page, 0 },
		{ "MAP_POPULATE", ro, read, shared | MAP_POPULATE, 0, end, 0 },
		{ "MAP_LOCKED", ro, read, shared | MAP_LOCKED, 0, end, 0 },
		{ "MAP_SHARED_VALIDATE", ro, read, MAP_SHARED_VALIDATE, 0, end,
		  0 },
		{ "length 1", ro, read, shared, 0, 1, 0 },
		{ "PROT_NONE", ro, PROT_NONE, shared, 0, end, 0 },
		{ "read-only, opened O_RDWR", rw, read, shared, 0, end, 0 },
		{ "MAP_PRIVATE", ro, read, MAP_PRIVATE, 0, page, EPERM },
		{ "MAP_PRIVATE and writable", ro, read | PROT_WRITE,
		  MAP_PRIVATE, 0, page, EPERM },
		{ "PROT_EXEC", ro, read | PROT_EXEC, shared, 0, page, EPERM },
		{ "PROT_WRITE, opened O_RDWR", rw, read | PROT_WRITE, shared,
		  0, page, EPERM },
		{ "PROT_WRITE, opened O_RDONLY", ro, read | PROT_WRITE, shared,
		  0, page, EACCES },
		{ "MAP_SYNC", ro, read, MAP_SHARED_VALIDATE | MAP_SYNC, 0,
		  page, EOPNOTSUPP },
		{ "length 0", ro, read, shared, 0, 0, EINVAL },
		{ "an offset within a page", ro, read, shared, 1, page,
		  EINVAL },
		{ "all and a page", ro, read, shared, 0, end + page, EINVAL },
		{ "the last sub-buffer and a page", ro, read, shared,
		  end - subbuf_size, subbuf_size + page, EINVAL },
		{ "from the end", ro, read, shared, end, page, EINVAL },
		{ "from a page beyond the end", ro, read, shared, end + page,
		  page, EINVAL },
		{ "far beyond the end", ro, read, shared, end * 1000, page,
		  EINVAL },
		{ "2^46 bytes", ro, read, shared, 0, 1ULL << 46, EINVAL },
	};
	const struct map_row within = {
		"an offset within a sub-buffer", ro, read, shared,
		meta_size + page, page, EINVAL
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		test_map_row(&rows[i]);
	if (subbuf_size > page)
		test_map_row(&within);
}

/* Page offsets that overflow when the driver adds to them or multiplies them. */
static void test_offsets(void)
{
	/* The number of bits of a page's number, when the number of a byte has 64. */
	const unsigned int bits = 64 - __builtin_ctzl(page);
	const uint64_t end = 1ULL << bits;
	const struct {
		const char	*what;
		uint64_t	pgoff;
		int		wanted;
	} offsets[] = {
		{ "end - 1", end - 1, EOVERFLOW },
		{ "end - 2", end - 2, EOVERFLOW },
		{ "end - 16", end - 16, EINVAL },
		{ "end / 2", end / 2, EINVAL },
		{ "end / 4", end / 4, EINVAL },
		{ "2^32", 1ULL << 32, EINVAL },
		{ "2^31", 1ULL << 31, EINVAL },
		{ "2^20", 1ULL << 20, EINVAL },
	};
	size_t i;

	for (i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		const struct map_row row = {
			.open_flags = ro, .prot = PROT_READ,
			.flags = MAP_SHARED, .len = 2 * page,
			.offset = offsets[i].pgoff * page,
		};
		int fd = device_open(CPU, ro);
		struct client other;

		case_text(try_row(fd, &row), error_name(offsets[i].wanted),
			  OVERFLOW "mmap: page offset %s", offsets[i].what);
		client_open(&other, CPU, ro);
		case_text(try_row(fd, &row), error_name(offsets[i].wanted),
			  OVERFLOW "mmap: page offset %s, while mapped",
			  offsets[i].what);
		client_close(&other);
		close(fd);
	}
}

/* remap_file_pages() is the only call that passes a page offset with all 64 bits. */
static void test_remap_file_pages(void)
{
	int fd = device_open(CPU, ro);
	void *map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);

	case_error(error_of(syscall(SYS_remap_file_pages, map, page, 0,
				    -2UL, 0)), EINVAL,
		   OVERFLOW "remap_file_pages: page offset 2^64 - 2");
	case_error(error_of(syscall(SYS_remap_file_pages, map, page, 0,
				    1UL << 52, 0)), EINVAL,
		   OVERFLOW "remap_file_pages: page offset 2^52");
	case_text(signal_word(touch(map)), "works",
		  "remap_file_pages: the map after that");
	munmap(map, page);
	case_error(get_reader(fd), ENODEV,
		   LEAKED "remap_file_pages: nothing stays mapped");
	close(fd);
}

static void test_map_order(void)
{
	int fd = device_open(CPU, ro);
	void *data, *meta;

	data = mmap(NULL, data_size, PROT_READ, MAP_SHARED, fd, meta_size);
	meta = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	case_ok(data != MAP_FAILED && meta != MAP_FAILED,
		"mmap: data before meta");
	case_error(get_reader(fd), 0, "mmap: data before meta: GET_READER");
	munmap(meta, page);
	case_error(get_reader(fd), 0, "mmap: the data alone counts as mapped");
	munmap(data, data_size);
	case_error(get_reader(fd), ENODEV, "mmap: both gone");
	close(fd);
}

/* libtracefs maps one page first, because nothing else says how much to map. */
static void test_as_libtracefs(void)
{
	int fd = device_open(CPU, ro);
	const volatile struct rbmap_meta *meta;
	size_t size;
	char *data;

	meta = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	size = meta->meta_page_size;
	if (size > page) {
		munmap((void *)meta, page);
		meta = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	}
	case_ok(meta != MAP_FAILED && meta->meta_page_size == size,
		"mmap: again with meta_page_size");
	case_ok(all_zero((const char *)meta + page, (const char *)meta + size),
		"mmap: zeroes from the first page to meta_page_size");
	data = mmap(NULL, (size_t)meta->subbuf_size * meta->nr_subbufs,
		    PROT_READ, MAP_SHARED, fd, size);
	case_ok(data != MAP_FAILED,
		"mmap: subbuf_size * nr_subbufs at meta_page_size");
	close(fd);
	case_text(signal_word(touch(data)), "works",
		  "mmap: closed before munmap");
	munmap(data, data_size);
	munmap((void *)meta, size);
}

/* The slot table, far behind the end of the largest ring. */
static void test_slot_table(void)
{
	int fd = device_open(CPU, ro);
	void *table = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 1LL << 40);

	case_error(table == MAP_FAILED ? errno : 0, 0, "mmap: at 1 << 40");
	if (table != MAP_FAILED)
		munmap(table, page);
	close(fd);
}

void theme_map(void)
{
	test_map_table();
	test_offsets();
	test_remap_file_pages();
	test_map_order();
	test_as_libtracefs();
	test_slot_table();
}

// SPDX-License-Identifier: GPL-2.0-only
/* memory_trim(): which pages go, and that no page changes by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/agent.h"

#define PAGES	4

static size_t page;

/* Return the resident kB of the mapping that begins at an address. */
static long resident_kb(const void *start)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	unsigned long from, to;
	bool found = false;
	char line[4096];
	long kb = -1;

	assert_non_null(file);
	while (kb < 0 && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			found = from == (unsigned long)start;
		else if (found && sscanf(line, "Rss: %ld kB", &kb) == 1)
			break;
	}
	fclose(file);
	return kb;
}

/* Map a file of PAGES pages that are full of 'f', and use each page. */
static volatile char *map_file(int flags)
{
	char name[] = "/tmp/fleet_memory.XXXXXX";
	int fd = mkstemp(name);
	volatile char *map;

	assert_true(fd >= 0);
	unlink(name);
	for (size_t i = 0; i < PAGES * page; i++)
		assert_int_equal(write(fd, "f", 1), 1);
	map = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, flags, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(map[i * page], 'f');
	return map;
}

static void protect(volatile char *map, int prot)
{
	assert_return_code(mprotect((void *)map, PAGES * page, prot), 0);
}

static void unmap(volatile char *map)
{
	munmap((void *)map, PAGES * page);
}

static void unchanged_pages_go(void **state)
{
	volatile char *map = map_file(MAP_PRIVATE);

	(void)state;
	protect(map, PROT_READ);
	assert_int_equal(resident_kb((void *)map), PAGES * page / 1024);
	memory_trim();
	assert_int_equal(resident_kb((void *)map), 0);
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(map[i * page], 'f');
	unmap(map);
}

/* As the loader does with relocations, and a debugger with breakpoints */
static void a_changed_page_stays(void **state)
{
	volatile char *map = map_file(MAP_PRIVATE);

	(void)state;
	map[2 * page] = 'c';
	protect(map, PROT_READ | PROT_EXEC);
	memory_trim();
	assert_int_equal(map[2 * page], 'c');
	assert_int_equal(map[3 * page], 'f');
	unmap(map);
}

static void writable_pages_stay(void **state)
{
	volatile char *map = map_file(MAP_PRIVATE);

	(void)state;
	memory_trim();
	assert_int_equal(resident_kb((void *)map), PAGES * page / 1024);
	unmap(map);
}

/* A ring is one: its pages are the module's. */
static void shared_pages_stay(void **state)
{
	volatile char *map = map_file(MAP_SHARED);

	(void)state;
	protect(map, PROT_READ);
	memory_trim();
	assert_int_equal(resident_kb((void *)map), PAGES * page / 1024);
	unmap(map);
}

static void anonymous_pages_stay(void **state)
{
	volatile char *map = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(map, MAP_FAILED);
	map[page] = 'a';
	protect(map, PROT_READ);
	memory_trim();
	assert_int_equal(map[page], 'a');
	unmap(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unchanged_pages_go),
		cmocka_unit_test(a_changed_page_stays),
		cmocka_unit_test(writable_pages_stay),
		cmocka_unit_test(shared_pages_stay),
		cmocka_unit_test(anonymous_pages_stay),
	};

	page = sysconf(_SC_PAGESIZE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

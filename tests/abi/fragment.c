// SPDX-License-Identifier: GPL-2.0-only
/*
 * fragment COMMAND...: runs a command on fragmented memory. Four of each eight
 * contiguous pages are in use and cannot be moved. An allocation of more than
 * four contiguous pages fails.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t free_kb(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	size_t kb = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemFree: %zu", &kb) == 1)
			break;
	if (file)
		fclose(file);
	return kb;
}

static void set_vm(const char *name, const char *value)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/sys/vm/%s", name);
	file = fopen(path, "we");
	if (!file || fputs(value, file) < 0 || fclose(file))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	/* Memory that stays contiguous; the command must need more than this. */
	const size_t reserve_kb = 8 << 10, step = 1 << 20;
	size_t len = free_kb() << 10, at;
	int status;
	char *area;
	pid_t pid;

	if (argc < 2)
		errx(1, "usage: fragment COMMAND...");
	set_vm("compact_unevictable_allowed", "0");
	/*
	 * A kernel that finds its memory fragmented raises its watermark for a
	 * while, up to all memory that is left here. It would kill this process
	 * to reach the watermark.
	 */
	set_vm("watermark_boost_factor", "0");
	set_vm("max_map_count", "10000000");
	/* Allocate from the lowest zone, too. */
	set_vm("lowmem_reserve_ratio", "100000 100000");
	area = mmap(NULL, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	/* A kernel without huge pages refuses this advice with EINVAL. */
	if (area == MAP_FAILED ||
	    (madvise(area, len, MADV_NOHUGEPAGE) && errno != EINVAL))
		err(1, "%zu bytes", len);
	for (at = 0; at < len && free_kb() > reserve_kb + step / 1024; at += step)
		if (mlock(area + at, step))
			break;
	len = at;
	printf("# %zu KiB taken, %zu KiB left\n", len >> 10, free_kb());
	/* Most groups of eight pages are contiguous in physical memory. */
	for (at = 0; at + 8 * page <= len; at += 8 * page)
		if (munlock(area + at, 4 * page) ||
		    madvise(area + at, 4 * page, MADV_DONTNEED))
			err(1, "page %zu", at / page);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		err(1, "%s", argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

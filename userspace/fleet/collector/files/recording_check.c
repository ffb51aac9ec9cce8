// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file_check.h"
#include "recording/dat_read.h"

#define MEMORY_MAX	(1UL << 30)
#define CPU_SECONDS	20
#define WALL_SECONDS	60

static void check(int fd)
{
	struct rlimit memory = { MEMORY_MAX, MEMORY_MAX }, cpu = { CPU_SECONDS, CPU_SECONDS };
	struct rlimit none = { 0, 0 };
	struct rbmap_recording *reader;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
#ifndef __SANITIZE_ADDRESS__
	/* AddressSanitizer reserves more than any limit. */
	setrlimit(RLIMIT_AS, &memory);
#else
	(void)memory;
#endif
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &none);
	alarm(WALL_SECONDS);
	/* The offset is that of the parent, too, which uses pread(). */
	_exit(lseek(fd, 0, SEEK_SET) < 0 || dat_open_fd(&reader, fd) ? 1 : 0);
}

bool is_recording(int fd)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return false;
	if (!child)
		check(fd);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

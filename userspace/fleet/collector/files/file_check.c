// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file_check.h"
#include "message/digest.h"

/* The child of a collector that was killed must not keep its lock and its connections. */
static int keep_only(int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = dup2(fd, STDIN_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	return fd;
}

static enum file_verdict check(int fd, uint64_t size, const char *sha256)
{
	char sum[DIGEST_TEXT_SIZE];
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return FILE_UNREADABLE;
	if ((uint64_t)st.st_size != size)
		return FILE_DAMAGED;
	if (checksum_file(fd, -1, sum))
		return FILE_UNREADABLE;
	if (strcmp(sum, sha256))
		return FILE_DAMAGED;
	return is_recording(fd) ? FILE_RECORDING : FILE_OTHER;
}

pid_t file_check_start(int fd, uint64_t size, const char *sha256)
{
	pid_t child = fork();

	if (child)
		return child;
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	_exit(check(keep_only(fd), size, sha256));
}

enum file_verdict file_check_verdict(int status)
{
	if (!WIFEXITED(status) || WEXITSTATUS(status) > FILE_UNREADABLE)
		return FILE_UNREADABLE;
	return WEXITSTATUS(status);
}

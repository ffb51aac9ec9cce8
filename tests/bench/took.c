// SPDX-License-Identifier: GPL-2.0-only
/*
 *	took COMMAND [ARGUMENT...]
 *
 * Prints how many nanoseconds a command took. The command's output goes to standard
 * error. Fails if the command fails.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t begin = now();
	int status;
	pid_t pid;

	if (argc < 2) {
		fputs("usage: took COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	pid = fork();
	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(argv[1], argv + 1);
		fprintf(stderr, "took: %s: %s\n", argv[1], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	printf("%" PRIu64 "\n", now() - begin);
	return 0;
}

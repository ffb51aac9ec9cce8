// SPDX-License-Identifier: GPL-2.0-only
/*
 *	took [--memory] COMMAND [ARGUMENT...]
 *
 * Prints how many nanoseconds a command took, and with --memory how many KiB its memory
 * had at most. The command's output goes to standard error. Fails if the command fails.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
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
	bool memory = argc > 1 && !strcmp(argv[1], "--memory");
	char **command = argv + 1 + memory;
	uint64_t begin = now();
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 2 + memory) {
		fputs("usage: took [--memory] COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	pid = fork();
	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(command[0], command);
		fprintf(stderr, "took: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return 1;
	printf("%" PRIu64, now() - begin);
	if (memory)
		printf(" %ld", usage.ru_maxrss);
	putchar('\n');
	return 0;
}

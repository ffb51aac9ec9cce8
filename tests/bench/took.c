// SPDX-License-Identifier: GPL-2.0-only
/*
 *	took [--memory|--idle] COMMAND [ARGUMENT...]
 *	took --now
 *
 * Prints how many nanoseconds a command took, and with --memory how many KiB its memory
 * had at most, with --idle how many of the nanoseconds the first CPU was idle. The command's
 * output goes to standard error. Fails if the command fails. --now prints the time and the
 * time that the first CPU has been idle.
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

/* /proc/stat has hundredths of a second only. */
static uint64_t idle(void)
{
	FILE *list = fopen("/proc/timer_list", "r");
	uint64_t ns = 0;
	char line[256];

	while (list && fgets(line, sizeof(line), list))
		if (sscanf(line, " .idle_sleeptime : %" SCNu64, &ns) == 1)
			break;
	if (list)
		fclose(list);
	return ns;
}

int main(int argc, char **argv)
{
	bool memory = argc > 1 && !strcmp(argv[1], "--memory");
	bool idles = argc > 1 && !strcmp(argv[1], "--idle");
	char **command = argv + 1 + (memory || idles);
	uint64_t begin, idle_before = 0, elapsed;
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc == 2 && !strcmp(argv[1], "--now")) {
		begin = now();
		printf("%" PRIu64 " %" PRIu64 "\n", begin, idle());
		return 0;
	}
	if (!*command) {
		fputs("usage: took [--memory|--idle] COMMAND [ARGUMENT...] | --now\n", stderr);
		return 2;
	}
	if (idles)
		idle_before = idle();
	begin = now();
	pid = fork();
	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(command[0], command);
		fprintf(stderr, "took: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return 1;
	elapsed = now() - begin;
	printf("%" PRIu64, elapsed);
	if (idles)
		printf(" %" PRIu64, idle() - idle_before);
	if (memory)
		printf(" %ld", usage.ru_maxrss);
	putchar('\n');
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make one system call with any arguments, whatever it returns:
 *
 *	system_call lseek|kill|sched_yield [ARGUMENT...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	long nr;
} calls[] = {
	{ "lseek", SYS_lseek },
	{ "kill", SYS_kill },
	{ "sched_yield", SYS_sched_yield },
};

int main(int argc, char **argv)
{
	unsigned long args[6] = { 0 };

	for (int i = 2; i < argc && i < 8; i++)
		args[i - 2] = strtoul(argv[i], NULL, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(calls) / sizeof(*calls); i++) {
		if (strcmp(calls[i].name, argv[1]))
			continue;
		syscall(calls[i].nr, args[0], args[1], args[2], args[3], args[4], args[5]);
		return 0;
	}
	fprintf(stderr, "usage: system_call lseek|kill|sched_yield [ARGUMENT...]\n");
	return 2;
}

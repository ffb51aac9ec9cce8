// SPDX-License-Identifier: GPL-2.0-only
/*
 *	ctrl_c [-w WORD] COMMAND...	runs a command on a terminal of its own, and types Ctrl-C
 *			when it prints WORD ("ready"); prints the beginning of what it prints
 *	ctrl_c count	prints "ready", and then how often SIGINT came within a second
 */
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static void count(void)
{
	struct timespec second = { .tv_sec = 1 };
	unsigned int times = 0;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	printf("ready\n");
	fflush(stdout);
	/* The first one may come late. */
	while (sigwaitinfo(&set, NULL) < 0)
		;
	do
		times++;
	while (sigtimedwait(&set, NULL, &second) > 0);
	printf("%u times\n", times);
}

int main(int argc, char **argv)
{
	struct winsize window = { .ws_row = 24, .ws_col = 80 };
	const char *word = "ready";
	char text[8192], rest[256];
	int tty, status;
	bool typed = false;
	size_t size = 0;
	ssize_t got;
	pid_t pid;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "count")) {
		count();
		return 0;
	}
	if (argc > 3 && !strcmp(argv[1], "-w")) {
		word = argv[2];
		argv += 2;
	}
	pid = forkpty(&tty, NULL, NULL, &window);
	if (pid < 0)
		bail_out("cannot make a terminal");
	if (!pid) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	while (size < sizeof(text) - 1 &&
	       (got = read(tty, text + size, sizeof(text) - 1 - size)) > 0) {
		size += got;
		text[size] = '\0';
		if (typed || !strstr(text, word))
			continue;
		typed = true;
		if (write(tty, "\003", 1) != 1)
			bail_out("cannot type");
	}
	while (read(tty, rest, sizeof(rest)) > 0)
		;
	fwrite(text, 1, size, stdout);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

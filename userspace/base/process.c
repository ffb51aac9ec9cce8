// SPDX-License-Identifier: LGPL-2.1-only
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

bool hangup_is_ignored(void)
{
	struct sigaction act;

	return !sigaction(SIGHUP, NULL, &act) && act.sa_handler == SIG_IGN;
}

/* The number that is needed is often an estimate, so nothing below the hard limit is set. */
void allow_open_files(unsigned long needed)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* The kernel's PROC_PID_INIT_INO: the initial namespace has the same number everywhere. */
#define INITIAL	"pid:[4026531836]"

/* PROC_CGROUP_INIT_INO */
#define INITIAL_CGROUPS	"cgroup:[4026531835]"

/* Return whether a link names the namespace @initial; @without: what there is without the link. */
static bool links_to(const char *link, const char *initial, bool without)
{
	char name[64];
	ssize_t len = readlink(link, name, sizeof(name));

	if (len < 0)
		return without;
	return len == (ssize_t)strlen(initial) && !memcmp(name, initial, len);
}

static bool is_initial(const char *link)
{
	return links_to(link, INITIAL, false);
}

bool proc_has_whole_cgroups(void)
{
	return links_to("/proc/self/ns/cgroup", INITIAL_CGROUPS, true);
}

/* /proc then has one number only for this process, that of its own namespace. */
bool proc_has_own_pids(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[256], extra;
	bool own = false;
	int pid;

	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, "NSpid:", 6))
			own = sscanf(line + 6, "%d %c", &pid, &extra) == 1 && pid == getpid();
	if (status)
		fclose(status);
	return own;
}

/*
 * /proc/self exists if this process is in the namespace of /proc or below it. So a process
 * in the initial namespace that finds itself sees the kernel's numbers.
 */
enum proc_pids proc_pids(void)
{
	if (is_initial("/proc/self/ns/pid") || is_initial("/proc/1/ns/pid"))
		return PROC_PIDS_KERNEL;
	return proc_has_own_pids() ? PROC_PIDS_OWN : PROC_PIDS_OTHER;
}

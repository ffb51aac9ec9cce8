// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/complain.h"
#include "base/process.h"
#include "base/units.h"
#include "kernel/control.h"
#include "pid_list.h"

#define MAX_PID		(4 * 1024 * 1024)	/* the kernel's PID_MAX_LIMIT */
#define MAX_LOOKS	1000

/* Pids that are in the list, a bit for each. */
struct listed {
	unsigned char bits[MAX_PID / 8];
	bool translate;		/* the kernel translates the numbers of this namespace */
};

char *pid_list_read(const char *list)
{
	char *text = control_read(list);

	if (!text)
		control_complain(CONTROL_READ, list, -errno);
	return text;
}

static bool put(const char *list, const char *text, bool append)
{
	int ret = control_write_list(list, text, append);

	if (ret)
		control_complain(CONTROL_WRITE, list, ret);
	return !ret;
}

bool pid_list_write(const char *list, const char *text)
{
	return put(list, *text ? text : "\n", false);
}

static bool read_listed(const char *list, struct listed *listed)
{
	char *text, *at, *end;

	/* The list has the kernel's numbers. The bits have what was written. */
	if (listed->translate)
		return true;
	text = pid_list_read(list);
	if (!text)
		return false;
	at = text;
	memset(listed->bits, 0, sizeof(listed->bits));
	for (;;) {
		unsigned long pid = strtoul(at, &end, 10);

		if (end == at)
			break;
		if (pid < MAX_PID)
			listed->bits[pid / 8] |= 1 << pid % 8;
		at = end;
	}
	free(text);
	return true;
}

/*
 * Add the threads of a process that are not listed. Return false if the process
 * does not exist.
 */
static bool add_missing(struct buf *pids, struct listed *listed, unsigned int pid)
{
	struct dirent *entry;
	uint64_t thread;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return false;
	while ((entry = readdir(dir))) {
		if (!parse_u64(entry->d_name, &thread) || thread >= MAX_PID ||
		    listed->bits[thread / 8] & 1 << thread % 8)
			continue;
		buf_printf(pids, "%s%s ", listed->translate ? "@" : "", entry->d_name);
		if (listed->translate)
			listed->bits[thread / 8] |= 1 << thread % 8;
	}
	closedir(dir);
	return true;
}

/*
 * Add the threads that the list lacks. Return 1 if there were any, 0 if there were none,
 * -1 after an error.
 */
static int look(const char *list, struct listed *listed, const unsigned int *pid,
		size_t nr, bool append)
{
	struct buf pids = { 0 };
	int ret = -1;

	for (size_t i = 0; i < nr; i++) {
		/* A process may end after its threads were listed. */
		if (!add_missing(&pids, listed, pid[i]) && !append) {
			complain("process %u does not exist", pid[i]);
			buf_free(&pids);
			return -1;
		}
	}
	buf_add(&pids, "", 1);
	if (pids.failed)
		complain("out of memory");
	else if (pids.size == 1)
		ret = 0;
	else if (put(list, pids.data, append) && read_listed(list, listed))
		ret = 1;
	buf_free(&pids);
	return ret;
}

bool pid_list_set_processes(const char *list, const unsigned int *pid, size_t nr)
{
	struct listed *listed = calloc(1, sizeof(*listed));
	int ret = 1;

	if (!listed) {
		complain("out of memory");
		return false;
	}
	switch (proc_pids()) {
	case PROC_PIDS_KERNEL:
		break;
	case PROC_PIDS_OWN:
		listed->translate = true;
		break;
	case PROC_PIDS_OTHER:
		complain("/proc belongs to another PID namespace, so its process ids mean other tasks here: mount the /proc of this namespace, or run this command outside");
		free(listed);
		return false;
	}
	for (int looks = 0; ret > 0 && looks < MAX_LOOKS; looks++)
		ret = look(list, listed, pid, nr, looks > 0);
	free(listed);
	if (ret > 0)
		complain("the processes make threads faster than they can be listed: record all processes, and select some in the report");
	return !ret;
}

bool pid_list_exclude_self(bool exclude)
{
	return put("exclude_process", exclude ? "0" : "!0", true);
}

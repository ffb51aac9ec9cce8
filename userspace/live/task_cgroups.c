// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "kernel/cgroups.h"
#include "task_cgroups.h"

#define NOW		UINT64_MAX	/* later than each event */
#define LINK_SIZE	64

/* Store the line of a file of /proc that begins with @key, without @key and the newline. */
static bool read_line(const char *path, const char *key, char *line, int size)
{
	FILE *file = fopen(path, "re");
	size_t len = strlen(key);
	bool found = false;

	while (file && !found && fgets(line, size, file))
		found = !strncmp(line, key, len);
	if (file)
		fclose(file);
	if (!found)
		return false;
	line[strcspn(line, "\n")] = '\0';
	memmove(line, line + len, strlen(line + len) + 1);
	return true;
}

/* The last number of NSpid is that of the task's own namespace. */
static int read_ns_pid(const char *process, const char *thread)
{
	char path[576], line[512], *last;

	snprintf(path, sizeof(path), "/proc/%s/task/%s/status", process, thread);
	if (!read_line(path, "NSpid:", line, sizeof(line)))
		return 0;
	last = strrchr(line, '\t');
	return last ? atoi(last + 1) : 0;
}

/* Return true if the process is in another PID namespace. Only root sees that of all processes. */
static bool has_other_namespace(const char *process, const char *own)
{
	char path[300], link[LINK_SIZE];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%s/ns/pid", process);
	len = readlink(path, link, sizeof(link) - 1);
	link[len > 0 ? len : 0] = '\0';
	return len > 0 && strcmp(link, own) != 0;
}

static void learn_thread(struct dat_cgroups *cgroups, const char *cgroup, const char *process,
			 const char *thread, bool other)
{
	struct dat_task task = { .cgroup = cgroup, .ts = NOW, .pid = atoi(thread) };

	task.ns_pid = other ? read_ns_pid(process, thread) : 0;
	if (task.pid > 0)
		dat_cgroups_learn(cgroups, &task);
}

/* A directory has a link for itself, one for its name, and one for each directory in it. */
static bool has_one_thread(const char *threads)
{
	struct stat st;

	return !stat(threads, &st) && st.st_nlink == 3;
}

/* The threads of a process are taken to be in its cgroup: threaded cgroups are rare. */
static void scan_process(struct dat_cgroups *cgroups, const char *process, const char *own)
{
	bool other = has_other_namespace(process, own);
	char path[300], cgroup[8192];
	struct dirent *thread;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%s/cgroup", process);
	if (!read_line(path, "0::", cgroup, sizeof(cgroup)))
		return;
	snprintf(path, sizeof(path), "/proc/%s/task", process);
	if (has_one_thread(path)) {
		learn_thread(cgroups, cgroup, process, process, other);
		return;
	}
	threads = opendir(path);
	while (threads && (thread = readdir(threads)))
		learn_thread(cgroups, cgroup, process, thread->d_name, other);
	if (threads)
		closedir(threads);
}

/* The module has the numbers of tasks and the paths of cgroups in the initial namespaces. */
static bool proc_has_kernel_cgroups(void)
{
	return proc_pids() == PROC_PIDS_KERNEL && proc_has_whole_cgroups();
}

void task_cgroups_scan(struct dat_cgroups *cgroups)
{
	char own[LINK_SIZE] = "";
	struct dirent *entry;
	ssize_t len;
	DIR *proc;

	if (!proc_has_kernel_cgroups())
		return;
	len = readlink("/proc/self/ns/pid", own, sizeof(own) - 1);
	own[len > 0 ? len : 0] = '\0';
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			scan_process(cgroups, entry->d_name, own);
	if (proc)
		closedir(proc);
}

bool task_cgroups_ask(struct dat_cgroups *cgroups, int pid)
{
	char path[64], cgroup[8192];
	const struct dat_task task = { .pid = pid, .cgroup = cgroup, .ts = NOW };

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	return pid > 0 && proc_has_kernel_cgroups() &&
	       read_line(path, "0::", cgroup, sizeof(cgroup)) &&
	       !dat_cgroups_learn(cgroups, &task);
}

static bool read_number(const struct rbmap_format *format, const char *name,
			const struct rbmap_event *event, int64_t *number)
{
	const struct rbmap_format_field *field = rbmap_format_field_by_name(format, name);
	uint64_t bits;

	if (!field || rbmap_field_number(field, event, 0, &bits))
		return false;
	*number = bits;
	return true;
}

void task_cgroups_learn_event(struct dat_cgroups *cgroups, const struct rbmap_formats *formats,
			      const struct rbmap_event *event)
{
	const struct rbmap_format *format = rbmap_formats_of(formats, event);
	const struct rbmap_format_field *path;
	struct dat_task task = { .ts = event->ts };
	int64_t pid, ns_pid;
	const char *text;
	char *cgroup;
	size_t len;

	path = format ? rbmap_format_field_by_name(format, "path") : NULL;
	if (!path || !read_number(format, "pid", event, &pid) ||
	    !read_number(format, "ns_pid", event, &ns_pid) ||
	    rbmap_field_string(path, event, &text, &len) || !len || *text != '/')
		return;
	/* Without memory the task has no cgroup. */
	cgroup = strndup(text, len);
	task.cgroup = cgroup;
	task.pid = pid;
	task.ns_pid = ns_pid;
	if (cgroup)
		dat_cgroups_learn(cgroups, &task);
	free(cgroup);
}

/* ---- quotas */

/* Return true if version 2 has the controller of CPU time, which version 1 then does not have. */
static bool has_cpu(const char *mount)
{
	char path[4096], line[512], *word, *rest = line;

	snprintf(path, sizeof(path), "%s/cgroup.controllers", mount);
	if (!read_line(path, "", line, sizeof(line)))
		return false;
	while ((word = strsep(&rest, " ")))
		if (!strcmp(word, "cpu"))
			return true;
	return false;
}

/* A cgroup whose parent does not share out CPU time has no file cpu.max. */
static void read_quota(struct dat_cgroups *cgroups, const char *mount, const char *cgroup)
{
	struct dat_quota quota = { .cgroup = cgroup, .quota = DAT_QUOTA_MAX, .period = 100000 };
	char path[8192], line[64];

	snprintf(path, sizeof(path), "%s%s", mount, cgroup);
	if (access(path, F_OK))
		return;
	snprintf(path, sizeof(path), "%s%s/cpu.max", mount, cgroup);
	if (read_line(path, "", line, sizeof(line)) &&
	    sscanf(line, "%" SCNu64 " %" SCNu64, &quota.quota, &quota.period) == 2 &&
	    (!quota.quota || !quota.period))
		return;
	dat_cgroups_set_quota(cgroups, &quota);
}

void task_cgroups_read_quotas(struct dat_cgroups *cgroups)
{
	unsigned int nr = dat_cgroups_count(cgroups);
	char *mount = cgroup_mount(), *path, *end;

	for (unsigned int i = 0; mount && has_cpu(mount) && i < nr; i++) {
		path = strdup(dat_cgroups_path(cgroups, i));
		/* Those outside of this process's namespace begin with /.., and cannot be read. */
		while (path && *path == '/' && !strstr(path, "/..") &&
		       !dat_cgroups_own_quota(cgroups, path)) {
			read_quota(cgroups, mount, path);
			end = strrchr(path, '/');
			*end = '\0';
		}
		free(path);
	}
	free(mount);
}

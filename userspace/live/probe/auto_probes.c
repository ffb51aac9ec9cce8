// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "auto_probes.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/complain.h"
#include "btf_types.h"
#include "dynamic.h"
#include "kernel/control.h"

#define NAME_SIZE	160		/* SYSTEM:EVENT, of 64 characters each */
#define PATH_SIZE	(NAME_SIZE + sizeof(MADE_DIR))

static void path_of(char path[PATH_SIZE], const char *name)
{
	snprintf(path, PATH_SIZE, MADE_DIR "/%s", name);
}

/* ---- files of events, and their locks */

static bool has_name(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_ino == b.st_ino &&
	       a.st_dev == b.st_dev;
}

/* Lock the file. If it was removed before the lock, try again. Return -1 after an error. */
static int open_locked(const char *name, int flags)
{
	char path[PATH_SIZE];
	int fd;

	path_of(path, name);
	for (;;) {
		fd = open(path, flags | O_RDWR | O_CLOEXEC, 0600);
		if (fd < 0 || (!flock(fd, LOCK_SH) && has_name(fd, path)))
			return fd;
		close(fd);
	}
}

static void remove_line(const char *name)
{
	char line[NAME_SIZE + 8], message[256], *colon;

	snprintf(line, sizeof(line), "-:%s", name);
	colon = strchr(line + 2, ':');
	*colon = '/';
	/* The event may be gone: the module was unloaded, or a user has removed it. */
	klog_write(DYNAMIC_FILE, line, message, sizeof(message));
}

/* Return whether nobody else has a lock. 'rbmap status' has one for a moment. */
static bool lock_alone(int fd)
{
	for (int i = 0; i < 3; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return true;
		usleep(10000);
	}
	return false;
}

/* Remove the events that no other process uses. The last process to leave gets the lock. */
static void release(const struct auto_probes *made)
{
	char path[PATH_SIZE];

	for (size_t i = 0; i < made->nr; i++) {
		const struct auto_probe *event = &made->v[i];

		path_of(path, event->name);
		if (!lock_alone(event->fd) || !has_name(event->fd, path))
			continue;
		remove_line(event->name);
		unlink(path);
	}
}

/* ---- the helper */

static bool is_needed(const struct auto_probes *made, int fd)
{
	for (size_t i = 0; i < made->nr; i++)
		if (made->v[i].fd == fd)
			return true;
	return false;
}

/* The helper must not keep the recorder's buffer, rings and output. */
static void close_others(const struct auto_probes *made, int alive)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int fd;

	while (dir && (entry = readdir(dir))) {
		fd = atoi(entry->d_name);
		if (*entry->d_name != '.' && fd != dirfd(dir) && fd != STDERR_FILENO &&
		    fd != alive && !is_needed(made, fd))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static void help(const struct auto_probes *made, int alive)
{
	sigset_t all;
	char byte;

	/* Signals for the recorder, or for all its processes, must not end the helper. */
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	close_others(made, alive);
	while (read(alive, &byte, 1) < 0 && errno == EINTR)
		;
	release(made);
	_exit(0);
}

static bool start_helper(struct auto_probes *made)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return false;
	made->helper = fork();
	if (!made->helper) {
		close(ends[1]);
		help(made, ends[0]);
	}
	close(ends[0]);
	made->alive = ends[1];
	if (made->helper > 0)
		return true;
	made->helper = 0;
	close(made->alive);
	return false;
}

/* ---- which events are to be made */

/* A name without wildcards, SYSTEM:EVENT or EVENT */
static bool parse_name(const char *pattern, char *system, char *event)
{
	const char *colon = strchr(pattern, ':');
	size_t len = colon ? colon - pattern : 0;

	if (strpbrk(pattern, "*?[\\") || len >= NAME_SIZE / 2)
		return false;
	snprintf(system, NAME_SIZE / 2, "%.*s", colon ? (int)len : (int)strlen(DEFAULT_GROUP),
		 colon ? pattern : DEFAULT_GROUP);
	snprintf(event, NAME_SIZE / 2, "%s", colon ? colon + 1 : pattern);
	return *system && *event;
}

static bool is_used(const struct auto_probes *made, const char *name)
{
	for (size_t i = 0; i < made->nr; i++)
		if (!strcmp(made->v[i].name, name))
			return true;
	return false;
}

/* The caller has checked that the event is not in the list yet. */
static bool add_made(struct auto_probes *made, const char *name, int fd)
{
	if (!array_grow(made->v, made->nr) || !(made->v[made->nr].name = strdup(name))) {
		complain("out of memory");
		close(fd);
		return false;
	}
	made->v[made->nr++].fd = fd;
	return true;
}

/* Keep the events that other recorders have made, and that the pattern names. */
static bool join(struct auto_probes *made, const struct control_events *events,
		 const char *pattern)
{
	char name[NAME_SIZE];
	bool ok = true;

	for (size_t i = 0; ok && i < events->nr; i++) {
		const struct control_event *ev = &events->v[i];
		int fd;

		if (!control_match(pattern, ev->system, ev->name))
			continue;
		snprintf(name, sizeof(name), "%s:%s", ev->system, ev->name);
		if (is_used(made, name))
			continue;
		fd = open_locked(name, 0);
		ok = fd < 0 || add_made(made, name, fd);
	}
	return ok;
}

/* Return true if an event fits the pattern, or has the name @event in any system. */
static bool is_known(const struct control_events *events, const char *pattern,
		     const char *event)
{
	for (size_t i = 0; i < events->nr; i++)
		if (control_match(pattern, events->v[i].system, events->v[i].name) ||
		    !strcmp(events->v[i].name, event))
			return true;
	return false;
}

static bool has_tracepoint(const char *system, const char *event)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/%s", system, event);
	return !access(path, F_OK);
}

static void complain_make(const char *system, const char *event, int error, const char *message)
{
	const char *why = error == -EPERM || error == -EACCES ? "no permission" : *message ? message :
			  strerror(-error);

	complain("event %s:%s is not built in, and cannot be made: %s; as root, 'rbmap probe add -g %s %s' makes it",
		 system, event, why, system, event);
}

/* Return false after an error that was reported. */
static bool make(struct auto_probes *made, const char *system, const char *event,
		 const char *line)
{
	char name[NAME_SIZE], message[256] = "";
	int fd, ret;

	snprintf(name, sizeof(name), "%s:%s", system, event);
	mkdir(MADE_DIR, 0755);
	fd = open_locked(name, O_CREAT);
	if (fd < 0) {
		complain_make(system, event, -errno, message);
		return false;
	}
	if (!add_made(made, name, fd))
		return false;
	ret = klog_write(DYNAMIC_FILE, line, message, sizeof(message));
	/* -EEXIST: another recorder was faster. */
	if (ret && ret != -EEXIST) {
		complain_make(system, event, ret, message);
		return false;
	}
	if (!made->quiet)
		complain("note: event %s is not built in: made it from the tracepoint's arguments, until this command ends",
			 name);
	return true;
}

/* Return 1 if an event was made, 0 if it cannot be made, -1 after a reported error. */
static int try_make(struct auto_probes *made, const char *system, char *event)
{
	struct buf line = { 0 };
	struct btf_types types;
	char error[4096];
	int ret = 0;

	if (!btf_types_open(&types, NULL, 0, error, sizeof(error))) {
		if (!has_tracepoint(system, event))
			return 0;
		complain("event %s:%s is not built in, and this kernel does not describe its types: 'rbmap probe add --btf VMLINUX -g %s %s' makes it",
			 system, event, system, event);
		return -1;
	}
	if (probe_line(&line, &types, system, event, &event, 1, error, sizeof(error)))
		ret = make(made, system, event, line.data) ? 1 : -1;
	buf_free(&line);
	btf_types_close(&types);
	return ret;
}

static int begin(struct auto_probes *made, const struct control_events *events,
		 const char *pattern)
{
	char system[NAME_SIZE / 2], event[NAME_SIZE / 2], name[NAME_SIZE];

	if (!join(made, events, pattern))
		return -1;
	if (!parse_name(pattern, system, event) || is_known(events, pattern, event))
		return 0;
	/* An earlier pattern has made it. */
	snprintf(name, sizeof(name), "%s:%s", system, event);
	if (is_used(made, name))
		return 0;
	return try_make(made, system, event);
}

bool auto_probes_begin(struct auto_probes *made, struct control_events *events,
		       const struct patterns *patterns)
{
	int made_some = 0;

	for (size_t i = 0; i < patterns->nr; i++) {
		int ret = begin(made, events, patterns->pattern[i]);

		if (ret < 0)
			return false;
		made_some |= ret;
	}
	/* Without a helper, only a process that is not killed removes its events. */
	if (made->nr)
		start_helper(made);
	if (!made_some)
		return true;
	control_events_free(events);
	return !control_events_read(events);
}

void auto_probes_end(struct auto_probes *made)
{
	int status = -1;

	if (made->helper) {
		close(made->alive);
		while (waitpid(made->helper, &status, 0) < 0 && errno == EINTR)
			;
	}
	if (status)
		release(made);
	for (size_t i = 0; i < made->nr; i++) {
		close(made->v[i].fd);
		free(made->v[i].name);
	}
	free(made->v);
	*made = (struct auto_probes){ 0 };
}

void auto_probes_forget(const char *system, const char *event)
{
	char name[NAME_SIZE], path[PATH_SIZE];

	snprintf(name, sizeof(name), "%s:%s", system, event);
	path_of(path, name);
	unlink(path);
}

bool auto_probes_left(const char *system, const char *event)
{
	char name[NAME_SIZE], path[PATH_SIZE];
	bool left;
	int fd;

	snprintf(name, sizeof(name), "%s:%s", system, event);
	path_of(path, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	left = !flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return left;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file system rbmap as a user without rights sees it, and while processes race.
 *
 *	tracefs_mount rights DIR
 *	tracefs_mount race DIR SECONDS
 *
 * DIR is a mount of the file system. race creates and destroys the buffers r0, r1 and r2,
 * by mkdir and by the control files, while other processes search, read directories and
 * mount. It checks that no process sees an error other than those of a lost race.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#define INSTANCES	"/sys/kernel/rbmap/instances/"
#define NR_BUFFERS	3

static const char *dir;

/* Return 0 or the errno of a result. */
static int error_of(int result)
{
	return result < 0 ? errno : 0;
}

static int make(const char *format, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), format, dir, name);
	return error_of(mkdir(path, 0755));
}

static int unmake(const char *format, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), format, dir, name);
	return error_of(rmdir(path));
}

static int mount_it(const char *path, const char *options)
{
	return error_of(mount("rbmap", path, "rbmap", 0, options));
}

/* Get a context for a mount, which holds the module. */
static int context(void)
{
	int fd = syscall(SYS_fsopen, "rbmap", 0), err = error_of(fd);

	if (fd >= 0)
		close(fd);
	return err;
}

/* ---- rights */

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : write(fd, text, strlen(text));

	close(fd);
	return len == (ssize_t)strlen(text);
}

/* Results of a process of its own, which may give up its rights. */
static void apart(void (*check)(void))
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		check();
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
}

static void check_nobody(void)
{
	if (setgid(65534) || setuid(65534))
		bail_out("setuid: %s", strerror(errno));
	is_error(make("%s/instances/%s", "n"), EACCES, "nobody: mkdir");
	is_error(unmake("%s/instances/%s", "kept"), EACCES, "nobody: rmdir");
	is_error(mount_it("/tmp", ""), EPERM, "nobody: mount");
	is_error(context(), EPERM, "nobody: fsopen");
}

static void check_userns(void)
{
	/* A process that has changed its user may not write its own maps. */
	prctl(PR_SET_DUMPABLE, 1);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) {
		skip("this kernel has no user namespaces", "user namespace");
		return;
	}
	ok(write_text("/proc/self/setgroups", "deny") &&
	   write_text("/proc/self/uid_map", "0 65534 1") &&
	   write_text("/proc/self/gid_map", "0 65534 1") && !setuid(0),
	   "user namespace: root there");
	is_error(make("%s/instances/%s", "n"), EACCES, "user namespace: mkdir");
	is_error(unmake("%s/instances/%s", "kept"), EACCES, "user namespace: rmdir");
	is_error(mount_it("/tmp", ""), EPERM, "user namespace: mount");
	is_error(context(), EPERM, "user namespace: fsopen");
}

static void check_userns_of_nobody(void)
{
	if (setgid(65534) || setuid(65534))
		bail_out("setuid: %s", strerror(errno));
	check_userns();
}

static int rights(void)
{
	is_error(context(), 0, "root: fsopen");
	apart(check_nobody);
	apart(check_userns_of_nobody);
	return done_testing();
}

/* ---- race */

static unsigned int seed;

static unsigned int pick(unsigned int n)
{
	return rand_r(&seed) % n;
}

static const char *a_name(void)
{
	static char name[8];

	snprintf(name, sizeof(name), "r%u", pick(NR_BUFFERS));
	return name;
}

/* Stop at the first error that a lost race does not explain. */
static void expect(const char *what, int error, const int *expected)
{
	for (; *expected; expected++)
		if (error == *expected)
			return;
	if (!error)
		return;
	fprintf(stderr, "# %s: %s\n", what, error_name(error));
	_exit(1);
}

static void race_make(void)
{
	expect("mkdir", make("%s/instances/%s", a_name()),
	       (const int []){ EEXIST, 0 });
}

static void race_unmake(void)
{
	expect("rmdir", unmake("%s/instances/%s", a_name()),
	       (const int []){ ENOENT, EBUSY, 0 });
}

static void race_control(void)
{
	static const char *const files[] = { "create", "destroy" };
	char path[256];
	int fd, error;

	snprintf(path, sizeof(path), INSTANCES "%s", files[pick(2)]);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	error = fd < 0 ? errno : error_of(write(fd, a_name(), 2));
	close(fd);
	expect(path, error, (const int []){ EEXIST, ENOENT, EBUSY, 0 });
}

/* Read a directory and the targets of its links; @depth levels of directories. */
static void race_read(const char *path, int depth)
{
	char below[512], target[512];
	struct dirent *entry;
	struct stat st;
	DIR *d = opendir(path);

	expect("opendir", d ? 0 : errno, (const int []){ ENOENT, 0 });
	while (d && (errno = 0, entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		if (lstat(below, &st)) {
			expect("lstat", errno, (const int []){ ENOENT, 0 });
		} else if (S_ISLNK(st.st_mode)) {
			if (readlink(below, target, sizeof(target)) <= 0)
				/* EINVAL: the ring of a CPU has become an empty file. */
				expect("readlink", errno,
				       (const int []){ ENOENT, EINVAL, 0 });
			else if (!stat(below, &st) && st.st_ino == 0)
				_exit(1);
		} else if (S_ISDIR(st.st_mode) && depth && !pick(3)) {
			race_read(below, depth - 1);
		}
	}
	if (d) {
		expect("readdir", errno, (const int []){ ENOENT, 0 });
		closedir(d);
	}
}

/* Stay in a directory that may disappear. */
static void race_inside(void)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/instances/%s/per_cpu/cpu0", dir, a_name());
	if (chdir(path)) {
		expect("chdir", errno, (const int []){ ENOENT, 0 });
		return;
	}
	for (int i = 0; i < 20; i++) {
		if (stat("stats", &st))
			expect("stat", errno, (const int []){ ENOENT, 0 });
		if (lstat("../../trace_marker", &st))
			expect("lstat", errno, (const int []){ ENOENT, 0 });
		race_read(".", 0);
	}
	if (chdir("/"))
		_exit(1);
}

/* Open a file of a buffer, and sometimes keep it for a moment. */
static void race_open(void)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/instances/%s/per_cpu/cpu0/trace_pipe_raw",
		 dir, a_name());
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		expect("open", errno, (const int []){ ENOENT, ENXIO, 0 });
		return;
	}
	if (!pick(4))
		usleep(1000);
	close(fd);
}

static void race_mount(void)
{
	char path[64], option[32];
	int error;

	snprintf(path, sizeof(path), "/tmp/mount.%d", getpid());
	mkdir(path, 0755);
	snprintf(option, sizeof(option), "%s%s", pick(2) ? "buffer=" : "",
		 a_name());
	if (option[0] == 'r')
		option[0] = '\0';
	error = mount_it(path, option);
	expect("mount", error, (const int []){ ENOENT, 0 });
	if (error)
		return;
	race_read(path, 2);
	/* A directory that a process stands in keeps the mount until then. */
	if (pick(2) && !chdir(path)) {
		expect("umount, detached", error_of(umount2(path, MNT_DETACH)),
		       (const int []){ 0 });
		race_read(".", 1);
		if (chdir("/"))
			_exit(1);
	} else {
		expect("umount", error_of(umount(path)), (const int []){ 0 });
	}
}

static void race_until(time_t end, unsigned int which)
{
	char path[512];

	seed = which + 1;
	while (time(NULL) < end) {
		switch (which % 7) {
		case 0:
			race_make();
			break;
		case 1:
			race_unmake();
			break;
		case 2:
			race_control();
			break;
		case 3:
			snprintf(path, sizeof(path), "%s%s", dir,
				 pick(2) ? "" : "/instances");
			race_read(path, 3);
			break;
		case 4:
			race_inside();
			break;
		case 5:
			race_open();
			break;
		default:
			race_mount();
		}
	}
}

static int race(int seconds)
{
	time_t end = time(NULL) + seconds;
	int status, failed = 0;

	for (unsigned int i = 0; i < 14; i++) {
		if (!fork()) {
			race_until(end, i);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		failed += status != 0;
	is(failed, 0, "no process sees an error but that of a lost race");
	for (int i = 0; i < NR_BUFFERS; i++) {
		char name[8];
		int error;

		snprintf(name, sizeof(name), "r%d", i);
		error = unmake("%s/instances/%s", name);
		is_error(error == ENOENT ? 0 : error, 0, "%s is removed", name);
	}
	return done_testing();
}

int main(int argc, char **argv)
{
	if (argc < 3)
		bail_out("usage: tracefs_mount rights|race DIR [SECONDS]");
	dir = argv[2];
	return strcmp(argv[1], "race") ? rights() :
	       race(argc > 3 ? atoi(argv[3]) : 10);
}

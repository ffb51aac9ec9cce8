// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap tracefs-dir: mount the module's file system, which looks like tracefs to
 * libtracefs and trace-cmd, on a directory.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/complain.h"
#include "command/command.h"
#include "command/options.h"
#include "kernel/control.h"
#include "kernel/holders.h"

extern const struct command command_tracefs_dir;

/* f_type of statfs() */
#define MAGIC	0x72626d70

static bool is_ours(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == MAGIC;
}

/* Accept an empty directory, or make one. *made: it was made here. */
static bool prepare(const char *path, bool *made)
{
	struct dirent *entry;
	bool empty = true;
	DIR *d;

	*made = !mkdir(path, 0755);
	if (*made)
		return true;
	if (errno != EEXIST) {
		complain("cannot make %s: %s", path, strerror(errno));
		return false;
	}
	d = opendir(path);
	if (!d) {
		complain("%s exists and cannot be used: %s", path,
			 strerror(errno));
		return false;
	}
	while (empty && (entry = readdir(d)))
		empty = !strcmp(entry->d_name, ".") ||
			!strcmp(entry->d_name, "..");
	closedir(d);
	if (!empty && is_ours(path))
		complain("%s exists already: 'rbmap tracefs-dir --remove %s' removes it",
			 path, path);
	else if (!empty)
		complain("%s is not empty: name an empty directory, or a directory that does not exist",
			 path);
	return empty;
}

static void complain_mount(const char *path, int error)
{
	const char *hint = "";

	if (error == EPERM)
		hint = geteuid() ? ": run rbmap as root" :
		       ": a container or a security policy forbids it";
	else if (error == ENODEV)
		hint = ": the module is older than this command: run 'rbmap doctor'";
	complain("cannot mount the file system " MOUNTS_TYPE " on %s: %s%s", path,
		 strerror(error), hint);
}

static int make(const char *path)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
	const char *buffer = control_buffer();
	char option[256];
	bool made;

	if (!control_present() || !prepare(path, &made))
		return STATUS_ERROR;
	snprintf(option, sizeof(option), "%s%s", buffer ? "buffer=" : "",
		 buffer ? buffer : "");
	if (!mount(MOUNTS_TYPE, path, MOUNTS_TYPE, flags, option))
		return STATUS_OK;
	complain_mount(path, errno);
	if (made)
		rmdir(path);
	return STATUS_ERROR;
}

/* Unmount @path. Return 0 or an error number; EINVAL: it was not mounted here. */
static int unmount(const char *path)
{
	if (!is_ours(path))
		return EINVAL;
	return umount2(path, UMOUNT_NOFOLLOW) ? errno : 0;
}

static int remove_dir(const char *path)
{
	int error = access(path, F_OK) ? errno : unmount(path);

	if (error == EINVAL) {
		complain("%s was not made by rbmap tracefs-dir and is not removed",
			 path);
		return STATUS_ERROR;
	}
	if (!error && rmdir(path))
		error = errno;
	if (error) {
		complain("cannot remove %s: %s%s", path, strerror(error),
			 error == EBUSY ?
			 ": a process has a file of it open, or works in it" : "");
		return STATUS_ERROR;
	}
	return STATUS_OK;
}

struct dir_options {
	bool remove;
};

static const struct cli_option options[] = {
	BUFFER_OPTION,
	{ .name = "remove", .letter = 'r',
	  .target = FLAG(struct dir_options, remove),
	  .help = "remove a DIR that this command made" },
	{ 0 }
};

static int tracefs_dir(int argc, char **argv)
{
	const struct command *cmd = &command_tracefs_dir;
	struct dir_options o = { 0 };
	size_t len;
	int status;
	char *path;

	if (!parse_options(cmd, argc, argv, &o, &status))
		return status;
	if (optind == argc || !*argv[optind])
		return usage_error(cmd, "the name of a directory is missing");
	if (optind + 1 < argc)
		return usage_error(cmd, "unexpected argument '%s'", argv[optind + 1]);
	path = argv[optind];
	/* Completion by a shell may have added slashes. */
	for (len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
		path[len - 1] = '\0';
	return o.remove ? remove_dir(path) : make(path);
}

const struct command command_tracefs_dir = {
	.name		= "tracefs-dir",
	.synopsis	= "[-B NAME] [--remove] DIR",
	.summary	= "Make a directory that libtracefs reads as tracefs",
	.options	= options,
	.help		=
	"DIR must be empty or not exist. A program passes it to\n"
	"tracefs_set_tracing_dir() of libtracefs.\n",
	.run		= tracefs_dir,
};

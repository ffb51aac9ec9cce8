// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap tracefs-dir: make a directory that looks like tracefs to libtracefs.
 *
 * Most of its entries are links into /sys/kernel/rbmap and /dev/rbmap, so that
 * the module itself serves them. Four kinds of files are made here: the mark
 * of such a directory, an event that never happens, empty rings for CPUs that
 * have none, and files that never change.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/cli.h"
#include "common/control.h"
#include "common/options.h"

#define MARK		".rbmap-tracefs-dir"
#define MARK_TEXT	"made by rbmap tracefs-dir; rbmap tracefs-dir --remove removes it\n"

/*
 * trace-cmd restore requires an event of the system ftrace. No event has the id
 * 0.
 */
#define NO_EVENT	"none"
#define NO_EVENT_DIR	"events/ftrace/" NO_EVENT

/* Files that never change. Refusals are in the kernel log, and not in error_log. */
static const struct constant {
	const char *name;
	const char *text;
} constants[] = {
	{ "README", "rbmap: a ring buffer with the interface of tracefs. See rbmap-tracefs-dir(1).\n" },
	{ "available_tracers", "nop\n" },
	{ "error_log", "" },
	{ "printk_formats", "" },
};

#define NR_CONSTANTS	(sizeof(constants) / sizeof(constants[0]))

/**
 * struct tree - the directory to be made
 * @path: path of the directory
 * @control: directory with the control files of a buffer
 * @devices: directory with the buffer's devices
 * @failed: an error was reported, and the rest is not tried
 */
struct tree {
	const char *path;
	const char *control;
	const char *devices;
	bool failed;
};

static void fail(struct tree *t, const char *name, int error)
{
	if (!t->failed)
		complain("cannot make %s/%s: %s", t->path, name,
			 strerror(error));
	t->failed = true;
}

static bool path_of(struct tree *t, char *path, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s/%s", t->path, name) < PATH_MAX)
		return true;
	fail(t, name, ENAMETOOLONG);
	return false;
}

static void make_dir(struct tree *t, const char *name)
{
	char path[PATH_MAX];

	if (!t->failed && path_of(t, path, name) && mkdir(path, 0755))
		fail(t, name, errno);
}

static void make_file(struct tree *t, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *f;

	if (t->failed || !path_of(t, path, name))
		return;
	f = fopen(path, "wxe");
	if (!f) {
		fail(t, name, errno);
		return;
	}
	fputs(text, f);
	if (ferror(f) | fclose(f))
		fail(t, name, errno);
}

static void make_link(struct tree *t, const char *name, const char *dir,
		      const char *file)
{
	char path[PATH_MAX], target[PATH_MAX];

	if (t->failed || !path_of(t, path, name))
		return;
	if (snprintf(target, sizeof(target), "%s/%s", dir, file) >= PATH_MAX)
		fail(t, name, ENAMETOOLONG);
	else if (symlink(target, path))
		fail(t, name, errno);
}

/*
 * Make links to the entries of one of the module's directories. @type is DT_REG
 * or DT_DIR.
 */
static void make_links(struct tree *t, const char *name, unsigned char type)
{
	char dir[PATH_MAX], link[PATH_MAX];
	struct dirent *entry;
	DIR *d = NULL;

	if (t->failed)
		return;
	if (snprintf(dir, sizeof(dir), "%s/%s", t->control, name) < PATH_MAX)
		d = opendir(dir);
	if (!d) {
		complain("cannot read %s/%s: %s", t->control, name,
			 strerror(errno));
		t->failed = true;
		return;
	}
	while ((entry = readdir(d)) && !t->failed) {
		if (entry->d_type != type || entry->d_name[0] == '.')
			continue;
		if (snprintf(link, sizeof(link), "%s%s%s", name,
			     *name ? "/" : "", entry->d_name) >= PATH_MAX)
			fail(t, entry->d_name, ENAMETOOLONG);
		else
			make_link(t, link, dir, entry->d_name);
	}
	closedir(d);
}

/* The event has the fields that all events have, and no others. */
static void make_no_event(struct tree *t)
{
	static const char head[] = "name: " NO_EVENT "\nID: 0\n";
	struct buf format = { 0 };
	char *marker = control_read("events/rbmap/marker/format");
	char *fields = marker ? strstr(marker, "format:\n") : NULL;
	char *end = fields ? strstr(fields, "\n\n") : NULL;

	if (end) {
		buf_printf(&format, "%s%.*s\n\nprint fmt: \"\"\n", head,
			   (int)(end - fields), fields);
		make_dir(t, "events/ftrace");
		make_dir(t, NO_EVENT_DIR);
		buf_add(&format, "", 1);
		make_file(t, NO_EVENT_DIR "/format",
			  format.failed ? "" : format.data);
	} else {
		control_complain(CONTROL_READ, "events/rbmap/marker/format",
				 marker ? -EINVAL : -errno);
		t->failed = true;
	}
	buf_free(&format);
	free(marker);
}

/*
 * libtracefs gives up if a configured CPU has no file. A CPU that was never
 * online has no ring: its file is empty.
 */
static void make_cpu(struct tree *t, unsigned int cpu)
{
	char dir[64], raw[96], device[32], path[PATH_MAX];
	struct stat st;

	snprintf(dir, sizeof(dir), "per_cpu/cpu%u", cpu);
	snprintf(raw, sizeof(raw), "%s/trace_pipe_raw", dir);
	snprintf(device, sizeof(device), "cpu%u", cpu);
	make_dir(t, dir);
	snprintf(path, sizeof(path), "%s/%s", t->control, dir);
	if (stat(path, &st)) {
		make_file(t, raw, "");
	} else {
		make_links(t, dir, DT_REG);
		make_link(t, raw, t->devices, device);
	}
}

static void make_cpus(struct tree *t)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	make_dir(t, "per_cpu");
	for (long cpu = 0; cpu < nr && !t->failed; cpu++)
		make_cpu(t, cpu);
}

static void make_constants(struct tree *t)
{
	for (size_t i = 0; i < NR_CONSTANTS; i++)
		make_file(t, constants[i].name, constants[i].text);
}

/*
 * tracefs has a file for each option in one directory. The module has some of them
 * elsewhere.
 */
static void make_options(struct tree *t)
{
	make_dir(t, "options");
	make_links(t, "options", DT_REG);
	make_link(t, "options/overwrite", t->control, "overwrite");
}

static void make_tree(struct tree *t)
{
	/*
	 * Make the mark first, so that an incomplete directory can be removed.
	 */
	make_file(t, MARK, MARK_TEXT);
	make_links(t, "", DT_REG);
	make_link(t, "trace_marker", t->devices, "marker");
	make_link(t, "trace", t->devices, "trace");
	make_link(t, "saved_cmdlines", "/dev/rbmap", "saved_cmdlines");
	make_constants(t);
	make_options(t);
	make_dir(t, "events");
	make_links(t, "events", DT_REG);
	make_links(t, "events", DT_DIR);
	make_no_event(t);
	make_cpus(t);
}

static bool is_ours(const char *path)
{
	char mark[PATH_MAX];

	return snprintf(mark, sizeof(mark), "%s/" MARK, path) < PATH_MAX &&
	       !access(mark, F_OK);
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
	if (is_ours(path))
		complain("%s exists already: 'rbmap tracefs-dir --remove %s' removes it",
			 path, path);
	else if (!empty)
		complain("%s is not empty: name an empty directory, or a directory that does not exist",
			 path);
	return empty;
}


static size_t remove_base;
static char remove_strange[PATH_MAX];

static bool is_constant(const char *name)
{
	for (size_t i = 0; i < NR_CONSTANTS; i++)
		if (!strcmp(name, constants[i].name))
			return true;
	return false;
}

static bool is_own_file(const char *name, const struct stat *st)
{
	size_t len = strlen(name), raw = strlen("/trace_pipe_raw");

	return is_constant(name + 1) || !strcmp(name, "/" MARK) ||
	       !strcmp(name, "/" NO_EVENT_DIR "/format") ||
	       (!st->st_size && len > raw &&
		!strcmp(name + len - raw, "/trace_pipe_raw"));
}

/* Before anything is removed, check that all of it was made here. */
static int check_entry(const char *path, const struct stat *st, int type,
		       struct FTW *ftw)
{
	(void)ftw;
	if (type == FTW_DP || type == FTW_SL || type == FTW_SLN ||
	    (type == FTW_F && is_own_file(path + remove_base, st)))
		return 0;
	snprintf(remove_strange, sizeof(remove_strange), "%s", path);
	return 1;
}

/*
 * The mark goes last, just before its directory, so that a failed removal can
 * be repeated.
 */
static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)st;
	if (!ftw->level || !strcmp(path + remove_base, "/" MARK))
		return 0;
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

static int remove_tree(const char *path)
{
	const int flags = FTW_PHYS | FTW_DEPTH | FTW_MOUNT;
	char mark[PATH_MAX];

	if (access(path, F_OK)) {
		complain("cannot remove %s: %s", path, strerror(errno));
		return STATUS_ERROR;
	}
	if (!is_ours(path)) {
		complain("%s was not made by rbmap tracefs-dir and is not removed",
			 path);
		return STATUS_ERROR;
	}
	remove_base = strlen(path);
	if (nftw(path, check_entry, 16, flags) > 0) {
		complain("%s was not made by rbmap tracefs-dir and is not removed",
			 remove_strange);
		return STATUS_ERROR;
	}
	snprintf(mark, sizeof(mark), "%s/" MARK, path);
	if (nftw(path, remove_entry, 16, flags) || unlink(mark) ||
	    rmdir(path)) {
		complain("cannot remove %s: %s", path, strerror(errno));
		return STATUS_ERROR;
	}
	return STATUS_OK;
}

static int make(const char *path)
{
	struct tree t = {
		.path		= path,
		.control	= control_dir(),
		.devices	= control_devices(),
	};
	bool made;

	if (!control_present() || !prepare(path, &made))
		return STATUS_ERROR;
	make_tree(&t);
	if (!t.failed)
		return STATUS_OK;
	if (is_ours(path))
		remove_tree(path);
	if (!made)
		mkdir(path, 0755);
	return STATUS_ERROR;
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
	return o.remove ? remove_tree(path) : make(path);
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap unload
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "cli.h"

#define MODULE	"rbmap"
#define DEVICES	"/dev/rbmap/"

static bool has_open_file(const char *pid)
{
	char dir[300], path[600], target[256];
	struct dirent *entry;
	bool found = false;
	ssize_t len;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%s/fd", pid);
	d = opendir(dir);
	while (d && !found && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		len = readlink(path, target, sizeof(target) - 1);
		found = len > 0 && !strncmp(target, DEVICES, strlen(DEVICES));
	}
	if (d)
		closedir(d);
	return found;
}

/* A map outlives its file. */
static bool has_map(const char *pid)
{
	char path[300], *line = NULL;
	bool found = false;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &room, f) > 0)
		found = strstr(line, " " DEVICES);
	free(line);
	if (f)
		fclose(f);
	return found;
}

static void add_name(struct buf *who, const char *pid)
{
	char path[300], comm[64] = "?";
	struct buf b = { 0 };

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	if (!buf_read_file(&b, path) && b.size)
		snprintf(comm, sizeof(comm), "%.*s",
			 (int)strcspn(b.data, "\n"), b.data);
	buf_free(&b);
	buf_printf(who, "%s%s (pid %s)", who->size ? ", " : "", comm, pid);
}

static void find_processes(struct buf *who)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    (has_open_file(entry->d_name) || has_map(entry->d_name)))
			add_name(who, entry->d_name);
	if (proc)
		closedir(proc);
}

static void find_modules(struct buf *who)
{
	DIR *dir = opendir("/sys/module/" MODULE "/holders");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			buf_printf(who, "%smodule %s", who->size ? ", " : "",
				   entry->d_name);
	if (dir)
		closedir(dir);
}

static void complain_busy(void)
{
	struct buf who = { 0 };

	find_modules(&who);
	find_processes(&who);
	if (who.size && !who.failed)
		complain("the module is in use by %s: end or unload that first",
			 who.data);
	else
		complain("the module is in use, by nobody that can be seen from here: a process in another container, or a load that has not ended?");
	buf_free(&who);
}

static int unload(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	struct kmod_module *mod = NULL;
	int status = STATUS_ERROR, ret;
	struct kmod_ctx *ctx;

	if (next_option(&command_unload, argc, argv, "", longs, &status) != -1)
		return status;
	if (optind < argc)
		return usage_error(&command_unload, "what is '%s' for?",
				   argv[optind]);
	if (access("/sys/module/" MODULE, F_OK)) {
		complain("the module is not loaded: there is nothing to unload");
		return STATUS_ERROR;
	}
	ctx = kmod_new(NULL, NULL);
	ret = ctx ? 0 : -ENOMEM;
	if (!ret) {
		kmod_set_log_priority(ctx, -1);
		ret = kmod_module_new_from_name(ctx, MODULE, &mod);
	}
	if (!ret)
		ret = kmod_module_remove_module(mod, KMOD_REMOVE_NOWAIT);
	switch (ret) {
	case 0:
		status = STATUS_OK;
		break;
	case -EAGAIN:
	case -EBUSY:
		complain_busy();
		break;
	case -EPERM:
		if (geteuid())
			complain("no permission to unload a module: run 'rbmap unload' as root");
		else
			complain("root may not unload a module here: kernel.modules_disabled is 1, or a container or a security policy forbids it");
		break;
	default:
		complain("cannot unload the module: %s", strerror(-ret));
	}
	if (mod)
		kmod_module_unref(mod);
	if (ctx)
		kmod_unref(ctx);
	return status;
}

const struct command command_unload = {
	.name		= "unload",
	.synopsis	= "",
	.summary	= "Unload the module; all events in its rings are gone then",
	.help		= "",
	.run		= unload,
};

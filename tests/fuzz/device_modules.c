// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load and unload modules: rbmap itself, a module with a tracepoint, modules
 * with events of their own, and modules with buffers of their own. One of the
 * events waits for the tracepoint of the other module.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device.h"

static const struct {
	const char *name, *params;
} modules[] = {
	{ "source", "" },
	{ "kinds", "" },
	{ "my_fork", "" },
	{ "driver_ring", "" },
	{ "emit", "own=mine own_kb=64" },
};

#define NR_MODULES	(sizeof(modules) / sizeof(*modules))

static bool insert(const char *path, const char *params)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good;

	if (fd < 0)
		return false;
	good = !syscall(SYS_finit_module, fd, params, 0);
	close(fd);
	return good;
}

static bool remove_module(const char *name)
{
	return !syscall(SYS_delete_module, name, O_NONBLOCK);
}

static bool insert_one(unsigned int i)
{
	char path[128];

	if (!modules_dir)
		return false;
	snprintf(path, sizeof(path), "%s/%s.ko", modules_dir, modules[i].name);
	return insert(path, modules[i].params);
}

bool do_probes_in(void)
{
	return insert_one(pick(3));
}

bool do_probes_out(void)
{
	return modules_dir && remove_module(modules[pick(3)].name);
}

bool do_producer_in(void)
{
	return insert_one(3 + pick(NR_MODULES - 3));
}

bool do_producer_out(void)
{
	return modules_dir &&
	       remove_module(modules[3 + pick(NR_MODULES - 3)].name);
}

/* Make the modules hit a tracepoint, or write to a buffer. */
bool do_hit(void)
{
	static const struct {
		const char *file, *text;
	} hits[] = {
		{ "source/parameters/hit", "3 hello" },
		{ "source/parameters/hit", "0 NULL" },
		{ "source/parameters/hit", "2 LONG" },
		{ "source/parameters/hit", "9000 x" },
		{ "emit/parameters/find", "mine" },
		{ "emit/parameters/find", "fuzz0" },
		{ "emit/parameters/hold", "fuzz1" },
		{ "emit/parameters/hold", "-" },
		{ "emit/parameters/churn", "3" },
		{ "emit/parameters/fetch", "1" },
	};
	unsigned int i = pick(sizeof(hits) / sizeof(*hits));
	char path[128];

	if (!pick(3)) {
		control_path(path, sizeof(path), a_buffer(),
			     pick(2) ? "events/kinds/enable" :
				       "events/mysystem/enable");
		write_file(path, pick(3) ? "1" : "0");
	}
	snprintf(path, sizeof(path), "/sys/module/%s", hits[i].file);
	return write_file(path, hits[i].text);
}

void unload_all(void)
{
	write_file("/sys/module/emit/parameters/hold", "-");
	for (unsigned int i = 0; modules_dir && i < NR_MODULES; i++)
		remove_module(modules[i].name);
	remove_module("rbmap");
}

bool do_load(void)
{
	char params[64];

	if (!module_path)
		return false;
	if (pick(2))
		return remove_module("rbmap");
	snprintf(params, sizeof(params),
		 "buffer_size_kb=%u subbuf_size_kb=%u overwrite=%u",
		 1U << pick(11), 4U << pick(4), pick(2));
	return insert(module_path, params);
}

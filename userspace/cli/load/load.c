// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap load
 */
#include <errno.h>
#include <grp.h>
#include <libkmod.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "command/options.h"
#include "kernel/module_load.h"

extern const struct command command_load;

#define MODULE	"rbmap"

/* the same group as in userspace/access */
#define GROUP	"tracing"

struct load {
	struct module_load module;
	struct buf params;		/* parameters, as "a=1 b=2" */
};

static const struct cli_option options[] = {
	{ .name = "module", .letter = 'm', .arg = "FILE", .kind = "file",
	  .target = STRING(struct load, module.path),
	  .help = "load the module FILE; default: the rbmap.ko that is\n"
		  "installed for the running kernel" },
	{ 0 }
};

/* Return STATUS_OK, or the status of a usage error. */
static int add_parameters(struct load *l, int argc, char **argv)
{
	const struct command *cmd = &command_load;

	for (int i = optind; i < argc; i++) {
		const char *equals = strchr(argv[i], '=');

		if (!equals || equals == argv[i])
			return usage_error(cmd, "invalid parameter '%s': give PARAMETER=VALUE",
					   argv[i]);
		/*
		 * The kernel splits parameters at blanks, so a blank in one
		 * would make two.
		 */
		if (strpbrk(argv[i], " \t\n\""))
			return usage_error(cmd, "invalid parameter '%s': it contains a blank or a quote",
					   argv[i]);
		if (l->params.size)
			buf_printf(&l->params, " ");
		buf_add_parameter(&l->params, argv[i]);
	}
	return STATUS_OK;
}

/*
 * The kernel ignores an unknown parameter and only logs it. Refuse it here, so
 * that the user sees the typing error.
 */
static bool known_parameter(const char *name, size_t len,
			    struct kmod_list *info, struct buf *names)
{
	struct kmod_list *entry;
	bool known = false;

	buf_free(names);
	kmod_list_foreach(entry, info) {
		const char *value = kmod_module_info_get_value(entry);
		size_t n = strcspn(value, ":");

		if (strcmp(kmod_module_info_get_key(entry), "parmtype"))
			continue;
		known |= n == len && !strncmp(value, name, n);
		buf_printf(names, "%s%.*s", names->size ? ", " : "", (int)n,
			   value);
	}
	return known;
}

static bool check_parameters(const struct load *l)
{
	struct kmod_list *info = NULL;
	struct buf names = { 0 };
	const char *at = l->params.data;
	bool ok = true;

	/* If the file cannot be read, the load itself will report that. */
	if (!l->params.size || kmod_module_get_info(l->module.mod, &info) < 0)
		return true;
	while (ok && at && *at) {
		size_t len = strcspn(at, "=");

		if (!known_parameter(at, len, info, &names)) {
			complain("the module has no parameter '%.*s': its parameters are %s",
				 (int)len, at, names.size ? names.data :
				 "none");
			ok = false;
		}
		at = strchr(at, ' ');
		if (at)
			at++;
	}
	buf_free(&names);
	kmod_module_info_free_list(info);
	return ok;
}

/*
 * Members of the group may read the control files from the beginning, as they
 * may read the devices by the udev rule. A gid from the caller or from
 * modprobe.d takes precedence.
 */
static void add_group(struct load *l)
{
	const char *options = kmod_module_get_options(l->module.mod);
	struct kmod_list *info = NULL;
	struct buf names = { 0 };
	struct group *group;

	if (l->params.size && (!strncmp(l->params.data, "gid=", 4) ||
			       strstr(l->params.data, " gid=")))
		return;
	if (!l->module.path && options && strstr(options, "gid="))
		return;
	group = getgrnam(GROUP);
	if (!group || kmod_module_get_info(l->module.mod, &info) < 0)
		return;
	if (known_parameter("gid", 3, info, &names))
		buf_printf(&l->params, "%sgid=%u", l->params.size ? " " : "",
			   (unsigned int)group->gr_gid);
	buf_free(&names);
	kmod_module_info_free_list(info);
}

static void complain_loaded(void)
{
	complain("the module is loaded already: to change its parameters, run 'rbmap unload' first");
}

static bool load_module(struct load *l)
{
	char log[1024];
	int ret;

	ret = module_load_insert(&l->module, l->params.size ? l->params.data : NULL, log,
				 sizeof(log));
	if (ret == -EEXIST)
		complain_loaded();
	else if (ret == -ENOMEM)
		complain("not enough memory for the rings%s%s: use a smaller buffer_size_kb",
			 *log ? ": " : "", log);
	else if (ret < 0)
		module_load_complain(&l->module, ret, log);
	return ret >= 0;
}

static int load(int argc, char **argv)
{
	struct load l = { .module = { .name = MODULE, .command = "rbmap load" } };
	int status;

	if (!parse_options(&command_load, argc, argv, &l, &status))
		return status;
	status = add_parameters(&l, argc, argv);
	if (status) {
		buf_free(&l.params);
		return status;
	}
	status = STATUS_ERROR;
	if (!access("/sys/module/" MODULE, F_OK)) {
		complain_loaded();
	} else if (module_load_find(&l.module) && check_parameters(&l)) {
		add_group(&l);
		if (load_module(&l))
			status = STATUS_OK;
	}
	module_load_free(&l.module);
	buf_free(&l.params);
	return status;
}

const struct command command_load = {
	.name		= "load",
	.synopsis	= "[-m FILE] [PARAMETER=VALUE]...",
	.summary	= "Load the module",
	.options	= options,
	.help		=
	"Parameters:\n"
	"  buffer_size_kb=N   size of each CPU's ring (1408)\n"
	"  subbuf_size_kb=N   size of each sub-buffer of a ring (4; more for a ring\n"
	"                     of more than 32 MiB)\n"
	"  overwrite=0|1      a full ring: 1 overwrites its oldest events, 0 discards\n"
	"                     new events (1)\n"
	"  retired_size_kb=N  size of the replaced rings of each CPU that wait for a\n"
	"                     reader (16384)\n"
	"  self_cost=0|1      1 measures the time that rbmap's probes take (0)\n"
	"  inline_clock=0|1   0 always calls the kernel for the local clock (1)\n"
	"  kptr=0|1           kernel addresses in events of all buffers: 0 hashes them, 1\n"
	"                     does not (0)\n"
	"  gid=N              the group that may read the files of /sys/kernel/rbmap;\n"
	"                     default: the group tracing, if it exists\n",
	.run		= load,
};

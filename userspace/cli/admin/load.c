// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap load
 */
#include <errno.h>
#include <grp.h>
#include <libkmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/cli.h"
#include "common/control.h"
#include "common/klog.h"
#include "common/options.h"
#include "common/size.h"

#define MODULE	"rbmap"

/* the same group as in userspace/access */
#define GROUP	"tracing"

struct load {
	const char *path;		/* argument of --module, or NULL */
	struct buf params;		/* parameters, as "a=1 b=2" */
	struct kmod_ctx *ctx;
	struct kmod_module *mod;
};

static const struct cli_option options[] = {
	{ .name = "module", .letter = 'm', .arg = "FILE", .kind = "file",
	  .target = STRING(struct load, path),
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
 * Return a value from the module file: "vermagic", or "parm" for its
 * parameters.
 */
static char *module_info(const struct load *l, const char *key)
{
	struct kmod_list *list = NULL, *entry;
	char *value = NULL;

	if (kmod_module_get_info(l->mod, &list) < 0)
		return NULL;
	kmod_list_foreach(entry, list) {
		if (!strcmp(kmod_module_info_get_key(entry), key)) {
			value = strdup(kmod_module_info_get_value(entry));
			break;
		}
	}
	kmod_module_info_free_list(list);
	return value;
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
	if (!l->params.size || kmod_module_get_info(l->mod, &info) < 0)
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

static bool find_module(struct load *l)
{
	struct kmod_list *list = NULL;
	struct utsname u;
	int ret;

	l->ctx = kmod_new(NULL, NULL);
	if (!l->ctx) {
		complain("out of memory");
		return false;
	}
	kmod_set_log_priority(l->ctx, -1);
	if (l->path) {
		if (access(l->path, R_OK)) {
			complain("cannot read %s: %s", l->path,
				 strerror(errno));
			return false;
		}
		ret = kmod_module_new_from_path(l->ctx, l->path, &l->mod);
		if (ret < 0) {
			complain("cannot load %s: %s", l->path,
				 ret == -EEXIST ? "the file has the name of another module" :
				 strerror(-ret));
			return false;
		}
		return true;
	}
	ret = kmod_module_new_from_lookup(l->ctx, MODULE, &list);
	if (ret >= 0 && list)
		l->mod = kmod_module_get_module(list);
	kmod_module_unref_list(list);
	if (l->mod && kmod_module_get_path(l->mod))
		return true;
	uname(&u);
	complain("no module rbmap is installed for kernel %s: 'rbmap doctor' says how to install one; or name a file with --module",
		 u.release);
	return false;
}

static bool file_says(const char *path, char wanted)
{
	char c = 0;
	FILE *f = fopen(path, "re");

	if (f) {
		if (fread(&c, 1, 1, f) != 1)
			c = 0;
		fclose(f);
	}
	return c == wanted;
}

static const char *signing_cure =
	"sign it with a key that this machine trusts ('rbmap doctor' says how), or turn Secure Boot off";

/*
 * Compare the first word of "6.1.0-18-amd64 SMP preempt mod_unload modversions"
 * with the running kernel.
 */
static bool built_for_another(const struct load *l, const char *file)
{
	char *vermagic = module_info(l, "vermagic");
	struct utsname u;
	bool other = false;

	uname(&u);
	if (vermagic) {
		vermagic[strcspn(vermagic, " ")] = '\0';
		other = strcmp(vermagic, u.release);
	}
	if (other)
		complain("%s was built for kernel %s, but kernel %s is running: build it for that kernel ('rbmap doctor' says how)",
			 file, vermagic, u.release);
	free(vermagic);
	return other;
}

static void complain_load(const struct load *l, int error, const char *log)
{
	const char *file = kmod_module_get_path(l->mod);

	if (!file)
		file = MODULE;
	switch (error) {
	case -EEXIST:
		complain("the module is loaded already: to change its parameters, run 'rbmap unload' first");
		return;
	case -EPERM:
	case -EACCES:
		if (geteuid())
			complain("no permission to load a module: run 'rbmap load' as root");
		else if (file_says("/proc/sys/kernel/modules_disabled", '1'))
			complain("this kernel loads no more modules (kernel.modules_disabled is 1): reboot to change that");
		else if (control_lockdown() != LOCKDOWN_NONE)
			complain("this kernel is locked down and loads signed modules only: %s",
				 signing_cure);
		else
			complain("root may not load a module here: a container or a security policy forbids it%s%s",
				 *log ? ": " : "", log);
		return;
	case -EKEYREJECTED:
	case -ENOKEY:
	case -EBADMSG:
	case -ENOPKG:
		complain("%s has no signature that this kernel accepts: %s",
			 file, signing_cure);
		return;
	case -ENOEXEC:
	case -ELIBBAD:
		if (built_for_another(l, file))
			return;
		complain("%s is not a module for this kernel%s%s: rebuild it for this kernel ('rbmap doctor' says how)",
			 file, *log ? ": " : "", log);
		return;
	case -ENOSYS:
		complain("this kernel cannot load modules (CONFIG_MODULES, nomodule): boot another kernel ('rbmap doctor' says which)");
		return;
	case -ENOMEM:
		complain("not enough memory for the rings%s%s: use a smaller buffer_size_kb",
			 *log ? ": " : "", log);
		return;
	}
	/*
	 * The versions of the symbols differ: the file is old, or for another
	 * kernel.
	 */
	if ((strstr(log, "disagrees about version") ||
	     strstr(log, "Unknown symbol")) && built_for_another(l, file))
		return;
	/* The log names the parameter and its valid values. */
	if (*log)
		complain("the kernel refused %s: %s", file, log);
	else
		complain("the kernel refused %s: %s (dmesg may say more)", file,
			 strerror(-error));
}

/*
 * Members of the group may read the control files from the beginning, as they
 * may read the devices by the udev rule. A gid from the caller or from
 * modprobe.d takes precedence.
 */
static void add_group(struct load *l)
{
	const char *options = kmod_module_get_options(l->mod);
	struct kmod_list *info = NULL;
	struct buf names = { 0 };
	struct group *group;

	if (l->params.size && (!strncmp(l->params.data, "gid=", 4) ||
			       strstr(l->params.data, " gid=")))
		return;
	if (!l->path && options && strstr(options, "gid="))
		return;
	group = getgrnam(GROUP);
	if (!group || kmod_module_get_info(l->mod, &info) < 0)
		return;
	if (known_parameter("gid", 3, info, &names))
		buf_printf(&l->params, "%sgid=%u", l->params.size ? " " : "",
			   (unsigned int)group->gr_gid);
	buf_free(&names);
	kmod_module_info_free_list(info);
}

static bool load_module(struct load *l)
{
	const char *params = l->params.size ? l->params.data : NULL;
	int log = klog_open(), ret;
	char line[1024];

	/*
	 * A load by name also uses the options in modprobe.d. Our own come
	 * last.
	 */
	if (l->path)
		ret = kmod_module_insert_module(l->mod, 0, params);
	else
		ret = kmod_module_probe_insert_module(l->mod,
					KMOD_PROBE_FAIL_ON_LOADED, params,
					NULL, NULL, NULL);
	klog_last(log, line, sizeof(line));
	if (ret < 0)
		complain_load(l, ret, line);
	return ret >= 0;
}

static int load(int argc, char **argv)
{
	struct load l = { 0 };
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
		complain("the module is loaded already: to change its parameters, run 'rbmap unload' first");
	} else if (find_module(&l) && check_parameters(&l)) {
		add_group(&l);
		if (load_module(&l))
			status = STATUS_OK;
	}
	if (l.mod)
		kmod_module_unref(l.mod);
	if (l.ctx)
		kmod_unref(l.ctx);
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
	"                     of 256 MiB or more)\n"
	"  overwrite=0|1      a full ring: 1 overwrites its oldest events, 0 discards\n"
	"                     new events (1)\n"
	"  retired_size_kb=N  size of the replaced rings of each CPU that wait for a\n"
	"                     reader (16384)\n"
	"  self_cost=0|1      1 measures the time that rbmap's probes take (0)\n"
	"  kptr=0|1           kernel addresses in events: 0 hashes them, 1 does not (0)\n"
	"  gid=N              the group that may read the files of /sys/kernel/rbmap;\n"
	"                     default: the group tracing, if it exists\n",
	.run		= load,
};

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <libkmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/complain.h"
#include "control.h"
#include "module_load.h"

/* Return a value from the module file, such as "vermagic". */
static char *module_info(const struct module_load *m, const char *key)
{
	struct kmod_list *list = NULL, *entry;
	char *value = NULL;

	if (kmod_module_get_info(m->mod, &list) < 0)
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

static bool find_file(struct module_load *m)
{
	int ret;

	if (access(m->path, R_OK)) {
		complain("cannot read %s: %s", m->path, strerror(errno));
		return false;
	}
	ret = kmod_module_new_from_path(m->ctx, m->path, &m->mod);
	if (ret < 0)
		complain("cannot load %s: %s", m->path,
			 ret == -EEXIST ? "the file has the name of another module" :
			 strerror(-ret));
	return ret >= 0;
}

bool module_load_find(struct module_load *m)
{
	struct kmod_list *list = NULL;
	struct utsname u;
	int ret;

	m->ctx = kmod_new(NULL, NULL);
	if (!m->ctx) {
		complain("out of memory");
		return false;
	}
	kmod_set_log_priority(m->ctx, -1);
	if (m->path)
		return find_file(m);
	ret = kmod_module_new_from_lookup(m->ctx, m->name, &list);
	if (ret >= 0 && list)
		m->mod = kmod_module_get_module(list);
	kmod_module_unref_list(list);
	if (m->mod && kmod_module_get_path(m->mod))
		return true;
	uname(&u);
	complain("no module %s is installed for kernel %s: 'rbmap doctor' says how to install one; or name a file with --module",
		 m->name, u.release);
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
static bool built_for_another(const struct module_load *m, const char *file)
{
	char *vermagic = module_info(m, "vermagic");
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

void module_load_complain(const struct module_load *m, int error, const char *log)
{
	const char *file = kmod_module_get_path(m->mod);

	if (!file)
		file = m->name;
	switch (error) {
	case -EPERM:
	case -EACCES:
		if (geteuid())
			complain("no permission to load a module: run '%s' as root", m->command);
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
		if (built_for_another(m, file))
			return;
		complain("%s is not a module for this kernel%s%s: rebuild it for this kernel ('rbmap doctor' says how)",
			 file, *log ? ": " : "", log);
		return;
	case -ENOSYS:
		complain("this kernel cannot load modules (CONFIG_MODULES, nomodule): boot another kernel ('rbmap doctor' says which)");
		return;
	}
	/*
	 * The versions of the symbols differ: the file is old, or for another
	 * kernel.
	 */
	if ((strstr(log, "disagrees about version") ||
	     strstr(log, "Unknown symbol")) && built_for_another(m, file))
		return;
	/* The log names the parameter and its valid values. */
	if (*log)
		complain("the kernel refused %s: %s", file, log);
	else
		complain("the kernel refused %s: %s (dmesg may say more)", file,
			 strerror(-error));
}

int module_load_insert(const struct module_load *m, const char *params, char *log,
		       size_t size)
{
	int kernel = klog_open(), ret;

	/*
	 * A load by name also uses the options in modprobe.d. Our own come
	 * last.
	 */
	if (m->path)
		ret = kmod_module_insert_module(m->mod, 0, params);
	else
		ret = kmod_module_probe_insert_module(m->mod,
					KMOD_PROBE_FAIL_ON_LOADED, params,
					NULL, NULL, NULL);
	klog_last(kernel, log, size);
	return ret;
}

void module_load_free(struct module_load *m)
{
	if (m->mod)
		kmod_module_unref(m->mod);
	if (m->ctx)
		kmod_unref(m->ctx);
}

int module_remove(const char *name)
{
	struct kmod_module *mod = NULL;
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);
	int ret = -ENOMEM;

	if (ctx) {
		kmod_set_log_priority(ctx, -1);
		ret = kmod_module_new_from_name(ctx, name, &mod);
	}
	if (!ret)
		ret = kmod_module_remove_module(mod, KMOD_REMOVE_NOWAIT);
	if (mod)
		kmod_module_unref(mod);
	if (ctx)
		kmod_unref(ctx);
	return ret;
}

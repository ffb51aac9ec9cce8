// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap doctor: check the kernel, the tools that build the module for it, and
 * the module.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rbmap.h>

#include "doctor.h"

/* The certificates of the keys with which DKMS signs */
#define DKMS_KEY	"/var/lib/dkms/mok.pub"
#define UBUNTU_KEY	"/var/lib/shim-signed/mok/MOK.der"

/*
 * How a distribution installs a package. Unknown distributions get Debian's
 * commands.
 */
struct distribution {
	const char *id;
	const char *headers, *compiler, *kernel, *dkms;
};

static const struct distribution distributions[] = {
	{ "debian", "apt-get install linux-headers-%s", "apt-get install %s",
	  "apt-get install linux-image-amd64", "apt-get install dkms" },
	{ "ubuntu", "apt-get install linux-headers-%s", "apt-get install %s",
	  "apt-get install linux-image-generic", "apt-get install dkms" },
	{ "fedora", "dnf install kernel-devel-%s", "dnf install %s",
	  "dnf install kernel", "dnf install dkms" },
	{ "suse", "zypper install kernel-default-devel", "zypper install %s",
	  "zypper install kernel-default", "zypper install dkms" },
	{ "arch", "pacman -S linux-headers", "pacman -S %s",
	  "pacman -S linux", "pacman -S dkms" },
};

static const struct distribution *named_in(const char *line)
{
	for (size_t i = 0;
	     i < sizeof(distributions) / sizeof(distributions[0]); i++) {
		const char *at = strstr(line, distributions[i].id);

		if (at && at < line + strcspn(line, "\n"))
			return &distributions[i];
	}
	return NULL;
}

/*
 * Compare ID=ubuntu first, then ID_LIKE="rhel fedora": the distribution's own
 * name is more exact.
 */
static const struct distribution *distribution(const struct sysroot *m)
{
	static const char *const keys[] = { "\nID=", "\nID_LIKE=" };
	const struct distribution *found = NULL;
	struct buf lines = { 0 };

	sysroot_read_lines(&lines, sysroot_path(m, "/etc/os-release"));
	for (size_t i = 0; i < 2 && lines.size && !found; i++) {
		const char *line = strstr(lines.data, keys[i]);

		if (line)
			found = named_in(line + 1);
	}
	buf_free(&lines);
	return found ? found : &distributions[0];
}

static void check_kernel(struct doctor *d, const struct distribution *dist)
{
	static const char *const options[] = { "64BIT", "MODULES", "TRACEPOINTS" };
	const struct sysroot *m = &d->sysroot;

	for (size_t i = 0; m->config.size &&
	     i < sizeof(options) / sizeof(options[0]); i++)
		if (!sysroot_config(m, options[i])) {
			mend_with(find(d, "kernel", VERDICT_FAIL,
				       "%s was built without CONFIG_%s, which rbmap needs: boot another kernel",
				       m->release, options[i]),
				  "%s", dist->kernel);
			return;
		}
	if (m->runs && !sysroot_has(m, "/proc/modules"))
		mend_with(find(d, "kernel", VERDICT_FAIL,
			       "%s cannot load modules: boot another kernel",
			       m->release), "%s", dist->kernel);
	else
		find(d, "kernel", VERDICT_OK, "%s%s", m->release,
		     m->config.size ? "" : " (its configuration was not found)");
}

static void check_types(struct doctor *d)
{
	const struct sysroot *m = &d->sysroot;
	bool has = m->runs ? sysroot_has(m, "/sys/kernel/btf/vmlinux") :
			     sysroot_config(m, "DEBUG_INFO_BTF");

	if (has)
		find(d, "types", VERDICT_OK, "the kernel describes its types (BTF)");
	else if (m->runs || m->config.size)
		find(d, "types", VERDICT_NOTE,
		     "the kernel does not describe its types (CONFIG_DEBUG_INFO_BTF): 'rbmap probe add' and 'rbmap new-probe' need --btf");
}

static void check_headers(struct doctor *d, const struct distribution *dist)
{
	const struct sysroot *m = &d->sysroot;
	char *headers = sysroot_headers(m), makefile[PATH_MAX];
	struct finding *f;

	snprintf(makefile, sizeof(makefile), "%s/Makefile",
		 headers ? headers : "");
	if (headers && !access(makefile, F_OK)) {
		find(d, "headers", VERDICT_OK, "%s", headers);
	} else {
		/* A module that is built already does not need the headers. */
		f = find(d, "headers",
			 d->module.path ? VERDICT_NOTE : VERDICT_FAIL,
			 "the headers of %s are not installed: modules cannot be built for it",
			 m->release);
		mend_with(f, dist->headers, m->release);
	}
	free(headers);
}

/*
 * Return the compiler's name, "gcc-12" for "x86_64-linux-gnu-gcc-12 (Debian
 * 12.2.0-14) 12.2.0".
 */
static char *own_compiler(const struct sysroot *m)
{
	char *text = sysroot_config_text(m, "CC_VERSION_TEXT"), *name = NULL;
	const char *at = NULL;

	if (text) {
		text[strcspn(text, " ")] = '\0';
		at = strstr(text, "gcc");
		if (!at)
			at = strstr(text, "clang");
	}
	if (at)
		name = strdup(at);
	free(text);
	return name;
}

static bool has_program(const struct sysroot *m, const char *name)
{
	static const char *const dirs[] = { "/usr/local/bin", "/usr/bin",
					    "/usr/sbin", "/bin", "/sbin" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (sysroot_has(m, "%s/%s", dirs[i], name))
			return true;
	return false;
}

static void check_compiler(struct doctor *d, const struct distribution *dist)
{
	const struct sysroot *m = &d->sysroot;
	char *own = own_compiler(m);
	struct finding *f;

	if (!has_program(m, "make")) {
		f = find(d, "compiler", d->module.path ? VERDICT_NOTE :
			 VERDICT_FAIL, "make is not installed");
		mend_with(f, dist->compiler, "make");
	} else if (own && has_program(m, own)) {
		find(d, "compiler", VERDICT_OK, "%s, as the kernel's", own);
	} else if (has_program(m, "gcc") && (!own || strstr(own, "gcc"))) {
		f = find(d, "compiler", own ? VERDICT_NOTE : VERDICT_OK,
			 own ? "gcc is not the kernel's %s: if a build fails, install that version" :
			 "gcc", own);
		if (own)
			mend_with(f, dist->compiler, own);
	} else {
		f = find(d, "compiler", d->module.path ? VERDICT_NOTE :
			 VERDICT_FAIL, "%s is not installed: modules cannot be built",
			 own ? own : "gcc");
		mend_with(f, dist->compiler, own ? own : "gcc");
	}
	free(own);
}

/* Add the command that builds and installs the module for a kernel. */
static void mend_with_build(struct finding *f, const struct sysroot *m,
			    const char *release)
{
	const char *version = rbmap_version();

	if (!has_program(m, "dkms"))
		mend_with(f, "make modules_install KVER=%s  # in rbmap's source",
			  release);
	else if (sysroot_has(m, "/usr/src/rbmap-%s/dkms.conf", version))
		mend_with(f, "dkms install rbmap/%s -k %s", version, release);
	else
		mend_with(f, "make install-dkms  # in rbmap's source");
}

static void check_module(struct doctor *d)
{
	const struct module_file *file = &d->module;
	const struct sysroot *m = &d->sysroot;

	if (!file->path)
		mend_with_build(find(d, "module", VERDICT_FAIL,
				     "rbmap.ko is not installed for %s", m->release),
				m, m->release);
	else if (!file->release)
		mend_with_build(find(d, "module", VERDICT_FAIL,
				     "%s is not a kernel module", file->path),
				m, m->release);
	else if (strcmp(file->release, m->release))
		mend_with_build(find(d, "module", VERDICT_FAIL,
				     "%s was built for %s", file->path,
				     file->release), m, m->release);
	else if (!file->indexed)
		mend_with(find(d, "module", VERDICT_FAIL,
			       "modprobe does not find %s: its index is out of date", file->path),
			  "depmod %s", m->release);
	else
		find(d, "module", VERDICT_OK, "%s", file->path);
}

/* Warn about kernels without the module before one of them boots. */
static void check_other_kernels(struct doctor *d)
{
	const struct sysroot *m = &d->sysroot;
	const char *without = NULL;
	struct buf with = { 0 };

	for (size_t i = 0; i < m->nr_kernels; i++) {
		struct module_file file;

		if (!strcmp(m->kernel[i], m->release))
			continue;
		if (module_file_find(&file, m, m->kernel[i]))
			buf_printf(&with, "%s%s", with.size ? ", " : "",
				   m->kernel[i]);
		else
			without = m->kernel[i];
		module_file_free(&file);
	}
	if (without)
		mend_with_build(find(d, "kernels", VERDICT_NOTE,
				     "rbmap.ko is not installed for %s", without),
				m, without);
	else if (with.size)
		find(d, "kernels", VERDICT_OK, "rbmap.ko is also installed for %s",
		     with.data);
	buf_free(&with);
}

static void check_dkms(struct doctor *d, const struct distribution *dist)
{
	const struct sysroot *m = &d->sysroot;
	const char *version = rbmap_version();

	if (!has_program(m, "dkms"))
		mend_with(find(d, "dkms", VERDICT_NOTE,
			       "not installed: build the module by hand for each new kernel"),
			  "%s", dist->dkms);
	else if (sysroot_has(m, "/var/lib/dkms/rbmap/%s/source", version))
		find(d, "dkms", VERDICT_OK,
		     "rbmap/%s: DKMS builds the module for each new kernel",
		     version);
	else if (sysroot_has(m, "/usr/src/rbmap-%s/dkms.conf", version))
		mend_with(find(d, "dkms", VERDICT_NOTE,
			       "rbmap/%s is not registered: DKMS does not build it for a new kernel",
			       version),
			  "dkms add rbmap/%s", version);
	else
		mend_with(find(d, "dkms", VERDICT_NOTE,
			       "the source of rbmap is not registered: DKMS does not build it for a new kernel"),
			  "make install-dkms  # in rbmap's source");
}

/* Only the running kernel shows whether it requires signatures. */
static const char *wants_signature(const struct sysroot *m)
{
	char *line = sysroot_line(m, "/sys/module/module/parameters/sig_enforce");
	const char *why = line && *line == 'Y' ? "CONFIG_MODULE_SIG_FORCE or module.sig_enforce" : NULL;

	free(line);
	line = sysroot_line(m, "/sys/kernel/security/lockdown");
	if (!why && line && !strstr(line, "[none]"))
		why = "kernel lockdown";
	free(line);
	if (!why && !m->runs && sysroot_config(m, "MODULE_SIG_FORCE"))
		why = "CONFIG_MODULE_SIG_FORCE";
	return why;
}

/* The key that DKMS has, or NULL */
static const char *dkms_key(const struct sysroot *m)
{
	static const char *const keys[] = { DKMS_KEY, UBUNTU_KEY };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (sysroot_has(m, "%s", keys[i]))
			return keys[i];
	return NULL;
}

/*
 * Only DKMS signs the modules that it builds. It creates its key when it builds one; the DKMS
 * of Debian 12 has no command that does.
 */
static void mend_with_signed_build(struct finding *f, const struct sysroot *m,
				   const struct distribution *dist)
{
	const char *version = rbmap_version(), *key = dkms_key(m);

	if (!key)
		key = strcmp(dist->id, "ubuntu") ? DKMS_KEY : UBUNTU_KEY;
	if (!has_program(m, "dkms"))
		mend_with(f, "%s && make install-dkms && mokutil --import %s && reboot  # in rbmap's source",
			  dist->dkms, key);
	else if (sysroot_has(m, "/usr/src/rbmap-%s/dkms.conf", version))
		mend_with(f, "dkms unbuild rbmap/%s -k %s; dkms install rbmap/%s -k %s && mokutil --import %s && reboot",
			  version, m->release, version, m->release, key);
	else
		mend_with(f, "make install-dkms && mokutil --import %s && reboot  # in rbmap's source",
			  key);
}

static void mend_with_key(struct finding *f, const struct sysroot *m,
			  const struct distribution *dist)
{
	const char *key = dkms_key(m);

	if (key)
		mend_with(f, "mokutil --import %s && reboot", key);
	else
		mend_with_signed_build(f, m, dist);
}

static bool knows_key(const struct sysroot *m, const char *signer)
{
	struct buf lines = { 0 };
	bool found;

	found = signer &&
		sysroot_read_lines(&lines, sysroot_path(m, "/proc/keys")) &&
		strstr(lines.data, signer);
	buf_free(&lines);
	return found;
}

static void check_signature(struct doctor *d, const struct distribution *dist)
{
	const struct module_file *file = &d->module;
	const struct sysroot *m = &d->sysroot;
	const char *why = wants_signature(m);
	const char *signer = file->signer ? file->signer : "somebody";

	if (!file->path)
		return;
	if (!why)
		find(d, "signature", VERDICT_OK, "%s%s (the kernel does not require a signature)",
		     file->is_signed ? "of " : "none",
		     file->is_signed ? signer : "");
	else if (!file->is_signed)
		mend_with_signed_build(find(d, "signature", VERDICT_FAIL,
					    "not signed, and the kernel requires a signature (%s)",
					    why), m, dist);
	else if (d->loaded || knows_key(m, file->signer))
		find(d, "signature", VERDICT_OK, "signed by %s, which the kernel trusts",
		     signer);
	else
		mend_with_key(find(d, "signature", VERDICT_FAIL,
				   "signed by %s, which is not among the kernel's trusted keys (%s requires one)",
				   signer, why), m, dist);
}

void doctor_check_install(struct doctor *d)
{
	const struct distribution *dist = distribution(&d->sysroot);

	check_kernel(d, dist);
	check_types(d);
	check_headers(d, dist);
	check_compiler(d, dist);
	check_dkms(d, dist);
	check_module(d);
	check_other_kernels(d);
	check_signature(d, dist);
}

// SPDX-License-Identifier: GPL-2.0-only
/* rbmap doctor: check the loaded module, its devices, and who may use them. */
#include <dirent.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rbmap.h>

#include "doctor.h"
#include "kernel/control.h"
#include "kernel/holders.h"

static void check_lockdown(struct doctor *d)
{
	char *line = sysroot_line(&d->sysroot, "/sys/kernel/security/lockdown");

	if (line && strstr(line, "[confidentiality]"))
		find(d, "lockdown", VERDICT_FAIL,
		     "the kernel is locked down for confidentiality and forbids tracing: boot it without lockdown=confidentiality");
	else
		find(d, "lockdown", VERDICT_OK, "%s", !line ? "not locked down" :
		     strstr(line, "[integrity]") ? "integrity (it permits tracing)" :
		     "none");
	free(line);
}

static void check_loaded(struct doctor *d)
{
	char *line = sysroot_line(&d->sysroot,
				  "/proc/sys/kernel/modules_disabled");

	if (d->loaded)
		find(d, "loaded", VERDICT_OK, "yes");
	else if (line && *line == '1')
		mend_with(find(d, "loaded", VERDICT_FAIL,
			       "not loaded; the kernel loads no module before a reboot (kernel.modules_disabled is 1)"),
			  "reboot");
	else
		mend_with(find(d, "loaded", VERDICT_FAIL, "no"), "rbmap load");
	free(line);
}

static void check_versions(struct doctor *d)
{
	char *loaded = sysroot_line(&d->sysroot, "/sys/module/rbmap/version");
	const char *installed = d->module.version, *own = rbmap_version();

	if (loaded && installed && strcmp(loaded, installed))
		mend_with(find(d, "version", VERDICT_FAIL,
			       "version %s is loaded, version %s is installed", loaded,
			       installed), "rbmap unload && rbmap load");
	else if (loaded ? strcmp(loaded, own) : installed &&
		 strcmp(installed, own))
		find(d, "version", VERDICT_FAIL,
		     "the module has version %s, this command and its library have %s: install both from the same source",
		     loaded ? loaded : installed, own);
	else
		find(d, "version", VERDICT_OK, "%s, command, library%s", own,
		     loaded || installed ? " and module" : "");
	free(loaded);
}

/* Return the number of CPUs in a list like "0-3,8". */
static unsigned int nr_cpus(const struct sysroot *m)
{
	char *line = sysroot_line(m, "/sys/devices/system/cpu/possible");
	unsigned int nr = 0;

	for (char *at = line; at && *at; at += strcspn(at, ","), at += *at == ',') {
		unsigned long first = strtoul(at, &at, 10), last = first;

		if (*at == '-')
			last = strtoul(at + 1, &at, 10);
		nr += last - first + 1;
	}
	free(line);
	return nr;
}

static unsigned int nr_devices(const struct sysroot *m)
{
	DIR *dir = opendir(sysroot_path(m, "/dev/rbmap"));
	struct dirent *entry;
	unsigned int nr = 0;

	while (dir && (entry = readdir(dir)))
		nr += !strncmp(entry->d_name, "cpu", 3);
	if (dir)
		closedir(dir);
	return nr;
}

static void check_devices(struct doctor *d)
{
	unsigned int devices = nr_devices(&d->sysroot);
	unsigned int cpus = nr_cpus(&d->sysroot);

	if (!d->loaded)
		return;
	if (!devices)
		mend_with(find(d, "devices", VERDICT_FAIL,
			       "/dev/rbmap/cpuN does not exist: /dev is not a devtmpfs (in a container, for example)"),
			  "mount -t devtmpfs devtmpfs /dev");
	else
		find(d, "devices", VERDICT_OK, "%u devices in /dev/rbmap for %u CPUs",
		     devices, cpus);
}

static const char *user_name(void)
{
	const struct passwd *who = getpwuid(getuid());

	return who ? who->pw_name : "USER";
}

static void check_access(struct doctor *d)
{
	const char *device = sysroot_path(&d->sysroot, "/dev/rbmap/cpu0");
	const struct group *group;
	struct stat st;

	if (!d->loaded || stat(device, &st))
		return;
	group = getgrgid(st.st_gid);
	if (!access(device, R_OK))
		find(d, "access", VERDICT_OK, "%s may read the rings",
		     user_name());
	else if (st.st_gid && st.st_mode & S_IRGRP && group)
		mend_with(find(d, "access", VERDICT_FAIL,
			       "%s may not read %s, but group %s may: join the group, then log in again",
			       user_name(), device, group->gr_name),
			  "usermod -aG %s %s", group->gr_name, user_name());
	else
		find(d, "access", VERDICT_FAIL,
		     "%s may not read %s: run rbmap as root",
		     user_name(), device);
}

static bool has_group(const struct sysroot *m)
{
	struct buf lines = { 0 };
	bool found;

	found = sysroot_read_lines(&lines, sysroot_path(m, "/etc/group")) &&
		strstr(lines.data, "\ntracing:");
	buf_free(&lines);
	return found;
}

static void check_group(struct doctor *d)
{
	static const char *const dirs[] = {
		"/etc/udev/rules.d", "/run/udev/rules.d",
		"/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d",
		"/lib/udev/rules.d",
	};
	bool rule = false;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		rule |= sysroot_has(&d->sysroot, "%s/60-rbmap.rules", dirs[i]);
	if (!rule)
		find(d, "group", VERDICT_NOTE,
		     "no udev rule gives the rings to the group tracing: only root may read them");
	else if (!has_group(&d->sysroot))
		mend_with(find(d, "group", VERDICT_NOTE,
			       "the group tracing does not exist: only root may read the rings"),
			  "groupadd -r tracing");
	else
		find(d, "group", VERDICT_OK, "tracing may read the rings");
}

/* An older module does not have the file. */
static void check_kernel_events(struct doctor *d)
{
	static const enum verdict verdicts[] = {
		[CONTROL_WAY_BEST] = VERDICT_OK,
		[CONTROL_WAY_WORSE] = VERDICT_NOTE,
		[CONTROL_WAY_NONE] = VERDICT_NOTE,
	};
	char *text = control_read("/kernel_events");
	struct buf sentence = { 0 };
	enum control_way way;

	if (!text)
		return;
	way = control_way_describe(text, &sentence);
	find(d, "records", verdicts[way], "%s", sentence.failed ? "?" : sentence.data);
	buf_free(&sentence);
	free(text);
}

static void check_events(struct doctor *d)
{
	struct control_events events = { 0 };
	struct buf selection = { 0 };
	static char root[PATH_MAX];
	size_t unavailable = 0;

	if (!d->loaded || !sysroot_has(&d->sysroot, "/sys/kernel/rbmap/events"))
		return;
	snprintf(root, sizeof(root), "%s/sys/kernel/rbmap", d->sysroot.root);
	control_set_root(root);
	if (control_events_read(&events))
		return;
	if (control_events_replace(&events)) {
		control_events_free(&events);
		return;
	}
	for (size_t i = 0; i < events.nr; i++)
		unavailable += !!events.v[i].unavailable;
	check_kernel_events(d);
	find(d, "events", unavailable ? VERDICT_NOTE : VERDICT_OK,
	     unavailable ? "%zu available, %zu not available on this kernel: 'rbmap list' says why" :
	     "%zu", events.nr - unavailable, unavailable);
	if (*d->sysroot.root || !selection_describe(&selection, &events))
		find(d, "selection", VERDICT_OK, "all CPUs and threads, and no filters");
	else
		find(d, "selection", VERDICT_NOTE, "the default buffer records a part only: %s",
		     selection.data);
	buf_free(&selection);
	control_events_free(&events);
}

static void check_holders(struct doctor *d)
{
	struct buf who = { 0 };

	if (!d->loaded || *d->sysroot.root)
		return;
	holders_find_mounts(&who);
	holders_find_modules(&who);
	holders_find(&who, "/dev/rbmap");
	find(d, "holders", VERDICT_OK, "%s", !who.size ? "nobody uses it" :
	     who.failed ? "?" : who.data);
	buf_free(&who);
}

void doctor_check_use(struct doctor *d)
{
	check_lockdown(d);
	check_loaded(d);
	check_versions(d);
	check_devices(d);
	check_access(d);
	check_group(d);
	check_events(d);
	check_holders(d);
}

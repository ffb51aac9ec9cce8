// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "base/buf.h"
#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "control.h"

#define DEVICES	"/dev/rbmap"

static const char *root = "/sys/kernel/rbmap";
static const char *buffer;
static char buffer_dir[2048], buffer_devices[128], buffer_snapshot[128];

const char *control_root(void)
{
	return root;
}

void control_set_root(const char *path)
{
	root = path;
}

void control_set_buffer(const char *name)
{
	buffer = name;
	if (!name)
		return;
	snprintf(buffer_dir, sizeof(buffer_dir), "%s/instances/%s", root, name);
	snprintf(buffer_devices, sizeof(buffer_devices), DEVICES "/%s", name);
	snprintf(buffer_snapshot, sizeof(buffer_snapshot),
		 DEVICES "/%s/snapshot", name);
}

const char *control_buffer(void)
{
	return buffer;
}

int set_buffer(const struct command *cmd, void *to, char *value)
{
	(void)to;
	if (!is_buffer_name(value))
		return usage_error(cmd, "invalid buffer name '%s'", value);
	control_set_buffer(value);
	return STATUS_OK;
}

const char *control_dir(void)
{
	return buffer ? buffer_dir : root;
}

const char *control_devices(void)
{
	return buffer ? buffer_devices : DEVICES;
}

const char *control_snapshot_devices(void)
{
	return buffer ? buffer_snapshot : DEVICES "/snapshot";
}

static void path_of(char *path, size_t size, const char *file)
{
	if (*file == '/')
		snprintf(path, size, "%s%s", root, file);
	else
		snprintf(path, size, "%s/%s", control_dir(), file);
}

static bool buffer_present(void)
{
	if (!buffer || !access(buffer_dir, F_OK))
		return true;
	complain("no buffer '%s' exists: 'rbmap create %s' creates it", buffer,
		 buffer);
	return false;
}

bool control_present(void)
{
	if (!access(root, F_OK))
		return buffer_present();
	if (errno == EACCES)
		complain("no permission to search %s: run rbmap as root", root);
	else if (!access("/sys/module/rbmap", F_OK))
		complain("the module is loaded, but %s does not exist: the module is older than this command, reload it with 'rbmap unload' and 'rbmap load'",
			 root);
	else
		complain("the module is not loaded: run 'rbmap load' as root (if it fails: 'rbmap doctor')");
	return false;
}

char *control_read(const char *file)
{
	struct buf text = { 0 };
	char path[4096];
	int ret;

	path_of(path, sizeof(path), file);
	ret = buf_read_sysfs(&text, path);
	if (text.size && text.data[text.size - 1] == '\n')
		text.size--;
	buf_add(&text, "", 1);
	if (!ret && !text.failed)
		return text.data;
	buf_free(&text);
	errno = ret ? -ret : ENOMEM;
	return NULL;
}

int control_read_u64(const char *file, uint64_t *value)
{
	char *text = control_read(file);
	int ret = 0;

	if (!text)
		return -errno;
	if (!parse_u64(text, value))
		ret = -EINVAL;
	free(text);
	return ret;
}

bool control_is_raw(void)
{
	char *raw = control_read("raw");
	bool is = raw && *raw == '1';

	free(raw);
	return is;
}

bool control_has_formats(void)
{
	char *owner;

	if (!control_is_raw())
		return true;
	owner = control_owner();
	complain("the buffer '%s' is raw: only the module %s knows the meaning of its events; 'rbmap stream -B %s' prints their bytes",
		 control_buffer(), owner ? owner : "?", control_buffer());
	free(owner);
	return false;
}

char *control_owner(void)
{
	char *owner = control_read("owner");

	if (owner)
		owner[strcspn(owner, "\n")] = '\0';
	return owner;
}

/* Write once, or until all of @value is written. */
static int write_value(const char *file, const char *value, int flags, bool whole)
{
	size_t left = strlen(value);
	char path[4096];
	int fd, ret = 0;

	path_of(path, sizeof(path), file);
	fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	if (fd < 0)
		return -errno;
	do {
		ssize_t put = write(fd, value, left);

		if (put < 0) {
			ret = -errno;
		} else if (whole && !put && left) {
			ret = -EIO;
		} else {
			value += put;
			left -= put;
		}
	} while (whole && left && !ret);
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

int control_write(const char *file, const char *value)
{
	return write_value(file, value, 0, false);
}

int control_write_list(const char *file, const char *value, bool append)
{
	return write_value(file, value, append ? O_APPEND : 0, true);
}

enum control_lockdown control_lockdown(void)
{
	enum control_lockdown level = LOCKDOWN_NONE;
	struct buf b = { 0 };

	buf_read_file(&b, "/sys/kernel/security/lockdown");
	buf_add(&b, "", 1);
	if (!b.failed && strstr(b.data, "[confidentiality]"))
		level = LOCKDOWN_CONFIDENTIALITY;
	else if (!b.failed && strchr(b.data, '[') && !strstr(b.data, "[none]"))
		level = LOCKDOWN_INTEGRITY;
	buf_free(&b);
	return level;
}

bool control_complain_lockdown(void)
{
	if (control_lockdown() != LOCKDOWN_CONFIDENTIALITY)
		return false;
	complain("this kernel is locked down for confidentiality and forbids tracing, even to root: boot it without lockdown=confidentiality (kernel_lockdown(7))");
	return true;
}

static bool module_has_version(const char *version)
{
	char *text = control_read("/version");
	bool has = text && !strcmp(text, version);

	free(text);
	return has;
}

void complain_no_device(const char *path, const char *version)
{
	if (access("/dev/rbmap", F_OK) || module_has_version(version))
		complain("%s does not exist, although the module is loaded: /dev is not that of the machine, as in a container: " WHOLE_DEVICES,
			 path);
	else
		complain("%s does not exist: the module and this command have different versions, install both from the same source",
			 path);
}

void complain_unreadable(const char *path)
{
	struct group *group;
	struct stat st;

	if (!stat(path, &st) && st.st_gid && (group = getgrgid(st.st_gid)))
		complain("no permission to read %s: run rbmap as root or as a member of group %s",
			 path, group->gr_name);
	else
		complain("no permission to read %s: run rbmap as root", path);
}

void control_complain(enum control_verb verb, const char *file, int error)
{
	const char *what = verb == CONTROL_READ ? "read" : "write";
	char path[4096];

	path_of(path, sizeof(path), file);
	switch (error) {
	case -EPERM:
		if (control_complain_lockdown())
			break;
		/* fall through */
	case -EACCES:
		if (verb == CONTROL_READ)
			complain_unreadable(path);
		else
			complain("no permission to write %s: run rbmap as root",
				 path);
		break;
	case -ENOENT:
		if (control_present())
			complain("%s does not exist: the module and this command have different versions, install both from the same source",
				 path);
		break;
	default:
		complain("cannot %s %s: %s%s", what, path, strerror(-error),
			 verb == CONTROL_WRITE ?
			 " (see the kernel log: dmesg | grep rbmap)" :
			 "");
	}
}

bool control_set(const char *file, const char *value)
{
	int ret = control_write(file, value);

	if (ret)
		control_complain(CONTROL_WRITE, file, ret);
	return !ret;
}

/* Return the selected clock and its length. */
static const char *chosen_clock(const char *text, size_t *len)
{
	const char *start = strchr(text, '[');
	const char *end = start ? strchr(start, ']') : NULL;

	*len = end ? end - start - 1 : 0;
	return end ? start + 1 : NULL;
}

char *control_clock(void)
{
	char *text = control_read("trace_clock");
	const char *clock;
	size_t len;

	clock = text ? chosen_clock(text, &len) : NULL;
	if (clock) {
		memmove(text, clock, len);
		text[len] = '\0';
	}
	return text;
}

static const char *const clock_names[] = {
	[RBMAP_CLOCK_LOCAL]	= "local",
	[RBMAP_CLOCK_MONO]	= "mono",
	[RBMAP_CLOCK_BOOT]	= "boot",
	[RBMAP_CLOCK_X86_TSC]	= "x86-tsc",
};

#define NR_CLOCKS	(int)(sizeof(clock_names) / sizeof(clock_names[0]))

const char *control_clock_name(int clock)
{
	return clock >= 0 && clock < NR_CLOCKS ? clock_names[clock] :
						 "another one";
}

void control_print_clocks(struct buf *out, int clock)
{
	for (int i = 0; i < NR_CLOCKS; i++)
		buf_printf(out, i == clock ? "%s[%s]" : "%s%s", i ? " " : "",
			   clock_names[i]);
}

int control_clock_of(const char *text)
{
	size_t len;
	const char *name = chosen_clock(text, &len);

	for (int i = 0; name && i < NR_CLOCKS; i++)
		if (strlen(clock_names[i]) == len &&
		    !strncmp(clock_names[i], name, len))
			return i;
	return -1;
}

int control_cpu_of(const char *name)
{
	uint64_t cpu;

	if (strncmp(name, "cpu", 3) || !parse_u64(name + 3, &cpu) || cpu >= CONTROL_CPUS_MAX)
		return -1;
	return cpu;
}

/* The file has ranges such as 0-3,8-11, in order. */
unsigned int control_possible_cpus(void)
{
	struct buf list = { 0 };
	unsigned int nr = 0;
	const char *last;

	buf_read_file(&list, "/sys/devices/system/cpu/possible");
	buf_add(&list, "", 1);
	if (!list.failed) {
		last = list.data + strcspn(list.data, "\n");
		while (last > list.data && last[-1] >= '0' && last[-1] <= '9')
			last--;
		if (*last >= '0' && *last <= '9')
			nr = strtoul(last, NULL, 10) + 1;
	}
	buf_free(&list);
	return nr <= CONTROL_CPUS_MAX ? nr : 0;
}

int control_read_stat(const char *file, const char *key, uint64_t *value)
{
	char *text = control_read(file), *line;
	size_t len = strlen(key);
	int ret = -ENOENT;

	if (!text)
		return -errno;
	for (line = text; line && ret == -ENOENT; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) || strncmp(line + len, ": ", 2))
			continue;
		line += len + 2;
		line[strcspn(line, "\n")] = '\0';
		ret = parse_u64(line, value) ? 0 : -EINVAL;
	}
	free(text);
	return ret;
}

int control_cpu_stat(unsigned int cpu, const char *key, uint64_t *value)
{
	char file[64];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	return control_read_stat(file, key, value);
}

/* ---- the log of the module */

#define PREFIX	"rbmap: "

int klog_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A record is "priority,sequence,time,flags;text\n key=value\n...". */
static const char *text_of(char *record)
{
	char *text = strchr(record, ';');

	if (!text)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text + 1;
}

void klog_last(int fd, char *line, size_t size)
{
	char record[8192];
	const char *text;
	ssize_t got;

	*line = '\0';
	if (fd < 0)
		return;
	for (;;) {
		got = read(fd, record, sizeof(record) - 1);
		/*
		 * EPIPE: the log has overwritten records. The next read
		 * continues.
		 */
		if (got < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (got <= 0)
			break;
		record[got] = '\0';
		text = text_of(record);
		if (text && !strncmp(text, PREFIX, strlen(PREFIX)))
			snprintf(line, size, "%s", text + strlen(PREFIX));
	}
	close(fd);
}

int klog_write(const char *file, const char *text, char *message, size_t size)
{
	int log = klog_open(), ret;

	ret = control_write(file, text);
	klog_last(log, message, size);
	return ret;
}

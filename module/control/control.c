// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/rbmap, and the same directory for each named buffer: files with the
 * names and the behaviour of tracefs.  A write is obeyed or refused, and the log
 * explains a refusal.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "control.h"
#include "dir.h"
#include "event/event_set.h"
#include "event/self_cost.h"
#include "files.h"
#include "lib/access.h"
#include "lib/error_log.h"
#include "lib/log.h"

/* Characters of a refused write that are shown in the log. */
#define RBMAP_LOGGED_MAX	32
/* Characters of the description of a valid text in error_log. */
#define RBMAP_WANTED_MAX	192

/**
 * rbmap_control_refuse - log that a write was refused
 * @buffer: buffer that keeps the refusal in its error_log
 * @name: name of the file
 * @buf: the written text
 * @len: bytes at @buf
 * @wanted: description of valid text
 *
 * Return: -EINVAL.
 */
int rbmap_control_refuse(struct rbmap_buffer *buffer, const char *name,
			 const char *buf, size_t len, const char *wanted)
{
	char what[RBMAP_WANTED_MAX];

	if (len && buf[len - 1] == '\n')
		len--;
	rbmap_warn("%s: \"%*pE\"%s refused: write %s\n", name,
		   (int)min_t(size_t, len, RBMAP_LOGGED_MAX), buf,
		   len > RBMAP_LOGGED_MAX ? "..." : "", wanted);
	snprintf(what, sizeof(what), "write %s", wanted);
	/* The whole text is wrong, so the error is at its beginning. */
	rbmap_error_log_add(rbmap_buffer_errors(buffer), name, what, buf, len,
			    0);
	return -EINVAL;
}

/**
 * rbmap_control_number - parse a number that was written
 * @buffer: buffer that keeps a refusal in its error_log
 * @name: name of the file, for the log
 * @buf: the written text, terminated by a 0 byte
 * @len: bytes at @buf
 * @max: largest valid number
 * @value: the number
 *
 * The number may be followed by a newline, as echo writes it, and by a 0 byte, as C
 * programs write it.  Nothing else may follow.
 *
 * Return: 0; -EINVAL, with a message in the log; -EPERM if the kernel is locked
 * down.
 */
int rbmap_control_number(struct rbmap_buffer *buffer, const char *name,
			 const char *buf, size_t len, unsigned long max,
			 unsigned long *value)
{
	char wanted[48];
	int err = rbmap_locked_down();

	if (err)
		return err;
	if (strlen(buf) + 1 >= len && *buf != '+' &&
	    !kstrtoul(buf, 10, value) && *value <= max)
		return 0;
	snprintf(wanted, sizeof(wanted), max == 1 ? "0 or 1" :
		 "a number from 0 to %lu", max);
	return rbmap_control_refuse(buffer, name, buf, len, wanted);
}

/**
 * rbmap_control_text_read - read a text that may be longer than a page
 * @text: the whole text, from kmalloc() or kvmalloc(), freed here; NULL if its allocation failed
 * @buf: argument of the binary attribute's callback
 * @pos: argument of the binary attribute's callback
 * @len: argument of the binary attribute's callback
 *
 * Return: the return value of the callback.
 */
ssize_t rbmap_control_text_read(char *text, char *buf, loff_t pos, size_t len)
{
	ssize_t ret;

	if (!text)
		return -ENOMEM;
	ret = memory_read_from_buffer(buf, len, &pos, text, strlen(text));
	kvfree(text);
	return ret;
}

static struct rbmap_buffer *rbmap_controlled(struct kobject *kobj)
{
	const struct rbmap_control *control = rbmap_dir_data(kobj);

	return control->buffer;
}

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%s\n", RBMAP_VERSION);
}

static ssize_t tracing_on_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n",
			  rbmap_buffer_is_on(rbmap_controlled(kobj)));
}

static ssize_t tracing_on_store(struct kobject *kobj,
				struct kobj_attribute *attr, const char *buf,
				size_t len)
{
	unsigned long on;
	int err = rbmap_control_number(rbmap_dir_buffer(kobj), attr->attr.name, buf, len, 1, &on);

	if (err)
		return err;
	rbmap_buffer_set_on(rbmap_controlled(kobj), on);
	return len;
}

static ssize_t tracing_cpumask_show(struct kobject *kobj,
				    struct kobj_attribute *attr, char *buf)
{
	cpumask_var_t cpus;
	int len;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	rbmap_buffer_cpus(rbmap_controlled(kobj), cpus);
	len = sysfs_emit(buf, "%*pb\n", cpumask_pr_args(cpus));
	free_cpumask_var(cpus);
	return len;
}

static ssize_t tracing_cpumask_store(struct kobject *kobj,
				     struct kobj_attribute *attr,
				     const char *buf, size_t len)
{
	cpumask_var_t cpus;
	int err;

	err = rbmap_locked_down();
	if (err)
		return err;
	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	err = strlen(buf) + 1 < len ? -EINVAL : cpumask_parse(buf, cpus);
	if (!err) {
		rbmap_buffer_set_cpus(rbmap_controlled(kobj), cpus);
	} else {
		rbmap_control_refuse(rbmap_dir_buffer(kobj), attr->attr.name, buf, len,
				     "a bit for each CPU as hexadecimal digits");
		/* As in tracefs, a bit of a CPU that cannot exist is -EOVERFLOW. */
		err = err == -EOVERFLOW ? err : -EINVAL;
	}
	free_cpumask_var(cpus);
	return err ? err : len;
}

static ssize_t overwrite_show(struct kobject *kobj,
			      struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n",
			  rbmap_buffer_mode(rbmap_controlled(kobj)) ==
			  RBMAP_MODE_OVERWRITE);
}

static ssize_t overwrite_store(struct kobject *kobj,
			       struct kobj_attribute *attr, const char *buf,
			       size_t len)
{
	unsigned long on;
	int err = rbmap_control_number(rbmap_dir_buffer(kobj), attr->attr.name, buf, len, 1, &on);

	if (err)
		return err;
	rbmap_buffer_set_mode(rbmap_controlled(kobj),
			      on ? RBMAP_MODE_OVERWRITE : RBMAP_MODE_DISCARD);
	return len;
}

static ssize_t buffer_percent_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n",
			  rbmap_buffer_percent(rbmap_controlled(kobj)));
}

static ssize_t buffer_percent_store(struct kobject *kobj,
				    struct kobj_attribute *attr,
				    const char *buf, size_t len)
{
	unsigned long percent;
	int err = rbmap_control_number(rbmap_dir_buffer(kobj), attr->attr.name, buf, len, 100,
				       &percent);

	if (!err)
		err = rbmap_buffer_set_percent(rbmap_controlled(kobj), percent);
	return err ? err : len;
}

static ssize_t retired_size_kb_show(struct kobject *kobj,
				    struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%lu\n",
			  rbmap_buffer_retired_size(rbmap_controlled(kobj)));
}

static ssize_t retired_size_kb_store(struct kobject *kobj,
				     struct kobj_attribute *attr,
				     const char *buf, size_t len)
{
	unsigned long kb;
	int err = rbmap_control_number(rbmap_dir_buffer(kobj), attr->attr.name, buf, len, ULONG_MAX,
				       &kb);

	if (err)
		return err;
	rbmap_buffer_set_retired_size(rbmap_controlled(kobj), kb);
	return len;
}

static const char *const rbmap_clock_names[] = {
	[RBMAP_CLOCK_LOCAL]	= "local",
	[RBMAP_CLOCK_MONO]	= "mono",
	[RBMAP_CLOCK_BOOT]	= "boot",
	[RBMAP_CLOCK_X86_TSC]	= "x86-tsc",
};

/* Print the available clocks, with @current_clock in brackets. */
static int rbmap_clocks_print(char *buf, size_t size, int current_clock)
{
	int i, len = 0;

	for (i = 0; i < ARRAY_SIZE(rbmap_clock_names); i++) {
		if (rbmap_clock_available(i))
			len += scnprintf(buf + len, size - len,
					 i == current_clock ? "%s[%s]" : "%s%s",
					 len ? " " : "", rbmap_clock_names[i]);
	}
	return len;
}

/**
 * rbmap_control_clock - parse the name of a clock that was written
 * @buffer: buffer that keeps a refusal in its error_log
 * @name: name of the file, for the log
 * @buf: the written text
 * @len: bytes at @buf
 * @clock: set to the clock, which is available
 *
 * Return: 0, or -EINVAL with a message in the log.
 */
int rbmap_control_clock(struct rbmap_buffer *buffer, const char *name,
			const char *buf, size_t len, enum rbmap_clock *clock)
{
	char wanted[64] = "one of: ";
	int i;

	for (i = 0; i < ARRAY_SIZE(rbmap_clock_names); i++) {
		if (strlen(buf) + 1 < len || !rbmap_clock_available(i) ||
		    !sysfs_streq(buf, rbmap_clock_names[i]))
			continue;
		*clock = i;
		return 0;
	}
	i = strlen(wanted);
	rbmap_clocks_print(wanted + i, sizeof(wanted) - i, -1);
	return rbmap_control_refuse(buffer, name, buf, len, wanted);
}

static ssize_t trace_clock_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	int len = rbmap_clocks_print(buf, PAGE_SIZE - 1,
				     rbmap_buffer_clock(rbmap_controlled(kobj)));

	return len + sysfs_emit_at(buf, len, "\n");
}

static ssize_t trace_clock_store(struct kobject *kobj,
				 struct kobj_attribute *attr, const char *buf,
				 size_t len)
{
	enum rbmap_clock clock;
	int err;

	err = rbmap_locked_down();
	if (!err)
		err = rbmap_control_clock(rbmap_dir_buffer(kobj), attr->attr.name, buf, len, &clock);
	if (!err)
		err = rbmap_buffer_set_clock(rbmap_controlled(kobj), clock);
	return err ? err : len;
}

static ssize_t buffer_size_kb_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	return rbmap_control_size_show(rbmap_controlled(kobj), RBMAP_ALL_CPUS,
				       false, buf);
}

static ssize_t buffer_size_kb_store(struct kobject *kobj,
				    struct kobj_attribute *attr,
				    const char *buf, size_t len)
{
	return rbmap_control_size_store(rbmap_controlled(kobj), RBMAP_ALL_CPUS,
					false, attr->attr.name, buf, len);
}

static ssize_t buffer_subbuf_size_kb_show(struct kobject *kobj,
					  struct kobj_attribute *attr,
					  char *buf)
{
	return rbmap_control_size_show(rbmap_controlled(kobj), RBMAP_ALL_CPUS,
				       true, buf);
}

static ssize_t buffer_subbuf_size_kb_store(struct kobject *kobj,
					   struct kobj_attribute *attr,
					   const char *buf, size_t len)
{
	return rbmap_control_size_store(rbmap_controlled(kobj), RBMAP_ALL_CPUS,
					true, attr->attr.name, buf, len);
}

static ssize_t snapshot_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	return rbmap_control_snapshot_show(rbmap_controlled(kobj),
					   RBMAP_ALL_CPUS, buf);
}

static ssize_t snapshot_store(struct kobject *kobj,
			      struct kobj_attribute *attr, const char *buf,
			      size_t len)
{
	return rbmap_control_snapshot_store(rbmap_controlled(kobj),
					    RBMAP_ALL_CPUS, attr->attr.name,
					    buf, len);
}

static ssize_t cpus_lacking_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *buf)
{
	return rbmap_buffer_show_missing(rbmap_controlled(kobj), buf);
}

static ssize_t reset_store(struct kobject *kobj, struct kobj_attribute *attr,
			   const char *buf, size_t len)
{
	const struct rbmap_control *control = rbmap_dir_data(kobj);
	unsigned long value;
	int err = rbmap_locked_down();

	if (err)
		return err;
	if (strlen(buf) + 1 < len || kstrtoul(buf, 10, &value) || value != 1)
		return rbmap_control_refuse(rbmap_dir_buffer(kobj), attr->attr.name, buf, len,
					    "1 to discard all events");
	rbmap_buffer_reset(rbmap_controlled(kobj));
	if (control->events)
		rbmap_event_set_missed_reset(control->events, RBMAP_ALL_CPUS);
	return len;
}

/* Only a buffer that was created by a module has these two files. */
static ssize_t owner_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	const struct rbmap_control *control = rbmap_dir_data(kobj);

	return sysfs_emit(buf, "%s\n", control->owner);
}

/* 0: the process is not visible in the reader's PID namespace. */
static ssize_t keeper_pid_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	const struct rbmap_control *control = rbmap_dir_data(kobj);

	return sysfs_emit(buf, "%d\n", pid_vnr(control->keeper_pid));
}

static ssize_t raw_show(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf)
{
	return sysfs_emit(buf, "%d\n",
			  rbmap_buffer_is_raw(rbmap_controlled(kobj)));
}

static struct kobj_attribute version_attr = RBMAP_ATTR_RO(version);
static struct kobj_attribute tracing_on_attr = RBMAP_ATTR_RW(tracing_on);
static struct kobj_attribute tracing_cpumask_attr = RBMAP_ATTR_RW(tracing_cpumask);
static struct kobj_attribute trace_clock_attr = RBMAP_ATTR_RW(trace_clock);
static struct kobj_attribute overwrite_attr = RBMAP_ATTR_RW(overwrite);
static struct kobj_attribute buffer_percent_attr = RBMAP_ATTR_RW(buffer_percent);
static struct kobj_attribute buffer_size_kb_attr = RBMAP_ATTR_RW(buffer_size_kb);
static struct kobj_attribute buffer_subbuf_size_kb_attr =
	RBMAP_ATTR_RW(buffer_subbuf_size_kb);
static struct kobj_attribute retired_size_kb_attr =
	RBMAP_ATTR_RW(retired_size_kb);
static struct kobj_attribute snapshot_attr = RBMAP_ATTR_RW(snapshot);
static struct kobj_attribute cpus_lacking_attr = RBMAP_ATTR_RO(cpus_lacking);
static struct kobj_attribute reset_attr = __ATTR_WO(reset);

static struct kobj_attribute owner_attr = RBMAP_ATTR_RO(owner);
static struct kobj_attribute raw_attr = RBMAP_ATTR_RO(raw);
static struct kobj_attribute keeper_pid_attr = RBMAP_ATTR_RO(keeper_pid);

static struct attribute *rbmap_control_attrs[] = {
	&tracing_on_attr.attr,
	&tracing_cpumask_attr.attr,
	&trace_clock_attr.attr,
	&overwrite_attr.attr,
	&buffer_percent_attr.attr,
	&buffer_size_kb_attr.attr,
	&buffer_subbuf_size_kb_attr.attr,
	&retired_size_kb_attr.attr,
	&snapshot_attr.attr,
	&cpus_lacking_attr.attr,
	&reset_attr.attr,
	NULL
};

static const struct attribute_group rbmap_control_group = {
	.attrs = rbmap_control_attrs,
};

static struct attribute *rbmap_owned_attrs[] = {
	&owner_attr.attr,
	&raw_attr.attr,
	NULL
};

static const struct attribute_group rbmap_owned_group = {
	.attrs = rbmap_owned_attrs,
};

/**
 * rbmap_control_init - create the directory of a buffer
 * @control: the files, with the members up to @is_shared filled in and the rest zeroed
 * @name: name of the directory
 * @parent: parent directory; kernel_kobj for the default buffer, whose directory
 *	also has the files of the module
 *
 * Context: may sleep.
 * Return: 0, or a negative error after which nothing remains.
 */
int rbmap_control_init(struct rbmap_control *control, const char *name,
		       struct kobject *parent)
{
	int err = -ENOMEM;

	INIT_LIST_HEAD(&control->system_dirs);
	control->dir = rbmap_dir_create(name, parent, control,
					control->buffer);
	if (!control->dir)
		goto out;
	err = rbmap_dir_add_group(control->dir, &rbmap_control_group);
	if (!err && *control->owner)
		err = rbmap_dir_add_group(control->dir, &rbmap_owned_group);
	if (!err)
		err = rbmap_control_kptr_init(control);
	if (!err && control->keeper_pid)
		err = rbmap_dir_add_file(control->dir, &keeper_pid_attr.attr);
	if (!err && parent == kernel_kobj)
		err = rbmap_dir_add_file(control->dir, &version_attr.attr);
	if (!err && parent == kernel_kobj)
		err = rbmap_control_access_init(control->dir);
	if (!err && parent == kernel_kobj)
		err = rbmap_control_self_cost_init(control->dir);
	if (!err && parent == kernel_kobj)
		err = rbmap_control_kernel_events_init(control->dir);
	if (!err && parent == kernel_kobj)
		err = rbmap_control_dynamic_init(control->dir);
	if (!err)
		err = rbmap_control_events_init(control);
	if (!err)
		err = rbmap_control_set_event_init(control);
	if (!err)
		err = rbmap_control_tracer_init(control);
	if (!err)
		err = rbmap_control_options_init(control);
	if (!err)
		err = rbmap_control_pids_init(control);
	if (!err)
		err = rbmap_control_cgroups_init(control);
	if (!err)
		err = rbmap_control_cpus_init(control);
out:
	if (err) {
		rbmap_control_exit(control);
		rbmap_err("cannot create /sys/kernel/rbmap%s: error %d\n",
			  parent == kernel_kobj ? "" : "/instances/...", err);
	}
	return err;
}

/**
 * rbmap_control_exit - remove the directory of a buffer
 * @control: the buffer's files
 *
 * The caller prevents further calls of rbmap_control_add_cpu().
 *
 * Context: sleeps until no callback of the files runs.
 */
void rbmap_control_exit(struct rbmap_control *control)
{
	WRITE_ONCE(control->ends, true);
	rbmap_control_cpus_exit(control);
	rbmap_control_pids_exit(control);
	rbmap_control_events_exit(control);
	rbmap_dir_remove(control->dir);
	control->dir = NULL;
	kvfree(control->available.buf);
	control->available = (struct rbmap_text){ 0 };
}

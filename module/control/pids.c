// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_event_pid, set_event_notrace_pid, options/event-fork: select events by task.
 * exclude_process: leave out what processes cause, and count it.
 * options/copy_trace_marker: select the texts of markers.
 */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sysfs.h>

#include "compat/sysfs.h"
#include "control.h"
#include "dir.h"
#include "event/event.h"
#include "event/pids.h"
#include "files.h"
#include "lib/access.h"

static struct rbmap_event_set *rbmap_tasks_of(struct kobject *kobj)
{
	const struct rbmap_control *control = rbmap_dir_data(kobj);

	return control->events;
}

static const struct bin_attribute rbmap_set_event_pid_attr;
static const struct bin_attribute rbmap_set_event_notrace_pid_attr;
static const struct bin_attribute rbmap_exclude_process_attr;

/* The files share their callbacks. */
static enum rbmap_pids_list rbmap_pids_list_of(const struct bin_attribute *attr)
{
	if (attr == &rbmap_exclude_process_attr)
		return RBMAP_PIDS_EXCLUDED;
	return attr == &rbmap_set_event_notrace_pid_attr ? RBMAP_PIDS_NOT :
							   RBMAP_PIDS_ONLY;
}

/* A pid has up to seven digits, and a 0 byte follows. */
#define RBMAP_PID_CHARS		8

/*
 * Translate a pid of the writer's PID namespace.  Return 0 if there is no such task: it
 * may have ended a moment ago.
 */
static unsigned int rbmap_pid_of_namespace(unsigned int nr)
{
	struct pid *pid = find_get_pid(nr);
	unsigned int global = pid_nr(pid);

	put_pid(pid);
	return global;
}

/*
 * Add the written pids.  @zero: pid that 0 stands for, or 0: then it is invalid.  Return
 * 0 if nothing but pids was written, -EINVAL otherwise, or -ENOMEM.  A pid after @ is one of
 * the writer's namespace.
 */
static int rbmap_pids_parse(struct rbmap_pids **pids, const char *buf,
			    size_t len, unsigned int zero, bool *any)
{
	char word[RBMAP_PID_CHARS];
	size_t at = 0, word_len;
	unsigned int pid;
	bool translate;
	int err;

	*any = false;
	for (;;) {
		while (at < len && (isspace(buf[at]) || !buf[at]))
			at++;
		if (at == len)
			return 0;
		translate = buf[at] == '@';
		at += translate;
		for (word_len = 0; at < len && buf[at] && !isspace(buf[at]);
		     at++) {
			if (word_len == sizeof(word) - 1 || !isdigit(buf[at]))
				return -EINVAL;
			word[word_len++] = buf[at];
		}
		word[word_len] = 0;
		if (kstrtouint(word, 10, &pid))
			return -EINVAL;
		pid = pid || translate ? pid : zero;
		if (!pid || pid >= PID_MAX_LIMIT)
			return -EINVAL;
		if (translate)
			pid = rbmap_pid_of_namespace(pid);
		/* A list whose only task has ended still selects.  An empty one would select all tasks. */
		err = pid ? rbmap_event_pids_put(pids, pid) : 0;
		if (err)
			return err;
		*any = true;
	}
}

static int rbmap_pids_obey(struct rbmap_event_set *set,
			   rbmap_bin_attribute *attr, const char *buf,
			   size_t len, bool add)
{
	enum rbmap_pids_list list = rbmap_pids_list_of(attr);
	/* Several recorders of a buffer come and go, each with its own process. */
	bool excluded = list == RBMAP_PIDS_EXCLUDED;
	bool remove = excluded && len && *buf == '!';
	struct rbmap_pids *pids = rbmap_event_pids_alloc(list);
	bool any;
	int err;

	if (!pids)
		return -ENOMEM;
	/* A process in a PID namespace does not know the number that the kernel compares. */
	err = rbmap_pids_parse(&pids, buf + remove, len - remove,
			       excluded ? current->tgid : 0, &any);
	if (err) {
		kvfree(pids);
		return err == -ENOMEM ? err :
		       rbmap_control_refuse(set->buffer, attr->attr.name, buf, len,
					    excluded ?
					    "process ids with blanks between, 0 for the writing process, and ! before them to remove these" :
					    "process ids with blanks between");
	}
	if (remove) {
		rbmap_event_pids_remove(set, list, pids);
		return 0;
	}
	if (!any) {
		kvfree(pids);
		pids = NULL;
	}
	return any || !add ? rbmap_event_pids_set(set, list, pids, add) : 0;
}

static ssize_t rbmap_pids_read(struct file *file, struct kobject *kobj,
			       rbmap_bin_attribute *attr, char *buf,
			       loff_t pos, size_t len)
{
	return rbmap_event_pids_read(rbmap_tasks_of(kobj),
				     rbmap_pids_list_of(attr), buf, pos, len);
}

/*
 * A write replaces the list, as with > in a shell, or adds to it, as with >>.  More
 * than a page comes in several writes.  A write must not end within a number, so
 * that it is shortened, and the digits are written again.
 */
static ssize_t rbmap_pids_write(struct file *file, struct kobject *kobj,
				rbmap_bin_attribute *attr, char *buf,
				loff_t pos, size_t len)
{
	int err = rbmap_locked_down();

	if (err)
		return err;
	if (len == PAGE_SIZE) {
		while (len && !isspace(buf[len - 1]))
			len--;
		len = len ?: PAGE_SIZE;
	}
	err = rbmap_pids_obey(rbmap_tasks_of(kobj), attr, buf, len,
			      pos || file->f_flags & O_APPEND);
	rbmap_dir_retry(kobj);
	return err ? err : len;
}

static const struct bin_attribute rbmap_set_event_pid_attr = {
	.attr	= { .name = "set_event_pid", .mode = RBMAP_MODE_RW },
	.read	= rbmap_pids_read,
	.write	= rbmap_pids_write,
};

static const struct bin_attribute rbmap_set_event_notrace_pid_attr = {
	.attr	= { .name = "set_event_notrace_pid", .mode = RBMAP_MODE_RW },
	.read	= rbmap_pids_read,
	.write	= rbmap_pids_write,
};

static const struct bin_attribute rbmap_exclude_process_attr = {
	.attr	= { .name = "exclude_process", .mode = RBMAP_MODE_RW },
	.read	= rbmap_pids_read,
	.write	= rbmap_pids_write,
};

static int rbmap_pids_clear(struct kobject *dir, const struct bin_attribute *list,
			    const struct file *file)
{
	int err = rbmap_locked_down();

	return err ?: rbmap_event_pids_set(rbmap_tasks_of(dir), rbmap_pids_list_of(list), NULL,
					   false);
}

static ssize_t rbmap_event_fork_show(struct kobject *kobj,
				     struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(rbmap_tasks_of(kobj)->follow));
}

static ssize_t rbmap_event_fork_store(struct kobject *kobj,
				      struct kobj_attribute *attr,
				      const char *buf, size_t len)
{
	unsigned long on;
	int err;

	err = rbmap_control_number(rbmap_dir_buffer(kobj), "options/event-fork", buf, len, 1, &on);
	if (!err)
		err = rbmap_event_pids_follow(rbmap_tasks_of(kobj), on);
	return err ? err : len;
}

static struct kobj_attribute rbmap_event_fork_attr = {
	.attr	= { .name = "event-fork", .mode = RBMAP_MODE_RW },
	.show	= rbmap_event_fork_show,
	.store	= rbmap_event_fork_store,
};

static ssize_t rbmap_copy_marker_show(struct kobject *kobj,
				      struct kobj_attribute *attr, char *buf)
{
	const struct rbmap_control *control = rbmap_dir_data(kobj);

	return sysfs_emit(buf, "%d\n", READ_ONCE(*control->copies_marker));
}

static ssize_t rbmap_copy_marker_store(struct kobject *kobj,
				       struct kobj_attribute *attr,
				       const char *buf, size_t len)
{
	const struct rbmap_control *control = rbmap_dir_data(kobj);
	unsigned long on;
	int err;

	err = rbmap_control_number(rbmap_dir_buffer(kobj), "options/copy_trace_marker", buf, len, 1, &on);
	if (err)
		return err;
	WRITE_ONCE(*control->copies_marker, on);
	return len;
}

static struct kobj_attribute rbmap_copy_marker_attr = {
	.attr	= { .name = "copy_trace_marker", .mode = RBMAP_MODE_RW },
	.show	= rbmap_copy_marker_show,
	.store	= rbmap_copy_marker_store,
};

static struct attribute *rbmap_options_attrs[] = {
	&rbmap_event_fork_attr.attr,
	&rbmap_copy_marker_attr.attr,
	NULL
};

static const struct attribute_group rbmap_options_group = {
	.attrs = rbmap_options_attrs,
};

/**
 * rbmap_control_pids_init - create the files that select events by task, and options
 * @control: files of a buffer
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_control_pids_init(struct rbmap_control *control)
{
	int err;

	/* A raw buffer has no events. */
	if (!control->events)
		return 0;
	err = rbmap_dir_add_list(control->dir, &rbmap_set_event_pid_attr,
				 rbmap_pids_clear);
	if (!err)
		err = rbmap_dir_add_list(control->dir,
					 &rbmap_set_event_notrace_pid_attr,
					 rbmap_pids_clear);
	if (!err)
		err = rbmap_dir_add_list(control->dir, &rbmap_exclude_process_attr,
					 rbmap_pids_clear);
	if (err)
		return err;
	control->options_dir = rbmap_dir_create("options", control->dir,
						control, control->buffer);
	if (!control->options_dir)
		return -ENOMEM;
	return rbmap_dir_add_group(control->options_dir, &rbmap_options_group);
}

/**
 * rbmap_control_pids_exit - remove options; the other files are removed with @dir
 * @control: files of a buffer
 *
 * Context: sleeps until no callback of the files runs.
 */
void rbmap_control_pids_exit(struct rbmap_control *control)
{
	rbmap_dir_remove(control->options_dir);
	control->options_dir = NULL;
}

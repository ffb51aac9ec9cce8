// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/rbmap/dynamic_events: a line creates or removes an event. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat/sysfs.h"
#include "control.h"
#include "dir.h"
#include "dynamic/dynamic_event.h"
#include "dynamic/program.h"
#include "event/registry.h"
#include "files.h"
#include "lib/access.h"
#include "lib/error_log.h"
#include "lib/log.h"

#define RBMAP_DYNAMIC_MAX	1024
/* Less than one write can have: a longer line would come in several writes. */
#define RBMAP_LINE_MAX		4000
/* Characters of a wrong line that are shown in the log. */
#define RBMAP_LINE_LOGGED_MAX	24

/*
 * Held while an event is created or removed, and therefore taken before the
 * registry's lock.  No callback of another file takes this lock.
 */
static DEFINE_MUTEX(rbmap_dynamic_lock);
static LIST_HEAD(rbmap_dynamic_events);
static unsigned int rbmap_dynamic_nr;

/* The reason why this kernel cannot have dynamic events, or NULL. */
static const char *rbmap_dynamic_refused(void)
{
	if (IS_ENABLED(CONFIG_CFI_CLANG) || IS_ENABLED(CONFIG_CFI))
		return "this kernel has control-flow integrity (CONFIG_CFI), which forbids to call a probe that is made for any tracepoint: use a probe module";
#ifdef RBMAP_ARGS_UNKNOWN
	return "the location of arguments is not known on this processor: use a probe module";
#endif
	return NULL;
}

static struct rbmap_dynamic_event *
rbmap_dynamic_find(const struct rbmap_dynamic_line *line)
{
	struct rbmap_dynamic_event *event;

	lockdep_assert_held(&rbmap_dynamic_lock);
	list_for_each_entry(event, &rbmap_dynamic_events, list) {
		if (!strcmp(event->line.group, line->group) &&
		    !strcmp(event->line.event, line->event))
			return event;
	}
	return NULL;
}

static int rbmap_dynamic_add(const struct rbmap_dynamic_line *line,
			     const char *text, size_t len)
{
	struct rbmap_dynamic_event *event;
	int err;

	lockdep_assert_held(&rbmap_dynamic_lock);
	if (rbmap_dynamic_nr == RBMAP_DYNAMIC_MAX) {
		rbmap_warn("dynamic_events: there are %d already: remove some\n",
			   RBMAP_DYNAMIC_MAX);
		return -ENOSPC;
	}
	event = rbmap_dynamic_event_create(line, text, len);
	if (!event)
		return -ENOMEM;
	err = rbmap_event_register(&event->event);
	if (err) {
		if (err == -EEXIST)
			rbmap_warn("dynamic_events: there is an event %s/%s already: remove it, or choose another name\n",
				   line->group, line->event);
		rbmap_dynamic_event_destroy(event);
		return err;
	}
	list_add_tail(&event->list, &rbmap_dynamic_events);
	rbmap_dynamic_nr++;
	return 0;
}

static int rbmap_dynamic_remove(const struct rbmap_dynamic_line *line)
{
	struct rbmap_dynamic_event *event = rbmap_dynamic_find(line);

	if (!event) {
		rbmap_warn("dynamic_events: there is no dynamic event %s/%s: the file lists the dynamic events\n",
			   line->group, line->event);
		return -ENOENT;
	}
	list_del(&event->list);
	rbmap_dynamic_nr--;
	rbmap_event_unregister(&event->event);
	rbmap_dynamic_event_destroy(event);
	return 0;
}

static int rbmap_dynamic_obey(struct rbmap_buffer *buffer, const char *text,
			      size_t len)
{
	struct rbmap_line_error error;
	struct rbmap_dynamic_line *line;
	int err = -EINVAL;

	line = kmalloc(sizeof(*line), GFP_KERNEL);
	if (!line)
		return -ENOMEM;
	if (!rbmap_dynamic_parse(text, len, sizeof(struct rbmap_record),
				 RBMAP_EVENT_MAX, line, &error)) {
		rbmap_warn("dynamic_events: character %zu, at \"%*pE\": %s\n",
			   error.at + 1,
			   (int)min_t(size_t, len - error.at, RBMAP_LINE_LOGGED_MAX),
			   text + error.at, error.what);
		rbmap_error_log_add(rbmap_buffer_errors(buffer),
				    "dynamic_events", error.what, text, len,
				    error.at);
		goto out;
	}
	mutex_lock(&rbmap_dynamic_lock);
	err = line->remove ? rbmap_dynamic_remove(line) :
			     rbmap_dynamic_add(line, text, len);
	mutex_unlock(&rbmap_dynamic_lock);
out:
	kfree(line);
	return err;
}

static int rbmap_dynamic_may(const struct file *file)
{
	const char *refused = rbmap_dynamic_refused();
	int err = rbmap_locked_down();

	if (err)
		return err;
	/*
	 * Check the opener, too: this may be the standard output of another program.
	 */
	if (!capable(CAP_SYS_ADMIN) ||
	    !file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN)) {
		rbmap_warn("dynamic_events: CAP_SYS_ADMIN is required to read kernel memory\n");
		return -EPERM;
	}
	if (refused) {
		rbmap_warn("dynamic_events: %s\n", refused);
		return -EOPNOTSUPP;
	}
	return 0;
}

/*
 * Use only the first line.  The writer writes the others again, as after any short
 * write.  The line may end with a newline, or with a 0 byte as C programs write it.
 */
static ssize_t rbmap_dynamic_write(struct file *file, struct kobject *kobj,
				   rbmap_bin_attribute *attr, char *buf,
				   loff_t pos, size_t size)
{
	const char *newline = memchr(buf, '\n', size);
	size_t len = newline ? newline - buf : size, used = len + !!newline;
	int err = rbmap_dynamic_may(file);

	if (err)
		return err;
	if (used + 1 == size && !buf[used])
		used++;
	else if (!newline && len && !buf[len - 1])
		len--;
	if (len > RBMAP_LINE_MAX) {
		rbmap_warn("dynamic_events: the line is too long: at most %d characters\n",
			   RBMAP_LINE_MAX);
		return -E2BIG;
	}
	err = rbmap_dynamic_obey(rbmap_dir_buffer(kobj), buf, len);
	rbmap_dir_retry(kobj);
	return err ? err : used;
}

/*
 * Read the text of all lines from @pos on.  New events are added at the end.  So a
 * program that reads in parts gets each line whole and once, unless an event is
 * removed meanwhile.
 */
static ssize_t rbmap_dynamic_read(struct file *file, struct kobject *kobj,
				  rbmap_bin_attribute *attr, char *buf,
				  loff_t pos, size_t size)
{
	const struct rbmap_dynamic_event *event;
	loff_t at = 0;
	size_t done = 0, skip, len;

	mutex_lock(&rbmap_dynamic_lock);
	list_for_each_entry(event, &rbmap_dynamic_events, list) {
		if (done == size)
			break;
		if (at + event->len > pos + done) {
			skip = pos + done - at;
			len = min(event->len - skip, size - done);
			memcpy(buf + done, event->text + skip, len);
			done += len;
		}
		at += event->len;
	}
	mutex_unlock(&rbmap_dynamic_lock);
	return done;
}

/* As in tracefs, no event goes if one of them is in use. */
static int rbmap_dynamic_remove_all(void)
{
	struct rbmap_dynamic_event *event, *next;

	lockdep_assert_held(&rbmap_dynamic_lock);
	list_for_each_entry(event, &rbmap_dynamic_events, list) {
		if (rbmap_event_is_enabled(&event->event))
			return -EBUSY;
	}
	list_for_each_entry_safe(event, next, &rbmap_dynamic_events, list) {
		list_del(&event->list);
		rbmap_dynamic_nr--;
		rbmap_event_unregister(&event->event);
		rbmap_dynamic_event_destroy(event);
	}
	return 0;
}

static int rbmap_dynamic_clear(struct kobject *dir, const struct bin_attribute *list,
			       const struct file *file)
{
	int err = rbmap_dynamic_may(file);

	if (err)
		return err;
	mutex_lock(&rbmap_dynamic_lock);
	err = rbmap_dynamic_remove_all();
	mutex_unlock(&rbmap_dynamic_lock);
	return err;
}

static const struct bin_attribute rbmap_dynamic_attr = {
	.attr	= { .name = "dynamic_events", .mode = 0600 },
	.read	= rbmap_dynamic_read,
	.write	= rbmap_dynamic_write,
};

/**
 * rbmap_control_dynamic_init - create the file dynamic_events
 * @root: /sys/kernel/rbmap, with which the file is removed
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_control_dynamic_init(struct kobject *root)
{
	return rbmap_dir_add_list(root, &rbmap_dynamic_attr, rbmap_dynamic_clear);
}

/**
 * rbmap_control_dynamic_exit - remove all dynamic events
 *
 * Context: sleeps; the file and all buffers were already removed.
 */
void rbmap_control_dynamic_exit(void)
{
	struct rbmap_dynamic_event *event, *next;

	list_for_each_entry(event, &rbmap_dynamic_events, list)
		rbmap_event_forget(&event->event);
	list_for_each_entry_safe(event, next, &rbmap_dynamic_events, list)
		rbmap_dynamic_event_destroy(event);
	INIT_LIST_HEAD(&rbmap_dynamic_events);
	rbmap_dynamic_nr = 0;
}

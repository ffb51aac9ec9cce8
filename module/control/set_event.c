// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_event: the enabled events by name, as in tracefs.  available_events: the names, also
 * of events that the buffer does not have yet.  kernel_events: how the kernel's own arrive.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat/sysfs.h"
#include "control.h"
#include "dir.h"
#include "event/demand.h"
#include "event/event.h"
#include "event/event_set.h"
#include "files.h"
#include "lib/access.h"

static struct rbmap_event_set *rbmap_named_events(struct kobject *kobj)
{
	const struct rbmap_control *control = rbmap_dir_data(kobj);

	return control->events;
}

static const char *rbmap_set_event_part(const char *word)
{
	return *word && strcmp(word, "*") ? word : NULL;
}

/*
 * A write to set_event enables or disables events.  As in tracefs, an event that is off can be
 * disabled.  That is so, too, before the buffer has the event.
 */
static int rbmap_set_event_switch(struct rbmap_event_set *set,
				  const struct rbmap_event_match *match, bool on)
{
	int err = on ? rbmap_event_set_demand(set, match) : 0;

	err = err ?: rbmap_event_set_switch(set, match, on);
	if (!on && err == -ENODEV && rbmap_event_demand_knows(match))
		err = 0;
	return err;
}

/* A write to available_events only lets the buffer have the events. */
static int rbmap_available_events_add(struct rbmap_event_set *set,
				      const struct rbmap_event_match *match, bool on)
{
	int err = on ? rbmap_event_set_demand(set, match) : -ENODEV;

	if (err)
		return err;
	return rbmap_event_set_has(set, match) ? 0 : -ENODEV;
}

typedef int (*rbmap_set_event_fn)(struct rbmap_event_set *set,
				  const struct rbmap_event_match *match, bool on);

static int rbmap_set_event_refuse(struct rbmap_event_set *set, const char *word,
				  const char *file)
{
	const char *reason = rbmap_event_demand_refused();
	char wanted[192];

	snprintf(wanted, sizeof(wanted), reason ?
		 "an event of rbmap: the kernel's own cannot be recorded (%s), but rbmap probe records arguments of tracepoints" :
		 "SYSTEM:EVENT, an event or a system of available_events", reason);
	return rbmap_control_refuse(set->buffer, file, word, strlen(word), wanted);
}

/* Obey "[!]SYSTEM:EVENT", where each may be "*" or empty, or "[!]NAME" of either. */
static int rbmap_set_event_obey(struct rbmap_event_set *set, char *word, const char *file,
				rbmap_set_event_fn act)
{
	struct rbmap_event_match match = { 0 };
	bool on = *word != '!';
	char *colon;
	int err;

	word += !on;
	colon = strchr(word, ':');
	if (colon) {
		*colon = 0;
		match.system = rbmap_set_event_part(word);
		match.name = rbmap_set_event_part(colon + 1);
	} else {
		match.either = word;
	}
	err = act(set, &match, on);
	if (colon)
		*colon = ':';
	return err == -ENODEV ? rbmap_set_event_refuse(set, word, file) : err;
}

static int rbmap_set_event_words(struct rbmap_event_set *set, char *text, const char *file,
				 rbmap_set_event_fn act)
{
	char *word;
	int err = 0;

	while (!err && (word = strsep(&text, " \t\r\n")))
		err = *word ? rbmap_set_event_obey(set, word, file, act) : 0;
	return err;
}

/* Shorten a write of a whole page, which may end within a name. */
static size_t rbmap_set_event_whole(const char *buf, size_t len)
{
	size_t whole = len;

	if (len < PAGE_SIZE)
		return len;
	while (whole && !isspace(buf[whole - 1]))
		whole--;
	return whole ?: len;
}

static ssize_t rbmap_set_event_read(struct file *file, struct kobject *kobj,
				    rbmap_bin_attribute *attr, char *buf,
				    loff_t pos, size_t len)
{
	return rbmap_control_text_read(rbmap_event_set_list(rbmap_named_events(kobj), true),
				       buf, pos, len);
}

static int rbmap_set_event_clear(struct kobject *dir, const struct bin_attribute *list,
				 const struct file *file)
{
	const struct rbmap_event_match all = { 0 };
	int err = rbmap_locked_down();

	return err ?: rbmap_event_set_switch(rbmap_named_events(dir), &all, false);
}

/* Obey a write.  @replaces: all events are disabled first */
static ssize_t rbmap_set_event_obey_all(struct kobject *kobj, const char *buf, size_t len,
					bool replaces, const char *name,
					rbmap_set_event_fn act)
{
	struct rbmap_event_set *set = rbmap_named_events(kobj);
	const struct rbmap_event_match all = { 0 };
	char *text;
	int err = rbmap_locked_down();

	if (err)
		return err;
	len = rbmap_set_event_whole(buf, len);
	text = kmemdup_nul(buf, len, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	if (replaces)
		err = rbmap_event_set_switch(set, &all, false);
	if (!err)
		err = rbmap_set_event_words(set, text, name, act);
	kfree(text);
	rbmap_dir_retry(kobj);
	return err ? err : len;
}

/*
 * A write at the beginning replaces the enabled events, as with > in a shell.  Others
 * add to them, as with >>.
 */
static ssize_t rbmap_set_event_write(struct file *file, struct kobject *kobj,
				     rbmap_bin_attribute *attr, char *buf,
				     loff_t pos, size_t len)
{
	const bool replaces = !pos && !(file->f_flags & O_APPEND);

	return rbmap_set_event_obey_all(kobj, buf, len, replaces, "set_event",
					rbmap_set_event_switch);
}

/*
 * A kernel thread lists the names that the kernel has.  One reader at a time waits for it.  Any
 * number of them would occupy the threads of the system's workqueue, and could not be killed.
 */
static DEFINE_MUTEX(rbmap_available_make_lock);

/* Return the text, or ERR_PTR.  The end of the buffer waits for its readers. */
static char *rbmap_available_make(const struct rbmap_control *control)
{
	char *text = ERR_PTR(-ENODEV);

	if (mutex_lock_killable(&rbmap_available_make_lock))
		return ERR_PTR(-EINTR);
	if (!READ_ONCE(control->ends))
		text = rbmap_event_set_available(control->events) ?: ERR_PTR(-ENOMEM);
	mutex_unlock(&rbmap_available_make_lock);
	return text;
}

static DEFINE_MUTEX(rbmap_available_lock);

static struct rbmap_text rbmap_available_swap(struct rbmap_control *control,
					      struct rbmap_text text)
{
	mutex_lock(&rbmap_available_lock);
	swap(control->available, text);
	mutex_unlock(&rbmap_available_lock);
	return text;
}

/*
 * Sysfs reads a page at a time.  The text has a dozen pages, and costs millions of
 * instructions: the next page is read from the text of the page before, whose length is known.
 */
static ssize_t rbmap_available_events_read(struct file *file,
					   struct kobject *kobj,
					   rbmap_bin_attribute *attr, char *buf,
					   loff_t pos, size_t len)
{
	struct rbmap_control *control = rbmap_dir_data(kobj);
	struct rbmap_text text = { 0 };
	ssize_t ret;

	if (pos)
		text = rbmap_available_swap(control, text);
	if (!text.buf) {
		text.buf = rbmap_available_make(control);
		if (IS_ERR(text.buf))
			return PTR_ERR(text.buf);
		text.len = strlen(text.buf);
	}
	ret = memory_read_from_buffer(buf, len, &pos, text.buf, text.len);
	if (ret == len)
		text = rbmap_available_swap(control, text);
	kvfree(text.buf);
	return ret;
}

static ssize_t rbmap_available_events_write(struct file *file, struct kobject *kobj,
					    rbmap_bin_attribute *attr, char *buf,
					    loff_t pos, size_t len)
{
	return rbmap_set_event_obey_all(kobj, buf, len, false, "available_events",
					rbmap_available_events_add);
}

static const struct bin_attribute rbmap_set_event_attr = {
	.attr	= { .name = "set_event", .mode = RBMAP_MODE_RW },
	.read	= rbmap_set_event_read,
	.write	= rbmap_set_event_write,
};

static const struct bin_attribute rbmap_available_events_attr = {
	.attr	= { .name = "available_events", .mode = RBMAP_MODE_RW },
	.read	= rbmap_available_events_read,
	.write	= rbmap_available_events_write,
};

/**
 * rbmap_control_set_event_init - create the files set_event and available_events
 * @control: files of a buffer; the files are removed with its @dir
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_control_set_event_init(struct rbmap_control *control)
{
	int err;

	/* A raw buffer has no events. */
	if (!control->events)
		return 0;
	err = rbmap_dir_add_list(control->dir, &rbmap_set_event_attr,
				 rbmap_set_event_clear);
	return err ?: rbmap_dir_add_bin_file(control->dir,
					     &rbmap_available_events_attr);
}

static ssize_t kernel_events_show(struct kobject *kobj, struct kobj_attribute *attr,
				  char *buf)
{
	const char *reason, *way = rbmap_event_demand_way(&reason);

	return sysfs_emit(buf, reason ? "%s: %s\n" : "%s\n", way, reason);
}

static struct kobj_attribute kernel_events_attr = RBMAP_ATTR_RO(kernel_events);

/**
 * rbmap_control_kernel_events_init - create the file kernel_events
 * @root: /sys/kernel/rbmap, with which the file is removed
 *
 * Return: 0 or a negative error.
 */
int rbmap_control_kernel_events_init(struct kobject *root)
{
	return rbmap_dir_add_file(root, &kernel_events_attr.attr);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file kptr: whether the events of a buffer keep the kernel's addresses.  It is set while
 * nobody but root can read the events, and from then on only processes with CAP_SYSLOG can
 * open a file that shows them.  It is cleared together with all events, and with the memory
 * that they were in.
 */
#include <linux/mutex.h>

#include "buffer/audience.h"
#include "control.h"
#include "dir.h"
#include "event/event_set.h"
#include "event/release.h"
#include "files.h"
#include "lib/access.h"
#include "lib/log.h"

/* Protects the setting of all buffers. */
static DEFINE_MUTEX(rbmap_kptr_lock);

static void rbmap_kptr_tell_events(struct rbmap_control *control, bool keep)
{
	rbmap_buffer_keep_addresses(control->buffer, keep);
	/* The payloads of a raw buffer are its module's. */
	if (!control->events)
		return;
	mutex_lock(&rbmap_event_files_lock);
	rbmap_event_set_update_checks(control->events);
	mutex_unlock(&rbmap_event_files_lock);
}

/*
 * The files are closed to others before the first event has an address, and so is the memory
 * that others may have kept.  Nobody opens a file meanwhile, so that the last change of the
 * audience succeeds.
 */
static int rbmap_kptr_set(struct rbmap_control *control)
{
	int err = control->is_shared(control) ? -EBUSY : 0;

	if (!err)
		err = rbmap_buffer_set_audience(control->buffer, RBMAP_AUDIENCE_NONE);
	if (err)
		return err;
	err = rbmap_buffer_leave_memory(control->buffer);
	rbmap_buffer_set_audience(control->buffer,
				  err ? RBMAP_AUDIENCE_MODES : RBMAP_AUDIENCE_ROOT);
	if (!err)
		rbmap_kptr_tell_events(control, true);
	return err;
}

/*
 * The files are opened to others after the last event with an address has gone.  A probe may
 * still write one until rbmap_release_settle().
 */
static int rbmap_kptr_clear(struct rbmap_control *control)
{
	int err = rbmap_buffer_set_audience(control->buffer, RBMAP_AUDIENCE_NONE);

	if (err)
		return err;
	rbmap_kptr_tell_events(control, false);
	rbmap_release_settle();
	err = rbmap_buffer_renew(control->buffer);
	if (err)
		rbmap_kptr_tell_events(control, true);
	rbmap_buffer_set_audience(control->buffer,
				  err ? RBMAP_AUDIENCE_ROOT : RBMAP_AUDIENCE_MODES);
	return err;
}

static int rbmap_kptr_change(struct rbmap_control *control, bool keep)
{
	int err;

	if (mutex_lock_killable(&rbmap_kptr_lock))
		return -EINTR;
	if (rbmap_buffer_keeps_addresses(control->buffer) == keep)
		err = 0;
	else if (rbmap_addresses_shown())
		err = -EPERM;
	else
		err = keep ? rbmap_kptr_set(control) : rbmap_kptr_clear(control);
	mutex_unlock(&rbmap_kptr_lock);
	return err;
}

static ssize_t kptr_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", rbmap_buffer_keeps_addresses(rbmap_dir_buffer(kobj)));
}

static ssize_t kptr_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t len)
{
	struct rbmap_control *control = rbmap_dir_data(kobj);
	unsigned long keep;
	int err = rbmap_control_number(control->buffer, attr->attr.name, buf, len, 1, &keep);

	if (err)
		return err;
	if (!rbmap_may_see_addresses()) {
		rbmap_warn("kptr: refused: it takes CAP_SYSLOG, and kernel.kptr_restrict other than 2\n");
		return -EPERM;
	}
	err = rbmap_kptr_change(control, keep);
	if (err == -EBUSY)
		rbmap_warn("kptr: refused: others may read the events: close all files of the buffer, and give its devices to root alone (chown root:root, chmod 400)\n");
	if (err == -EPERM)
		rbmap_warn("kptr: refused: the module was loaded with kptr=1, for all buffers\n");
	return err ? err : len;
}

static struct kobj_attribute kptr_attr = RBMAP_ATTR_RW(kptr);

/**
 * rbmap_control_kptr_init - create the file kptr
 * @control: the files of a buffer; their directory exists
 *
 * Return: 0 or a negative error.
 */
int rbmap_control_kptr_init(struct rbmap_control *control)
{
	return rbmap_dir_add_file(control->dir, &kptr_attr.attr);
}

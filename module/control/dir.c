// SPDX-License-Identifier: GPL-2.0-only
/* Directories of sysfs with a data pointer and a reference to their buffer. */
#include <linux/completion.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "compat/sysfs.h"
#include "control.h"
#include "dir.h"
#include "lib/access.h"

struct rbmap_dir {
	struct kobject		kobj;
	struct completion	released;
	void			*data;
	struct rbmap_buffer	*buffer;
};

static struct rbmap_dir *rbmap_dir_of(struct kobject *kobj)
{
	return container_of(kobj, struct rbmap_dir, kobj);
}

static void rbmap_dir_release(struct kobject *kobj)
{
	complete(&rbmap_dir_of(kobj)->released);
}

/* Called for the directory, and for all files that are created in it. */
static void rbmap_dir_ownership(rbmap_owned_kobject *kobj, kuid_t *uid,
				kgid_t *gid)
{
	*uid = GLOBAL_ROOT_UID;
	*gid = rbmap_access_gid();
}

static ssize_t rbmap_dir_show(struct kobject *kobj, struct attribute *attr,
			      char *buf)
{
	return kobj_sysfs_ops.show(kobj, attr, buf);
}

/**
 * rbmap_dir_retry - allocate what the CPUs of the directory's buffer lack
 * @dir: directory from rbmap_dir_create()
 *
 * Each write to a file calls this: the write may have freed memory, or shows that a
 * user needs the rings.  For binary attributes, the write callback must do so itself.
 *
 * Context: any; the allocation happens later.
 */
void rbmap_dir_retry(struct kobject *dir)
{
	rbmap_buffer_retry(rbmap_dir_of(dir)->buffer);
}

static ssize_t rbmap_dir_store(struct kobject *kobj, struct attribute *attr,
			       const char *buf, size_t len)
{
	ssize_t ret = kobj_sysfs_ops.store(kobj, attr, buf, len);

	rbmap_dir_retry(kobj);
	return ret;
}

static const struct sysfs_ops rbmap_dir_ops = {
	.show	= rbmap_dir_show,
	.store	= rbmap_dir_store,
};

static struct kobj_type rbmap_dir_type = {
	.release	= rbmap_dir_release,
	.get_ownership	= rbmap_dir_ownership,
	.sysfs_ops	= &rbmap_dir_ops,
};

/* Wait for the last reference, because the module may be unloaded afterwards. */
static void rbmap_dir_put(struct rbmap_dir *dir)
{
	kobject_put(&dir->kobj);
	wait_for_completion(&dir->released);
	kfree(dir);
}

/**
 * rbmap_dir_create - create a directory
 * @name: name of the directory
 * @parent: parent directory
 * @data: pointer that rbmap_dir_data() returns
 * @buffer: buffer that the directory belongs to
 *
 * Context: may sleep.
 * Return: the directory, or NULL without memory.
 */
struct kobject *rbmap_dir_create(const char *name, struct kobject *parent,
				 void *data, struct rbmap_buffer *buffer)
{
	struct rbmap_dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL);

	if (!dir)
		return NULL;
	init_completion(&dir->released);
	dir->data = data;
	dir->buffer = buffer;
	if (kobject_init_and_add(&dir->kobj, &rbmap_dir_type, parent, "%s",
				 name)) {
		rbmap_dir_put(dir);
		return NULL;
	}
	return &dir->kobj;
}

/**
 * rbmap_dir_data - get the data pointer of a directory
 * @dir: directory from rbmap_dir_create()
 */
void *rbmap_dir_data(struct kobject *dir)
{
	return rbmap_dir_of(dir)->data;
}

/**
 * rbmap_dir_remove - remove a directory and all files in it
 * @dir: directory from rbmap_dir_create(), or NULL
 *
 * Context: sleeps until no callback of its files runs.
 */
void rbmap_dir_remove(struct kobject *dir)
{
	if (!dir)
		return;
	kobject_del(dir);
	rbmap_dir_put(rbmap_dir_of(dir));
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Directories of sysfs with a data pointer and a reference to their buffer, and the names
 * of what is in them.
 */
#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat/sysfs.h"
#include "control.h"
#include "dir.h"
#include "lib/access.h"

/**
 * struct rbmap_dir_entry - a name in a directory
 * @list: entry in the list of the directory, in the order of @cookie
 * @cookie: number that no other entry had or has, at least 1
 * @name: name of the file; not used for a directory
 * @list_attr: the file, if it shows a list that @clear empties, else NULL
 * @list_node: the node of that file, with a reference; NULL for other files
 * @clear: empties that list
 * @dir: the directory of this name, or NULL for a file
 */
struct rbmap_dir_entry {
	struct list_head	list;
	loff_t			cookie;
	const char		*name;
	const struct bin_attribute *list_attr;
	struct kernfs_node	*list_node;
	rbmap_dir_clear_fn	*clear;
	struct rbmap_dir	*dir;
};

/**
 * struct rbmap_dir - a directory
 * @kobj: the directory in sysfs
 * @released: completed when the last reference is gone
 * @data: pointer that rbmap_dir_data() returns
 * @buffer: buffer that the directory belongs to
 * @self: entry in the list of the parent
 * @entries: the directories in this one, and the files that rbmap_dir_add_*() created
 */
struct rbmap_dir {
	struct kobject		kobj;
	struct completion	released;
	void			*data;
	struct rbmap_buffer	*buffer;
	struct rbmap_dir_entry	self;
	struct list_head	entries;
};

/*
 * Protects the lists of all directories, and which directories exist for a search by
 * path.  It is a leaf: nothing but memory is touched while it is held.
 */
static DEFINE_MUTEX(rbmap_dirs_lock);
static struct rbmap_dir *rbmap_dir_root;
static loff_t rbmap_dir_cookie;

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
	struct rbmap_dir_entry *entry, *next;

	kobject_put(&dir->kobj);
	wait_for_completion(&dir->released);
	/* No search finds the directory any more, and directories in it are gone. */
	list_for_each_entry_safe(entry, next, &dir->entries, list) {
		sysfs_put(entry->list_node);
		kfree(entry);
	}
	kfree(dir);
}

static void rbmap_dir_link(struct rbmap_dir *parent,
			   struct rbmap_dir_entry *entry)
{
	mutex_lock(&rbmap_dirs_lock);
	entry->cookie = ++rbmap_dir_cookie;
	list_add_tail(&entry->list, &parent->entries);
	mutex_unlock(&rbmap_dirs_lock);
}

/* From here on a search finds the directory. */
static void rbmap_dir_publish(struct rbmap_dir *dir, struct kobject *parent)
{
	if (parent->ktype == &rbmap_dir_type) {
		rbmap_dir_link(rbmap_dir_of(parent), &dir->self);
	} else {
		mutex_lock(&rbmap_dirs_lock);
		rbmap_dir_root = dir;
		mutex_unlock(&rbmap_dirs_lock);
	}
}

/* From here on no search finds the directory. */
static void rbmap_dir_unpublish(struct rbmap_dir *dir)
{
	mutex_lock(&rbmap_dirs_lock);
	if (rbmap_dir_root == dir)
		rbmap_dir_root = NULL;
	else
		list_del(&dir->self.list);
	mutex_unlock(&rbmap_dirs_lock);
}

/**
 * rbmap_dir_create - create a directory
 * @name: name of the directory
 * @parent: parent directory: one from rbmap_dir_create(), or that of the root
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
	INIT_LIST_HEAD(&dir->entries);
	dir->self.dir = dir;
	dir->data = data;
	dir->buffer = buffer;
	if (kobject_init_and_add(&dir->kobj, &rbmap_dir_type, parent, "%s",
				 name)) {
		rbmap_dir_put(dir);
		return NULL;
	}
	rbmap_dir_publish(dir, parent);
	return &dir->kobj;
}

static int rbmap_dir_add_name(struct kobject *kobj, const char *name,
			      const struct bin_attribute *list_attr,
			      rbmap_dir_clear_fn *clear)
{
	struct rbmap_dir_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return -ENOMEM;
	entry->name = name;
	entry->list_attr = list_attr;
	if (list_attr)
		entry->list_node = sysfs_get_dirent(kobj->sd, name);
	entry->clear = clear;
	rbmap_dir_link(rbmap_dir_of(kobj), entry);
	return 0;
}

/**
 * rbmap_dir_add_file - create a file, and let searches find it
 * @dir: directory from rbmap_dir_create()
 * @attr: the file, which exists as long as the directory
 *
 * Context: may sleep.
 * Return: 0, or a negative error after which the caller removes the directory.
 */
int rbmap_dir_add_file(struct kobject *dir, const struct attribute *attr)
{
	int err = sysfs_create_file(dir, attr);

	return err ?: rbmap_dir_add_name(dir, attr->name, NULL, NULL);
}

/**
 * rbmap_dir_add_bin_file - create a binary file, and let searches find it
 * @dir: directory from rbmap_dir_create()
 * @attr: the file, which exists as long as the directory
 *
 * Context: may sleep.
 * Return: 0, or a negative error after which the caller removes the directory.
 */
int rbmap_dir_add_bin_file(struct kobject *dir, const struct bin_attribute *attr)
{
	int err = sysfs_create_bin_file(dir, attr);

	return err ?: rbmap_dir_add_name(dir, attr->attr.name, NULL, NULL);
}

/**
 * rbmap_dir_add_list - rbmap_dir_add_bin_file() for a list that can be emptied
 * @dir: directory from rbmap_dir_create()
 * @attr: the file, which exists as long as the directory.  A write with O_APPEND adds to
 *	the list
 * @clear: function that empties the list
 *
 * Context: may sleep.
 * Return: 0, or a negative error after which the caller removes the directory.
 */
int rbmap_dir_add_list(struct kobject *dir, const struct bin_attribute *attr,
		       rbmap_dir_clear_fn *clear)
{
	int err = sysfs_create_bin_file(dir, attr);

	return err ?: rbmap_dir_add_name(dir, attr->attr.name, attr, clear);
}

/**
 * rbmap_dir_add_group - create files, and let searches find them
 * @dir: directory from rbmap_dir_create()
 * @group: the files, without a name and without binary files
 *
 * Context: may sleep.
 * Return: 0, or a negative error after which the caller removes the directory.
 */
int rbmap_dir_add_group(struct kobject *dir, const struct attribute_group *group)
{
	int err = sysfs_create_group(dir, group);
	int i;

	for (i = 0; !err && group->attrs[i]; i++) {
		if (!group->is_visible ||
		    group->is_visible(dir, group->attrs[i], i))
			err = rbmap_dir_add_name(dir, group->attrs[i]->name,
						 NULL, NULL);
	}
	return err;
}

static const char *rbmap_dir_entry_name(const struct rbmap_dir_entry *entry)
{
	return entry->dir ? kobject_name(&entry->dir->kobj) : entry->name;
}

static enum rbmap_dir_type rbmap_dir_entry_type(const struct rbmap_dir_entry *entry)
{
	if (entry->dir)
		return RBMAP_DIR_DIR;
	return entry->list_attr ? RBMAP_DIR_LIST : RBMAP_DIR_FILE;
}

static struct rbmap_dir_entry *rbmap_dir_find(const struct rbmap_dir *dir,
					      const char *name, size_t len)
{
	struct rbmap_dir_entry *entry;

	lockdep_assert_held(&rbmap_dirs_lock);
	list_for_each_entry(entry, &dir->entries, list) {
		const char *other = rbmap_dir_entry_name(entry);

		if (!strncmp(other, name, len) && !other[len])
			return entry;
	}
	return NULL;
}

/* Follow a path of names with a slash between two of them. */
static struct rbmap_dir *rbmap_dir_walk(const char *path)
{
	struct rbmap_dir *dir = rbmap_dir_root;
	struct rbmap_dir_entry *entry;

	lockdep_assert_held(&rbmap_dirs_lock);
	while (dir && *path) {
		size_t len = strcspn(path, "/");

		entry = rbmap_dir_find(dir, path, len);
		dir = entry ? entry->dir : NULL;
		path += len + (path[len] == '/');
	}
	return dir;
}

/**
 * rbmap_dir_lookup - find a name in a directory
 * @path: path of the directory from /sys/kernel/rbmap on, "" for that directory itself
 * @name: the name, without a slash
 *
 * The result may be outdated when the function returns.
 *
 * Context: may sleep; takes rbmap_dirs_lock.
 */
enum rbmap_dir_type rbmap_dir_lookup(const char *path, const char *name)
{
	const struct rbmap_dir_entry *entry = NULL;
	const struct rbmap_dir *dir;
	enum rbmap_dir_type type;

	mutex_lock(&rbmap_dirs_lock);
	dir = rbmap_dir_walk(path);
	if (dir)
		entry = rbmap_dir_find(dir, name, strlen(name));
	type = entry ? rbmap_dir_entry_type(entry) : RBMAP_DIR_NONE;
	mutex_unlock(&rbmap_dirs_lock);
	return type;
}

/**
 * rbmap_dir_clear - empty the list that a file shows
 * @path: path of the directory from /sys/kernel/rbmap on, "" for that directory itself
 * @name: name of the file
 * @file: an open file of sysfs, which was found by a path of the caller's
 *
 * A mount namespace can have another file in the place of the list.  The right to
 * write to that file is no right to empty the list.
 *
 * Context: may sleep; takes rbmap_dirs_lock.  After that, the reference holds the directory
 * and its buffer: rbmap_dir_remove() waits for it.
 * Return: 0; -ENOENT if there is no such list now; -ELOOP if @file is not of that list; or an
 * error of the list.
 */
int rbmap_dir_clear(const char *path, const char *name, const struct file *file)
{
	const struct rbmap_dir_entry *entry = NULL;
	const struct bin_attribute *list_attr = NULL;
	rbmap_dir_clear_fn *clear = NULL;
	struct rbmap_dir *dir;
	int err = -ENOENT;

	mutex_lock(&rbmap_dirs_lock);
	dir = rbmap_dir_walk(path);
	if (dir)
		entry = rbmap_dir_find(dir, name, strlen(name));
	if (entry && entry->clear) {
		err = file_inode(file)->i_private == entry->list_node ? 0 : -ELOOP;
		list_attr = entry->list_attr;
		clear = entry->clear;
	}
	if (!err)
		kobject_get(&dir->kobj);
	mutex_unlock(&rbmap_dirs_lock);
	if (err)
		return err;
	err = clear(&dir->kobj, list_attr, file);
	rbmap_dir_retry(&dir->kobj);
	kobject_put(&dir->kobj);
	return err;
}

/**
 * rbmap_dir_exists - test whether a directory exists
 * @path: path of the directory from /sys/kernel/rbmap on, "" for that directory itself
 *
 * Context: may sleep; takes rbmap_dirs_lock.
 */
bool rbmap_dir_exists(const char *path)
{
	bool exists;

	mutex_lock(&rbmap_dirs_lock);
	exists = rbmap_dir_walk(path);
	mutex_unlock(&rbmap_dirs_lock);
	return exists;
}

/**
 * rbmap_dir_next - get the next name in a directory
 * @path: path of the directory from /sys/kernel/rbmap on, "" for that directory itself
 * @cookie: the number to search from, 0 at first; set to that of the name
 * @name: set to the name
 * @size: bytes at @name; a longer name is cut
 *
 * Names that come meanwhile have higher numbers, and names that go leave the numbers of
 * others alone.  So a caller that adds 1 each time gets each name once.
 *
 * Context: may sleep; takes rbmap_dirs_lock.
 * Return: RBMAP_DIR_NONE after the last name.
 */
enum rbmap_dir_type rbmap_dir_next(const char *path, loff_t *cookie, char *name,
				   size_t size)
{
	enum rbmap_dir_type type = RBMAP_DIR_NONE;
	const struct rbmap_dir_entry *entry;
	const struct rbmap_dir *dir;

	mutex_lock(&rbmap_dirs_lock);
	dir = rbmap_dir_walk(path);
	if (!dir)
		goto out;
	list_for_each_entry(entry, &dir->entries, list) {
		if (entry->cookie < *cookie)
			continue;
		*cookie = entry->cookie;
		strscpy(name, rbmap_dir_entry_name(entry), size);
		type = rbmap_dir_entry_type(entry);
		break;
	}
out:
	mutex_unlock(&rbmap_dirs_lock);
	return type;
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
 * rbmap_dir_buffer - get the buffer that a directory belongs to
 * @dir: directory from rbmap_dir_create()
 */
struct rbmap_buffer *rbmap_dir_buffer(struct kobject *dir)
{
	return rbmap_dir_of(dir)->buffer;
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
	rbmap_dir_unpublish(rbmap_dir_of(dir));
	kobject_del(dir);
	rbmap_dir_put(rbmap_dir_of(dir));
}

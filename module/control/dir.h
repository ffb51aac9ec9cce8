/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories of sysfs with a data pointer and their buffer, and searches in them. */
#ifndef RBMAP_CONTROL_DIR_H
#define RBMAP_CONTROL_DIR_H

#include <linux/kobject.h>
#include <linux/sysfs.h>

struct file;
struct rbmap_buffer;

/* The kind of a name in a directory. */
enum rbmap_dir_type {
	RBMAP_DIR_NONE,
	RBMAP_DIR_FILE,
	RBMAP_DIR_LIST,		/* a file that rbmap_dir_clear() empties */
	RBMAP_DIR_DIR,
};

/*
 * Empty the list that a file shows.  @list: that file.  @file: an open file of that list,
 * or of another name of it.  Returns 0 or a negative error.
 */
typedef int rbmap_dir_clear_fn(struct kobject *dir, const struct bin_attribute *list,
			       const struct file *file);

struct kobject *rbmap_dir_create(const char *name, struct kobject *parent,
				 void *data, struct rbmap_buffer *buffer);
void *rbmap_dir_data(struct kobject *dir);
struct rbmap_buffer *rbmap_dir_buffer(struct kobject *dir);
void rbmap_dir_retry(struct kobject *dir);
void rbmap_dir_remove(struct kobject *dir);

int rbmap_dir_add_file(struct kobject *dir, const struct attribute *attr);
int rbmap_dir_add_bin_file(struct kobject *dir, const struct bin_attribute *attr);
int rbmap_dir_add_list(struct kobject *dir, const struct bin_attribute *attr,
		       rbmap_dir_clear_fn *clear);
int rbmap_dir_add_group(struct kobject *dir, const struct attribute_group *group);

enum rbmap_dir_type rbmap_dir_lookup(const char *path, const char *name);
int rbmap_dir_clear(const char *path, const char *name, const struct file *file);
bool rbmap_dir_exists(const char *path);
enum rbmap_dir_type rbmap_dir_next(const char *path, loff_t *cookie, char *name,
				   size_t size);

#endif /* RBMAP_CONTROL_DIR_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * file_open_root() takes a struct path.
 * Linux 5.14: ffb37ca3bd16 ("switch file_open_root() to struct path")
 */
#include <linux/fs.h>
#include <linux/path.h>

struct file *open_root_path_open_root(const struct path *path);

struct file *open_root_path_open_root(const struct path *path)
{
	return file_open_root(path, "", 0, 0);
}

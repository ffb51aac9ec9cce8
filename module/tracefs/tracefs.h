/* SPDX-License-Identifier: GPL-2.0-only */
/* The file system rbmap, which shows the module's files as tracefs shows its own. */
#ifndef RBMAP_TRACEFS_H
#define RBMAP_TRACEFS_H

/**
 * struct rbmap_tracefs_ops - functions of mkdir and rmdir in instances
 * @create: create a buffer; return 0 or a negative error
 * @destroy: destroy a buffer; return 0 or a negative error, -EBUSY while it is in use
 *
 * Both may sleep.  The inode of the directory is locked while they run.
 */
struct rbmap_tracefs_ops {
	int (*create)(const char *name);
	int (*destroy)(const char *name);
};

int rbmap_tracefs_init(const struct rbmap_tracefs_ops *ops);
void rbmap_tracefs_offer(void);
void rbmap_tracefs_exit(void);

#endif /* RBMAP_TRACEFS_H */

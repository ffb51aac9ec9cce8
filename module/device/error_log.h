/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/rbmap/error_log: the last refusals of a buffer. */
#ifndef RBMAP_DEVICE_ERROR_LOG_H
#define RBMAP_DEVICE_ERROR_LOG_H

#include <linux/fs.h>

/* file->private_data is the struct rbmap_buffer until open() has returned. */
extern const struct file_operations rbmap_error_log_fops;

#endif /* RBMAP_DEVICE_ERROR_LOG_H */

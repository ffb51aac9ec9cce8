/* SPDX-License-Identifier: GPL-2.0-only */
/* Log one line for each cause.  User space finds the lines by their prefix. */
#ifndef RBMAP_LOG_H
#define RBMAP_LOG_H

#include <linux/printk.h>

#define rbmap_err(format, ...)	pr_err("rbmap: " format, ##__VA_ARGS__)
#define rbmap_info(format, ...)	pr_info("rbmap: " format, ##__VA_ARGS__)
#define rbmap_warn(format, ...)	\
	pr_warn_ratelimited("rbmap: " format, ##__VA_ARGS__)

#endif /* RBMAP_LOG_H */

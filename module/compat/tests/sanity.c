// SPDX-License-Identifier: GPL-2.0-only
/* Does anything compile? If not, the kernel's headers or the compiler are broken. */
#include <linux/module.h>

MODULE_LICENSE("GPL");

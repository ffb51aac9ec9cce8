/* SPDX-License-Identifier: GPL-2.0-only */
/* Primitives of dynamic events in the kernel.  tests/shim has the same for a process. */
#ifndef RBMAP_DYNAMIC_PLATFORM_H
#define RBMAP_DYNAMIC_PLATFORM_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#include "compat/nofault.h"
#include "lib/access.h"

#endif /* RBMAP_DYNAMIC_PLATFORM_H */

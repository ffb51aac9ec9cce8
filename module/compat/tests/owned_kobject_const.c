// SPDX-License-Identifier: GPL-2.0-only
/* get_ownership() of a struct kobj_type may not change the object. */
#include <linux/kobject.h>

static void own_it(const struct kobject *kobj, kuid_t *uid, kgid_t *gid)
{
}

struct kobj_type type = { .get_ownership = own_it };

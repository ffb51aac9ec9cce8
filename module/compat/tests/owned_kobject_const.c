// SPDX-License-Identifier: GPL-2.0-only
/*
 * The get_ownership() callback of a struct kobj_type gets a const object.
 * Linux 6.2: 02a476d93228 ("kobject: make kobject_get_ownership() take a constant
 * kobject *")
 */
#include <linux/kobject.h>

static void owned_kobject_const_own_it(const struct kobject *kobj, kuid_t *uid, kgid_t *gid)
{
}

struct kobj_type owned_kobject_const_type = { .get_ownership = owned_kobject_const_own_it };

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access rights.  Only root and one group may read control files.  The group's number
 * is a parameter, so that files of later CPUs, events and buffers have the group from
 * the beginning.  A kernel that is locked down for confidentiality forbids the same as
 * for tracefs: opening a ring or the marker, and writing to control files.  Addresses
 * of the kernel are hashed before they reach an event, as by printk's %p, unless the
 * buffer has kptr=1.  The parameter kptr=1 sets that for all buffers.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "access.h"
#include "compat/lockdown.h"
#include "log.h"

static bool rbmap_kptr;
module_param_named(kptr, rbmap_kptr, bool, 0444);
MODULE_PARM_DESC(kptr, "events have the kernel's addresses as they are: 1; hashed: 0 (default 0)");

static unsigned int rbmap_gid;
module_param_named(gid, rbmap_gid, uint, 0644);
MODULE_PARM_DESC(gid, "number of the group that may read files of /sys/kernel/rbmap that are made from now on (default 0)");

static siphash_key_t rbmap_address_key;

/**
 * rbmap_access_init - prepare hashing, before the first event
 *
 * The function logs a warning if this kernel does not report lockdown to modules.
 */
void rbmap_access_init(void)
{
	get_random_bytes(&rbmap_address_key, sizeof(rbmap_address_key));
	if (!rbmap_lockdown_known())
		rbmap_warn("this kernel does not tell modules whether it is locked down: /dev/rbmap can be read even if it is\n");
}

/**
 * rbmap_locked_down - is tracing forbidden?
 *
 * Context: may sleep.
 * Return: 0; -EPERM: tracing is forbidden, and the kernel has logged that.
 */
int rbmap_locked_down(void)
{
	return rbmap_lockdown_ask();
}

/**
 * rbmap_lockdown_respected - can this module ask whether tracing is forbidden?
 *
 * Context: any.
 */
bool rbmap_lockdown_respected(void)
{
	return rbmap_lockdown_known();
}

/**
 * rbmap_access_gid - the group that may read the control files
 *
 * Context: any.
 * Return: the group of the parameter gid; root's group if that number is invalid.
 */
kgid_t rbmap_access_gid(void)
{
	kgid_t gid = make_kgid(&init_user_ns, READ_ONCE(rbmap_gid));

	return gid_valid(gid) ? gid : GLOBAL_ROOT_GID;
}

/**
 * rbmap_addresses_shown - are addresses hashed in no buffer?
 *
 * Context: any.
 * Return: true if the parameter kptr is 1.
 */
bool rbmap_addresses_shown(void)
{
	return rbmap_kptr;
}

/**
 * rbmap_may_see_addresses - may this process see the kernel's addresses and symbols?
 *
 * The rules are those of /proc/kallsyms and of printk's %pK: the process needs CAP_SYSLOG,
 * and nobody sees them with kernel.kptr_restrict=2.  That setting is not exported, but
 * %pK prints only zeroes if it forbids the address.
 *
 * Context: may sleep.
 */
bool rbmap_may_see_addresses(void)
{
	char text[2 * sizeof(void *) + 1];

	if (!capable(CAP_SYSLOG))
		return false;
	snprintf(text, sizeof(text), "%pK", &rbmap_address_key);
	return text[strspn(text, "0")];
}

void *rbmap_address_hide(const void *address)
{
	u64 hash = siphash_1u64((unsigned long)address, &rbmap_address_key);

	return address ? (void *)(unsigned long)(u32)hash : NULL;
}
EXPORT_SYMBOL_GPL(rbmap_address_hide);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * RCU protects the parent of a kernfs node, and kernfs_path() takes no lock for a cgroup.
 * Before, it took a lock that sleeps on real-time kernels.
 * Linux 6.15: 633488947ef6 ("kernfs: Use RCU to access kernfs_node::parent.")
 */
#include <linux/kernfs.h>
#include <linux/rcupdate.h>

struct kernfs_node *kernfs_rcu_parent_parent(const struct kernfs_node *node);
struct kernfs_node *kernfs_rcu_parent_parent(const struct kernfs_node *node)
{
	return rcu_dereference(node->__parent);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of tracefs, and which file of the module each name stands for. */
#ifndef RBMAP_TRACEFS_TREE_H
#define RBMAP_TRACEFS_TREE_H

#include <linux/types.h>

struct file;

/* Room for the name of a buffer. */
#define RBMAP_TREE_NAME	40

/* The kind of a file or directory; each kind from RBMAP_NODE_CONTROL on is a file. */
enum rbmap_node_kind {
	RBMAP_NODE_BUFFER,	/* all files of a buffer */
	RBMAP_NODE_OPTIONS,	/* options */
	RBMAP_NODE_EVENTS,	/* events */
	RBMAP_NODE_FTRACE,	/* events/ftrace, which the module lacks */
	RBMAP_NODE_NONE,	/* events/ftrace/none, an event that never happens */
	RBMAP_NODE_PRINT,	/* events/ftrace/print, another one */
	RBMAP_NODE_CPUS,	/* per_cpu */
	RBMAP_NODE_CPU,		/* per_cpu/cpuN */
	RBMAP_NODE_INSTANCES,	/* instances: the named buffers */
	RBMAP_NODE_CONTROL,	/* link to a file of /sys/kernel/rbmap */
	RBMAP_NODE_DEVICE,	/* link to a file of /dev/rbmap */
	RBMAP_NODE_CPU_TEXT,	/* link to a file of /dev/rbmap/per_cpu */
	RBMAP_NODE_COMMON,	/* link to a file that is the same for all buffers */
	RBMAP_NODE_LIST,	/* list of /sys/kernel/rbmap that an open may truncate */
	RBMAP_NODE_TEXT,	/* text that never changes */
	RBMAP_NODE_FORMAT,	/* format of the event none or print */
	RBMAP_NODE_EMPTY,	/* ring of a CPU that has none */
};

/**
 * struct rbmap_node - a file or directory
 * @kind: the kind
 * @buffer: name of its buffer, "" for the default buffer
 * @cpu: the CPU, for RBMAP_NODE_CPU
 * @text: text of the file, or path of a link's target from a directory on that the kind
 *	determines; NULL if the target has the name of the link
 * @target: path of the target of a list, in the node of an inode; else NULL
 */
struct rbmap_node {
	enum rbmap_node_kind	kind;
	char			buffer[RBMAP_TREE_NAME];
	unsigned int		cpu;
	const char		*text;
	char			*target;
};

bool rbmap_tree_buffer(struct rbmap_node *node, const char *name);
bool rbmap_tree_find(const struct rbmap_node *dir, const char *name,
		     struct rbmap_node *found);
bool rbmap_tree_next(const struct rbmap_node *dir, loff_t *pos, char *name,
		     size_t size, struct rbmap_node *found);
bool rbmap_tree_exists(const struct rbmap_node *dir);
char *rbmap_tree_target(const struct rbmap_node *dir, const char *name,
			const struct rbmap_node *node);
int rbmap_tree_clear(const struct rbmap_node *list, const struct file *file);

/**
 * rbmap_node_is_dir - test whether a node is a directory
 * @node: the node
 */
static inline bool rbmap_node_is_dir(const struct rbmap_node *node)
{
	return node->kind < RBMAP_NODE_CONTROL;
}

/**
 * rbmap_node_is_link - test whether a node is a symbolic link
 * @node: the node
 */
static inline bool rbmap_node_is_link(const struct rbmap_node *node)
{
	return node->kind >= RBMAP_NODE_CONTROL &&
	       node->kind <= RBMAP_NODE_COMMON;
}

#endif /* RBMAP_TRACEFS_TREE_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of tracefs, and which file of the module each name stands for.  Most names are
 * those of /sys/kernel/rbmap, and are looked up there.  Nothing is stored here, so that a
 * name exists as long as its file, and the tree needs no lock of its own.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "control/dir.h"
#include "tree.h"

#define RBMAP_CONTROL_DIR	"/sys/kernel/rbmap"
#define RBMAP_DEVICE_DIR	"/dev/rbmap"
#define RBMAP_INSTANCES		"instances"

/* Room for the path of a directory below /sys/kernel/rbmap. */
#define RBMAP_TREE_PATH		(RBMAP_TREE_NAME + 32)

/**
 * struct rbmap_tree_extra - a name that /sys/kernel/rbmap lacks, or has elsewhere
 * @in: kind of the directory that has the name
 * @name: the name
 * @kind: kind of the file
 * @text: text of the node
 * @beside: control file of the buffer without which the name does not exist, or NULL
 * @top: whether the default buffer alone has the name
 * @unless: control file of the buffer with which the name does not exist, or NULL
 */
struct rbmap_tree_extra {
	enum rbmap_node_kind	in;
	const char		*name;
	enum rbmap_node_kind	kind;
	const char		*text;
	const char		*beside;
	bool			top;
	const char		*unless;
};

/* A raw buffer has no events, and so it has neither set_event nor a marker. */
static const struct rbmap_tree_extra rbmap_tree_extras[] = {
	{ RBMAP_NODE_BUFFER, "options", RBMAP_NODE_OPTIONS },
	{ RBMAP_NODE_BUFFER, "events", RBMAP_NODE_EVENTS },
	{ RBMAP_NODE_BUFFER, "per_cpu", RBMAP_NODE_CPUS },
	{ RBMAP_NODE_BUFFER, "instances", RBMAP_NODE_INSTANCES, .top = true },
	{ RBMAP_NODE_BUFFER, "trace", RBMAP_NODE_DEVICE, "trace" },
	{ RBMAP_NODE_BUFFER, "trace_pipe", RBMAP_NODE_DEVICE, "trace_pipe" },
	{ RBMAP_NODE_BUFFER, "snapshot", RBMAP_NODE_DEVICE, "snapshot/trace" },
	{ RBMAP_NODE_BUFFER, "error_log", RBMAP_NODE_DEVICE, "error_log" },
	{ RBMAP_NODE_BUFFER, "trace_marker", RBMAP_NODE_DEVICE, "marker",
	  "set_event" },
	{ RBMAP_NODE_BUFFER, "trace_marker_raw", RBMAP_NODE_DEVICE, "marker_raw",
	  "set_event" },
	{ RBMAP_NODE_BUFFER, "saved_cmdlines", RBMAP_NODE_COMMON,
	  RBMAP_DEVICE_DIR "/saved_cmdlines" },
	{ RBMAP_NODE_BUFFER, "README", RBMAP_NODE_TEXT,
	  "rbmap: a ring buffer with the interface of tracefs. See rbmap-tracefs-dir(1).\n" },
	{ RBMAP_NODE_BUFFER, "available_tracers", RBMAP_NODE_TEXT, "nop\n" },
	{ RBMAP_NODE_BUFFER, "printk_formats", RBMAP_NODE_TEXT, "" },
	{ RBMAP_NODE_OPTIONS, "overwrite", RBMAP_NODE_CONTROL, "overwrite" },
	/* trace-cmd restore requires an event of the system ftrace. */
	{ RBMAP_NODE_EVENTS, "ftrace", RBMAP_NODE_FTRACE },
	{ RBMAP_NODE_FTRACE, "none", RBMAP_NODE_NONE },
	{ RBMAP_NODE_NONE, "format", RBMAP_NODE_FORMAT },
	/* Some clients of tracefs's markers give up without the format of this event. */
	{ RBMAP_NODE_FTRACE, "print", RBMAP_NODE_PRINT },
	{ RBMAP_NODE_PRINT, "format", RBMAP_NODE_FORMAT, "print" },
	/* libtracefs gives up if a CPU lacks this file. */
	{ RBMAP_NODE_CPU, "trace_pipe_raw", RBMAP_NODE_DEVICE, "cpu" },
	{ RBMAP_NODE_CPU, "snapshot_raw", RBMAP_NODE_DEVICE, "snapshot/cpu" },
	/* The buffer of a recorder, which ends with a process, lacks these. */
	{ RBMAP_NODE_CPU, "trace", RBMAP_NODE_CPU_TEXT, "trace", .unless = "keeper_pid" },
	{ RBMAP_NODE_CPU, "trace_pipe", RBMAP_NODE_CPU_TEXT, "trace_pipe",
	  .unless = "keeper_pid" },
	{ RBMAP_NODE_CPU, "snapshot", RBMAP_NODE_CPU_TEXT, "snapshot", .unless = "keeper_pid" },
};

/* The path of a directory from /sys/kernel/rbmap on; "" for that directory itself. */
static void rbmap_tree_path(const struct rbmap_node *dir, char *path)
{
	const char *slash = *dir->buffer ? "/" : "";
	int len;

	len = *dir->buffer ? scnprintf(path, RBMAP_TREE_PATH, RBMAP_INSTANCES "/%s",
				       dir->buffer) : 0;
	path[len] = 0;
	path += len;
	switch (dir->kind) {
	case RBMAP_NODE_OPTIONS:
		scnprintf(path, RBMAP_TREE_PATH - len, "%soptions", slash);
		break;
	case RBMAP_NODE_EVENTS:
		scnprintf(path, RBMAP_TREE_PATH - len, "%sevents", slash);
		break;
	case RBMAP_NODE_CPUS:
		scnprintf(path, RBMAP_TREE_PATH - len, "%sper_cpu", slash);
		break;
	case RBMAP_NODE_CPU:
		scnprintf(path, RBMAP_TREE_PATH - len, "%sper_cpu/cpu%u", slash,
			  dir->cpu);
		break;
	case RBMAP_NODE_INSTANCES:
		scnprintf(path, RBMAP_TREE_PATH - len, RBMAP_INSTANCES);
		break;
	default:
		break;
	}
}

/* The path of the directory of the buffer that @dir belongs to. */
static void rbmap_tree_buffer_path(const struct rbmap_node *dir, char *path)
{
	struct rbmap_node buffer = *dir;

	buffer.kind = RBMAP_NODE_BUFFER;
	rbmap_tree_path(&buffer, path);
}

/**
 * rbmap_tree_buffer - fill in the node of a buffer
 * @node: the node to fill in
 * @name: name of the buffer, "" for the default buffer
 *
 * Context: may sleep.
 * Return: whether there is such a buffer.
 */
bool rbmap_tree_buffer(struct rbmap_node *node, const char *name)
{
	*node = (struct rbmap_node){ .kind = RBMAP_NODE_BUFFER };
	if (strscpy(node->buffer, name, sizeof(node->buffer)) < 0)
		return false;
	return !*name || rbmap_dir_lookup(RBMAP_INSTANCES, name) == RBMAP_DIR_DIR;
}

/**
 * rbmap_tree_exists - test whether the buffer that a directory belongs to still exists
 * @dir: a directory
 *
 * Context: may sleep.
 */
bool rbmap_tree_exists(const struct rbmap_node *dir)
{
	char path[RBMAP_TREE_PATH];

	rbmap_tree_buffer_path(dir, path);
	return rbmap_dir_exists(path);
}

static bool rbmap_tree_cpu_has_ring(const struct rbmap_node *dir)
{
	char path[RBMAP_TREE_PATH];

	rbmap_tree_path(dir, path);
	return rbmap_dir_exists(path);
}

/* Fill in the node of an extra name, unless @dir lacks that name now. */
static bool rbmap_tree_use(const struct rbmap_tree_extra *extra,
			   const struct rbmap_node *dir,
			   struct rbmap_node *found)
{
	char path[RBMAP_TREE_PATH];

	if (extra->in != dir->kind || (extra->top && *dir->buffer))
		return false;
	rbmap_tree_buffer_path(dir, path);
	if (extra->beside &&
	    rbmap_dir_lookup(path, extra->beside) == RBMAP_DIR_NONE)
		return false;
	if (extra->unless &&
	    rbmap_dir_lookup(path, extra->unless) != RBMAP_DIR_NONE)
		return false;
	*found = *dir;
	found->kind = extra->kind;
	found->text = extra->text;
	if (dir->kind != RBMAP_NODE_CPU || rbmap_tree_cpu_has_ring(dir))
		return true;
	found->kind = RBMAP_NODE_EMPTY;
	return !strcmp(extra->name, "trace_pipe_raw");
}

static const struct rbmap_tree_extra *
rbmap_tree_extra_find(const struct rbmap_node *dir, const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rbmap_tree_extras); i++) {
		if (rbmap_tree_extras[i].in == dir->kind &&
		    !strcmp(rbmap_tree_extras[i].name, name))
			return &rbmap_tree_extras[i];
	}
	return NULL;
}

/* Fill in the node of a name that a directory of /sys/kernel/rbmap has. */
static bool rbmap_tree_use_control(const struct rbmap_node *dir,
				   const char *name, enum rbmap_dir_type type,
				   struct rbmap_node *found)
{
	*found = *dir;
	found->text = NULL;
	found->kind = type == RBMAP_DIR_LIST ? RBMAP_NODE_LIST : RBMAP_NODE_CONTROL;
	switch (dir->kind) {
	case RBMAP_NODE_INSTANCES:
		found->kind = RBMAP_NODE_BUFFER;
		return type == RBMAP_DIR_DIR &&
		       strscpy(found->buffer, name, sizeof(found->buffer)) >= 0;
	case RBMAP_NODE_EVENTS:
		return type != RBMAP_DIR_NONE;
	default:
		return type == RBMAP_DIR_FILE || type == RBMAP_DIR_LIST;
	}
}

static bool rbmap_tree_use_cpu(const struct rbmap_node *dir, unsigned int cpu,
			       struct rbmap_node *found)
{
	*found = *dir;
	found->kind = RBMAP_NODE_CPU;
	found->cpu = cpu;
	return cpu < nr_cpu_ids && cpu_possible(cpu);
}

static void rbmap_tree_cpu_name(char *name, size_t size, unsigned int cpu)
{
	snprintf(name, size, "cpu%u", cpu);
}

static bool rbmap_tree_find_cpu(const struct rbmap_node *dir, const char *name,
				struct rbmap_node *found)
{
	unsigned int cpu;
	char same[16];

	if (strncmp(name, "cpu", 3) || kstrtouint(name + 3, 10, &cpu))
		return false;
	rbmap_tree_cpu_name(same, sizeof(same), cpu);
	return !strcmp(name, same) && rbmap_tree_use_cpu(dir, cpu, found);
}

/**
 * rbmap_tree_find - find a name in a directory
 * @dir: the directory
 * @name: the name
 * @found: filled in if the name exists
 *
 * The result may be outdated when the function returns.
 *
 * Context: may sleep.
 * Return: whether the name exists.
 */
bool rbmap_tree_find(const struct rbmap_node *dir, const char *name,
		     struct rbmap_node *found)
{
	const struct rbmap_tree_extra *extra = rbmap_tree_extra_find(dir, name);
	char path[RBMAP_TREE_PATH];

	if (!rbmap_tree_exists(dir))
		return false;
	if (extra)
		return rbmap_tree_use(extra, dir, found);
	if (dir->kind == RBMAP_NODE_CPUS)
		return rbmap_tree_find_cpu(dir, name, found);
	/* The module has no such directory. */
	if (dir->kind == RBMAP_NODE_FTRACE || dir->kind == RBMAP_NODE_NONE ||
	    dir->kind == RBMAP_NODE_PRINT)
		return false;
	rbmap_tree_path(dir, path);
	return rbmap_tree_use_control(dir, name, rbmap_dir_lookup(path, name),
				      found);
}

/* Go through the names of a directory of /sys/kernel/rbmap. */
static bool rbmap_tree_next_control(const struct rbmap_node *dir, loff_t *at,
				    char *name, size_t size,
				    struct rbmap_node *found)
{
	char path[RBMAP_TREE_PATH];
	enum rbmap_dir_type type;

	rbmap_tree_path(dir, path);
	for (;; (*at)++) {
		type = rbmap_dir_next(path, at, name, size);
		if (type == RBMAP_DIR_NONE)
			return false;
		if (!rbmap_tree_extra_find(dir, name) &&
		    rbmap_tree_use_control(dir, name, type, found))
			return true;
	}
}

/**
 * rbmap_tree_next - get the next name of a directory
 * @dir: the directory
 * @pos: the position to search from, 0 at first; set to that of the name
 * @name: set to the name
 * @size: bytes at @name
 * @found: filled in
 *
 * A caller that adds 1 to the position each time gets each name that exists all the while
 * once.
 *
 * Context: may sleep.
 * Return: false after the last name.
 */
bool rbmap_tree_next(const struct rbmap_node *dir, loff_t *pos, char *name,
		     size_t size, struct rbmap_node *found)
{
	const loff_t nr_extras = ARRAY_SIZE(rbmap_tree_extras);
	loff_t at;
	bool more;

	for (; *pos < nr_extras; (*pos)++) {
		if (rbmap_tree_use(&rbmap_tree_extras[*pos], dir, found)) {
			strscpy(name, rbmap_tree_extras[*pos].name, size);
			return true;
		}
	}
	at = *pos - nr_extras;
	switch (dir->kind) {
	case RBMAP_NODE_CPUS:
		if (at >= nr_cpu_ids)
			return false;
		at = cpumask_next(at - 1, cpu_possible_mask);
		more = rbmap_tree_use_cpu(dir, at, found);
		rbmap_tree_cpu_name(name, size, at);
		break;
	case RBMAP_NODE_FTRACE:
	case RBMAP_NODE_NONE:
	case RBMAP_NODE_PRINT:
		return false;
	default:
		more = rbmap_tree_next_control(dir, &at, name, size, found);
	}
	*pos = nr_extras + at;
	return more;
}

/**
 * rbmap_tree_target - get the target of a link or of a list
 * @dir: the directory of the node
 * @name: name of the node
 * @node: the node
 *
 * Context: may sleep.
 * Return: the path, to be freed with kfree(), or NULL without memory.
 */
char *rbmap_tree_target(const struct rbmap_node *dir, const char *name,
			const struct rbmap_node *node)
{
	const char *slash = *dir->buffer ? "/" : "";
	char path[RBMAP_TREE_PATH];

	switch (node->kind) {
	case RBMAP_NODE_DEVICE:
		if (dir->kind == RBMAP_NODE_CPU)
			return kasprintf(GFP_KERNEL, RBMAP_DEVICE_DIR "/%s%s%s%u",
					 dir->buffer, slash, node->text, dir->cpu);
		return kasprintf(GFP_KERNEL, RBMAP_DEVICE_DIR "/%s%s%s",
				 dir->buffer, slash, node->text);
	case RBMAP_NODE_CPU_TEXT:
		return kasprintf(GFP_KERNEL, RBMAP_DEVICE_DIR "/%s%sper_cpu/%u/%s",
				 dir->buffer, slash, dir->cpu, node->text);
	case RBMAP_NODE_COMMON:
		return kstrdup(node->text, GFP_KERNEL);
	default:
		break;
	}
	/* A text is the name of a file in the buffer's own directory. */
	if (node->text)
		rbmap_tree_buffer_path(dir, path);
	else
		rbmap_tree_path(dir, path);
	return kasprintf(GFP_KERNEL, RBMAP_CONTROL_DIR "%s%s/%s",
			 *path ? "/" : "", path, node->text ?: name);
}

/**
 * rbmap_tree_clear - empty a list
 * @list: the list, the node of an inode
 * @file: an open file of sysfs, at the path of the target
 *
 * Context: may sleep.
 * Return: 0, or an error of rbmap_dir_clear().
 */
int rbmap_tree_clear(const struct rbmap_node *list, const struct file *file)
{
	char path[RBMAP_TREE_PATH];

	rbmap_tree_buffer_path(list, path);
	return rbmap_dir_clear(path, kbasename(list->target), file);
}

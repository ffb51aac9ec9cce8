// SPDX-License-Identifier: GPL-2.0-only
/*
 * current_tracer, and the lists of functions that clients of tracefs reset.  rbmap has
 * the tracer nop alone, and traces no function.
 */
#include <linux/string.h>
#include <linux/sysfs.h>

#include "control.h"
#include "dir.h"
#include "files.h"
#include "lib/access.h"

static ssize_t current_tracer_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "nop\n");
}

static ssize_t current_tracer_store(struct kobject *kobj,
				    struct kobj_attribute *attr,
				    const char *buf, size_t len)
{
	int err = rbmap_locked_down();

	if (!err && !sysfs_streq(buf, "nop"))
		err = rbmap_control_refuse(rbmap_dir_buffer(kobj), attr->attr.name, buf, len,
					   "nop: rbmap has no other tracer");
	return err ? err : len;
}

/* The lists are empty.  tracefs says so in these words, which clients skip. */
static ssize_t rbmap_functions_show(struct kobject *kobj,
				    struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, strstr(attr->attr.name, "notrace") ?
			  "#### no functions disabled ####\n" :
			  "#### all functions enabled ####\n");
}

static ssize_t rbmap_functions_store(struct kobject *kobj,
				     struct kobj_attribute *attr,
				     const char *buf, size_t len)
{
	int err = rbmap_locked_down();

	if (!err && *skip_spaces(buf))
		err = rbmap_control_refuse(rbmap_dir_buffer(kobj), attr->attr.name, buf, len,
					   "an empty line: rbmap traces no functions");
	return err ? err : len;
}

#define RBMAP_FUNCTIONS_ATTR(_name)					\
	__ATTR(_name, RBMAP_MODE_RW, rbmap_functions_show,		\
	       rbmap_functions_store)

static struct kobj_attribute current_tracer_attr = RBMAP_ATTR_RW(current_tracer);
static struct kobj_attribute set_ftrace_filter_attr =
	RBMAP_FUNCTIONS_ATTR(set_ftrace_filter);
static struct kobj_attribute set_ftrace_notrace_attr =
	RBMAP_FUNCTIONS_ATTR(set_ftrace_notrace);
static struct kobj_attribute set_graph_function_attr =
	RBMAP_FUNCTIONS_ATTR(set_graph_function);
static struct kobj_attribute set_graph_notrace_attr =
	RBMAP_FUNCTIONS_ATTR(set_graph_notrace);

static struct attribute *rbmap_tracer_attrs[] = {
	&current_tracer_attr.attr,
	&set_ftrace_filter_attr.attr,
	&set_ftrace_notrace_attr.attr,
	&set_graph_function_attr.attr,
	&set_graph_notrace_attr.attr,
	NULL
};

static const struct attribute_group rbmap_tracer_group = {
	.attrs = rbmap_tracer_attrs,
};

/**
 * rbmap_control_tracer_init - create current_tracer and the lists of functions
 * @control: files of a buffer; the files are removed with its @dir
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_control_tracer_init(struct rbmap_control *control)
{
	return rbmap_dir_add_group(control->dir, &rbmap_tracer_group);
}

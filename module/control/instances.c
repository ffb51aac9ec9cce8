// SPDX-License-Identifier: GPL-2.0-only
/*
 * instances/create and instances/destroy: the names of buffers, and the settings of new
 * ones.  /dev/rbmap/control takes the text of create, too.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "control.h"
#include "dir.h"
#include "instances.h"
#include "lib/access.h"

#define RBMAP_NAME_WANTED						\
	"a name of 1 to 32 letters, digits, '-', '_' and '.' that does not begin with '.' or with cpu and a digit, and is not reserved (marker, marker_raw, trace, trace_pipe, per_cpu, error_log, saved_cmdlines, snapshot, control, create, destroy)"

static const struct rbmap_control_instances_ops *rbmap_instances_do;

/*
 * Pattern of udev's rules for cpuN.  udev lets '*' match a slash, too: for a buffer named
 * cpu0-x, the pattern would open all devices of the buffer to readers of cpuN.
 */
static bool rbmap_is_like_cpu(const char *name)
{
	return !strncmp(name, "cpu", 3) && isdigit(name[3]);
}

static bool rbmap_name_good(const char *name)
{
	/* Names of files beside the directories of buffers in /dev and /sys. */
	static const char *const taken[] = {
		"control", "create", "destroy", "error_log", "marker",
		"marker_raw", "per_cpu", "saved_cmdlines", "snapshot", "trace",
		"trace_pipe",
	};
	const char *c;

	for (c = name; *c; c++) {
		if (!isascii(*c) || (!isalnum(*c) && !strchr("-_.", *c)))
			return false;
	}
	return c > name && c - name <= RBMAP_NAME_MAX && *name != '.' &&
	       !rbmap_is_like_cpu(name) &&
	       match_string(taken, ARRAY_SIZE(taken), name) < 0;
}

/* Parse "option=value". */
static int rbmap_config_set(struct rbmap_buffer *buffer, struct rbmap_buffer_config *config,
			    char *word)
{
	char *value = strchr(word, '=');
	size_t len = strlen(word);
	unsigned long number;
	int err;

	if (value)
		*value++ = 0;
	if (value && !strcmp(word, "clock"))
		return rbmap_control_clock(buffer, word, value, strlen(value),
					   &config->clock);
	if (value && !strcmp(word, "overwrite")) {
		err = rbmap_control_number(buffer, word, value, strlen(value), 1,
					   &number);
		if (!err)
			config->mode = number ? RBMAP_MODE_OVERWRITE :
						RBMAP_MODE_DISCARD;
		return err;
	}
	if (value && !strcmp(word, "buffer_size_kb"))
		return rbmap_control_number(buffer, word, value, strlen(value),
					    ULONG_MAX, &config->size_kb);
	if (value && !strcmp(word, "subbuf_size_kb"))
		return rbmap_control_number(buffer, word, value, strlen(value),
					    ULONG_MAX, &config->subbuf_size_kb);
	if (value)
		value[-1] = '=';
	return rbmap_control_refuse(buffer, "create", word, len,
				    "NAME, and then buffer_size_kb=N, subbuf_size_kb=N, overwrite=0 or 1, clock=NAME");
}

/**
 * rbmap_control_name - check the name of a buffer
 * @buffer: buffer that keeps a refusal in its error_log
 * @file: name of the file or the function that got the name, for the log
 * @name: the name
 *
 * Return: 0, or -EINVAL with a message in the log.
 */
int rbmap_control_name(struct rbmap_buffer *buffer, const char *file, const char *name)
{
	if (rbmap_name_good(name))
		return 0;
	return rbmap_control_refuse(buffer, file, name, strlen(name), RBMAP_NAME_WANTED);
}

/*
 * Split the written text into words, the first of which must be a valid name.  The
 * result must be freed, or is an ERR_PTR.
 */
static char *rbmap_words(struct rbmap_buffer *buffer, const char *file, const char *buf,
			 size_t len, char **rest)
{
	char *text;
	int err;

	err = rbmap_locked_down();
	if (err)	/* step: locked_down */
		return ERR_PTR(err);
	text = kstrdup(buf, GFP_KERNEL);
	if (!text)
		return ERR_PTR(-ENOMEM);
	*rest = text;
	if (strlen(text) && text[strlen(text) - 1] == '\n')
		text[strlen(text) - 1] = 0;
	strsep(rest, " ");
	/* One terminating 0 byte may follow, as C programs write it. */
	if (strlen(buf) + 1 >= len && rbmap_name_good(text))
		return text;
	kfree(text);
	err = rbmap_control_refuse(buffer, file, buf, len, RBMAP_NAME_WANTED);
	return ERR_PTR(err);
}

/**
 * rbmap_control_instance_create - create a named buffer
 * @buffer: buffer that keeps a refusal in its error_log
 * @buf: name and settings of the new buffer as text, terminated by a 0 byte
 * @len: bytes at @buf
 * @keeper: open file that the new buffer ends with, or NULL
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_control_instance_create(struct rbmap_buffer *buffer, const char *buf, size_t len,
				  const struct file *keeper)
{
	struct rbmap_buffer_config config = *rbmap_instances_do->config;
	char *name, *rest, *word;
	int err = 0;

	name = rbmap_words(buffer, "create", buf, len, &rest);
	if (IS_ERR(name))
		return PTR_ERR(name);
	while (!err && (word = strsep(&rest, " ")))
		err = *word ? rbmap_config_set(buffer, &config, word) : 0;
	if (!err)
		err = rbmap_instances_do->create(name, &config, keeper);
	kfree(name);
	return err;
}

static ssize_t create_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t len)
{
	int err = rbmap_control_instance_create(rbmap_dir_buffer(kobj), buf, len, NULL);

	return err ? err : len;
}

static ssize_t destroy_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t len)
{
	char *name, *rest;
	int err;

	name = rbmap_words(rbmap_dir_buffer(kobj), attr->attr.name, buf, len, &rest);
	if (IS_ERR(name))
		return PTR_ERR(name);
	err = rest ? rbmap_control_refuse(rbmap_dir_buffer(kobj), attr->attr.name, buf, len,
					  RBMAP_NAME_WANTED) :
		     rbmap_instances_do->destroy(name);
	kfree(name);
	return err ? err : len;
}

static struct kobj_attribute create_attr = __ATTR_WO(create);
static struct kobj_attribute destroy_attr = __ATTR_WO(destroy);

static struct attribute *rbmap_instances_attrs[] = {
	&create_attr.attr,
	&destroy_attr.attr,
	NULL
};

static const struct attribute_group rbmap_instances_group = {
	.attrs = rbmap_instances_attrs,
};

/**
 * rbmap_control_instances_init - create the files of the directory instances
 * @dir: the directory
 * @ops: functions that the files call with a valid text
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_control_instances_init(struct kobject *dir,
				 const struct rbmap_control_instances_ops *ops)
{
	rbmap_instances_do = ops;
	return sysfs_create_group(dir, &rbmap_instances_group);
}

/**
 * rbmap_control_instances_exit - remove the files from the directory instances
 * @dir: the directory, which may still have the directories of buffers
 *
 * Context: sleeps until no callback of the files runs.
 */
void rbmap_control_instances_exit(struct kobject *dir)
{
	sysfs_remove_group(dir, &rbmap_instances_group);
}

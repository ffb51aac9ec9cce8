// SPDX-License-Identifier: GPL-2.0-only
/* The plugin of babeltrace2: opens recordings, and says which files are recordings. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "component.h"

#define MAGIC		"\x17\x08\x44tracing"
#define MAGIC_SIZE	10
#define LIKELY		0.75	/* that a file with the magic is a recording */

#define INIT_OK		BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK
#define INIT_ERROR	BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR
#define INIT_MEMORY	BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR
#define QUERY_OK	BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_OK
#define QUERY_MEMORY	BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_MEMORY_ERROR
#define QUERY_UNKNOWN	BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_UNKNOWN_OBJECT

typedef bt_component_class_initialize_method_status init_status;
typedef bt_component_class_query_method_status query_status;

/* Return the only element of the parameter "inputs", or NULL. */
static const char *find_path(const bt_value *params)
{
	const bt_value *inputs = bt_value_map_borrow_entry_value_const(params, "inputs"), *one;

	if (!inputs || !bt_value_is_array(inputs) || bt_value_array_get_length(inputs) != 1)
		return NULL;
	one = bt_value_array_borrow_element_by_index_const(inputs, 0);
	return bt_value_is_string(one) ? bt_value_string_get(one) : NULL;
}

static bool add_ports(struct component *c, bt_self_component_source *source)
{
	char name[16];

	for (uintptr_t cpu = 0; cpu < c->nr_cpus; cpu++) {
		snprintf(name, sizeof(name), "cpu%u", (unsigned int)cpu);
		if (bt_self_component_source_add_output_port(source, name, (void *)cpu, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
			return false;
	}
	return true;
}

static void free_component(struct component *c)
{
	classes_free(c);
	rbmap_recording_close(c->recording);
	free(c->path);
	free(c);
}

static init_status open_component(struct component *c, bt_self_component_source *source)
{
	int ret = rbmap_recording_open(&c->recording, c->path, 0);

	if (ret) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(c->self, "%s: %s", c->path,
								    rbmap_strerror(ret));
		return INIT_ERROR;
	}
	c->nr_cpus = rbmap_recording_cpus(c->recording);
	return classes_make(c) && add_ports(c, source) ? INIT_OK : INIT_MEMORY;
}

static init_status dat_init(bt_self_component_source *source,
			    bt_self_component_source_configuration *configuration,
			    const bt_value *params, void *data)
{
	bt_self_component *self = bt_self_component_source_as_self_component(source);
	const char *path = find_path(params);
	struct component *c;
	init_status status;

	(void)configuration;
	(void)data;
	if (!path) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(self,
			"the parameter 'inputs' must be an array with the path of a recording");
		return INIT_ERROR;
	}
	c = calloc(1, sizeof(*c));
	if (!c)
		return INIT_MEMORY;
	c->self = self;
	c->path = strdup(path);
	status = c->path ? open_component(c, source) : INIT_MEMORY;
	if (status == INIT_OK)
		bt_self_component_set_data(self, c);
	else
		free_component(c);
	return status;
}

/* Report what rbmap report would report. */
static void tell_damage(const struct component *c)
{
	const struct rbmap_damage *d = rbmap_recording_damage(c->recording);

	if (d->unfinished)
		fprintf(stderr, "rbmap: %s was not finished by its recorder\n", c->path);
	if (d->missing)
		fprintf(stderr, "rbmap: %s is truncated, %" PRIu64 " bytes of events are missing\n",
			c->path, d->missing);
	if (d->broken)
		fprintf(stderr, "rbmap: %s is damaged, %" PRIu64 " sub-buffers are invalid\n",
			c->path, d->broken);
}

static void dat_finalize(bt_self_component_source *source)
{
	struct component *c =
		bt_self_component_get_data(bt_self_component_source_as_self_component(source));

	tell_damage(c);
	free_component(c);
}

static bool has_magic(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char found[MAGIC_SIZE];
	bool has;

	if (fd < 0)
		return false;
	has = read(fd, found, sizeof(found)) == MAGIC_SIZE && !memcmp(found, MAGIC, MAGIC_SIZE);
	close(fd);
	return has;
}

static bool is_recording(const bt_value *params)
{
	const bt_value *type = bt_value_map_borrow_entry_value_const(params, "type");
	const bt_value *input = bt_value_map_borrow_entry_value_const(params, "input");

	return type && input && bt_value_is_string(type) && bt_value_is_string(input) &&
	       !strcmp(bt_value_string_get(type), "file") &&
	       has_magic(bt_value_string_get(input));
}

/* babeltrace2 asks which class can read a file that is named without a class. */
static query_status dat_query(bt_self_component_class_source *self,
			      bt_private_query_executor *executor, const char *object,
			      const bt_value *params, void *data, const bt_value **result)
{
	(void)self;
	(void)executor;
	(void)data;
	if (strcmp(object, "babeltrace.support-info"))
		return QUERY_UNKNOWN;
	*result = bt_value_real_create_init(is_recording(params) ? LIKELY : 0);
	return *result ? QUERY_OK : QUERY_MEMORY;
}

BT_PLUGIN_MODULE();
BT_PLUGIN(rbmap);
BT_PLUGIN_DESCRIPTION("Recordings of rbmap and trace-cmd");
BT_PLUGIN_AUTHOR("rbmap developers");
BT_PLUGIN_LICENSE("GPL-2.0-only");
BT_PLUGIN_SOURCE_COMPONENT_CLASS(dat, iterator_next);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_DESCRIPTION(dat, "Read a trace.dat of rbmap or trace-cmd");
BT_PLUGIN_SOURCE_COMPONENT_CLASS_HELP(dat, "Parameter: inputs=[\"PATH\"]");
BT_PLUGIN_SOURCE_COMPONENT_CLASS_INITIALIZE_METHOD(dat, dat_init);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_FINALIZE_METHOD(dat, dat_finalize);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_QUERY_METHOD(dat, dat_query);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(dat, iterator_begin);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(dat, iterator_end);

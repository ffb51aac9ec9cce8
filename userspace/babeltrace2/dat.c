// SPDX-License-Identifier: GPL-2.0-only
/* source.rbmap.dat: a recording. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "components.h"
#include "trace.h"

#define MAGIC		"\x17\x08\x44tracing"
#define MAGIC_SIZE	10
#define LIKELY		0.75	/* that a file with the magic is a recording */

/* The data of a component begins with its trace. */
struct dat {
	struct trace trace;
	struct rbmap_recording *recording;
};

static struct dat *of(struct trace *t)
{
	return (struct dat *)t;
}

/* ---- source */

static enum source_state next(struct trace *t, unsigned int cpu, struct rbmap_subbuf *sb,
			      uint64_t *quiet, int *error)
{
	int ret = rbmap_recording_next_subbuf(of(t)->recording, cpu, sb);

	(void)quiet;
	if (ret < 0)
		*error = ret;
	return ret < 0 ? SOURCE_ERROR : ret ? SOURCE_SUBBUF : SOURCE_END;
}

static const char *comm(struct trace *t, int pid)
{
	return rbmap_recording_comm(of(t)->recording, pid);
}

static bool learn(struct trace *t, const struct rbmap_event *ev)
{
	(void)t;
	(void)ev;
	return false;
}

static const struct source source = { .next = next, .comm = comm, .learn = learn };

/* ---- component */

/* Return the only element of the parameter "inputs", or NULL. */
static const char *find_path(const bt_value *params)
{
	const bt_value *inputs = bt_value_map_borrow_entry_value_const(params, "inputs"), *one;

	if (!inputs || !bt_value_is_array(inputs) || bt_value_array_get_length(inputs) != 1)
		return NULL;
	one = bt_value_array_borrow_element_by_index_const(inputs, 0);
	return bt_value_is_string(one) ? bt_value_string_get(one) : NULL;
}

static void free_dat(struct dat *d)
{
	trace_free(&d->trace);
	rbmap_recording_close(d->recording);
	free(d);
}

static init_status open_dat(struct dat *d, bt_self_component_source *self)
{
	int ret = rbmap_recording_open(&d->recording, d->trace.path, 0);
	const struct rbmap_moment *begin, *end;
	struct trace_facts facts;

	if (ret) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
			d->trace.self, "%s: %s", d->trace.path, rbmap_strerror(ret));
		return INIT_ERROR;
	}
	d->trace.nr_cpus = rbmap_recording_cpus(d->recording);
	d->trace.formats = rbmap_recording_formats(d->recording);
	begin = rbmap_recording_moment(d->recording, RBMAP_MOMENT_BEGIN);
	end = rbmap_recording_moment(d->recording, RBMAP_MOMENT_END);
	facts = (struct trace_facts){
		.clock = rbmap_recording_clock(d->recording),
		.frequency = NS_PER_S,
		.moment = begin,
		.uname = rbmap_recording_uname(d->recording),
	};
	if (facts.clock && !strcmp(facts.clock, "x86-tsc"))
		facts.frequency = clock_frequency(begin, end);
	return trace_make(&d->trace, self, &facts, NULL) ? INIT_OK : INIT_MEMORY;
}

init_status dat_init(bt_self_component_source *self,
		     bt_self_component_source_configuration *configuration,
		     const bt_value *params, void *data)
{
	bt_self_component *component = bt_self_component_source_as_self_component(self);
	const char *path = find_path(params);
	init_status status;
	struct dat *d;

	(void)configuration;
	(void)data;
	if (!path) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
			component,
			"the parameter 'inputs' must be an array with the path of a recording");
		return INIT_ERROR;
	}
	d = calloc(1, sizeof(*d));
	if (!d)
		return INIT_MEMORY;
	d->trace.source = &source;
	d->trace.self = component;
	d->trace.path = strdup(path);
	status = d->trace.path ? open_dat(d, self) : INIT_MEMORY;
	if (status == INIT_OK)
		bt_self_component_set_data(component, d);
	else
		free_dat(d);
	return status;
}

/* Report what rbmap report would report. */
static void tell_damage(const struct dat *dat)
{
	const struct rbmap_damage *d = rbmap_recording_damage(dat->recording);
	const char *path = dat->trace.path;

	if (d->unfinished)
		fprintf(stderr, "rbmap: %s was not finished by its recorder\n", path);
	if (d->missing)
		fprintf(stderr, "rbmap: %s is truncated, %" PRIu64 " bytes of events are missing\n",
			path, d->missing);
	if (d->broken)
		fprintf(stderr, "rbmap: %s is damaged, %" PRIu64 " sub-buffers are invalid\n",
			path, d->broken);
}

void dat_finalize(bt_self_component_source *self)
{
	struct dat *d =
		bt_self_component_get_data(bt_self_component_source_as_self_component(self));

	tell_damage(d);
	free_dat(d);
}

/* ---- query */

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
bt_component_class_query_method_status dat_query(bt_self_component_class_source *self,
						 bt_private_query_executor *executor,
						 const char *object, const bt_value *params,
						 void *data, const bt_value **result)
{
	(void)self;
	(void)executor;
	(void)data;
	if (strcmp(object, "babeltrace.support-info"))
		return BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_UNKNOWN_OBJECT;
	*result = bt_value_real_create_init(is_recording(params) ? LIKELY : 0);
	return *result ? BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_OK :
			 BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_MEMORY_ERROR;
}

// SPDX-License-Identifier: GPL-2.0-only
/* source.rbmap.dat: a recording. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "components.h"
#include "fields.h"
#include "trace.h"

#define MAGIC		"\x17\x08\x44tracing"
#define MAGIC_SIZE	10
#define LIKELY		0.75	/* that a file with the magic is a recording */

/**
 * struct dat - a recording. The data of a component begins with its trace
 * @place: the place of each stream, which the trace uses
 * @buffer: the buffer of each stream
 * @name: the name of each buffer of the recording, in UTF-8
 */
struct dat {
	struct trace trace;
	struct rbmap_recording *recording;
	struct trace_place *place;
	unsigned int *buffer;
	char **name;
	unsigned int nr_names;
};

static struct dat *of(struct trace *t)
{
	return (struct dat *)t;
}

/* ---- source */

/* Each CPU of each buffer has a place of its own in the recording. */
static enum source_state next(struct trace *t, unsigned int i, struct rbmap_subbuf *sb,
			      uint64_t *quiet, int *error)
{
	struct rbmap_recording *r = of(t)->recording;
	int ret = rbmap_recording_choose_buffer(r, of(t)->buffer[i]);

	if (!ret)
		ret = rbmap_recording_next_subbuf(r, t->place[i].cpu, sb);
	(void)quiet;
	if (ret < 0)
		*error = ret;
	return ret < 0 ? SOURCE_ERROR : ret ? SOURCE_SUBBUF : SOURCE_END;
}

static uint64_t correct(struct trace *t, unsigned int i, uint64_t ts)
{
	return rbmap_recording_correct(of(t)->recording, t->place[i].cpu, ts);
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

static const struct source source = {
	.next = next, .correct = correct, .comm = comm, .learn = learn,
};

/* ---- component */

struct dat_params {
	const char *path;
	bool has_other;
};

/* Return the only element of an array of strings, or NULL. */
static const char *only_string(const bt_value *array)
{
	const bt_value *one;

	if (!bt_value_is_array(array) || bt_value_array_get_length(array) != 1)
		return NULL;
	one = bt_value_array_borrow_element_by_index_const(array, 0);
	return bt_value_is_string(one) ? bt_value_string_get(one) : NULL;
}

static bt_value_map_foreach_entry_const_func_status set_param(const char *key,
							      const bt_value *value, void *data)
{
	struct dat_params *p = data;

	if (!strcmp(key, "inputs"))
		p->path = only_string(value);
	else
		p->has_other = true;
	return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
}

/* Return why the parameters are refused, or NULL. */
static const char *read_params(struct dat_params *p, const bt_value *params)
{
	*p = (struct dat_params){ 0 };
	bt_value_map_foreach_entry_const(params, set_param, p);
	if (p->has_other)
		return "there is one parameter: 'inputs'";
	return p->path ? NULL :
	       "the parameter 'inputs' must be an array with the path of a recording";
}

static void free_dat(struct dat *d)
{
	trace_free(&d->trace);
	rbmap_recording_close(d->recording);
	for (unsigned int i = 0; d->name && i < d->nr_names; i++)
		free(d->name[i]);
	free(d->name);
	free(d->place);
	free(d->buffer);
	free(d);
}

/* Add the streams of a buffer. */
static bool add_buffer(struct dat *d, unsigned int buffer, unsigned int cpus)
{
	unsigned int nr = d->trace.nr_streams + cpus;
	const char *name = rbmap_recording_buffer_name(d->recording, buffer);
	struct trace_place *place = realloc(d->place, (nr + 1) * sizeof(*place));
	unsigned int *of_stream = realloc(d->buffer, (nr + 1) * sizeof(*of_stream));

	if (place)
		d->place = place;
	if (of_stream)
		d->buffer = of_stream;
	d->name[buffer] = values_utf8(name, strlen(name));
	if (!place || !of_stream || !d->name[buffer])
		return false;
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		const char *host = rbmap_recording_host(d->recording, cpu);

		d->trace.has_hosts |= host != NULL;
		place[d->trace.nr_streams] = (struct trace_place){ cpu, d->name[buffer], host };
		of_stream[d->trace.nr_streams++] = buffer;
	}
	return true;
}

/* Buffers without data have no streams, but one buffer has some in any case. */
static bool add_buffers(struct dat *d)
{
	d->nr_names = rbmap_recording_buffers(d->recording);
	d->name = calloc(d->nr_names + 1, sizeof(*d->name));
	if (!d->name)
		return false;
	for (unsigned int i = 0; i < d->nr_names; i++) {
		unsigned int cpus = rbmap_recording_buffer_cpus(d->recording, i);

		if (!cpus)
			continue;
		if (!add_buffer(d, i, cpus))
			return false;
		d->trace.has_buffers |= *d->name[i] != '\0';
	}
	if (!d->trace.nr_streams && d->nr_names &&
	    !add_buffer(d, 0, rbmap_recording_cpus(d->recording)))
		return false;
	d->trace.place = d->place;
	return true;
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
	if (!add_buffers(d))
		return INIT_MEMORY;
	d->trace.formats = rbmap_recording_formats(d->recording);
	begin = rbmap_recording_moment(d->recording, RBMAP_MOMENT_BEGIN);
	end = rbmap_recording_moment(d->recording, RBMAP_MOMENT_END);
	facts = (struct trace_facts){
		.clock = rbmap_recording_clock(d->recording),
		.frequency = NS_PER_S,
		.moment = begin,
		.is_dated = rbmap_recording_is_dated(d->recording),
		.uname = rbmap_recording_uname(d->recording),
	};
	/* The time of day, and what trace-cmd corrects, are ns. */
	if (facts.clock && !strcmp(facts.clock, "x86-tsc") && !facts.is_dated)
		facts.frequency = clock_frequency(begin, end);
	return trace_make(&d->trace, self, &facts) ? INIT_OK : INIT_MEMORY;
}

init_status dat_init(bt_self_component_source *self,
		     bt_self_component_source_configuration *configuration,
		     const bt_value *params, void *data)
{
	bt_self_component *component = bt_self_component_source_as_self_component(self);
	struct dat_params p;
	const char *error = read_params(&p, params);
	init_status status;
	struct dat *d;

	(void)configuration;
	(void)data;
	if (error) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(component, "%s", error);
		return INIT_ERROR;
	}
	d = calloc(1, sizeof(*d));
	if (!d)
		return INIT_MEMORY;
	d->trace.source = &source;
	d->trace.self = component;
	d->trace.path = strdup(p.path);
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

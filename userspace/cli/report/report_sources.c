// SPDX-License-Identifier: GPL-2.0-only
/* The recordings of rbmap report: open them, and name their buffers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/printable.h"
#include "print/session_recording.h"
#include "recording/dat_read.h"
#include "report.h"

static const char *file_name(const struct source *s)
{
	const char *slash = strrchr(s->in.path, '/');

	return slash ? slash + 1 : s->in.path;
}

int report_prepare_session(const struct report *r, struct source *s)
{
	s->session = print_session_new();
	if (!s->session)
		return -ENOMEM;
	print_session_set_report_layout(s->session, r->as_json);
	/* JSON must not depend on what is installed. */
	if (!r->no_plugins && !r->as_json)
		print_session_load_plugins(s->session);
	return 0;
}

/* Several recordings have their names before the lines, and so have named buffers. */
static bool has_prefixes(const struct report *r)
{
	for (unsigned int i = 0; i < r->nr_sources; i++)
		if (input_has_buffers(&r->source[i].in))
			return true;
	return r->nr_sources > 1;
}

/* Set the names of a source's buffers. The top buffer has that of the file, if any. */
static int name_buffers(const struct report *r, struct source *s, size_t *width)
{
	unsigned int nr = rbmap_recording_buffers(s->in.reader);

	s->buffer = calloc(nr, sizeof(*s->buffer));
	if (!s->buffer)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr; i++) {
		struct report_buffer *b = &s->buffer[i];
		const char *name = rbmap_recording_buffer_name(s->in.reader, i);

		b->source = s - r->source;
		if (*name)
			b->name = name;
		else if (r->nr_sources > 1)
			b->name = file_name(s);
		if (b->name)
			buf_add_printable(&b->prefix, b->name, strlen(b->name));
		if (b->prefix.failed)
			return -ENOMEM;
		if (*width < b->prefix.size)
			*width = b->prefix.size;
	}
	return 0;
}

/* trace-cmd has the names in a column, and a colon behind each. */
static int align_prefix(struct report_buffer *b, size_t width)
{
	struct buf name = b->prefix;

	b->prefix = (struct buf){ 0 };
	buf_printf(&b->prefix, "%*.*s%s", (int)width, (int)name.size,
		   name.size ? name.data : "", name.size ? ": " : "  ");
	buf_free(&name);
	return b->prefix.failed ? -ENOMEM : 0;
}

static int set_prefixes(struct report *r)
{
	bool wanted = has_prefixes(r);
	size_t width = 0;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < r->nr_sources; i++)
		ret = name_buffers(r, &r->source[i], &width);
	for (unsigned int i = 0; !ret && i < r->nr_sources; i++) {
		struct source *s = &r->source[i];

		for (unsigned int b = 0; !ret && b < rbmap_recording_buffers(s->in.reader); b++) {
			if (wanted)
				ret = align_prefix(&s->buffer[b], width);
			else
				s->buffer[b].prefix.size = 0;
		}
	}
	return ret;
}

int report_open_sources(struct report *r)
{
	int status = STATUS_OK;

	r->source = calloc(r->nr_sources, sizeof(*r->source));
	if (!r->source) {
		complain("out of memory");
		return STATUS_ERROR;
	}
	for (unsigned int i = 0; !status && i < r->nr_sources; i++) {
		r->source[i].in = r->in;
		r->source[i].in.path = r->path[i];
		status = input_open(&r->source[i].in);
		if (!status && r->with_cgroup && !dat_cgroups(r->source[i].in.reader)) {
			complain("--with-cgroup: %s does not have the cgroups of its tasks: 'rbmap record' stores them",
				 r->path[i]);
			status = STATUS_ERROR;
		}
	}
	return status;
}

int report_load_sources(struct report *r)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < r->nr_sources; i++) {
		print_session_set_file(r->source[i].session, i);
		ret = print_session_load_recording(r->source[i].session, r->source[i].in.reader);
		if (r->with_cgroup || r->as_json)
			print_session_show_cgroups(r->source[i].session,
					       dat_cgroups(r->source[i].in.reader));
	}
	return ret ? ret : set_prefixes(r);
}

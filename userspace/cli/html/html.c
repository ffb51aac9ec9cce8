// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "common/cli.h"
#include "common/pipeline.h"
#include "common/standard_file.h"
#include "common/write_all.h"
#include "frame.h"
#include "html.h"
#include "meta.h"
#include "page.h"
#include "recording/dat_comms.h"
#include "recording/dat_read.h"
#include "show/input.h"
#include "show/input_events.h"
#include "show/input_text.h"
#include "show/output_file.h"
#include "show/text.h"

#define WORST		10	/* longest intervals of each kind in the page */

struct writer {
	struct input *in;
	struct page *page;
	struct text *text;
	struct chosen chosen;
	int error;
	int write_error;	/* an errno */
};

/* ---- load names and formats */
static void add_comm(void *data, int pid, const char *comm)
{
	struct writer *w = data;

	if (intervals_add_comm(w->page->intervals, pid, comm))
		w->error = -ENOMEM;
}

static int load_formats(struct writer *w)
{
	const struct dat_text *format;
	size_t nr = dat_formats(w->in->reader, &format);
	int ret = 0;

	for (size_t i = 0; !ret && i < nr; i++)
		ret = page_add_format(w->page, format[i].system, format[i].text,
				      format[i].size);
	return ret;
}

static int load(struct writer *w)
{
	int ret;

	w->page = page_new(WORST);
	w->text = text_new();
	if (!w->page || !w->text)
		return -ENOMEM;
	w->page->text = w->text;
	input_load_text(w->in, w->text);
	ret = load_formats(w);
	dat_each_comm(w->in->reader, add_comm, w);
	return ret ? ret : w->error;
}

static int add_task_lanes(struct writer *w)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < w->chosen.nr; i++)
		ret = page_add_task_lane(w->page, w->chosen.pid[i]);
	return ret;
}

/* ---- write */
static int each_event(void *data, const struct rbmap_event *ev)
{
	return page_event(data, ev);
}

static int each_lost(void *data, unsigned int cpu, uint64_t lost)
{
	return page_lost_last(data, cpu, lost);
}

static int write_meta(const struct writer *w, FILE *out)
{
	struct origin origin = {
		.path = w->in->path,
		.clock = dat_clock(w->in->reader),
		.uname = dat_uname(w->in->reader),
		.times = dat_times(w->in->reader),
		.time = &w->in->time,
	};

	return meta_write(w->page, &origin, out);
}

static int write_page(struct writer *w, FILE *out)
{
	int ret;

	w->page->store = store_new(out, pipeline_cpus());
	if (!w->page->store)
		return -ENOMEM;
	frame_write_begin(out);
	ret = add_task_lanes(w);
	if (!ret)
		ret = input_each_event(w->in, "page", each_event, each_lost, w->page);
	if (!ret)
		ret = page_end(w->page);
	if (!ret)
		ret = write_meta(w, out);
	frame_write_end(out);
	return ret;
}

/* "trace.dat" becomes "trace.html", and another name gets .html behind it. */
static char *default_name(const struct input *in)
{
	size_t len = strlen(in->path);
	char *name;

	if (len > 4 && !strcmp(in->path + len - 4, ".dat"))
		len -= 4;
	return asprintf(&name, "%.*s.html", (int)len, in->path) < 0 ? NULL : name;
}

/* The file behind the FILE, and the errno of its first failed write */
struct sink {
	int fd;
	int error;
};

static ssize_t write_sink(void *cookie, const char *data, size_t size)
{
	struct sink *sink = cookie;

	if (!sink->error)
		sink->error = -write_all(sink->fd, data, size);
	return sink->error ? 0 : (ssize_t)size;
}

/*
 * Write the page through a FILE of its own. Return 0 or a negative errno. The errno of a
 * failed write is long gone when ferror() tells of it, so the sink keeps it.
 */
static int write_to(struct writer *w, int fd)
{
	const cookie_io_functions_t functions = { .write = write_sink };
	struct sink sink = { .fd = fd };
	FILE *out = fopencookie(&sink, "w", functions);
	int ret;

	if (!out)
		return -errno;
	ret = write_page(w, out);
	if (fclose(out) && !sink.error)
		sink.error = errno;
	w->write_error = sink.error;
	return ret;
}

static int write_output(struct writer *w, const char *name)
{
	struct output_file file = { .path = name, .noun = "page" };
	int ret, status = STATUS_OK;

	if (!output_file_begin(&file, false, dat_fd(w->in->reader)))
		return STATUS_ERROR;
	ret = write_to(w, file.fd);
	if (w->write_error) {
		output_file_failed(&file, -w->write_error);
		status = STATUS_ERROR;
	} else if (ret) {
		status = input_failed(w->in, ret);
	}
	if (!output_file_end(&file, !status))
		status = STATUS_ERROR;
	if (status)
		return status;
	input_tell_sums(w->page->events, w->page->lost, w->page->lost_unknown);
	if (!is_standard_file(name))
		fprintf(stderr, "%s is complete: open it in a browser\n", name);
	return input_tell_damage(w->in, "converted");
}

static int make_page(struct writer *w, const struct html *html)
{
	char *name = html->output ? strdup(html->output) : default_name(w->in);
	int ret, status;

	if (!name)
		return input_failed(w->in, -ENOMEM);
	ret = load(w);
	status = ret ? input_failed(w->in, ret) : choose_tasks(html, w->in, &w->chosen);
	if (!status)
		status = write_output(w, name);
	free(name);
	return status;
}

int html_report(struct html *html, struct input *in)
{
	struct writer w = { .in = in };
	bool is_standard = is_standard_file(in->path);
	int status;

	if (is_standard && !html->output) {
		complain("standard input has no name: name the page with -o");
		return STATUS_USAGE;
	}
	status = input_open(in);
	if (status)
		return status;
	if (!input_set_times(in))
		return STATUS_ERROR;
	status = make_page(&w, html);
	if (w.page)
		store_free(w.page->store);
	page_free(w.page);
	text_free(w.text);
	return status;
}

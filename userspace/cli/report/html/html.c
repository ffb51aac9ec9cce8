// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/files.h"
#include "choose.h"
#include "command/pipeline.h"
#include "html.h"
#include "input/crash_guard.h"
#include "input/input.h"
#include "input/input_events.h"
#include "input/output_file.h"
#include "intervals/functions.h"
#include "intervals/intervals.h"
#include "meta.h"
#include "page.h"
#include "print/crash_notes.h"
#include "print/line.h"
#include "print/session_recording.h"
#include "recording/dat_read.h"

#define WORST		10	/* longest intervals of each kind in the page */

struct writer {
	struct input *in;
	const struct html *html;
	struct output_file file;
	struct page *page;
	struct print_session *session;
	struct print_line *line;
	struct functions *functions;
	struct chosen chosen;
	int write_error;	/* an errno */
};

/* ---- load names and formats */
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
	w->session = print_session_new();
	if (!w->page || !w->session)
		return -ENOMEM;
	ret = print_session_load_recording(w->session, w->in->reader);
	w->line = print_line_new(w->session);
	if (!w->line)
		return -ENOMEM;
	w->page->session = w->session;
	w->page->line = w->line;
	if (!ret)
		ret = load_formats(w);
	if (!ret && !intervals_load(w->page->intervals, w->in->reader, &w->functions))
		ret = -ENOMEM;
	w->page->machine = syscalls_machine_of(rbmap_recording_uname(w->in->reader));
	return ret;
}

static int add_task_lanes(struct writer *w)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < w->chosen.nr; i++)
		ret = page_add_task_lane(w->page, w->chosen.task[i].pid,
					 w->chosen.task[i].interest);
	w->page->without_lane = w->chosen.without_lane;
	return ret;
}

/* ---- write */
static int each_event(void *data, const struct rbmap_event *ev)
{
	struct writer *w = data;
	const struct selector *selector = w->in->selector;
	bool shown = !selector ||
		     selector_has_event(selector, ev, intervals_comm_of(w->page->intervals, ev));

	return page_event(w->page, ev, shown);
}

static int each_lost(void *data, unsigned int cpu, uint64_t lost)
{
	const struct writer *w = data;

	return page_lost_last(w->page, cpu, lost);
}

static int write_meta(const struct writer *w, FILE *out)
{
	struct origin origin = {
		.path = w->in->path,
		.clock = rbmap_recording_clock(w->in->reader),
		.uname = rbmap_recording_uname(w->in->reader),
		.times = dat_times(w->in->reader),
		.time = &w->in->time,
		.why = w->chosen.why,
		.why_size = w->chosen.why_size,
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
		ret = input_each_event(w->in, "page", each_event, each_lost, w);
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

	crash_notes()->progress += size;
	if (!sink->error)
		sink->error = -write_all(sink->fd, data, size);
	return sink->error ? 0 : (ssize_t)size;
}

/*
 * Write the page through a FILE of its own. Return 0 or a negative errno. Other calls change
 * errno between a failed write and ferror(), so the sink stores it.
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

/* The part that reads the formats of the recording. */
static int run(void *arg)
{
	struct writer *w = arg;
	int ret = load(w), status;

	status = ret ? input_failed(w->in, ret) : selection_begin(&w->in, 1);
	if (!status)
		status = choose_tasks(w->html, w->in, &w->chosen);
	if (status)
		return status;
	w->page->selector = w->in->selector;
	w->page->named = w->html->nr_pids || w->html->nr_tasks || w->in->selection.nr_cgroups;
	if (w->chosen.needs_scan)
		ret = intervals_scan_recording(w->page->intervals, w->in->reader, w->in->from);
	if (!ret)
		ret = write_to(w, w->file.fd);
	if (w->write_error) {
		output_file_failed(&w->file, -w->write_error);
		return STATUS_ERROR;
	}
	if (ret)
		return input_failed(w->in, ret);
	input_tell_sums(w->in, w->page->events, w->page->lost, w->page->lost_unknown,
			w->page->left_out, NULL);
	return input_tell_damage(w->in, "converted");
}

static bool again(void *arg)
{
	struct writer *w = arg;

	return output_file_again(&w->file);
}

static void dies(void *arg)
{
	struct writer *w = arg;

	output_file_remove(&w->file);
}

static int write_output(struct writer *w)
{
	const struct crash_guard guard = {
		.run = run, .again = again, .dies = dies, .arg = w, .command = w->html->command,
		.path = &w->in->path, .nr_paths = 1,
	};
	bool complete;
	int status;

	if (!output_file_begin(&w->file, false, dat_fd(w->in->reader)))
		return STATUS_ERROR;
	status = crash_guard(&guard);
	complete = status == STATUS_OK || status == STATUS_CUT;
	if (!output_file_end(&w->file, complete))
		return STATUS_ERROR;
	if (complete && !is_standard_file(w->file.path))
		fprintf(stderr, "%s is complete: open it in a browser\n", w->file.path);
	return status == CRASH_GUARD_FAILED ? STATUS_CUT : status;
}

int html_report(struct html *html, struct input *in)
{
	struct writer w = { .in = in, .html = html, .file.noun = "page" };
	bool is_standard = is_standard_file(in->path);
	char *name;
	int status;

	if (is_standard && !html->output) {
		complain("standard input has no name: name the page with -o");
		return STATUS_USAGE;
	}
	status = input_open(in);
	if (!status)
		status = input_choose_one_buffer(in);
	if (status)
		return status;
	if (!input_set_times(in))
		return STATUS_ERROR;
	name = html->output ? strdup(html->output) : default_name(in);
	if (!name)
		return input_failed(in, -ENOMEM);
	w.file.path = name;
	status = write_output(&w);
	free(name);
	return status;
}

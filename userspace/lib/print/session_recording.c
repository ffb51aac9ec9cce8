// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>

#include "recording/dat_read.h"
#include "session_formats.h"
#include "session_names.h"
#include "session_recording.h"

static void add_comm(void *data, int pid, const char *comm)
{
	print_session_add_comm(data, pid, comm);
}

/* Learn the names that threads have before the events that say them. */
static int scan(struct print_session *s, struct rbmap_recording *r)
{
	struct rbmap_event ev;
	int ret;

	if (!print_session_needs_scan(s))
		return 0;
	while ((ret = rbmap_recording_next(r, &ev)) == 1) {
		ret = print_session_scan(s, &ev);
		if (ret)
			break;
	}
	print_session_scan_end(s);
	rbmap_recording_rewind(r);
	/* The error of a file is found again when its events are printed. */
	return ret == -ENOMEM ? ret : 0;
}

int print_session_load_recording(struct print_session *s, struct rbmap_recording *r)
{
	const struct dat_text *formats, *kallsyms = dat_kallsyms(r);
	const struct dat_text *printk = dat_printk(r);
	size_t nr = dat_formats(r, &formats);
	int ret = 0;

	print_session_set_long_size(s, dat_long_size(r));
	print_session_set_hosts(s, dat_hosts(r));
	print_session_set_uname(s, rbmap_recording_uname(r));
	/* An event is printed as bytes if its format cannot be parsed. */
	for (size_t i = 0; i < nr; i++)
		print_session_add_format(s, formats[i].system, formats[i].text, formats[i].size);
	print_session_keep_comms(s);
	dat_each_comm(r, add_comm, s);
	if (printk->size)
		ret = print_session_set_constants(s, printk->text, printk->size);
	if (kallsyms->size)
		print_session_set_kallsyms(s, kallsyms->text, kallsyms->size);
	return ret ? ret : scan(s, r);
}

bool time_view_init_recording(struct time_view *view, const struct rbmap_recording *r)
{
	if (time_view_init(view, dat_times(r), clock_is_counter(rbmap_recording_clock(r))))
		return true;
	if (!rbmap_recording_is_dated(r))
		return false;
	time_view_init_real(view);
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "input.h"
#include "print/session_formats.h"
#include "print/session_names.h"
#include "recording/dat_read.h"

static void add_comm(void *data, int pid, const char *comm)
{
	print_session_add_comm(data, pid, comm);
}

/* Learn the names that threads have before the events that say them. */
static int scan(const struct input *in, struct print_session *s)
{
	struct rbmap_event ev;
	int ret;

	if (!print_session_needs_scan(s))
		return 0;
	while ((ret = rbmap_recording_next(in->reader, &ev)) == 1) {
		ret = print_session_scan(s, &ev);
		if (ret)
			break;
	}
	print_session_scan_end(s);
	rbmap_recording_rewind(in->reader);
	/* The error of a file is found again when its events are printed. */
	return ret == -ENOMEM ? ret : 0;
}

int input_load_session(const struct input *in, struct print_session *s)
{
	const struct dat_text *formats, *kallsyms = dat_kallsyms(in->reader);
	const struct dat_text *printk = dat_printk(in->reader);
	size_t nr = dat_formats(in->reader, &formats);
	int ret = 0;

	print_session_set_long_size(s, dat_long_size(in->reader));
	print_session_set_hosts(s, dat_hosts(in->reader));
	print_session_set_uname(s, rbmap_recording_uname(in->reader));
	/* An event is printed as bytes if its format cannot be parsed. */
	for (size_t i = 0; i < nr; i++)
		print_session_add_format(s, formats[i].system, formats[i].text, formats[i].size);
	print_session_keep_comms(s);
	dat_each_comm(in->reader, add_comm, s);
	if (printk->size)
		ret = print_session_set_constants(s, printk->text, printk->size);
	if (kallsyms->size)
		print_session_set_kallsyms(s, kallsyms->text, kallsyms->size);
	return ret ? ret : scan(in, s);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "input.h"
#include "input_formatter.h"
#include "print/event_formatter.h"
#include "recording/dat_read.h"

static void add_comm(void *data, int pid, const char *comm)
{
	formatter_add_comm(data, pid, comm);
}

/* Learn the names that threads have before the events that say them. */
static int scan(const struct input *in, struct event_formatter *t)
{
	struct rbmap_event ev;
	int ret;

	if (!formatter_needs_scan(t))
		return 0;
	while ((ret = rbmap_recording_next(in->reader, &ev)) == 1) {
		ret = formatter_scan(t, &ev);
		if (ret)
			break;
	}
	formatter_scan_end(t);
	rbmap_recording_rewind(in->reader);
	/* The error of a file is found again when its events are printed. */
	return ret == -ENOMEM ? ret : 0;
}

int input_load_formatter(const struct input *in, struct event_formatter *t)
{
	const struct dat_text *formats, *kallsyms = dat_kallsyms(in->reader);
	const struct dat_text *printk = dat_printk(in->reader);
	size_t nr = dat_formats(in->reader, &formats);
	int ret = 0;

	formatter_set_long_size(t, dat_long_size(in->reader));
	formatter_set_hosts(t, dat_hosts(in->reader));
	formatter_set_uname(t, rbmap_recording_uname(in->reader));
	/* An event is printed as bytes if its format cannot be parsed. */
	for (size_t i = 0; i < nr; i++)
		formatter_add_format(t, formats[i].system, formats[i].text, formats[i].size);
	formatter_keep_comms(t);
	dat_each_comm(in->reader, add_comm, t);
	if (printk->size)
		ret = formatter_set_constants(t, printk->text, printk->size);
	if (kallsyms->size)
		formatter_set_kallsyms(t, kallsyms->text, kallsyms->size);
	return ret ? ret : scan(in, t);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "input.h"
#include "input_text.h"
#include "print/text.h"
#include "recording/dat_comms.h"
#include "recording/dat_read.h"

static void add_comm(void *data, int pid, const char *comm)
{
	text_add_comm(data, pid, comm);
}

/* Learn the names that threads have before the events that say them. */
static int scan(const struct input *in, struct text *t)
{
	struct rbmap_event ev;
	int ret;

	if (!text_needs_scan(t))
		return 0;
	while ((ret = dat_next(in->reader, &ev)) == 1) {
		ret = text_scan(t, &ev);
		if (ret)
			break;
	}
	text_scan_end(t);
	dat_rewind(in->reader);
	/* The error of a file is found again when its events are printed. */
	return ret == -ENOMEM ? ret : 0;
}

int input_load_text(const struct input *in, struct text *t)
{
	const struct dat_text *formats, *kallsyms = dat_kallsyms(in->reader);
	const struct dat_text *printk = dat_printk(in->reader);
	size_t nr = dat_formats(in->reader, &formats);
	int ret = 0;

	text_set_long_size(t, dat_long_size(in->reader));
	text_set_uname(t, dat_uname(in->reader));
	/* An event is printed as bytes if its format cannot be parsed. */
	for (size_t i = 0; i < nr; i++)
		text_add_format(t, formats[i].system, formats[i].text, formats[i].size);
	text_keep_comms(t);
	dat_each_comm(in->reader, add_comm, t);
	if (printk->size)
		ret = text_set_constants(t, printk->text, printk->size);
	if (kallsyms->size)
		text_set_kallsyms(t, kallsyms->text, kallsyms->size);
	return ret ? ret : scan(in, t);
}

// SPDX-License-Identifier: GPL-2.0-only
#include "input.h"
#include "input_text.h"
#include "recording/dat_comms.h"
#include "recording/dat_read.h"
#include "text.h"

static void add_comm(void *data, int pid, const char *comm)
{
	text_add_comm(data, pid, comm);
}

void input_load_text(const struct input *in, struct text *t)
{
	const struct dat_text *formats, *kallsyms = dat_kallsyms(in->reader);
	const struct dat_text *printk = dat_printk(in->reader);
	size_t nr = dat_formats(in->reader, &formats);

	text_set_long_size(t, dat_long_size(in->reader));
	/* An event is printed as bytes if its format cannot be parsed. */
	for (size_t i = 0; i < nr; i++)
		text_add_format(t, formats[i].system, formats[i].text, formats[i].size);
	/* A thread has one name in the whole recording, as in trace-cmd's report. */
	dat_each_comm(in->reader, add_comm, t);
	text_comm_keep(t, true);
	if (printk->size)
		text_set_constants(t, printk->text, printk->size);
	if (kallsyms->size)
		text_set_kallsyms(t, kallsyms->text, kallsyms->size);
}

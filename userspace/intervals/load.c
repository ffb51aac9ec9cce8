// SPDX-License-Identifier: GPL-2.0-only
#include "functions.h"
#include "intervals.h"
#include "load.h"
#include "recording/dat_comms.h"
#include "recording/dat_read.h"

struct comms {
	struct intervals *iv;
	bool failed;
};

static void add_comm(void *data, int pid, const char *comm)
{
	struct comms *comms = data;

	if (intervals_add_comm(comms->iv, pid, comm))
		comms->failed = true;
}

bool intervals_load(struct intervals *iv, const struct dat_reader *reader,
		    struct functions **functions)
{
	const struct dat_text *formats, *kallsyms = dat_kallsyms(reader);
	size_t nr = dat_formats(reader, &formats);
	struct comms comms = { .iv = iv };

	*functions = functions_new(kallsyms->text, kallsyms->size);
	if (!*functions)
		return false;
	intervals_set_symbols(iv, functions_name, *functions);
	for (size_t i = 0; i < nr; i++)
		if (intervals_add_format(iv, formats[i].system, formats[i].text,
					 formats[i].size))
			return false;
	intervals_set_uname(iv, dat_uname(reader));
	dat_each_comm(reader, add_comm, &comms);
	return !comms.failed;
}

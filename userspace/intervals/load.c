// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "functions.h"
#include "intervals.h"
#include "recording/dat_read.h"

struct comms {
	struct intervals *intervals;
	bool failed;
};

static void add_comm(void *data, int pid, const char *comm)
{
	struct comms *comms = data;

	if (intervals_add_comm(comms->intervals, pid, comm))
		comms->failed = true;
}

static bool in_gap(const void *data, int cpu, bool at_end)
{
	const struct rbmap_recording *reader = data;

	return cpu < 0 ? dat_is_in_gap(reader) : dat_cpu_is_in_gap(reader, cpu, at_end);
}

bool intervals_load(struct intervals *intervals, const struct rbmap_recording *reader,
		    struct functions **functions)
{
	const struct dat_text *formats, *kallsyms = dat_kallsyms(reader);
	size_t nr = dat_formats(reader, &formats);
	struct comms comms = { .intervals = intervals };

	*functions = functions_new(kallsyms->text, kallsyms->size);
	if (!*functions)
		return false;
	intervals_set_gaps(intervals, in_gap, reader);
	intervals_set_symbols(intervals, functions_name, *functions);
	for (size_t i = 0; i < nr; i++)
		if (intervals_add_format(intervals, formats[i].system, formats[i].text,
					 formats[i].size))
			return false;
	intervals_set_uname(intervals, rbmap_recording_uname(reader));
	intervals_set_cgroups(intervals, dat_cgroups(reader));
	intervals_set_hosts(intervals, dat_hosts(reader));
	intervals_set_devices(intervals, dat_devices(reader));
	dat_each_comm(reader, add_comm, &comms);
	return !comms.failed;
}

int intervals_scan_recording(struct intervals *intervals, struct rbmap_recording *reader,
			     uint64_t from)
{
	struct rbmap_event ev;
	int ret;

	while ((ret = rbmap_recording_next(reader, &ev)) == 1) {
		ret = intervals_scan(intervals, &ev, from);
		if (ret)
			break;
	}
	rbmap_recording_rewind(reader);
	/* The error of a file is found again when its events are processed. */
	return ret == -ENOMEM ? ret : 0;
}

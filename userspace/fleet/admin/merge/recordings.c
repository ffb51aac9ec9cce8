// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/complain.h"
#include "recordings.h"

#define NS_PER_S	1000000000LL
#define OTHER_FILES	32	/* that the process has open */

static bool counts_ns(const char *clock)
{
	static const char *const names[] = {
		"local", "global", "mono", "mono_raw", "boot", "tai", "perf", NULL,
	};

	for (const char *const *name = names; *name; name++)
		if (!strcmp(*name, clock))
			return true;
	return false;
}

int64_t merge_input_tai_offset(const struct merge_input *input)
{
	struct dat_times times = *dat_times(input->reader);

	for (unsigned int i = 0; i < DAT_NR_MOMENTS; i++) {
		const struct rbmap_moment *moment = dat_times_moment(&times, i);

		if (moment->real && moment->tai_offset)
			return moment->tai_offset;
	}
	return 0;
}

static void set_point(struct tai_line *line, int i, const struct rbmap_moment *moment,
		      int64_t tai_offset)
{
	line->ring[i] = moment->ring;
	line->ahead[i] = (int64_t)(moment->real + tai_offset * NS_PER_S - moment->ring);
}

/*
 * Two clocks drift apart: a flight recorder may have begun weeks ago. So the line goes
 * through the first and the last moment. The rings were frozen at the trigger.
 */
static bool set_line(struct merge_input *input, int64_t tai_offset)
{
	const struct dat_times *times = dat_times(input->reader);
	const struct rbmap_moment *begin = &times->begin;
	const struct rbmap_moment *last = times->trigger.real ? &times->trigger : &times->end;
	int64_t known = merge_input_tai_offset(input);

	if (!last->real)
		last = begin;
	if (!begin->real)
		begin = last;
	if (!last->real) {
		complain("%s does not say when it was made: merge recordings of rbmap",
			 input->path);
		return false;
	}
	input->tai_unknown = !known;
	set_point(&input->line, 0, begin, known ? known : tai_offset);
	set_point(&input->line, 1, last, known ? known : tai_offset);
	return true;
}

/*
 * Sub-buffers are copied, those of one buffer. Buffers and corrections of times are trace-cmd's,
 * whose recordings do not say when they were made either.
 */
static bool is_whole(const struct merge_input *input)
{
	unsigned int named = 0;

	for (unsigned int i = 1; i < rbmap_recording_buffers(input->reader); i++)
		named += dat_buffer_has_data(input->reader, i);
	if (named) {
		complain("%s has the events of %u named buffers: merge recordings of the top buffer alone",
			 input->path, named);
		return false;
	}
	if (!dat_is_corrected(input->reader))
		return true;
	complain("%s has corrections of its times, which merge does not apply: merge recordings of rbmap",
		 input->path);
	return false;
}

bool merge_input_open(struct merge_input *input, int64_t tai_offset)
{
	int ret = dat_open(&input->reader, input->path);
	const char *clock;

	if (ret) {
		input->reader = NULL;
		complain("cannot read %s: %s", input->path, dat_strerror(ret));
		return false;
	}
	clock = rbmap_recording_clock(input->reader);
	if (!clock || !counts_ns(clock)) {
		complain("%s: its clock, %s, does not count nanoseconds: record with another one (-C)",
			 input->path, clock ? clock : "which is unknown");
		merge_input_close(input);
		return false;
	}
	input->nr_cpus = rbmap_recording_cpus(input->reader);
	if (is_whole(input) && set_line(input, tai_offset))
		return true;
	merge_input_close(input);
	return false;
}

void merge_input_close(struct merge_input *input)
{
	if (input->reader)
		rbmap_recording_close(input->reader);
	input->reader = NULL;
}

uint64_t tai_of(const struct tai_line *line, uint64_t ring)
{
	int64_t length = (int64_t)(line->ring[1] - line->ring[0]);
	int64_t at = (int64_t)(ring - line->ring[0]);
	int64_t drift = line->ahead[1] - line->ahead[0];

	/* A recording of less than a second says too little about the drift. */
	if (length < NS_PER_S)
		return ring + line->ahead[1];
	return ring + line->ahead[0] + (int64_t)((__int128)drift * at / length);
}

const char new_recording_header_event[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n"
	"\ttime_delta  :   27 bits\n"
	"\tarray       :   32 bits\n"
	"\n"
	"\tpadding     : type == 29\n"
	"\ttime_extend : type == 30\n"
	"\ttime_stamp : type == 31\n"
	"\tdata max type_len  == 28\n";

unsigned int new_recording_cpus_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max > UINT_MAX)
		return UINT_MAX;
	return limit.rlim_max > OTHER_FILES ? limit.rlim_max - OTHER_FILES : 0;
}

void new_recording_allow_cpus(unsigned int nr)
{
	rlim_t files = (rlim_t)nr + OTHER_FILES;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= files)
		return;
	limit.rlim_cur = files < limit.rlim_max ? files : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

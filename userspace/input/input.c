// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/complain.h"
#include "base/files.h"
#include "base/printable.h"
#include "command/command.h"
#include "input.h"
#include "print/session_recording.h"
#include "recording/dat_read.h"

int input_failed(const struct input *in, int error)
{
	complain("cannot read %s: %s", in->path, dat_strerror(error));
	return STATUS_ERROR;
}

static int open_standard_input(struct input *in, int *ret)
{
	int fd = standard_input_file();

	in->path = "standard input";
	if (fd < 0)
		return STATUS_ERROR;	/* standard_input_file() has reported the error */
	*ret = dat_open_fd(&in->reader, fd);
	return STATUS_OK;
}

static void tell_buffers(const struct input *in)
{
	struct buf list = { 0 };

	for (unsigned int i = 1; i < rbmap_recording_buffers(in->reader); i++) {
		const char *name = rbmap_recording_buffer_name(in->reader, i);

		buf_printf(&list, "%s", i > 1 ? ", " : ": it has the buffer top, and ");
		buf_add_printable(&list, name, strlen(name));
	}
	buf_add(&list, "", 1);
	complain("%s has no buffer '%s'%s", in->path, in->buffer,
		 !list.failed && list.size > 1 ? list.data : ": it has only one, top");
	buf_free(&list);
}

/* A buffer that is named top comes before the one without a name, which "" is, too. */
static bool choose_buffer(const struct input *in)
{
	unsigned int nr = rbmap_recording_buffers(in->reader), i = *in->buffer ? 1 : 0;

	while (i < nr && strcmp(rbmap_recording_buffer_name(in->reader, i), in->buffer))
		i++;
	if (i >= nr && !strcmp(in->buffer, TOP_BUFFER))
		i = 0;
	if (i < nr)
		rbmap_recording_choose_buffer(in->reader, i);
	else
		tell_buffers(in);
	return i < nr;
}

bool input_has_buffers(const struct input *in)
{
	return !in->buffer && rbmap_recording_buffers(in->reader) > 1;
}

int input_choose_one_buffer(const struct input *in)
{
	struct buf list = { 0 };
	unsigned int found = 0, nr = 0;

	for (unsigned int i = 0; !in->buffer && i < rbmap_recording_buffers(in->reader); i++) {
		const char *name = i ? rbmap_recording_buffer_name(in->reader, i) : TOP_BUFFER;

		if (!dat_buffer_has_data(in->reader, i))
			continue;
		if (nr++)
			buf_printf(&list, ", ");
		buf_add_printable(&list, name, strlen(name));
		found = i;
	}
	if (nr > 1) {
		buf_add(&list, "", 1);
		complain("%s has the events of several buffers: choose one with --buffer%s%s",
			 in->path, list.failed ? "" : ": ", list.failed ? "" : list.data);
	} else if (nr) {
		rbmap_recording_choose_buffer(in->reader, found);
	}
	buf_free(&list);
	return nr > 1 ? STATUS_ERROR : STATUS_OK;
}

int input_open(struct input *in)
{
	int ret = 0;

	if (!is_standard_file(in->path))
		ret = dat_open(&in->reader, in->path);
	else if (open_standard_input(in, &ret))
		return STATUS_ERROR;
	if (!ret)
		return !in->buffer || choose_buffer(in) ? STATUS_OK : STATUS_ERROR;
	if (ret == -ENOENT)
		complain("%s does not exist: 'rbmap record' makes a recording, 'rbmap report FILE' reads another",
			 in->path);
	else if (ret < DAT_ERR_LAST)
		complain("%s %s", in->path, dat_strerror(ret));
	else
		input_failed(in, ret);
	return ret == RBMAP_ERR_CUT ? STATUS_CUT : STATUS_ERROR;
}

static bool parse_bound(const struct input *in, const char *option, const char *text,
			uint64_t *bound)
{
	const char *wrong = text ? time_view_parse(&in->time, text, bound) : NULL;

	if (wrong)
		complain("%s: %s '%s': %s", in->path, option, text, wrong);
	return !wrong;
}

int input_check_times(const struct input *in, const struct command *cmd)
{
	if (in->relative + in->wall + in->utc > 1)
		return usage_error(cmd, "--wall, --utc and --relative exclude each other");
	return STATUS_OK;
}

enum time_style input_time_style(const struct input *in)
{
	return in->relative ? TIME_RELATIVE : in->utc ? TIME_WALL_UTC : in->wall ? TIME_WALL :
	       TIME_RING;
}

bool input_set_times(struct input *in)
{
	bool known = time_view_init_recording(&in->time, in->reader);

	in->from = 0;
	in->to = UINT64_MAX;
	if (!parse_bound(in, "--since", in->since, &in->from) ||
	    !parse_bound(in, "--until", in->until, &in->to))
		return false;
	if ((in->wall || in->utc) && !known) {
		complain("%s does not say when it was made: its recorder is trace-cmd, or rbmap before 0.2; print the ring's times, or --relative",
			 in->path);
		return false;
	}
	in->time.style = input_time_style(in);
	return true;
}

int input_tell_damage(const struct input *in, const char *done)
{
	struct rbmap_damage damage;

	damage = *rbmap_recording_damage(in->reader);
	if (damage.busy)
		complain("%s is still being recorded: its events up to now were %s", in->path,
			 done);
	else if (damage.unfinished)
		complain("%s was not finished, because its recorder was killed: its complete events were %s; 'rbmap recover %s' completes the file",
			 in->path, done, in->path);
	if (damage.lacking)
		complain("%s lacks the files of %u CPUs, %s.cpuN: their events were not %s",
			 in->path, damage.lacking, in->path, done);
	if (damage.missing)
		complain("%s is truncated, %" PRIu64 " bytes of events are missing: the remaining events were %s",
			 in->path, damage.missing, done);
	if (damage.broken)
		complain("%s is damaged, %" PRIu64 " sub-buffers are invalid: the rest of each was skipped",
			 in->path, damage.broken);
	return damage.unfinished || damage.missing || damage.broken ?
	       STATUS_CUT : STATUS_OK;
}

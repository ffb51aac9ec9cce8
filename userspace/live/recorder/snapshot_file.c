// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "snapshot_file.h"

#define FILE_NAME	"snapshot"

/* The buffer, as an option of a command that a message names */
static const char *buffer_option(void)
{
	return control_buffer() ? " -B " : "";
}

static const char *buffer_name(void)
{
	return control_buffer() ? control_buffer() : "";
}

bool snapshot_file_none(void)
{
	char *text = control_read(FILE_NAME);
	bool none;

	if (!text) {
		control_complain(CONTROL_READ, FILE_NAME, -errno);
		return false;
	}
	none = !strcmp(text, "0");
	free(text);
	if (!none)
		complain("a snapshot exists already: save it with 'rbmap snapshot%s%s --read-existing', or free it with 'rbmap snapshot%s%s --free'",
			 buffer_option(), buffer_name(), buffer_option(), buffer_name());
	return none;
}

bool snapshot_file_take(void)
{
	int ret;

	if (!snapshot_file_none())
		return false;
	ret = control_write(FILE_NAME, "1");
	if (ret == -ENOMEM)
		complain("not enough memory for a snapshot, which needs as much memory as the rings: the rings are unchanged; use a smaller buffer_size_kb");
	else if (ret)
		control_complain(CONTROL_WRITE, FILE_NAME, ret);
	return !ret;
}

bool snapshot_file_free(void)
{
	return control_set(FILE_NAME, "0");
}

static bool write_file(const struct recording *recording, const char *path,
		       struct recorder *recorder)
{
	int clock = recorder_clock(recorder);
	struct dat_writer *writer = NULL;
	struct buf clocks = { 0 };

	/*
	 * Use the rings' clock: trace_clock may have changed since the
	 * snapshot.
	 */
	control_print_clocks(&clocks, clock);
	if (clocks.failed)
		complain("out of memory");
	else
		writer = recording_create(recording, path, recorder,
					  clocks.data);
	buf_free(&clocks);
	if (!writer)
		return false;
	recorder_read_all(recorder, writer, recording->fields, clock);
	return recording_finish(recording, writer, path, recorder);
}

bool snapshot_file_write(const struct recording *recording, const char *path)
{
	struct recorder *recorder = recorder_open(control_snapshot_devices());
	bool ok = recorder && write_file(recording, path, recorder);

	if (recorder)
		recorder_close(recorder);
	if (!ok)
		complain("the snapshot remains in memory: 'rbmap snapshot%s%s --read-existing -o FILE' saves it where there is space",
			 buffer_option(), buffer_name());
	return ok;
}

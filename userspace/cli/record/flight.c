// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "command/service.h"
#include "directory.h"
#include "flight.h"
#include "kernel/control.h"
#include "live/recorder/assembly.h"
#include "live/recorder/snapshot_file.h"

bool flight_lock_directory(struct flight *f)
{
	if (f->files.dir)
		f->lock_fd = directory_lock_take(f->files.dir);
	return !f->files.dir || f->lock_fd >= 0;
}

/* An open marker prevents 'rbmap destroy' and 'rbmap unload', and does nothing else. */
static void hold_buffer(struct flight *f)
{
	char marker[128];

	snprintf(marker, sizeof(marker), "%s/marker", control_devices());
	f->held_fd = open(marker, O_WRONLY | O_CLOEXEC);
}

static bool set_overwrite(struct flight *f)
{
	char *before = control_read("overwrite");

	if (!before) {
		control_complain(CONTROL_READ, "overwrite", -errno);
		return false;
	}
	if (!strcmp(before, "1")) {
		free(before);
		return true;
	}
	f->overwrite = before;
	return control_set("overwrite", "1");
}

bool flight_begin(struct flight *f, struct recording *recording, bool starts_empty,
		  const struct control_events *events, recording_wanted_fn *wanted,
		  const void *data)
{
	const struct assembly_options options = recording_assembly_options(recording);

	recording_begins(recording);
	hold_buffer(f);
	recording->assembly = assembly_new(&options);
	if (f->files.dir && recording->assembly)
		incident_leftovers_complete(f->files.dir, recording->assembly);
	/*
	 * If a ring has a reader, the sub-buffer that the reader holds is never
	 * overwritten. A snapshot that is taken and freed leaves rings without
	 * readers.
	 */
	if (starts_empty && !(snapshot_file_take() && snapshot_file_free() &&
			      recorder_counts_init(&f->counts)))
		return false;
	if (!set_overwrite(f))
		return false;
	if (!f->trigger_options.pattern)
		return true;
	f->trigger = trigger_open(&f->trigger_options, events, wanted, data);
	return f->trigger;
}

/* Write the snapshot that is in memory. */
static bool write_dump(struct flight *f, struct recording *recording)
{
	char path[PATH_MAX];

	incident_files_remove_old(&f->files);
	if (!incident_files_name(&f->files, path, sizeof(path)))
		return false;
	if (!snapshot_file_write(recording, path, &f->counts)) {
		if (!f->buffer_ends)
			snapshot_file_tell_kept();
		return false;
	}
	f->files.nr++;
	f->holds_snapshot = false;
	if (f->lock_fd >= 0)
		directory_lock_saved(f->lock_fd);
	/* The new file counts when it has its size. */
	if (f->files.dir && recording->assembly)
		assembly_add_removal_of_old(recording->assembly, &f->files);
	else
		incident_files_remove_old(&f->files);
	return snapshot_file_free();
}

/* A snapshot that could not be written comes first. */
static bool dump(struct flight *f, struct recording *recording, const char *reason)
{
	if (f->holds_snapshot && !write_dump(f, recording))
		return false;
	if (!snapshot_file_take())
		return false;
	f->holds_snapshot = true;
	recording_triggers(recording, reason);
	if (f->trigger)
		trigger_covered(f->trigger);
	return write_dump(f, recording);
}

static void tell_status(const struct flight *f)
{
	char text[128];

	snprintf(text, sizeof(text), f->dump_failed ?
		 "%u files written; the last one could not be written" :
		 "%u files written", f->files.nr);
	service_status(text);
}

static bool dump_now(struct flight *f, struct recording *recording, const char *reason)
{
	/* A recorder without a directory ends with a file that it cannot write. */
	f->buffer_ends = f->own_buffer && !f->files.dir;
	f->dump_failed = !dump(f, recording, reason);
	tell_status(f);
	return !f->dump_failed || f->files.dir;
}

bool flight_dump_at_signal(struct flight *f, struct recording *recording,
			   const siginfo_t *info)
{
	char reason[64];
	bool goes_on;

	if (dump_request_is_repeated(info))
		return true;
	snprintf(reason, sizeof(reason), "SIGUSR1 of process %d", (int)info->si_pid);
	goes_on = dump_now(f, recording, reason);
	dump_request_answer(info, !f->dump_failed);
	return goes_on;
}

bool flight_dump_at_trigger(struct flight *f, struct recording *recording)
{
	char reason[DAT_REASON_SIZE];

	return !f->trigger || !trigger_fires(f->trigger, reason, sizeof(reason)) ||
	       dump_now(f, recording, reason);
}

bool flight_dump_last(struct flight *f, struct recording *recording)
{
	if (f->dump_failed && !f->files.dir)
		return true;
	f->buffer_ends = f->own_buffer;
	f->dump_failed = !dump(f, recording, "the end of the recording");
	return !f->dump_failed;
}

void flight_tell_missed(const struct flight *f)
{
	bool more = false;
	uint64_t missed = f->trigger ? trigger_missed(f->trigger, &more) : 0;
	uint64_t held_off = f->trigger ? trigger_held_off(f->trigger) : 0;

	if (held_off)
		complain("note: %" PRIu64 " events of --trigger were held off, because they came less than %g s after a file: see --holdoff",
			 held_off, f->trigger_options.holdoff);
	if (missed || more)
		complain("note: %s%" PRIu64 " events were overwritten before --trigger could look at them: avoid it with a larger buffer_size_kb",
			 more ? "more than " : "", missed);
}

bool flight_end(struct flight *f)
{
	bool ok = !f->overwrite || control_set("overwrite", f->overwrite);

	free(f->overwrite);
	f->overwrite = NULL;
	recorder_counts_free(&f->counts);
	if (f->trigger)
		trigger_close(f->trigger);
	f->trigger = NULL;
	return ok;
}

void flight_release(struct flight *f, bool complete)
{
	if (f->lock_fd >= 0)
		directory_lock_release(f->lock_fd, complete);
	f->lock_fd = -1;
	if (f->held_fd >= 0)
		close(f->held_fd);
	f->held_fd = -1;
}

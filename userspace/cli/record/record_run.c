// SPDX-License-Identifier: GPL-2.0-only
/* A recording from its begin to its end. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/process.h"
#include "base/units.h"
#include "command/service.h"
#include "live/recorder/assembly.h"
#include "live/recorder/open_files.h"
#include "live/recorder/snapshot_file.h"
#include "record.h"

#define TICK_MS		500
#define PATIENT_TICK_MS	32000
#define ROTATE_MS	100
#define LOOK_MS		20	/* in ms; a ring can be overwritten in less than a second */

static bool wanted(const void *data, const struct control_event *ev)
{
	const struct record *r = data;

	return !ev->unavailable && (r->patterns.nr ? ev->selected :
						     ev->enabled);
}

static bool any_wanted(const struct record *r)
{
	for (size_t i = 0; i < r->events.nr; i++)
		if (wanted(r, &r->events.v[i]))
			return true;
	return false;
}

static bool create_file(struct record *r)
{
	r->clocks = control_read("trace_clock");
	if (!r->clocks) {
		control_complain(CONTROL_READ, "trace_clock", -errno);
		return false;
	}
	r->clock = control_clock_of(r->clocks);
	r->path = r->output;
	if (rotation_is_wanted(&r->rotation)) {
		struct assembly_options options = recording_assembly_options(&r->recording);

		r->rotation.output = r->output;
		r->path = rotation_next_name(&r->rotation);
		r->recording.assembly = assembly_new(&options);
	}
	if (r->path)
		r->writer = recording_create(&r->recording, r->path, r->recorder, r->clocks);
	return r->writer;
}

/* Go on in the next file. Return false if that failed, which ends the recording. */
static bool rotate(struct record *r)
{
	const char *before = r->path, *path = rotation_next_name(&r->rotation), *removed;
	struct dat_writer *old = r->writer, *new;
	bool ok = true;

	new = path ? recording_create(&r->recording, path, r->recorder, r->clocks) : NULL;
	if (!new)
		return false;
	if (!recording_publish(new, path)) {
		dat_discard(new);
		return false;
	}
	recorder_switch(r->recorder, new);
	r->writer = new;
	r->path = path;
	r->bytes += dat_bytes(old);
	if (!recording_end_file(&r->recording, old, before, r->recorder))
		ok = false;
	while ((removed = rotation_next_removed(&r->rotation)))
		if (!assembly_add_removal(r->recording.assembly, removed))
			ok = false;
	return ok;
}

/*
 * The files of each CPU beside those of one recording. A rotation creates the next files
 * before it closes the present ones, and the files of before are being assembled meanwhile,
 * as those of a flight recorder are. A trigger has observers: a ring and an eventfd.
 */
static unsigned int further_files(const struct record *r)
{
	if (rotation_is_wanted(&r->rotation))
		return 1 + 1;
	if (r->is_flight)
		return 1 + (r->flight.trigger_options.pattern ? 2 : 0);
	return 0;
}

static bool prepare(struct record *r)
{
	uint64_t on;

	if (!flight_lock_directory(&r->flight) || !control_present() ||
	    !private_buffer_begin(&r->own, r->is_flight) ||
	    (r->is_flight && !snapshot_file_none()))
		return false;
	if (!control_has_formats())
		return false;
	open_files_expect(further_files(r));
	r->recorder = recorder_open(control_devices());
	if (!r->recorder || control_events_read(&r->events))
		return false;
	if (!private_buffer_is_private(&r->own) && r->seconds && !r->recording.quiet)
		selection_tell(&r->events);
	r->made.quiet = r->recording.quiet;
	if (r->purpose && !purpose_add_events(r->purpose, &r->patterns, r->recording.quiet))
		return false;
	if (control_events_demand(&r->events, r->patterns.pattern, r->patterns.nr) ||
	    !auto_probes_begin(&r->made, &r->events, &r->patterns))
		return false;
	if (r->patterns.nr &&
	    control_select(&r->events, r->patterns.pattern,
			   r->patterns.nr))
		return false;
	/* Without enabled events, -d 0 still records what the rings hold. */
	if (!r->patterns.nr && r->seconds && !any_wanted(r)) {
		complain("no event is enabled: name events with -e ('rbmap list' lists them)");
		return false;
	}
	if (!control_read_u64("tracing_on", &on) && !on && r->seconds)
		complain("warning: tracing_on is 0, and nothing is recorded until it is 1: echo 1 > %s/tracing_on",
			 control_dir());
	/* Begin with the events: a thread is then in them, or in /proc, or both. */
	if (r->seconds && recorder_can_open_names(r->recorder))
		r->recording.comm_events =
			comm_events_begin(recorder_clock(r->recorder));
	/* Another command may enable any event in a buffer that it knows. */
	r->recording.only_wanted = r->patterns.nr && private_buffer_is_private(&r->own);
	if (!recording_init(&r->recording, &r->events, wanted, r))
		return false;
	if (private_buffer_is_private(&r->own) && r->recording.hashed && !r->recording.quiet)
		complain("note: addresses of functions are hashed: kernel.kptr_restrict is 2, or CAP_SYSLOG is missing");
	return r->is_flight || create_file(r);
}

/*
 * Old events in the rings belong to a recording of the enabled events. They do
 * not belong to a recording with its own events or its own command.
 */
static bool begins_empty(const struct record *r)
{
	return r->patterns.nr || r->event_select.nr_pids || r->event_select.nr_cgroups ||
	       r->command;
}

/* A buffer of its own has no old events. */
static bool must_discard(const struct record *r)
{
	return begins_empty(r) && !private_buffer_is_private(&r->own);
}

/*
 * Does nobody look at the recording before it ends? Then an idle machine is woken seldom. A
 * flight recorder is a service, and answers its watchdog at each look.
 */
static bool is_patient(const struct record *r)
{
	return !r->is_flight && !rotation_is_wanted(&r->rotation) &&
	       (r->recording.quiet || !r->progress.wanted);
}

static bool start_threads(struct record *r)
{
	const struct comm_fields *fields =
		begins_empty(r) ? NULL : r->recording.fields;
	int ret;

	progress_begin(&r->progress);
	recorder_set_patient(r->recorder, is_patient(r));
	recorder_set_signal(r->recorder, SIGIO);
	ret = recorder_start(r->recorder, r->writer, fields, r->clock);

	if (ret)
		complain("cannot start a thread: %s (see ulimit -u)",
			 strerror(-ret));
	return !ret;
}

static bool discard(struct record *r)
{
	int ret = recorder_discard(r->recorder);

	if (ret)
		complain("cannot read the rings: %s", rbmap_strerror(ret));
	return !ret;
}

/* An event that the recording leaves out does not trigger. */
static bool complete_trigger(struct record *r)
{
	struct trigger_options *options = &r->flight.trigger_options;

	options->self = r->own.records_self;
	if (!options->filter || !r->event_select.filter)
		return true;
	if (asprintf(&r->trigger_filter, "(%s) && (%s)", r->event_select.filter,
		     options->filter) < 0) {
		r->trigger_filter = NULL;
		complain("out of memory");
		return false;
	}
	options->filter = r->trigger_filter;
	return true;
}

/* The rings were opened to check that they can be read, and to discard old events. */
static bool begin_flight(struct record *r)
{
	if (must_discard(r) && !discard(r))
		return false;
	recorder_close(r->recorder);
	r->recorder = NULL;
	r->flight.own_buffer = private_buffer_is_private(&r->own);
	if (!complete_trigger(r))
		return false;
	return flight_begin(&r->flight, &r->recording, must_discard(r), &r->events, wanted,
			    r);
}

static bool start(struct record *r)
{
	if (r->patterns.nr && control_disable_others(&r->events))
		return false;
	if (!event_select_begin(&r->event_select, &r->events))
		return false;
	if (must_discard(r) && !r->is_flight && !discard(r))
		return false;
	if (!(r->is_flight ? begin_flight(r) : start_threads(r)))
		return false;
	/* All threads have begun, and no event is enabled yet. */
	if (r->patterns.nr && !private_buffer_leave_out_self(&r->own))
		return false;
	if (r->patterns.nr && control_enable_selected(&r->events, true))
		return false;
	return true;
}

static void show_progress(struct record *r)
{
	char size[SIZE_TEXT];

	if (!r->recording.quiet && progress_due(&r->progress))
		progress_show(&r->progress, "%s: %" PRIu64 " events, %s, %" PRIu64 " lost ",
			      r->path, recorder_events(r->recorder),
			      size_text(r->bytes + dat_bytes(r->writer), size),
			      recorder_lost(r->recorder));
}

/* Only wait_for_end() handles these signals. */
static void block_signals(const struct record *r, sigset_t *set)
{
	sigemptyset(set);
	if (r->is_flight)
		sigaddset(set, SIGUSR1);
	assembly_add_signals(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGIO);
	pthread_sigmask(SIG_BLOCK, set, NULL);
	/*
	 * A limit on the size of files then returns an error, as a full disk
	 * does.
	 */
	signal(SIGXFSZ, SIG_IGN);
	/* The recording goes on without a terminal. */
	signal(SIGPIPE, SIG_IGN);
}

/* Return false if the recording ends. */
static bool take_signal(struct record *r, const siginfo_t *info)
{
	switch (info->si_signo) {
	case SIGCHLD:
		return !child_ended(&r->child);
	case SIGIO:
		return true;
	case SIGUSR1:
		return flight_dump_at_signal(&r->flight, &r->recording, info);
	}
	child_pass_on(&r->child, info);
	return false;
}

/* The time until the next look, if no signal comes */
static long tick_ms(const struct record *r)
{
	long watched = service_interval_ms(), tick = PATIENT_TICK_MS;

	if (r->flight.trigger)
		tick = LOOK_MS;
	else if (rotation_is_wanted(&r->rotation))
		tick = ROTATE_MS;
	else if (!is_patient(r) || !private_buffer_is_private(&r->own) || !r->cpus_are_watched)
		tick = TICK_MS;
	return watched && watched < tick ? watched : tick;
}

static void wait_for_end(struct record *r, const sigset_t *set)
{
	double deadline = r->seconds < 0 ? 1e18 : now() + r->seconds;

	while (r->is_flight || !recorder_ended(r->recorder)) {
		double left = deadline - now(), seconds = tick_ms(r) / 1000.0;
		struct timespec tick;
		siginfo_t info;
		int sig;

		if (left <= 0)
			break;
		if (left < seconds)
			seconds = left;
		tick.tv_sec = seconds;
		tick.tv_nsec = (seconds - tick.tv_sec) * 1e9;
		service_alive();
		sig = sigtimedwait(set, &info, &tick);
		if (sig > 0 && !take_signal(r, &info))
			break;
		if (!flight_dump_at_trigger(&r->flight, &r->recording))
			break;
		if (sig < 0 && r->writer && !private_buffer_is_private(&r->own))
			shared_ring_look(&r->shared);
		if ((sig < 0 || sig == SIGIO) && r->writer) {
			r->cpus_are_watched = recorder_look_for_cpus(r->recorder);
			show_progress(r);
		}
		if (rotation_is_wanted(&r->rotation) &&
		    rotation_is_due(&r->rotation, dat_bytes(r->writer)) && !rotate(r)) {
			r->rotation_failed = true;
			break;
		}
	}
}

/*
 * Events of all kinds end at the same moment, although one after the other is disabled. The
 * buffer of others keeps its setting.
 */
static bool stop_recording(const struct record *r)
{
	return !r->began || !private_buffer_is_private(&r->own) || control_set("tracing_on", "0");
}

/*
 * Other events may stay enabled, so the recorder threads must not wait for
 * empty rings.
 */
static bool stop_events(struct record *r)
{
	bool ok = stop_recording(r);

	if (control_disable_ours(&r->events))
		ok = false;

	if (r->recorder)
		recorder_stop(r->recorder);
	else if (r->began && !flight_dump_last(&r->flight, &r->recording))
		ok = false;
	if (!event_select_end(&r->event_select, &r->events))
		ok = false;
	if (!private_buffer_restore_self(&r->own))
		ok = false;
	if (!private_buffer_is_private(&r->own) && control_restore(&r->events))
		ok = false;
	return ok;
}

/* Remove all traces of a recording that did not begin. */
static void abandon(struct record *r)
{
	child_signal(&r->child, SIGKILL);
	stop_events(r);
	flight_end(&r->flight);
	assembly_end(r->recording.assembly);
	if (r->writer)
		dat_discard(r->writer);
}

static bool finish(struct record *r)
{
	bool ok = stop_events(r);

	if (r->is_flight) {
		flight_tell_missed(&r->flight);
		if (r->flight.dump_failed && private_buffer_is_private(&r->own))
			complain("the recorder ends, and its buffer with it: the events that no file has are lost%s",
				 r->flight.files.dir ? "" :
				 "; with --directory it goes on after a full disk");
		if (!flight_end(&r->flight))
			ok = false;
		/* Wait until all files are complete. */
		return assembly_end(r->recording.assembly) && ok && !r->flight.dump_failed;
	}
	progress_end(&r->progress);
	if (!recording_finish(&r->recording, r->writer, r->path, r->recorder))
		ok = false;
	/* Wait until all files are complete, and the oldest ones are removed. */
	if (!assembly_end(r->recording.assembly))
		ok = false;
	if (r->rotation.removed)
		fprintf(stderr, "%" PRIu64 " older files were removed\n", r->rotation.removed);
	return ok && !r->rotation_failed;
}

/*
 * The file is complete, so the command may run on for any time. The signals that end a
 * recording go to it. SIGIO has come from the kernel or from a recorder's thread.
 */
static void wait_for_command(struct record *r, const sigset_t *set)
{
	while (r->child.pid && !child_ended(&r->child)) {
		siginfo_t info;
		int sig = sigwaitinfo(set, &info);

		if (sig == SIGUSR1)
			dump_request_answer(&info, false);
		if (sig <= 0 || sig == SIGCHLD || sig == SIGIO || sig == SIGUSR1)
			continue;
		child_pass_on(&r->child, &info);
		return;
	}
}

bool record_run(struct record *r)
{
	sigset_t set;
	bool ok;

	block_signals(r, &set);
	if (!prepare(r))
		return false;
	ok = !r->command || child_prepare(&r->child, r->command);
	if (ok)
		ok = start(r);
	if (ok && r->command)
		ok = child_start(&r->child);
	if (ok && r->writer)
		ok = recording_publish(r->writer, r->path);
	if (!ok) {
		abandon(r);
		return false;
	}
	r->began = true;
	if (r->is_flight && !r->recording.quiet)
		fprintf(stderr, "the flight recorder is running: 'kill -USR1 %d' writes its events to %s\n",
			getpid(), r->flight.files.dir ? r->flight.files.dir : r->output);
	service_ready("recording");
	wait_for_end(r, &set);
	service_stopping();
	ok = finish(r);
	wait_for_command(r, &set);
	if (r->command)
		child_tell_status(&r->child);
	return ok;
}

void record_clean_up(struct record *r, bool ok)
{
	if (r->recorder)
		recorder_close(r->recorder);
	flight_release(&r->flight, ok || !r->began);
	auto_probes_end(&r->made);
	private_buffer_end(&r->own);
	free(r->trigger_filter);
	free(r->clocks);
	rotation_free(&r->rotation);
	recording_free(&r->recording);
	control_events_free(&r->events);
}

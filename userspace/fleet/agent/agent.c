// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "agent/uplink/clocks.h"
#include "agent/uplink/files.h"
#include "base/complain.h"
#include "base/process.h"
#include "base/units.h"
#include "command/service.h"

#define SECOND		1000000000ULL
#define PERIOD		(60 * SECOND)
#define WAIT_MS		1000	/* also the time between two looks at the incident directory */
#define ONCE_WAIT_MS	200
#define MMAP_BYTES	(64 << 10)
#define FIRST_TRIM	(10 * SECOND)

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static bool stopped(void)
{
	/* Long loops call this function: tell the watchdog that the agent works. */
	service_busy();
	return stop;
}

/* Without SA_RESTART, so that waiting ends. */
static void catch_signals(void)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	if (!hangup_is_ignored())
		sigaction(SIGHUP, &act, NULL);
}

static void tell_status(const struct agent *a)
{
	static char last[128];
	char text[sizeof(last)], size[SIZE_TEXT];

	snprintf(text, sizeof(text), "%zu incidents wait, %s%s", a->spool.nr,
		 size_text(a->spool.bytes, size),
		 *a->uplink.publishing.text ? "; the transport does not work" : "");
	if (!strcmp(text, last))
		return;
	memcpy(last, text, sizeof(last));
	service_status(text);
}

/* Send the records of losses: new ones now, and others again each minute. */
static int send_losses(struct agent *a)
{
	struct losses *l = &a->spool.losses;
	bool again = clock_monotonic() >= a->losses;
	int ret = 0;

	for (size_t i = 0; i < l->nr && !ret; i++) {
		struct buf text = { 0 };
		struct loss_sums sums;

		/* Mark it as sent before that: a record that may be stored must not be merged. */
		if ((l->v[i].sent && !again) || !losses_sent(l, &l->v[i]) ||
		    !losses_read(l->dir, l->v[i].id, &sums) || losses_text(l, &l->v[i], &text)) {
			buf_free(&text);
			continue;
		}
		ret = uplink_add(&a->uplink, MESSAGE_LOSS, l->v[i].id, 0,
				 sums.has_events && !sums.unknown ? sums.events :
				 MESSAGE_LOST_UNKNOWN, text.data, text.size, "loss");
		if (!ret)
			ret = uplink_publish(&a->uplink);
		buf_free(&text);
	}
	if (again && !ret)
		a->losses = clock_monotonic() + PERIOD;
	return ret;
}

static int send_answer(void *data, int dir, const char *name)
{
	struct agent *a = data;
	struct buf text = { 0 };
	int ret = files_read(dir, name, &text, EXECUTED_ANSWER_MAX);

	if (!ret)
		ret = uplink_add(&a->uplink, MESSAGE_ANSWER, name, 0, 0, text.data, text.size,
				 "answer");
	if (!ret)
		ret = uplink_publish(&a->uplink);
	if (!ret)
		files_remove(dir, name);
	buf_free(&text);
	return ret;
}

/* Return whether there is more to send. */
static bool send_some(struct agent *a)
{
	uint64_t now = clock_monotonic();
	int ret;

	if (uplink_open(&a->uplink) || !uplink_ready(&a->uplink))
		return false;
	ret = files_each(a->spool.answers, send_answer, a);
	if (!ret)
		ret = send_losses(a);
	if (!ret && now >= a->hello && hello_number() != a->hello_number) {
		ret = agent_say_hello(a);
		if (!ret)
			a->hello = now + PERIOD;
	}
	if (!ret && sending_wanted(&a->sending, &a->spool))
		ret = sending_step(&a->sending, &a->spool, &a->uplink);
	if (!ret && a->has_streams && stream_send_asks(&a->sender, &a->streams))
		a->hello = 0;
	if (!ret && a->has_streams)
		ret = stream_send(&a->sender, &a->streams, &a->uplink);
	return ret > 0 || (!ret && sending_wanted(&a->sending, &a->spool));
}

/*
 * The start, a new connection with TLS and each HELLO use 6 MiB of libraries, which an agent
 * that waits does not need.
 */
static void trim(struct agent *a)
{
	uint64_t now = clock_monotonic();

	if (now < a->trim)
		return;
	memory_trim();
	a->trim = now + PERIOD;
}

static int answer_waits(void *data, int dir, const char *name)
{
	(void)data;
	(void)dir;
	(void)name;
	return 1;
}

static bool all_is_stored(struct agent *a)
{
	return !a->spool.nr && !a->spool.losses.nr && !a->intake.unsettled && a->uplink.published &&
	       !files_each(a->spool.answers, answer_waits, NULL) &&
	       !files_each(a->spool.taking, answer_waits, NULL) &&
	       (!a->has_streams || stream_spool_is_stored(&a->streams));
}

/* Handle one message, which may ask for more work. Do a step of all other work before it. */
static void turn(struct agent *a)
{
	int wait_ms = a->options->once ? ONCE_WAIT_MS : WAIT_MS;
	bool more;

	service_alive();
	if (intake_due(&a->intake) && intake_run(&a->intake, NULL))
		a->hello = 0;
	if (stop)
		return;
	more = send_some(a);
	tell_status(a);
	agent_write_last_contact(a, false);
	if (!more && !a->options->once)
		trim(a);
	agent_receive(a, more ? 0 : wait_ms);
}

static int run(struct agent *a)
{
	double end = now() + a->options->timeout;

	while (!stop) {
		turn(a);
		if (!a->options->once)
			continue;
		if (all_is_stored(a))
			return STATUS_OK;
		if (now() >= end) {
			complain("%zu incidents were not stored within %g s: %s", a->spool.nr,
				 a->options->timeout, *a->uplink.publishing.text ?
				 a->uplink.publishing.text : "the collector did not answer");
			return STATUS_CUT;
		}
	}
	return a->options->once ? STATUS_CUT : STATUS_OK;
}

/* Return STATUS_OK if the agent can begin. */
static int begin(struct agent *a)
{
	int ret;

	ret = this_boot(a->uplink.boot);
	if (ret) {
		complain("cannot read the id of this boot: %s", ret == -ENOENT ?
			 "/proc is not mounted" : strerror(-ret));
		return STATUS_ERROR;
	}
	if (uplink_open(&a->uplink) == -EINVAL)
		return STATUS_USAGE;
	if (!spool_open(&a->spool, a->options->spool, a->options->spool_bytes))
		return STATUS_ERROR;
	ret = command_log_load(&a->command_log, a->spool.dir, a->spool.answers);
	if (ret) {
		complain("cannot read the list of commands in %s: %s", a->options->spool,
			 strerror(-ret));
		return STATUS_ERROR;
	}
	return intake_begin(&a->intake, a->options->incidents, &a->spool, stopped) ?
	       STATUS_OK : STATUS_ERROR;
}

static bool has_folder(const struct spool *s)
{
	return !faccessat(s->dir, STREAM_FOLDER, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* An earlier run can have left messages of streams, even if this run has no streams. */
static int begin_streams(struct agent *a)
{
	const struct agent_options *o = a->options;
	int ret;

	if (!o->streams.nr && !has_folder(&a->spool))
		return STATUS_OK;
	a->sender.cursor.fd = -1;
	a->sender.patience = o->patience ? o->patience : STREAM_PATIENCE;
	a->has_streams = true;
	ret = stream_spool_open(&a->streams, a->spool.dir, o->stream_bytes, a->uplink.boot);
	if (!ret && o->streams.nr && !o->once)
		ret = stream_begin(&a->stream, &a->streams,
				   o->access ? o->access : &stream_access_kernel, o->streams.name,
				   o->streams.nr, o->transport.host, a->uplink.boot);
	if (ret)
		complain("cannot open the spool of streams in %s: %s", o->spool, strerror(-ret));
	return ret ? STATUS_ERROR : STATUS_OK;
}

static void end_streams(struct agent *a)
{
	if (!a->has_streams)
		return;
	stream_end(&a->stream);
	if (a->streams.nr_segments)
		stream_spool_sync(&a->streams);
	stream_cursor_reset(&a->sender.cursor);
	stream_spool_close(&a->streams);
}

int agent_run(const struct agent_options *options)
{
	static struct agent a;
	int status;

	/* Set single members: the other pages of the structure take no memory until used. */
	a.options = options;
	a.uplink.options = options->transport;
	a.spool.dir = -1;
	a.intake.inotify = -1;
	a.hello_number = UINT64_MAX;
	a.trim = clock_monotonic() + FIRST_TRIM;
	/* Set the threshold, which glibc would raise: freed blocks above it leave the process. */
	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	catch_signals();
	status = begin(&a);
	if (!status)
		status = begin_streams(&a);
	if (!status) {
		service_ready("started");
		status = run(&a);
		service_stopping();
		agent_write_last_contact(&a, true);
	}
	end_streams(&a);
	sending_end(&a.sending, &a.uplink);
	intake_end(&a.intake);
	command_log_free(&a.command_log);
	if (a.spool.dir >= 0)
		spool_close(&a.spool);
	uplink_close(&a.uplink);
	return status;
}

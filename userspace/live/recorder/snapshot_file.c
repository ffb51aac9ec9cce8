// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/process.h"
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

bool snapshot_file_write(const struct recording *recording, const char *path,
			 struct recorder_counts *counts)
{
	struct recorder *recorder = recorder_open(control_snapshot_devices());
	bool ok = recorder && (!counts || recorder_begin_counts(recorder, counts)) &&
		  write_file(recording, path, recorder);

	/* A file that was not written leaves its counts to the next one. */
	if (ok && counts)
		recorder_keep_counts(recorder, counts);
	if (recorder)
		recorder_close(recorder);
	return ok;
}

void snapshot_file_tell_kept(void)
{
	uint64_t exists;

	if (control_read_u64(FILE_NAME, &exists) || !exists)
		return;
	complain("the snapshot remains in memory: 'rbmap snapshot%s%s --read-existing -o FILE' saves it where there is space",
		 buffer_option(), buffer_name());
}

/* ---- ask a flight recorder */

#define LOOK_MS		500	/* then look whether the recorder still runs */
#define AGAIN_SECONDS	2.0	/* between two signals with the same number */
#define MAX_ANSWERS	64	/* that a recorder remembers */

/* The latest answers of a recorder. The oldest one is overwritten. 0: no number */
static struct {
	int number;
	bool written;
} answers[MAX_ANSWERS];
static unsigned int nr_answers;

/* An abstract name begins with a 0, is in no directory, and ends with the socket. */
static socklen_t make_address(struct sockaddr_un *address, int number)
{
	int len;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	len = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "rbmap-dump-%d",
		       number);
	return offsetof(struct sockaddr_un, sun_path) + 1 + len;
}

/* Return the number of a request, or 0. */
static int request_number(const siginfo_t *request)
{
	if (request->si_code != SI_QUEUE || request->si_value.sival_int <= 0)
		return 0;
	return request->si_value.sival_int;
}

static void send_answer(int number, bool written)
{
	const char answer = written ? 'y' : 'n';
	struct sockaddr_un address;
	socklen_t len = make_address(&address, number);
	int fd;

	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* An asker who has left gets no answer. */
	sendto(fd, &answer, 1, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address, len);
	close(fd);
}

void dump_request_answer(const siginfo_t *request, bool written)
{
	int number = request_number(request);

	if (!number)
		return;
	answers[nr_answers].number = number;
	answers[nr_answers].written = written;
	nr_answers = (nr_answers + 1) % MAX_ANSWERS;
	send_answer(number, written);
}

bool dump_request_is_repeated(const siginfo_t *request)
{
	int number = request_number(request);

	for (unsigned int i = 0; number && i < MAX_ANSWERS; i++)
		if (answers[i].number == number) {
			send_answer(number, answers[i].written);
			return true;
		}
	return false;
}

/*
 * Abstract names belong to a network namespace, and a service can have one of its own
 * (PrivateNetwork=yes). Without the right to enter it, this process may be in it already.
 */
static void enter_network(pid_t recorder)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)recorder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	setns(fd, CLONE_NEWNET);
	close(fd);
}

/* Return a socket for the answer, and the number in its name. */
static int answer_socket(pid_t recorder, int *number)
{
	struct sockaddr_un address;
	socklen_t len;
	int fd;

	enter_network(recorder);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	if (getrandom(number, sizeof(*number), 0) != sizeof(*number)) {
		close(fd);
		return -1;
	}
	*number = (*number & 0x7fffffff) | 1;
	len = make_address(&address, *number);
	if (!bind(fd, (struct sockaddr *)&address, len))
		return fd;
	close(fd);
	return -1;
}

enum outcome { WRITTEN, FAILED, ENDED, SILENT, UNREACHABLE };

/*
 * The kernel keeps one SIGUSR1 at a time: another one that comes before it is taken is
 * dropped, with its number. So the request is sent again until the answer comes.
 */
static enum outcome wait_for_answer(int fd, pid_t recorder, int number, double seconds)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	double deadline = now() + seconds, next = 0;
	char answer;

	for (;;) {
		/* An answer that comes just before the end counts. */
		bool runs = !kill(recorder, 0);

		if (runs && now() >= next) {
			if (sigqueue(recorder, SIGUSR1, (union sigval){ .sival_int = number }) &&
			    errno != EAGAIN && errno != ESRCH)
				return UNREACHABLE;
			next = now() + AGAIN_SECONDS;
		}
		if (poll(&poll_fd, 1, runs ? LOOK_MS : 0) > 0 && read(fd, &answer, 1) == 1)
			return answer == 'y' ? WRITTEN : FAILED;
		if (!runs)
			return ENDED;
		if (now() >= deadline)
			return SILENT;
	}
}

bool dump_request(pid_t recorder, double seconds)
{
	int number, fd = answer_socket(recorder, &number);
	enum outcome outcome;

	if (fd < 0) {
		complain("cannot wait for process %d: %s", (int)recorder, strerror(errno));
		return false;
	}
	if (kill(recorder, 0)) {
		complain("cannot send SIGUSR1 to process %d: %s", (int)recorder, strerror(errno));
		close(fd);
		return false;
	}
	outcome = wait_for_answer(fd, recorder, number, seconds);
	if (outcome == UNREACHABLE)
		complain("cannot send SIGUSR1 to process %d: %s", (int)recorder, strerror(errno));
	else if (outcome == FAILED)
		complain("process %d could not write its file; its own messages have the reason",
			 (int)recorder);
	else if (outcome == ENDED)
		complain("process %d has ended, and did not say that it wrote its file",
			 (int)recorder);
	else if (outcome == SILENT)
		complain("process %d has not answered for %g s, and may still write its file; it may be no flight recorder, or be in another network namespace",
			 (int)recorder, seconds);
	close(fd);
	return outcome == WRITTEN;
}

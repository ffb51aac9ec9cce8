// SPDX-License-Identifier: GPL-2.0-only
/* splice(): whole sub-buffers, to pipes, files and sockets. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi.h"
#include "case.h"
#include "tap.h"

#define NB	SPLICE_F_NONBLOCK

/* The two ends of the pipe, and the number of the next event expected from it. */
static int to_pipe, from_pipe;
static uint64_t next;

static void open_pipe(size_t size)
{
	int ends[2];

	if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, size) < 0)
		bail_out("a pipe of %zu bytes: %s", size, error_name(errno));
	from_pipe = ends[0];
	to_pipe = ends[1];
}

static void close_pipe(void)
{
	close(from_pipe);
	close(to_pipe);
}

/* A pipe for all sub-buffers of the ring. */
static void open_large_pipe(void)
{
	open_pipe(data_size > 1 << 20 ? data_size : 1 << 20);
}

/* Empty the ring and write until the writer has left at least @closed sub-buffers. */
static void fill(unsigned int closed)
{
	fresh();
	next = number;
	more((closed + 1) * (subbuf_size / LARGE), LARGE);
}

static const char *bytes_word(ssize_t ret)
{
	static char word[32];

	if (ret < 0)
		return error_name(errno);
	if (ret && ret % subbuf_size == 0)
		snprintf(word, sizeof(word), "%zd whole", ret / subbuf_size);
	else
		snprintf(word, sizeof(word), "%zd", ret);
	return word;
}

static ssize_t splice_in(int fd, size_t len, unsigned int flags)
{
	return splice(fd, NULL, to_pipe, NULL, len, flags);
}

static size_t read_all(int fd, char *to, size_t len)
{
	size_t got = 0;
	ssize_t ret;

	while (got < len && (ret = read(fd, to + got, len - got)) > 0)
		got += ret;
	return got;
}

/* Return true if the record holds the text of that event, to the last byte. */
static bool intact(const struct record *record, uint64_t event, size_t len)
{
	char text[LARGE];
	int head;

	memset(text, '.', sizeof(text));
	head = snprintf(text, sizeof(text), "rbmap-test %016llx ",
			(unsigned long long)event);
	text[head] = '.';
	/* The marker adds the bytes behind the text's newline. */
	return memmem(record->payload, record->size, text, len - 1);
}

/*
 * Return true if the sub-buffer holds the next events, each as it was written,
 * with no loss between them and zeroes behind them.
 */
static bool go_on(const char *subbuf, size_t len)
{
	struct cursor cursor;
	struct record record;
	uint64_t event, lost;
	bool good;

	cursor_begin(&cursor, subbuf);
	while (cursor_next(&cursor, &record)) {
		if (!record_number(&record, &event) || event != next ||
		    !intact(&record, event, len)) {
			diag("event %llu is not there, or not as it was",
			     (unsigned long long)next);
			return false;
		}
		next++;
	}
	good = !cursor.bad && subbuf_lost(subbuf, subbuf_size, &lost) && !lost;
	return good && all_zero(subbuf + RBMAP_SUBBUF_HEADER_SIZE +
				subbuf_commit(subbuf), subbuf + subbuf_size);
}

/* Return true if these bytes of the pipe are sub-buffers with consecutive events. */
static bool pipe_goes_on(size_t len, size_t event_len)
{
	char *subbuf = malloc(subbuf_size);
	bool good = true;

	for (; len >= subbuf_size; len -= subbuf_size)
		good &= read_all(from_pipe, subbuf, subbuf_size) ==
			subbuf_size && go_on(subbuf, event_len);
	free(subbuf);
	return good && !len;
}

/*
 * Return true if the rest of the ring, the writer's sub-buffer included, ends
 * with the last event written.
 */
static bool rest_goes_on(int fd, size_t event_len)
{
	char *subbuf = malloc(subbuf_size);
	bool good = true;

	while (good && read(fd, subbuf, subbuf_size) == (ssize_t)subbuf_size)
		good = go_on(subbuf, event_len);
	free(subbuf);
	return good && next == number;
}

static void test_refused(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	int blocks = device_open(CPU, O_RDONLY);
	int file = open("/tmp/splice", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	off_t offset = 0;
	loff_t at = 0;

	open_large_pipe();
	fresh();
	case_text(bytes_word(splice_in(fd, 2 * subbuf_size, 0)), "EAGAIN",
		  "splice: empty");
	case_text(bytes_word(splice_in(blocks, 2 * subbuf_size, NB)), "EAGAIN",
		  "splice: empty, SPLICE_F_NONBLOCK");
	more(1, SMALL);
	case_text(bytes_word(splice_in(fd, 2 * subbuf_size, 0)), "EAGAIN",
		  "splice: an event in the sub-buffer that is written");
	fill(2);
	case_text(bytes_word(splice_in(fd, subbuf_size - 1, 0)), "EINVAL",
		  "splice: a byte less than a sub-buffer");
	case_text(bytes_word(splice_in(fd, 0, 0)), "0", "splice: 0 bytes");
	case_text(bytes_word(splice(fd, &at, to_pipe, NULL, subbuf_size, 0)),
		  "EINVAL", "splice: from an offset");
	case_text(bytes_word(splice(fd, NULL, file, NULL, subbuf_size, 0)),
		  "EINVAL", "splice: to no pipe");
	case_text(bytes_word(sendfile(file, fd, NULL, subbuf_size)), "EINVAL",
		  "splice: sendfile");
	case_text(bytes_word(sendfile(file, fd, &offset, subbuf_size)),
		  "ESPIPE", "splice: sendfile from an offset");
	case_error(error_of(fcntl(fd, F_SETFL, O_NONBLOCK | O_DIRECT)), EINVAL,
		   "splice: O_DIRECT");
	close(from_pipe);
	signal(SIGPIPE, SIG_IGN);
	case_text(bytes_word(splice_in(fd, subbuf_size, 0)), "EPIPE",
		  "splice: to a pipe that nobody reads");
	signal(SIGPIPE, SIG_DFL);
	close(to_pipe);
	case_ok(rest_goes_on(fd, LARGE), "splice: a refused call loses no event");
	close(file);
	unlink("/tmp/splice");
	close(blocks);
	close(fd);
}

static void test_whole(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	uint64_t began = number;
	ssize_t ret;

	open_large_pipe();
	fill(4);
	ret = splice_in(fd, subbuf_size, 0);
	case_text(bytes_word(ret), "1 whole", "splice: a sub-buffer");
	case_ok(pipe_goes_on(subbuf_size, LARGE), "splice: its events");
	ret = splice_in(fd, 3 * subbuf_size - 1, 0);
	case_text(bytes_word(ret), "2 whole", "splice: a byte less than three");
	case_ok(pipe_goes_on(2 * subbuf_size, LARGE), "splice: their events");
	ret = splice_in(fd, data_size, 0);
	case_ok(ret > 0 && ret % subbuf_size == 0, "splice: all that there are");
	case_ok(pipe_goes_on(ret, LARGE), "splice: events of all");
	case_ok(next < number, "splice: the sub-buffer that is being written stays");
	case_text(bytes_word(splice_in(fd, data_size, 0)), "EAGAIN",
		  "splice: all was taken");
	case_ok(rest_goes_on(fd, LARGE), "splice: read() gives the rest");
	case_is(stat_of(CPU, "read events"), number - began,
		"splice: counts as read");
	case_is(stat_of(CPU, "overrun"), 0, "splice: nothing overrun");
	close_pipe();
	close(fd);
}

/* Sub-buffers that other readers have begun to read. */
static void test_rest(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	char *subbuf = malloc(subbuf_size);
	ssize_t ret;

	open_large_pipe();
	fresh();
	next = number;
	more(2, LARGE);
	read(fd, subbuf, subbuf_size);
	case_ok(go_on(subbuf, LARGE), "splice: read() takes two events");
	more(2 * (subbuf_size / LARGE), LARGE);
	ret = splice_in(fd, subbuf_size, 0);
	case_text(bytes_word(ret), "1 whole", "splice: the rest of it");
	case_ok(pipe_goes_on(subbuf_size, LARGE),
		"splice: the rest of it: its events");
	case_ok(rest_goes_on(fd, LARGE), "splice: and all the others");
	free(subbuf);
	close_pipe();
	close(fd);
}

static void test_pipe_sizes(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);

	fill(4);
	open_pipe(subbuf_size);
	case_text(bytes_word(splice_in(fd, 4 * subbuf_size, 0)), "1 whole",
		  "splice: to a pipe of one sub-buffer");
	case_text(bytes_word(splice_in(fd, 4 * subbuf_size, NB)), "EAGAIN",
		  "splice: to a pipe that is full");
	case_ok(pipe_goes_on(subbuf_size, LARGE), "splice: a small pipe: events");
	case_text(bytes_word(splice_in(fd, 4 * subbuf_size, 0)), "1 whole",
		  "splice: to a pipe of one sub-buffer, again");
	case_ok(pipe_goes_on(subbuf_size, LARGE),
		"splice: a small pipe: events, again");
	if (subbuf_size > page) {
		if (write(to_pipe, "", 1) != 1)
			bail_out("pipe: %s", error_name(errno));
		case_text(bytes_word(splice_in(fd, 4 * subbuf_size, 0)),
			  "EAGAIN", "splice: to a pipe with too little room");
		close_pipe();
		open_pipe(subbuf_size / 2);
		case_text(bytes_word(splice_in(fd, 4 * subbuf_size, 0)),
			  "EINVAL", "splice: to a pipe of half a sub-buffer");
	}
	close_pipe();
	case_ok(rest_goes_on(fd, LARGE), "splice: small pipes: all the others");
	close(fd);
}

/* A sub-buffer in a pipe is not overwritten, whatever happens to the ring. */
static void test_stays(const char *what, bool mapped)
{
	struct client client;
	uint64_t until;
	ssize_t ret;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	if (!mapped)
		client_unmap(&client);
	open_large_pipe();
	fill(3);
	ret = splice_in(client.fd, 3 * subbuf_size, 0);
	case_text(bytes_word(ret), "3 whole", "splice: %s: three sub-buffers",
		  what);
	until = next;
	more(3 * nr_subbufs * (subbuf_size / LARGE), LARGE);
	case_ok(pipe_goes_on(3 * subbuf_size, LARGE),
		"splice: %s: as they were, three laps later", what);
	case_ok(next > until, "splice: %s: their events", what);
	close_pipe();
	client_close(&client);
}

static void test_file(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	int file = open("/tmp/splice", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	size_t len = 3 * subbuf_size;
	char *copy = malloc(len), *got = malloc(len);
	int copies[2];

	if (pipe(copies) || fcntl(copies[1], F_SETPIPE_SZ, len) < 0)
		bail_out("pipe: %s", error_name(errno));
	open_large_pipe();
	fill(3);
	splice_in(fd, len, 0);
	case_text(bytes_word(tee(from_pipe, copies[1], len, 0)), "3 whole",
		  "splice: tee");
	case_is(read_all(copies[0], copy, len), len,
		"splice: tee: read");
	case_text(bytes_word(splice(from_pipe, NULL, file, NULL, len,
				    SPLICE_F_MOVE)), "3 whole",
		  "splice: pipe to file");
	case_is(pread(file, got, len, 0), len, "splice: file: read");
	case_ok(!memcmp(copy, got, len), "splice: both have the same");
	case_ok(go_on(got, LARGE) && go_on(got + subbuf_size, LARGE) &&
		go_on(got + 2 * subbuf_size, LARGE), "splice: file: events");
	case_ok(rest_goes_on(fd, LARGE), "splice: file: all the others");
	close_pipe();
	close(copies[0]);
	close(copies[1]);
	close(file);
	unlink("/tmp/splice");
	free(copy);
	free(got);
	close(fd);
}

static void test_socket(const char *what, int in, int out)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	size_t len = 2 * subbuf_size, sent = 0, got = 0;
	char *to = malloc(len);
	ssize_t ret;

	/* The pipe has less room than that, and nobody reads from it. */
	fcntl(in, F_SETFL, O_NONBLOCK);
	open_large_pipe();
	fill(2);
	splice_in(fd, len, 0);
	while (got < len) {
		ret = splice(from_pipe, NULL, in, NULL, len - sent,
			     SPLICE_F_MORE | NB);
		if (ret > 0)
			sent += ret;
		ret = recv(out, to + got, len - got, sent < len ?
			   MSG_DONTWAIT : 0);
		if (ret > 0)
			got += ret;
	}
	case_is(got, len, "splice: %s: bytes", what);
	case_ok(go_on(to, LARGE) && go_on(to + subbuf_size, LARGE),
		"splice: %s: events", what);
	close_pipe();
	close(in);
	close(out);
	free(to);
	close(fd);
}

static void test_sockets(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	socklen_t len = sizeof(address);
	int ends[2], listener;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		if (errno != ENOSYS)
			bail_out("socketpair: %s", error_name(errno));
		skip("this kernel has no network", "splice: sockets");
		return;
	}
	test_socket("a socket", ends[0], ends[1]);

	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || ioctl(listener, SIOCSIFFLAGS, &up) ||
	    bind(listener, (void *)&address, len) || listen(listener, 1) ||
	    getsockname(listener, (void *)&address, &len) ||
	    connect(ends[0], (void *)&address, len))
		bail_out("TCP: %s", error_name(errno));
	ends[1] = accept(listener, NULL, NULL);
	close(listener);
	test_socket("TCP", ends[0], ends[1]);
}

/* splice() reports losses as read() does. */
static void test_lost(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	uint64_t expected, first, last, lost, told = 0;
	char *subbuf = malloc(subbuf_size);
	bool right = true, in_place = true;
	size_t got;

	open_large_pipe();
	expected = overfill(LARGE);
	while ((got = splice_in(fd, subbuf_size, 0)) == subbuf_size) {
		read_all(from_pipe, subbuf, subbuf_size);
		right &= subbuf_lost(subbuf, subbuf_size, &lost);
		told += lost;
		if (subbuf_events(subbuf, 0, &first, &last)) {
			in_place &= first - expected == lost;
			expected = last + 1;
		}
	}
	next = expected;
	case_ok(right, "splice: lost: each number is stored");
	case_ok(in_place, "splice: lost: and is what is missing there");
	case_ok(told > 0 && stat_of(CPU, "overrun") == told,
		"splice: lost: as overrun has it");
	case_ok(rest_goes_on(fd, LARGE), "splice: lost: all the others");
	free(subbuf);
	close_pipe();
	close(fd);
}

static void splice_once(void *data)
{
	int fd = *(int *)data;

	splice_in(fd, subbuf_size, 0);
}

static void wake(void *fd)
{
	ioctl(*(int *)fd, 0);
}

/*
 * In the kernel's ring the wait may end too early, by the first event or by
 * another reader's watermark. splice() then returns 0, as if no event could
 * follow.
 */
static void wait_for(int fd, unsigned int count, const char *what)
{
	ssize_t ret;
	pid_t pid;

	if (!target.own) {
		case_not_run("splice: waits %s", what);
		case_not_run("splice: waits %s: events", what);
		return;
	}
	fresh();
	next = number;
	alarm_in(limit(10000));
	pid = later(100, emit_some, &count);
	ret = splice_in(fd, subbuf_size, 0);
	case_text(bytes_word(ret), "1 whole", "splice: waits %s", what);
	alarm_in(0);
	reap(pid);
	number += count;
	case_ok(ret > 0 && pipe_goes_on(ret, LARGE), "splice: waits %s: events",
		what);
}

static void test_block(void)
{
	unsigned int per_subbuf = subbuf_size / LARGE;
	int fd = device_open(CPU, O_RDONLY);
	pid_t pid;

	open_large_pipe();
	percent(0);
	fresh();
	alarm_in(100);
	case_text(bytes_word(splice_in(fd, data_size, 0)), "EINTR",
		  "splice: waits, a signal interrupts");
	alarm_in(0);
	wait_for(fd, 2 * per_subbuf, "until one is left");
	percent(50);
	wait_for(fd, (nr_subbufs / 2 + 2) * per_subbuf, "for the watermark");

	fresh();
	alarm_in(limit(10000));
	pid = later(100, wake, &fd);
	case_text(bytes_word(splice_in(fd, data_size, 0)), "0",
		  "splice: ioctl 0 ends the wait");
	alarm_in(0);
	reap(pid);
	close_pipe();
	close(fd);
}

/*
 * A reader of the pipe does not wait for the lock of a splice() that waits for
 * events.
 */
static void test_pipe_is_free(void)
{
	int fd = device_open(CPU, O_RDONLY);
	char byte = 0;
	pid_t pid;

	if (!target.own) {
		case_not_run("splice: waits: the pipe can be read meanwhile");
		return;
	}
	open_large_pipe();
	percent(0);
	fresh();
	pid = later(0, splice_once, &fd);
	if (!await_sleep(pid))
		bail_out("splice() does not wait");
	alarm_in(limit(10000));
	if (write(to_pipe, "x", 1) != 1)
		bail_out("pipe: %s", error_name(errno));
	case_ok(read(from_pipe, &byte, 1) == 1 && byte == 'x' &&
		!waitpid(pid, NULL, WNOHANG),
		"splice: waits: the pipe can be read meanwhile");
	alarm_in(0);
	ioctl(fd, 0);
	reap(pid);
	close_pipe();
	close(fd);
}

/* For rbmap alone: the counters of moved and copied sub-buffers, and drops. */

static void check_copies(const char *what, uint64_t moved, uint64_t copied)
{
	is(stat_of(CPU, "subbufs moved"), moved, "splice: %s: moved", what);
	is(stat_of(CPU, "subbufs copied"), copied, "splice: %s: copied", what);
}

static void test_copies(void)
{
	char *subbuf = malloc(subbuf_size);
	struct client client;

	open_large_pipe();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	fill(3);
	splice_in(client.fd, 2 * subbuf_size, 0);
	check_copies("mapped", 0, 2);
	is(client.meta->read, stat_of(CPU, "read events"),
	   "splice: mapped: the meta-page knows");
	client_unmap(&client);
	splice_in(client.fd, subbuf_size, 0);
	check_copies("no more mapped", 1, 2);
	ok(pipe_goes_on(3 * subbuf_size, LARGE), "splice: copies: events");

	fresh();
	check_copies("reset", 0, 0);
	more(2, LARGE);
	read(client.fd, subbuf, subbuf_size);
	more(3 * (subbuf_size / LARGE), LARGE);
	splice_in(client.fd, 2 * subbuf_size, 0);
	check_copies("read() has taken a part", 1, 1);
	close_pipe();

	/*
	 * The ring gets other memory in exchange for a moved sub-buffer. That
	 * memory is mapped, so it must have been zeroed.
	 */
	open_large_pipe();
	fill(3);
	splice_in(client.fd, 3 * subbuf_size, 0);
	close_pipe();
	client_map(&client);
	ok(all_there(&client), "splice: a map of the exchanged memory");
	more(1, SMALL);
	drain(&client);
	ok(subbuf_events(client_subbuf(&client), 0, NULL, NULL) > 0,
	   "splice: a map of the exchanged memory: events");
	client_close(&client);
	free(subbuf);
}

static void test_drops(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	uint64_t tried = (nr_subbufs + 3) * (subbuf_size / LARGE), taken, lost;
	char *subbuf = malloc(subbuf_size);
	uint64_t began;
	ssize_t ret;

	open_large_pipe();
	set_overwrite(false);
	fresh();
	next = began = number;
	taken = more(tried, LARGE);
	set_overwrite(true);
	ret = splice_in(fd, data_size, 0);
	ok(ret > 0 && pipe_goes_on(ret, LARGE), "splice: drops: events");
	ok(splice_in(fd, data_size, 0) < 0 && errno == EAGAIN,
	   "splice: drops: not before all events");
	read(fd, subbuf, subbuf_size);
	/*
	 * The times of the last events decide how many were dropped: an event
	 * with a long time stamp needs more bytes.
	 */
	is(subbuf_events(subbuf, 0, NULL, NULL), taken - (next - began),
	   "splice: drops: the last events before them");
	is(splice_in(fd, data_size, 0), subbuf_size, "splice: drops: are reported");
	read_all(from_pipe, subbuf, subbuf_size);
	ok(!subbuf_commit(subbuf) && subbuf_lost(subbuf, subbuf_size, &lost) &&
	   lost == tried - taken,
	   "splice: drops: all of them, in a sub-buffer of its own");
	ok(splice_in(fd, data_size, 0) < 0 && errno == EAGAIN,
	   "splice: drops: once");
	close_pipe();
	free(subbuf);
	close(fd);
}

/*
 * A sub-buffer that is full to the last byte: the number of lost events
 * precedes its events.
 */
static void test_lost_full(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	char *subbuf = malloc(subbuf_size);
	uint64_t lost, told = 0, events = 0;

	open_large_pipe();
	overfill(FULL);
	while (splice_in(fd, subbuf_size, 0) == (ssize_t)subbuf_size) {
		read_all(from_pipe, subbuf, subbuf_size);
		if (!subbuf_lost(subbuf, subbuf_size, &lost))
			lost = UINT64_MAX / 2;
		told += lost;
		events += subbuf_events(subbuf, 0, NULL, NULL);
	}
	ok(events > 0, "splice: lost: a page each: events");
	is(told, stat_of(CPU, "overrun"), "splice: lost: a page each: all are reported");
	close_pipe();
	free(subbuf);
	close(fd);
}

void theme_splice(void)
{
	set_overwrite(true);
	percent(50);
	test_refused();
	test_whole();
	test_rest();
	test_pipe_sizes();
	test_stays("not mapped", false);
	test_stays("mapped", true);
	test_file();
	test_sockets();
	test_lost();
	test_block();
	test_pipe_is_free();
	if (target.own) {
		test_copies();
		test_drops();
		test_lost_full();
	}
	percent(50);
	fresh();
}

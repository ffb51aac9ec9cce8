// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: text read FILE...	read what is there, without waiting, until there is no more
 *	  text poll FILE	wait until poll() says that the file can be read
 *	  text interrupt FILE	wait in read() until a signal comes, with a handler for it
 *	  text seek FILE	read, go to the beginning, and read again
 *	  text at FILE		read at offsets
 *	  text splice FILE	as read, with splice() to a pipe
 *	  text append FILE	open the file as programs do that append to it
 *	  text stop FILE ON	read all, write 0 to ON, read and poll() again
 *
 * For text.sh.  read prints the text, and then EAGAIN or EOF to standard error.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/time.h>
#include <unistd.h>

static char text[1 << 16];

static int open_file(const char *name)
{
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		err(2, "%s", name);
	return fd;
}

static void read_all(int fd, const char *name)
{
	ssize_t got;

	while ((got = read(fd, text, sizeof(text))) > 0)
		fwrite(text, 1, got, stdout);
	fflush(stdout);
	if (got < 0 && errno != EAGAIN)
		err(2, "%s", name);
	fprintf(stderr, "%s\n", got ? "EAGAIN" : "EOF");
}

static void poll_file(const char *name)
{
	struct pollfd poll_fd = { .fd = open_file(name), .events = POLLIN };

	if (poll(&poll_fd, 1, -1) != 1)
		err(2, "poll");
	printf("%s\n", poll_fd.revents == POLLIN ? "readable" : "something else");
}

static void on_alarm(int signal)
{
	(void)signal;
}

static void interrupt(const char *name)
{
	const struct itimerval timer = { .it_value.tv_sec = 1, .it_interval.tv_sec = 1 };
	struct sigaction action = { .sa_handler = on_alarm };
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(2, "%s", name);
	sigaction(SIGALRM, &action, NULL);
	/* The first signal may come before the call: it is repeated. */
	setitimer(ITIMER_REAL, &timer, NULL);
	if (read(fd, text, sizeof(text)) >= 0 || errno != EINTR)
		err(2, "%s: not interrupted", name);
	printf("interrupted\n");
}

/* Pass the text through a pipe. Return 0 at its end, or an error. */
static int pass_all(int fd, ssize_t (*pass)(int fd, int pipe))
{
	ssize_t got, left;
	int fds[2];

	if (pipe(fds))
		err(2, "pipe");
	while ((got = pass(fd, fds[1])) > 0) {
		for (; got > 0; got -= left) {
			left = read(fds[0], text, got);
			if (left <= 0)
				err(2, "pipe");
			fwrite(text, 1, left, stdout);
		}
	}
	got = got ? errno : 0;
	fflush(stdout);
	return got;
}

static ssize_t by_splice(int fd, int pipe)
{
	return splice(fd, NULL, pipe, NULL, sizeof(text), 0);
}

static void splice_all(const char *name)
{
	int error = pass_all(open_file(name), by_splice);

	if (error && error != EAGAIN)
		errx(2, "%s: splice: %s", name, strerror(error));
	fprintf(stderr, "%s\n", error ? "EAGAIN" : "EOF");
}

static ssize_t by_sendfile(int fd, int pipe)
{
	return sendfile(pipe, fd, NULL, 4096);
}

/* Some kernels refuse a file that is not a regular one. */
static void send_all(const char *name)
{
	int error = pass_all(open_file(name), by_sendfile);

	if (error && error != EAGAIN && error != EINVAL)
		errx(2, "%s: sendfile: %s", name, strerror(error));
	fprintf(stderr, "%s\n", error == EINVAL ? "refused" : "read");
}

/* The end of the text cannot be sought. */
static void seek_file(const char *name)
{
	int fd = open_file(name);

	read_all(fd, name);
	if (lseek(fd, 0, SEEK_END) >= 0 || errno != EINVAL)
		errx(2, "%s: its end can be sought", name);
	if (lseek(fd, 0, SEEK_SET))
		err(2, "%s: lseek", name);
	read_all(fd, name);
}

/* Recording stops after a read that does not wait. */
static void stop(const char *name, const char *on)
{
	struct pollfd poll_fd = { .fd = open_file(name), .events = POLLIN };
	int fd = open(on, O_WRONLY | O_CLOEXEC);

	read_all(poll_fd.fd, name);
	if (fd < 0 || write(fd, "0", 1) != 1)
		err(2, "%s", on);
	read_all(poll_fd.fd, name);
	printf("%s\n", poll(&poll_fd, 1, 0) ? "readable" : "not readable");
}

/* A read at an offset has the text from there on, also a second time. */
static void read_at(const char *name)
{
	static char again[sizeof(text)];
	static const off_t offsets[] = { 0, 0, 100, 7, 100000000 };
	int fd = open_file(name);
	ssize_t size = pread(fd, text, sizeof(text), 0), got, expected;
	size_t i;

	if (size <= 100)
		errx(2, "%s: %zd bytes at the beginning", name, size);
	for (i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		got = pread(fd, again, size, offsets[i]);
		expected = offsets[i] < size ? size - offsets[i] : 0;
		if (got < 0 || (expected && !got) || (!expected && got))
			errx(2, "%s: %zd bytes at %lld", name, got, (long long)offsets[i]);
		if (memcmp(again, text + (expected ? offsets[i] : 0), got < expected ? got : expected))
			errx(2, "%s: other text at %lld", name, (long long)offsets[i]);
	}
	if (lseek(fd, 100, SEEK_SET) != 100 || (got = read(fd, again, size)) <= 0)
		err(2, "%s: no text where it was sought", name);
	if (memcmp(again, text + 100, got < size - 100 ? got : size - 100))
		errx(2, "%s: other text where it was sought", name);
	printf("same\n");
}

static void append(const char *name)
{
	int fd = open(name, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0 || lseek(fd, 0, SEEK_END) || lseek(fd, 5, SEEK_SET))
		err(2, "%s", name);
	printf("0\n");
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 3)
		errx(2, "usage: text read|poll|interrupt|seek|at|append|stop|splice FILE...");
	if (!strcmp(argv[1], "stop") && argc == 4) {
		stop(argv[2], argv[3]);
		return 0;
	}
	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[1], "poll"))
			poll_file(argv[i]);
		else if (!strcmp(argv[1], "interrupt"))
			interrupt(argv[i]);
		else if (!strcmp(argv[1], "seek"))
			seek_file(argv[i]);
		else if (!strcmp(argv[1], "at"))
			read_at(argv[i]);
		else if (!strcmp(argv[1], "splice"))
			splice_all(argv[i]);
		else if (!strcmp(argv[1], "send"))
			send_all(argv[i]);
		else if (!strcmp(argv[1], "append"))
			append(argv[i]);
		else
			read_all(open_file(argv[i]), argv[i]);
	}
	return 0;
}

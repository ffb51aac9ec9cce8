// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/complain.h"
#include "dump_request.h"

#define LOOK_MS		500	/* then look whether the recorder still runs */

/* The name begins with a 0: it is in no directory, and goes with the socket. */
static socklen_t make_address(struct sockaddr_un *address, int number)
{
	int len;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	len = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "rbmap-dump-%d",
		       number);
	return offsetof(struct sockaddr_un, sun_path) + 1 + len;
}

void dump_request_answer(const siginfo_t *request, bool written)
{
	const char answer = written ? 'y' : 'n';
	struct sockaddr_un address;
	socklen_t len;
	int fd;

	if (request->si_code != SI_QUEUE || request->si_value.sival_int <= 0)
		return;
	len = make_address(&address, request->si_value.sival_int);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* An asker who has left gets no answer. */
	sendto(fd, &answer, 1, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address, len);
	close(fd);
}

/* Return a socket for the answer, and the number in its name. */
static int answer_socket(int *number)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	socklen_t len;

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

/* Return the answer, or 0 if the recorder has ended without one. */
static char wait_for_answer(int fd, pid_t recorder)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	char answer;

	for (;;) {
		/* An answer that comes just before the end counts. */
		bool runs = !kill(recorder, 0);

		if (poll(&poll_fd, 1, runs ? LOOK_MS : 0) > 0 && read(fd, &answer, 1) == 1)
			return answer;
		if (!runs)
			return 0;
	}
}

bool dump_request(pid_t recorder)
{
	int number, fd = answer_socket(&number);
	char answer;

	if (fd < 0) {
		complain("cannot wait for process %d: %s", (int)recorder, strerror(errno));
		return false;
	}
	if (sigqueue(recorder, SIGUSR1, (union sigval){ .sival_int = number })) {
		complain("cannot send SIGUSR1 to process %d: %s", (int)recorder, strerror(errno));
		close(fd);
		return false;
	}
	answer = wait_for_answer(fd, recorder);
	close(fd);
	if (answer == 'n')
		complain("process %d could not write its file; its own messages have the reason",
			 (int)recorder);
	else if (answer != 'y')
		complain("process %d has ended, and did not say that it wrote its file",
			 (int)recorder);
	return answer == 'y';
}

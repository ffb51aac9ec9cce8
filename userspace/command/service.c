// SPDX-License-Identifier: GPL-2.0-only
/*
 * The protocol is one datagram for each message. libsystemd would be a dependency of each
 * user, for a service that most of them do not run.
 */
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "service.h"

/* The service has this time from one service_busy() to the next. */
#define BUSY_USEC	"60000000"

static const char *manager(void)
{
	return getenv("NOTIFY_SOCKET");
}

unsigned int service_interval_ms(void)
{
	const char *limit = getenv("WATCHDOG_USEC");
	unsigned long long us = manager() && limit ? strtoull(limit, NULL, 10) : 0;

	/* sd_watchdog_enabled(3) advises half of the time. A third helps on a busy machine. */
	return us / 3000 < INT_MAX ? us / 3000 : INT_MAX;
}

static void send_text(const char *text)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = manager();
	size_t size = path ? strlen(path) : 0;
	int fd;

	/* A name that begins with '@' is an abstract one. */
	if (size < 2 || size >= sizeof(to.sun_path) || !strchr("/@", *path))
		return;
	memcpy(to.sun_path, path, size);
	if (*path == '@')
		*to.sun_path = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&to,
	       offsetof(struct sockaddr_un, sun_path) + size);
	close(fd);
}

static void send_status(const char *head, const char *status)
{
	char text[256];

	snprintf(text, sizeof(text), "%sSTATUS=%s\n", head, status);
	send_text(text);
}

void service_ready(const char *status)
{
	send_status("READY=1\n", status);
}

void service_status(const char *status)
{
	send_status("", status);
}

/* Return whether this second is a new one. */
static int second_begins(void)
{
	static atomic_long last;
	struct timespec now;
	long before;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	before = atomic_exchange(&last, now.tv_sec);
	return before != now.tv_sec;
}

void service_alive(void)
{
	if (second_begins())
		send_text("WATCHDOG=1\n");
}

void service_busy(void)
{
	if (second_begins())
		send_text("WATCHDOG=1\nEXTEND_TIMEOUT_USEC=" BUSY_USEC "\n");
}

void service_stopping(void)
{
	send_text("STOPPING=1\n");
}

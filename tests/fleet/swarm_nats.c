// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection for each host, in one thread: ten thousand of them would need 50,000 threads
 * of libnats. The protocol of NATS is lines. Servers without TLS are enough here.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "swarm.h"
#include "transport/jetstream/jetstream_names.h"

#define SERVERS_MAX	8
#define CONNECTING_MAX	256	/* A server accepts so many at a time. */
#define READ_SIZE	(1 << 20)
#define EVENTS		256

/**
 * struct connection - that of a host
 * @in: bytes of a message that is not complete
 * @out: bytes that the socket does not take now
 * @ready: the server has answered the first PING
 */
struct connection {
	int fd;
	struct buf in, out;
	bool ready;
};

static struct host *all;
static struct connection *connections;
static unsigned int nr_all, nr_begun, nr_ready;
static struct sockaddr_in servers[SERVERS_MAX];
static unsigned int nr_servers;
static int epoll;

static void want(unsigned int i, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.u32 = i };

	if (epoll_ctl(epoll, EPOLL_CTL_MOD, connections[i].fd, &event))
		swarm_die("epoll_ctl: %s", strerror(errno));
}

/* Send what waits. */
static void flush(unsigned int i)
{
	struct connection *c = &connections[i];
	ssize_t sent = send(c->fd, c->out.data, c->out.size, MSG_NOSIGNAL);

	if (sent < 0 && errno != EAGAIN)
		swarm_die("the connection of %s: %s", all[i].name, strerror(errno));
	if (sent > 0) {
		memmove(c->out.data, c->out.data + sent, c->out.size - sent);
		c->out.size -= sent;
	}
	if (!c->out.size)
		buf_free(&c->out);
	want(i, c->out.size ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static void connect_one(unsigned int i)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };
	struct connection *c = &connections[i];

	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event))
		swarm_die("a socket: %s: see ulimit -n", strerror(errno));
	if (connect(c->fd, (struct sockaddr *)&servers[i % nr_servers], sizeof(*servers)) &&
	    errno != EINPROGRESS)
		swarm_die("cannot connect: %s", strerror(errno));
}

static void connect_some(void)
{
	while (nr_begun < nr_all && nr_begun - nr_ready < CONNECTING_MAX)
		connect_one(nr_begun++);
}

static void open_all(const char *url, struct host *hosts, unsigned int nr)
{
	char *copy = strdup(url), *rest = copy, *one;

	all = hosts;
	nr_all = nr;
	while (copy && (one = strsep(&rest, ",")) && nr_servers < SERVERS_MAX) {
		struct sockaddr_in *to = &servers[nr_servers++];
		unsigned int port;
		char address[32];

		if (sscanf(one, "nats://%31[0-9.]:%u", address, &port) != 2 ||
		    !inet_aton(address, &to->sin_addr))
			swarm_die("invalid server '%s'", one);
		to->sin_family = AF_INET;
		to->sin_port = htons(port);
	}
	free(copy);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	connections = calloc(nr, sizeof(*connections));
	if (!connections)
		swarm_die("out of memory");
	connect_some();
}

static void publish(struct host *h, const char *id, const void *data, size_t size, int slot)
{
	struct buf *out = &connections[h - all].out;
	char headers[512];
	int len = snprintf(headers, sizeof(headers), "NATS/1.0\r\n" HEADER_ID ": %s/%s\r\n\r\n",
			   h->name, id);

	buf_printf(out, "HPUB " SUBJECT_DATA "%s " INBOX_HOST "%s.%d %d %zu\r\n%s", h->name, h->name,
		   slot, len, len + size, headers);
	buf_add(out, data, size);
	buf_add(out, "\r\n", 2);
	if (out->failed)
		swarm_die("out of memory");
	flush(h - all);
}

static void subscribe(unsigned int i)
{
	struct buf *out = &connections[i].out;

	buf_printf(out, "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,"
			"\"no_responders\":true,\"name\":\"%s\"}\r\n", all[i].name);
	buf_printf(out, "SUB " SUBJECT_HOST "%s 1\r\nSUB " SUBJECT_ALL " 2\r\nSUB " INBOX_HOST "%s.* 3\r\n"
			"PING\r\n", all[i].name, all[i].name);
	flush(i);
}

/* A message: the first line, and the bytes behind its headers */
static void take_message(unsigned int i, char *line, const char *data, size_t size)
{
	char subject[JETSTREAM_SUBJECT_SIZE];
	unsigned int sid, slot;

	if (sscanf(line, "%*s %191s %u", subject, &sid) != 2)
		swarm_die("an invalid line: %s", line);
	if (sid != 3) {
		swarm_receive(&all[i], sid == 1 ? CHANNEL_HOST : CHANNEL_ALL, data, size);
		return;
	}
	slot = strtoul(strrchr(subject, '.') + 1, NULL, 10);
	swarm_safe(&all[i], slot, memmem(data, size, "\"seq\":", 6) &&
		   !memmem(data, size, "\"error\":", 8));
}

/* Use a line and what belongs to it. Return the bytes that it has used; 0: more must come. */
static size_t take_line(unsigned int i, char *at, size_t left)
{
	char *end = memmem(at, left, "\r\n", 2);
	size_t line, headers = 0, size;

	if (!end)
		return 0;
	line = end + 2 - at;
	if (strncmp(at, "MSG ", 4) && strncmp(at, "HMSG ", 5)) {
		if (!strncmp(at, "INFO", 4) && !connections[i].ready && !connections[i].out.size)
			subscribe(i);
		else if (!strncmp(at, "PING", 4))
			buf_add(&connections[i].out, "PONG\r\n", 6);
		else if (!strncmp(at, "-ERR", 4))
			swarm_die("a server says %.*s", (int)(line - 2), at);
		else if (!strncmp(at, "PONG", 4) && !connections[i].ready) {
			connections[i].ready = true;
			nr_ready++;
			swarm_connected(&all[i]);
		}
		return line;
	}
	*end = '\0';
	size = strtoul(strrchr(at, ' ') + 1, NULL, 10);
	if (*at == 'H') {
		char *space = strrchr(at, ' ');

		*space = '\0';
		headers = strtoul(strrchr(at, ' ') + 1, NULL, 10);
		*space = ' ';
	}
	if (left < line + size + 2) {
		*end = '\r';
		return 0;
	}
	take_message(i, at, at + line + headers, size - headers);
	return line + size + 2;
}

/* Use all lines. Bytes of an incomplete one are kept. */
static void take_bytes(unsigned int i, char *bytes, size_t size)
{
	struct buf rest = { 0 };
	size_t done = 0, used;

	while (done < size && (used = take_line(i, bytes + done, size - done)))
		done += used;
	buf_add(&rest, bytes + done, size - done);
	buf_free(&connections[i].in);
	if (size > done)
		connections[i].in = rest;
	else
		buf_free(&rest);
	if (connections[i].out.size)
		flush(i);
}

static void read_one(unsigned int i)
{
	static char bytes[READ_SIZE];
	struct connection *c = &connections[i];
	size_t before = c->in.size;
	ssize_t got;

	if (before > sizeof(bytes) / 2)
		swarm_die("a message to %s is too large", all[i].name);
	memcpy(bytes, c->in.data ? c->in.data : "", before);
	got = recv(c->fd, bytes + before, sizeof(bytes) - before, 0);
	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0)
		swarm_die("the connection of %s has ended: %s", all[i].name,
			  got ? strerror(errno) : "by the server");
	take_bytes(i, bytes, before + got);
}

static void wait_all(int timeout_ms)
{
	struct epoll_event events[EVENTS];
	int nr = epoll_wait(epoll, events, EVENTS, timeout_ms);

	for (int k = 0; k < nr; k++) {
		if (events[k].events & EPOLLOUT)
			flush(events[k].data.u32);
		if (events[k].events & (EPOLLIN | EPOLLERR | EPOLLHUP))
			read_one(events[k].data.u32);
	}
	connect_some();
}

const struct link link_nats = {
	.open		= open_all,
	.publish	= publish,
	.wait		= wait_all,
};

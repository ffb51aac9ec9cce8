// SPDX-License-Identifier: GPL-2.0-only
/* GET_READER in each state of the ring, and the fields of the meta-page. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "abi.h"
#include "case.h"

/* Compare the structure that linux/trace_mmap.h defines. */
static bool same_meta(const struct rbmap_meta *before,
		      const volatile struct rbmap_meta *after)
{
	return !memcmp(before, (const void *)after, RBMAP_META_TRACE_LEN);
}

/* On a ring that nobody has read from. */
static void test_first_read(void)
{
	uint64_t first = 0, last = 0;
	struct rbmap_meta before;
	struct client client;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	case_ok(all_zero(client.data, client.data + data_size),
		"bug-12: new: all sub-buffers are zeroes");
	case_is(client.meta->reader.id, 0, "new: reader.id");
	case_is(client.meta->entries, 0, "new: entries");
	case_is(client.meta->reader.read, 0, "new: reader.read");
	case_is(more(16, SMALL), 16, "new: 16 events: taken");
	case_is(client.meta->entries, 0,
		"new: 16 events: entries before GET_READER");
	case_error(get_reader(client.fd), 0, "new: GET_READER");
	case_is(client.meta->reader.id, 1, "new: GET_READER: reader.id");
	case_is(client.meta->entries, 16, "new: GET_READER: entries");
	case_is(client.meta->read, 16, "new: GET_READER: read");
	case_is(client.meta->overrun, 0, "new: GET_READER: overrun");
	case_is(subbuf_events(client_subbuf(&client), 0, &first, &last), 16,
		"new: GET_READER: events in the sub-buffer");
	case_ok(first == number - 16 && last == number - 1,
		"new: GET_READER: all of them");
	case_ok(client.meta->reader.read ==
		subbuf_commit(client_subbuf(&client)),
		"new: reader.read is all that is committed");
	before = *(struct rbmap_meta *)client.meta;
	case_error(get_reader(client.fd), 0, "new: GET_READER again");
	case_ok(same_meta(&before, client.meta),
		"new: GET_READER again: changes nothing");
	client_close(&client);
}

static void test_empty(struct client *client)
{
	struct rbmap_meta before;

	get_reader(client->fd);
	before = *(struct rbmap_meta *)client->meta;
	case_error(get_reader(client->fd), 0, "GET_READER: empty");
	case_ok(same_meta(&before, client->meta),
		"GET_READER: empty: changes nothing");
}

/* The writer writes to the reader's sub-buffer, and continues there. */
static size_t test_writer_inside(struct client *client)
{
	uint32_t id = client->meta->reader.id;
	size_t seen = subbuf_commit(client_subbuf(client)), commit;
	struct rbmap_meta before;
	uint64_t first = 0;

	more(1, SMALL);
	commit = subbuf_commit(client_subbuf(client));
	case_ok(commit > seen, "GET_READER: commit grows without a call");
	case_is(client->meta->entries, 1,
		"GET_READER: commit grows: entries don't");
	case_ok(client->meta->reader.read == seen,
		"GET_READER: commit grows: reader.read doesn't");
	case_is(subbuf_events(client_subbuf(client), seen, &first, NULL), 1,
		"GET_READER: commit grows: the event can be seen");
	case_ok(first == number - 1, "GET_READER: commit grows: the right one");

	more(2, SMALL);
	commit = subbuf_commit(client_subbuf(client));
	case_error(get_reader(client->fd), 0, "GET_READER: unread bytes");
	case_ok(client->meta->reader.id == id,
		"GET_READER: unread bytes: same id");
	case_ok(client->meta->reader.read == commit,
		"GET_READER: unread bytes: all count as read");
	case_is(client->meta->read, 4, "GET_READER: unread bytes: read");
	case_is(client->meta->entries, 4, "GET_READER: unread bytes: entries");

	before = *(struct rbmap_meta *)client->meta;
	case_error(get_reader(client->fd), 0,
		   "GET_READER: all read, the writer is in it");
	case_ok(same_meta(&before, client->meta),
		"GET_READER: all read, the writer is in it: changes nothing");
	return commit;
}

static void test_get_reader(void)
{
	uint64_t last = 0, began;
	struct client client;
	size_t seen;
	uint32_t id;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	test_empty(&client);

	began = number;
	more(1, SMALL);
	get_reader(client.fd);
	id = client.meta->reader.id;
	case_is(client.meta->read, 1, "GET_READER: one event is one read");
	seen = test_writer_inside(&client);

	/* Write until the writer leaves the sub-buffer, and one sub-buffer more. */
	more(subbuf_size / LARGE + 1, LARGE);
	case_ok(subbuf_commit(client_subbuf(&client)) > seen,
		"GET_READER: the writer leaves: there was room for more");
	case_error(get_reader(client.fd), 0,
		   "GET_READER: the writer leaves: the rest of it");
	case_ok(client.meta->reader.id == id,
		"GET_READER: the writer leaves: the rest of it: same id");
	case_error(get_reader(client.fd), 0, "GET_READER: the next one");
	case_ok(client.meta->reader.id != id,
		"GET_READER: the next one: another id");
	case_ok(client.meta->reader.read ==
		subbuf_commit(client_subbuf(&client)),
		"GET_READER: the next one: all of it counts as read");
	case_ok(client.meta->entries == number - began,
		"GET_READER: the next one: entries");
	case_ok(client.meta->read == number - began,
		"GET_READER: the next one: read");
	case_is(client.meta->overrun, 0, "GET_READER: the next one: overrun");
	subbuf_events(client_subbuf(&client), 0, NULL, &last);
	case_ok(last == number - 1,
		"GET_READER: the next one: up to the last event");
	client_unmap(&client);
	case_error(get_reader(client.fd), ENODEV, "GET_READER: nothing mapped");
	close(client.fd);
}

/*
 * Only the first map, GET_READER and a reset change the meta-page; an event
 * does not.
 */
static void test_meta_page_changes(void)
{
	struct client client, second;
	struct rbmap_meta before;
	char *subbuf;

	fresh();
	more(3, SMALL);
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	case_is(client.meta->entries, 3, "meta-page: the first map: entries");
	before = *(struct rbmap_meta *)client.meta;
	more(3, SMALL);
	case_ok(same_meta(&before, client.meta), "meta-page: same after events");
	client_open(&second, CPU, O_RDONLY | O_NONBLOCK);
	case_ok(same_meta(&before, client.meta),
		"meta-page: same after a second map");
	client_close(&second);
	case_ok(same_meta(&before, client.meta),
		"meta-page: same after its end");
	get_reader(client.fd);
	case_is(client.meta->entries, 6, "meta-page: GET_READER: entries");
	more(3, SMALL);
	subbuf = client.data; /* any address: no event arrives */
	case_error(read(client.fd, subbuf, subbuf_size) < 0 ? errno : 0, EFAULT,
		   "meta-page: read() into the map itself");
	fresh();
	case_is(client.meta->entries, 0, "meta-page: reset: entries");
	more(10, LARGE);
	get_reader(client.fd);
	more(5, LARGE);
	get_reader(client.fd);
	drain(&client);
	case_ok(client.meta->entries - client.meta->overrun -
		client.meta->read == 0,
		"meta-page: unread = entries - overrun - read = 0");
	client_close(&client);
}

/* An id names the same sub-buffer for as long as the ring exists. */
static void test_used_ring(void)
{
	struct client client;
	int i;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	for (i = 0; i < 100 && !client.meta->reader.id; i++) {
		more(10, LARGE);
		get_reader(client.fd);
	}
	client_close(&client);
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	case_ok(client.meta->reader.id, "used ring: the first map keeps reader.id");
	client_close(&client);
}

void theme_reader(void)
{
	test_first_read();
	test_get_reader();
	test_meta_page_changes();
	test_used_ring();
}

// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"
#include "watcher.h"

#define NR_SLOTS(w)	((w)->client.nr_subbufs - 1)

static bool map_slot_table(struct watcher *w)
{
	const volatile struct rbmap_meta *meta = w->client.meta;
	void *map = mmap(NULL, meta->slot_table_size, PROT_READ, MAP_SHARED,
			 w->client.fd, meta->slot_table_offset);

	w->table = map == MAP_FAILED ? NULL : map;
	return w->table;
}

static void unmap(struct watcher *w)
{
	munmap((void *)w->table, w->client.meta->slot_table_size);
	client_unmap(&w->client);
}

static void go_to(struct watcher *w, uint64_t seq)
{
	w->seq = seq % w->table->modulus;
	w->have = 0;
	w->inside = false;
}

static uint64_t newest(const struct watcher *w)
{
	return atomic_load_explicit((const _Atomic __u64 *)&w->table->newest,
				    memory_order_acquire);
}

/* Return by how many sub-buffers the newest is ahead; negative if it is behind. */
static int64_t ahead(const struct watcher *w, uint64_t seq)
{
	const uint64_t modulus = w->table->modulus;
	uint64_t n = (seq + modulus - w->seq) % modulus;

	return n < modulus / 2 ? (int64_t)n : (int64_t)(n - modulus);
}

static void tell(struct watcher *w, uint64_t number)
{
	uint64_t missed = number - w->expected;

	w->expected = number;
	w->inside = true;
	if (!missed)
		return;
	if (missed > 1ULL << 60)
		stream_wrong(&w->stream, "%lld events missed",
			     (long long)missed);
	stream_lost(&w->stream, missed);
}

enum look { NOTHING, SOME, OVERWRITTEN };

static enum look look(struct watcher *w)
{
	const struct rbmap_table_slot *table_slot =
		&w->table->slot[w->seq % NR_SLOTS(w)];
	uint64_t slot = *(const volatile __u64 *)&table_slot->slot, number;
	uint32_t id = RBMAP_TABLE_ID(slot);
	const char *subbuf;
	size_t size, from = w->have;
	struct cursor cursor;
	struct record record;

	if (slot != RBMAP_TABLE_SLOT(w->seq, id))
		return OVERWRITTEN;
	if (id >= w->client.nr_subbufs)
		bail_out("sub-buffer %u is shown", id);
	subbuf = w->client.data + w->client.subbuf_size * id;
	number = *(const volatile __u64 *)&table_slot->events;
	size = subbuf_commit(subbuf);
	if (size > from && size <= w->client.subbuf_size -
				   RBMAP_SUBBUF_HEADER_SIZE) {
		memcpy(w->copy, subbuf, RBMAP_SUBBUF_HEADER_SIZE);
		memcpy(w->copy + RBMAP_SUBBUF_HEADER_SIZE + from,
		       subbuf + RBMAP_SUBBUF_HEADER_SIZE + from, size - from);
	}
	atomic_thread_fence(memory_order_acquire);
	if (*(const volatile __u64 *)&table_slot->slot != slot) {
		w->torn++;
		return OVERWRITTEN;
	}
	if (size == from)
		return NOTHING;
	/* A reset has emptied the sub-buffer. */
	if (!size)
		return OVERWRITTEN;
	if (size < from || size > w->client.subbuf_size -
				  RBMAP_SUBBUF_HEADER_SIZE) {
		stream_wrong(&w->stream, "%zu bytes, and there were %zu",
			     size, from);
		return OVERWRITTEN;
	}
	((struct rbmap_subbuf_header *)w->copy)->commit = size;
	if (!w->inside)
		tell(w, number);
	w->have = size;
	cursor_begin(&cursor, w->copy);
	while (cursor_next(&cursor, &record))
		w->expected += cursor.at > from;
	stream_subbuf(&w->stream, w->copy, w->client.subbuf_size, from, size,
		      0, false);
	return SOME;
}

/* Sequence numbers begin at 0 again. */
static bool next_ring(struct watcher *w)
{
	uint32_t generation = w->client.meta->generation;

	unmap(w);
	if (!client_map(&w->client) || !map_slot_table(w)) {
		stream_wrong(&w->stream, "map again: %s", error_name(errno));
		return false;
	}
	if (w->client.meta->generation != generation + 1) {
		stream_wrong(&w->stream, "ring %u comes after %u",
			     w->client.meta->generation, generation);
		return false;
	}
	free(w->copy);
	w->copy = malloc(w->client.subbuf_size);
	w->rings++;
	w->expected = 0;
	go_to(w, newest(w) + w->table->modulus - (NR_SLOTS(w) - 1));
	return true;
}

bool watcher_step(struct watcher *w)
{
	for (;;) {
		const __u32 *flag = (const __u32 *)&w->client.meta->retired;
		bool retired = atomic_load_explicit((const _Atomic __u32 *)flag,
						    memory_order_acquire);
		uint64_t last = newest(w);
		int64_t n = ahead(w, last);
		enum look got;

		if (n >= NR_SLOTS(w)) {
			n = NR_SLOTS(w) - 1;
			go_to(w, last + w->table->modulus - n);
		}
		got = n < 0 ? NOTHING : look(w);
		if (got == SOME)
			return true;
		if (got == NOTHING && n <= 0) {
			if (!retired || !next_ring(w))
				return false;
			continue;
		}
		go_to(w, w->seq + 1);
	}
}

void watcher_open(struct watcher *w, int cpu, const struct emit_rule *rule,
		  uint64_t slack, const uint64_t *first)
{
	struct stream quiet = w->stream;

	w->client.fd = device_open(cpu, O_RDONLY);
	if (ioctl(w->client.fd, RBMAP_IOCTL_OBSERVE) ||
	    !client_map(&w->client) || !map_slot_table(w))
		bail_out("cannot observe CPU %d: %s", cpu, error_name(errno));
	w->copy = malloc(w->client.subbuf_size);
	w->torn = w->rings = 0;
	/* Skip the present events: they only yield the number of the next one. */
	go_to(w, newest(w));
	w->expected = w->table->slot[w->seq % NR_SLOTS(w)].events;
	memset(&w->stream, 0, sizeof(w->stream));
	w->stream.quiet = true;
	look(w);
	w->stream = quiet;
	stream_begin(&w->stream, cpu, rule, slack, first);
}

void watcher_close(struct watcher *w)
{
	unmap(w);
	close(w->client.fd);
	free(w->copy);
	w->copy = NULL;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include <linux/rbmap.h>

#include "subbuf.h"

#define STAMP_MASK	((1ULL << 59) - 1)	/* bits of a time stamp event */

static uint32_t load(const unsigned char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static void add_to_pid(unsigned char *at, int first_pid)
{
	int32_t pid = (int32_t)load(at);

	if (pid <= 0)
		return;
	pid += first_pid;
	memcpy(at, &pid, sizeof(pid));
}

static void change_event(const struct subbuf_change *c, unsigned char *event, size_t size)
{
	struct rbmap_event_common common;
	const struct event_kind *kind;
	uint16_t id;

	if (size < sizeof(common))
		return;
	memcpy(&common, event, sizeof(common));
	id = c->map->id[common.type];
	memcpy(event + offsetof(struct rbmap_event_common, type), &id, sizeof(id));
	add_to_pid(event + offsetof(struct rbmap_event_common, pid), c->first_pid);
	if (!id)
		return;
	kind = &c->ids->kind[id - 1];
	for (unsigned int i = 0; i < kind->nr_pids; i++)
		if (size >= sizeof(int32_t) && kind->pid[i] <= size - sizeof(int32_t))
			add_to_pid(event + kind->pid[i], c->first_pid);
}

/* Change a time stamp, which has the low bits of the time. */
static void change_stamp(const struct subbuf_change *c, unsigned char *at)
{
	uint64_t stamp = (load(at) >> 5) + ((uint64_t)load(at + 4) << RBMAP_TS_SHIFT);
	uint32_t word;

	stamp = (stamp + c->later) & STAMP_MASK;
	word = RBMAP_TYPE_TIME_STAMP | (uint32_t)(stamp << 5);
	memcpy(at, &word, sizeof(word));
	word = stamp >> RBMAP_TS_SHIFT;
	memcpy(at + 4, &word, sizeof(word));
}

/* Change the record that begins at @at. Return its size, or 0: the rest has no events. */
static size_t change_one(const struct subbuf_change *c, unsigned char *at, size_t left)
{
	uint32_t type = load(at) & 31, delta = load(at) >> 5;
	size_t head = 4, len = 4 * (size_t)type;

	if (type == RBMAP_TYPE_PADDING && !delta)
		return 0;
	if (type == 0 || type >= RBMAP_TYPE_PADDING) {
		head = 8;
		if (left < head)
			return 0;
		len = load(at + 4);
		if (type == RBMAP_TYPE_TIME_STAMP)
			change_stamp(c, at);
		if (type == RBMAP_TYPE_TIME_STAMP || type == RBMAP_TYPE_TIME_EXTEND)
			return head;
		if (len < 4)
			return 0;
		len -= 4;
	}
	if (len > left - head || (len + 3) / 4 * 4 > left - head)
		return 0;
	if (type != RBMAP_TYPE_PADDING)
		change_event(c, at + head, len);
	return head + (len + 3) / 4 * 4;
}

void subbuf_change(const struct subbuf_change *c, unsigned char *subbuf, size_t size)
{
	unsigned char *at = subbuf + RBMAP_SUBBUF_HEADER_SIZE, *end = at + size;
	uint64_t time;
	size_t done;

	memcpy(&time, subbuf, sizeof(time));
	time += c->later;
	memcpy(subbuf, &time, sizeof(time));
	while (end - at >= 4 && (done = change_one(c, at, end - at)))
		at += done;
}

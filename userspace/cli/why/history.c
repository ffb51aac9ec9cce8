// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "history.h"

#define FIRST_PIECES	4096
#define FIRST_SLOTS	1024	/* a power of two */
#define FIRST_IN_LIST	4

enum owner { OWNER_TASK, OWNER_CPU, OWNER_ALL };

struct slot {
	bool used;
	uint64_t key;
	struct piece_list list;
};

struct history {
	struct piece *piece;
	size_t nr, room;
	struct slot *slot;	/* open addressing */
	size_t nr_used, nr_slots;
};

struct history *history_new(void)
{
	return calloc(1, sizeof(struct history));
}

void history_free(struct history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->nr_slots; i++)
		free(h->slot[i].list.piece);
	free(h->slot);
	free(h->piece);
	free(h);
}

static uint64_t key_of(enum interval_kind kind, enum owner owner, int id)
{
	return (uint64_t)owner << 48 | (uint64_t)kind << 32 | (uint32_t)id;
}

static struct slot *find_slot(struct slot *slot, size_t nr, uint64_t key)
{
	size_t i = (key * 0x9e3779b97f4a7c15ULL) >> 32 & (nr - 1);

	while (slot[i].used && slot[i].key != key)
		i = (i + 1) & (nr - 1);
	return &slot[i];
}

static bool grow_slots(struct history *h)
{
	size_t nr = h->nr_slots ? 2 * h->nr_slots : FIRST_SLOTS;
	struct slot *more = calloc(nr, sizeof(*more));

	if (!more)
		return false;
	for (size_t i = 0; i < h->nr_slots; i++)
		if (h->slot[i].used)
			*find_slot(more, nr, h->slot[i].key) = h->slot[i];
	free(h->slot);
	h->slot = more;
	h->nr_slots = nr;
	return true;
}

static bool add_to_list(struct history *h, uint64_t key, uint32_t piece)
{
	struct slot *slot;

	if (2 * h->nr_used >= h->nr_slots && !grow_slots(h))
		return false;
	slot = find_slot(h->slot, h->nr_slots, key);
	if (!slot->used) {
		*slot = (struct slot){ .used = true, .key = key };
		h->nr_used++;
	}
	if (slot->list.nr == slot->list.room) {
		size_t room = slot->list.room ? 2 * slot->list.room : FIRST_IN_LIST;
		uint32_t *more = realloc(slot->list.piece, room * sizeof(*more));

		if (!more)
			return false;
		slot->list.piece = more;
		slot->list.room = room;
	}
	slot->list.piece[slot->list.nr++] = piece;
	return true;
}

static struct piece piece_of(const struct interval *interval)
{
	const struct interval_waker *waker = interval->waker;
	const struct interval_call *call = interval->call;
	struct piece piece = {
		.kind = interval->kind,
		.unfinished = interval->unfinished,
		.prio = interval->prio,
		.pid = interval->pid,
		.cpu = interval->cpu,
		.left_cpu = interval->left_cpu,
		.waker_pid = waker ? waker->pid : -1,
		.waker_cpu = waker ? waker->cpu : -1,
		.waker_flags = waker ? waker->flags : 0,
		.begin = interval->begin,
		.end = interval->end,
		.woken = interval->woken,
		.name = interval->name,
		.dev = interval->dev,
		.bytes = interval->bytes,
		.lock = interval->lock,
	};

	if (call && call->name) {
		piece.call = call->name;
		piece.has_args = call->has_args;
		memcpy(piece.arg, call->arg, sizeof(piece.arg));
	}
	return piece;
}

static bool add_to_lists(struct history *h, const struct piece *piece, uint32_t i)
{
	switch (piece->kind) {
	case INTERVAL_IRQ:
	case INTERVAL_SOFTIRQ:
	case INTERVAL_HRTIMER:
	case INTERVAL_TIMER:
		return add_to_list(h, key_of(piece->kind, OWNER_CPU, piece->cpu), i);
	case INTERVAL_IRQS_OFF:
		return add_to_list(h, key_of(piece->kind, OWNER_CPU, piece->cpu), i) &&
		       add_to_list(h, key_of(piece->kind, OWNER_ALL, 0), i);
	case INTERVAL_BLOCK_QUEUE:
	case INTERVAL_BLOCK_DEVICE:
		return add_to_list(h, key_of(piece->kind, OWNER_ALL, 0), i);
	case INTERVAL_ONCPU:
		if (!add_to_list(h, key_of(piece->kind, OWNER_CPU, piece->cpu), i))
			return false;
		/* fall through */
	default:
		return add_to_list(h, key_of(piece->kind, OWNER_TASK, piece->pid), i);
	}
}

bool history_add(struct history *h, const struct interval *interval)
{
	size_t room = h->room ? 2 * h->room : FIRST_PIECES;
	struct piece *more;

	if (h->nr == h->room) {
		more = realloc(h->piece, room * sizeof(*more));
		if (!more)
			return false;
		h->piece = more;
		h->room = room;
	}
	h->piece[h->nr] = piece_of(interval);
	if (!add_to_lists(h, &h->piece[h->nr], h->nr))
		return false;
	h->nr++;
	return true;
}

static const struct piece_list *find_list(const struct history *h, uint64_t key)
{
	static const struct piece_list none;
	const struct slot *slot;

	if (!h->nr_slots)
		return &none;
	slot = find_slot(h->slot, h->nr_slots, key);
	return slot->used ? &slot->list : &none;
}

const struct piece_list *history_of_task(const struct history *h, enum interval_kind kind,
					 int pid)
{
	return find_list(h, key_of(kind, OWNER_TASK, pid));
}

const struct piece_list *history_of_cpu(const struct history *h, enum interval_kind kind,
					int cpu)
{
	return find_list(h, key_of(kind, OWNER_CPU, cpu));
}

const struct piece_list *history_of_all(const struct history *h, enum interval_kind kind)
{
	return find_list(h, key_of(kind, OWNER_ALL, 0));
}

const struct piece *history_piece(const struct history *h, const struct piece_list *list,
				  size_t i)
{
	return &h->piece[list->piece[i]];
}

size_t history_after(const struct history *h, const struct piece_list *list, uint64_t time)
{
	size_t low = 0, high = list->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (history_piece(h, list, middle)->end > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct piece *history_at(const struct history *h, const struct piece_list *list,
			       uint64_t time)
{
	size_t i = history_after(h, list, time);
	const struct piece *piece;

	if (i == list->nr)
		return NULL;
	piece = history_piece(h, list, i);
	return piece->begin <= time ? piece : NULL;
}

size_t history_pieces(const struct history *h, const struct piece **piece)
{
	*piece = h->piece;
	return h->nr;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "history.h"

#define FIRST_PIECES	4096
#define MOST_PIECES	4000000	/* the default; about 130 bytes each */
#define FIRST_SLOTS	1024	/* a power of two */

enum owner { OWNER_TASK, OWNER_CPU, OWNER_ALL };

struct slot {
	bool used;
	uint64_t key;
	struct piece_list list;
};

HASH_TABLE(list_table, struct slot);

struct history {
	const struct dat_cgroups *cgroups;
	struct piece *piece;
	size_t nr, most;
	uint64_t focus;		/* 0: none */
	struct history_cut cut;
	struct list_table lists;
};

static inline uint64_t slot_key(const struct slot *slot)
{
	return slot->key;
}

static inline bool is_of(const struct slot *slot, uint64_t key)
{
	return slot->key == key;
}

HASH_FUNCTIONS(list_table, struct slot, uint64_t, FIRST_SLOTS, hash_u64, is_of, slot_key);

struct history *history_new(const struct dat_cgroups *cgroups)
{
	struct history *h = calloc(1, sizeof(*h));

	if (h) {
		h->cgroups = cgroups;
		h->most = MOST_PIECES;
	}
	return h;
}

void history_free(struct history *h)
{
	struct slot *slot;

	if (!h)
		return;
	hash_for_each(&h->lists, slot)
		free(slot->list.piece);
	free(h->lists.slot);
	free(h->piece);
	free(h);
}

int history_quota(const struct history *h, int pid, struct dat_quota *quota)
{
	const struct dat_task *task = h->cgroups ? dat_cgroups_find(h->cgroups, pid) : NULL;
	int ret;

	*quota = (struct dat_quota){ 0 };
	ret = task ? dat_cgroups_quota(h->cgroups, task->cgroup, quota) : -ENOENT;
	/* The topmost one has no quota: the task is in a group of another hierarchy. */
	if (ret < 0)
		quota->cgroup = task && strcmp(task->cgroup, "/") ? task->cgroup : NULL;
	return ret;
}

static uint64_t key_of(enum interval_kind kind, enum owner owner, int id)
{
	return (uint64_t)owner << 48 | (uint64_t)kind << 32 | (uint32_t)id;
}

static bool add_to_list(struct history *h, uint64_t key, uint32_t piece)
{
	struct slot *slot = list_table_place(&h->lists, key);

	if (!slot)
		return false;
	if (!slot->used) {
		*slot = (struct slot){ .used = true, .key = key };
		h->lists.nr++;
	}
	if (!array_grow(slot->list.piece, slot->list.nr))
		return false;
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
		.again = interval->again,
		.device = interval->device,
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

/* A sleep has its system call itself, and its requests are those that the device had. */
static bool is_used(enum interval_kind kind)
{
	return kind != INTERVAL_SYSCALL && kind != INTERVAL_BLOCK_QUEUE && kind != INTERVAL_FAULT;
}

void history_keep(struct history *h, size_t most)
{
	h->most = most;
}

void history_set_focus(struct history *h, uint64_t time)
{
	h->focus = time;
}

/* The numbers of a list ascend. */
static void drop_from_list(struct piece_list *list, size_t nr)
{
	size_t gone = 0;

	while (gone < list->nr && list->piece[gone] < nr)
		gone++;
	list->nr -= gone;
	for (size_t i = 0; i < list->nr; i++)
		list->piece[i] = list->piece[i + gone] - nr;
}

/* A quarter at once, so that each interval is moved a few times only. */
static void drop_oldest(struct history *h)
{
	size_t nr = h->most / 4 + 1;
	struct slot *slot;

	h->cut.before += nr;
	h->cut.since = h->piece[nr - 1].end;
	h->nr -= nr;
	memmove(h->piece, h->piece + nr, h->nr * sizeof(*h->piece));
	hash_for_each(&h->lists, slot)
		drop_from_list(&slot->list, nr);
}

/* Return true if half of the kept intervals end after the time that the question is about. */
static bool is_past_focus(const struct history *h)
{
	return h->focus && h->piece[h->nr / 2].end > h->focus;
}

bool history_add(struct history *h, const struct interval *interval, bool is_selected)
{
	if (!is_used(interval->kind))
		return true;
	if (h->nr == h->most && is_past_focus(h)) {
		h->cut.behind++;
		return true;
	}
	if (h->nr == h->most)
		drop_oldest(h);
	if (!array_grow_from(h->piece, h->nr, FIRST_PIECES))
		return false;
	h->piece[h->nr] = piece_of(interval);
	h->piece[h->nr].is_selected = is_selected;
	if (!add_to_lists(h, &h->piece[h->nr], h->nr))
		return false;
	h->nr++;
	return true;
}

struct history_cut history_cut(const struct history *h)
{
	struct history_cut cut = h->cut;

	cut.until = h->nr ? h->piece[h->nr - 1].end : 0;
	return cut;
}

static const struct piece_list *find_list(const struct history *h, uint64_t key)
{
	static const struct piece_list none;
	const struct slot *slot = list_table_find(&h->lists, key);

	return slot ? &slot->list : &none;
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

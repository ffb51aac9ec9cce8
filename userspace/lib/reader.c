// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The reader of a mapped ring: get sub-buffers and events, wait, count losses.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

uint64_t rbmap_map_now(const struct rbmap_map *map)
{
	/*
	 * The meta-page's time is that of the reader's last call, not of the
	 * observer's.  1 is long ago: the merge uses its own clock instead.
	 */
	if (map->observer)
		return 1;
	return META_OWN(map, now);
}

bool rbmap_map_counts_ns(const struct rbmap_map *map)
{
	return META_OWN(map, clock) != RBMAP_CLOCK_X86_TSC;
}

static void ring_loss(const struct rbmap_map *map, struct rbmap_loss *loss)
{
	loss->overrun += META(map, overrun);
	loss->full += META_OWN(map, dropped_full);
	loss->lapped += META_OWN(map, dropped_lapped);
	loss->nested += META_OWN(map, dropped_nested);
	loss->too_large += META_OWN(map, dropped_too_large);
	loss->expired += META_OWN(map, expired);
	loss->no_ring += META_OWN(map, dropped_no_ring);
	loss->disabled += META_OWN(map, disabled);
}

/* Add what the ring has lost up to its end. */
static void leave_ring(struct rbmap_map *map)
{
	map->behind += META(map, reader.lost_events);
	map->reported = rbmap_lost_sum(map->reported, META(map, reader.lost_events));
	if (META_OWN(map, snapshot))
		map->ended = true;
	else if (META_OWN(map, retired) == RBMAP_RETIRED_LAST)
		map->gone = true;
	else
		ring_loss(map, &map->past);
}

/*
 * Map the next ring.  Pieces that earlier calls returned become invalid.  If that fails,
 * no ring is mapped, and the next call tries again.
 */
static int next_ring(struct rbmap_map *map)
{
	if (!map->is_rbmap || !map->transport->next_ring || map->gone)
		return RBMAP_ERR_GONE;
	if (map->meta)
		leave_ring(map);
	if (map->ended)
		return 0;
	if (map->gone)
		return RBMAP_ERR_GONE;
	map->start = NULL;
	return map->transport->next_ring(map);
}

/* GET_READER, and count the events that this call counts as read. */
static int consume(struct rbmap_map *map)
{
	uint64_t before, after;
	int ret;

	if (!map->meta)
		return -ESTALE;
	before = META(map, read);
	ret = map->transport->get_reader(map);
	after = META(map, read);
	map->events += rbmap_counted(before, after);
	return ret;
}

/* Return: 0: read the reader's sub-buffer, unless map->ended is set. */
static int get_reader(struct rbmap_map *map)
{
	while (!map->ended) {
		int ret = consume(map);

		switch (ret) {
		case -EAGAIN:
			return 0;
		case -ENODEV:
		case -ENXIO:
			return RBMAP_ERR_GONE;
		case -ESTALE:
			ret = next_ring(map);
			break;
		default:
			return ret;
		}
		if (ret)
			return ret;
	}
	return 0;
}

static uint64_t swap_lost(struct rbmap_map *map, const unsigned char *subbuf,
			  uint64_t commit)
{
	uint64_t lost = rbmap_subbuf_lost(subbuf, map->subbuf_size, commit);

	/*
	 * While the writer is in the sub-buffer, its commit does not have the
	 * flags.  rbmap's meta-page always has the number; ftrace's never has.
	 */
	if (map->is_rbmap)
		lost = META(map, reader.lost_events);
	map->reported = rbmap_lost_sum(map->reported, lost);
	return lost;
}

/* Map the sub-buffers again, and go on where rbmap_splice() has come to. */
static int remap_subbufs(struct rbmap_map *map)
{
	int ret = map->transport->map_subbufs(map);

	if (!ret)
		ret = rbmap_map_read_position(map);
	if (ret)
		return ret;
	map->behind += map->left;
	map->reported = rbmap_lost_sum(map->reported, map->left);
	map->left = 0;
	return 0;
}

RBMAP_API int rbmap_next_subbuf(struct rbmap_map *map, struct rbmap_subbuf *sb)
{
	if (map->observer)
		return rbmap_observe_subbuf(map, sb);
	if (map->meta && !map->data) {
		int ret = remap_subbufs(map);

		if (ret)
			return ret;
	}
	/*
	 * A call may count as read only bytes that this map has returned.  Then
	 * the next call gets another sub-buffer.  Only another reader can make
	 * more turns necessary.
	 */
	for (int turn = 0; turn < 3; turn++) {
		const unsigned char *subbuf;
		size_t size, counted = map->counted;
		bool taken, more;
		uint64_t commit;
		uint32_t id;
		int ret;

		ret = get_reader(map);
		if (ret || map->ended)
			return ret;

		id = META(map, reader.id);
		if (id >= map->nr_subbufs)
			return RBMAP_ERR_CORRUPT;
		if (map->transport->map_subbuf) {
			ret = map->transport->map_subbuf(map, id);
			if (ret)
				return ret;
		}
		subbuf = map->data + id * map->subbuf_size;
		commit = rbmap_load_commit(subbuf);
		size = commit & RBMAP_COMMIT_MASK;
		if (size > map->subbuf_size - RBMAP_SUBBUF_HEADER_SIZE)
			return RBMAP_ERR_CORRUPT;
		map->counted = META(map, reader.read);

		/* The same id with fewer bytes: the sub-buffer was reused. */
		taken = id != map->id || size < map->offset;
		if (taken) {
			map->id = id;
			map->offset = 0;
			map->skip = 0;
		}
		/* map->events counts what the call found, not what came later. */
		if (size > map->counted && id == META(map, reader.id))
			size = map->counted;
		sb->lost = taken ? swap_lost(map, subbuf, commit) : 0;
		sb->lost = rbmap_lost_sum(sb->lost, map->behind);
		map->behind = 0;
		more = size > map->offset;
		if (more || sb->lost) {
			sb->start = subbuf;
			sb->size = size;
			sb->offset = map->offset;
			memcpy(&sb->timestamp, subbuf, sizeof(sb->timestamp));
			sb->id = id;
			map->offset = size;
			map->pieces++;
			return 1;
		}
		if (!taken && counted >= map->offset)
			return 0;
	}
	return 0;
}

bool rbmap_map_pending(const struct rbmap_map *map)
{
	return map->start && !map->corrupt && map->cursor.offset < map->end;
}

/* Decode the next event of the piece.  Return: 0: the piece is decoded. */
static int piece_event(struct rbmap_map *map, struct rbmap_event *ev)
{
	while (rbmap_map_pending(map)) {
		int ret = rbmap_decode_bytes(map->start, map->end,
					     &map->cursor, ev);

		if (ret < 0) {
			map->corrupt = true;
			return ret;
		}
		/* An earlier map read this event: only its time is needed. */
		if (!ret || map->cursor.offset <= map->skip)
			continue;
		ev->cpu = map->cpu;
		ev->lost = map->lost;
		map->lost = 0;
		return 1;
	}
	return 0;
}

RBMAP_API int rbmap_next_event(struct rbmap_map *map, struct rbmap_event *ev)
{
	struct rbmap_subbuf sb = { 0 };
	int ret;

	/* At most nr_subbufs sub-buffers can be empty in a row. */
	for (unsigned int i = 0; i <= map->nr_subbufs; i++) {
		ret = piece_event(map, ev);
		if (ret)
			return ret;
		ret = rbmap_next_subbuf(map, &sb);
		if (ret <= 0)
			return ret;
		if (!sb.offset || sb.start != map->start) {
			map->cursor = (struct rbmap_cursor){ 0 };
			map->corrupt = false;
		}
		map->start = sb.start;
		map->end = sb.size;
		map->lost = rbmap_lost_sum(map->lost, sb.lost);
	}
	return 0;
}

RBMAP_API int rbmap_discard_unread(struct rbmap_map *map)
{
	int ret;

	if (map->observer)
		return -EBADF;
	if (!map->transport->discard)
		return -ENOTTY;
	ret = map->transport->discard(map);
	if (ret)
		return ret;
	map->start = NULL;
	map->corrupt = false;
	map->cursor = (struct rbmap_cursor){ 0 };
	map->lost = 0;
	map->behind = 0;
	map->left = 0;
	return map->meta ? rbmap_map_read_position(map) : 0;
}

RBMAP_API int rbmap_wait(struct rbmap_map *map, int timeout_ms)
{
	struct pollfd fds[2] = {
		{ .fd = map->fd, .events = POLLIN },
		{ .fd = map->wake_fd, .events = POLLIN },
	};
	uint64_t wakes;

	if (rbmap_map_pending(map))
		return 1;
	if (map->observer) {
		/* If wake_fd ended the wait, the poll() below returns at once. */
		int ret = rbmap_observe_wait(&map, 1, map->wake_fd, timeout_ms);

		if (ret)
			return ret;
		timeout_ms = 0;
		fds[0].fd = -1;
	}
	if (poll(fds, 2, timeout_ms) < 0)
		return -errno;
	if (fds[1].revents && read(map->wake_fd, &wakes, sizeof(wakes)) < 0)
		return -errno;
	if (fds[0].revents & POLLIN)
		return 1;
	if (fds[0].revents)
		return RBMAP_ERR_GONE;
	return 0;
}

RBMAP_API int rbmap_wake(struct rbmap_map *map)
{
	int saved_errno = errno, ret;

	/* The ioctl alone does not end poll(); wake_fd ends our own waiter's. */
	ret = rbmap_wake_fd(map->wake_fd);
	if (!ret && !map->observer)
		ret = map->transport->wake(map);
	errno = saved_errno;
	return ret;
}

/* If the eventfd is full, its waiter will wake anyway. */
int rbmap_wake_fd(int fd)
{
	uint64_t one = 1;

	return write(fd, &one, sizeof(one)) < 0 && errno != EAGAIN ? -errno : 0;
}

/* Earlier rings were read to their end: all their losses were reported. */
static uint64_t unreported(const struct rbmap_map *map)
{
	uint64_t lost = META_OWN(map, lost), reported = META_OWN(map, lost_reported);

	return lost > reported ? lost - reported : 0;
}

RBMAP_API uint64_t rbmap_events_read(const struct rbmap_map *map)
{
	return map->events;
}

RBMAP_API int rbmap_loss(struct rbmap_map *map, struct rbmap_loss *loss)
{
	if (map->observer) {
		rbmap_observe_loss(map, loss);
		return 0;
	}
	*loss = map->past;
	if (map->meta) {
		ring_loss(map, loss);
		loss->unreported = unreported(map);
	}
	loss->total = loss->overrun + loss->full + loss->lapped +
		      loss->nested + loss->too_large + loss->expired +
		      loss->no_ring;
	loss->reported = map->reported;
	return 0;
}

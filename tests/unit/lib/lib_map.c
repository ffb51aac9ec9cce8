// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of a map on a fake ring: order of sub-buffers and events, exact losses, and
 * wrong meta-pages.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib_synth.h"

#define SUBBUF	256
#define SLOTS	4

static void test_pieces_of_a_growing_subbuf(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	struct rbmap_subbuf sb;
	size_t size = 0;

	(void)state;
	assert_int_equal(rbmap_next_subbuf(&ring->map, &sb), 0);
	for (int i = 0; i < 5; i++) {
		fake_emit(ring, 100 + i, i);
		assert_int_equal(rbmap_next_subbuf(&ring->map, &sb), 1);
		assert_int_equal(sb.offset, size);
		assert_true(sb.size > sb.offset);
		assert_int_equal(sb.timestamp, 100);
		assert_int_equal(sb.id, 1);
		size = sb.size;
		assert_int_equal(rbmap_next_subbuf(&ring->map, &sb), 0);
	}
	fake_free(ring);
}

static void test_loss_is_told_once(void **state)
{
	struct fake_ring *ring = fake_new(3, SUBBUF, SLOTS);
	struct rbmap_event ev;
	struct rbmap_loss loss;
	uint64_t lost = 0, got = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		fake_emit(ring, i, i);
	while (rbmap_next_event(&ring->map, &ev) == 1) {
		lost += ev.lost;
		assert_int_equal(event_number(&ev), got + lost);
		assert_int_equal(ev.ts, got + lost);
		assert_int_equal(ev.cpu, 3);
		got++;
	}
	assert_true(lost > 0);
	assert_int_equal(got + lost, 1000);
	rbmap_loss(&ring->map, &loss);
	assert_int_equal(loss.overrun, lost);
	assert_int_equal(loss.reported, lost);
	assert_int_equal(loss.total, lost);
	fake_free(ring);
}

static void test_random_interleaving(void **state)
{
	struct rng rng = { test_seed(4) };

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct fake_ring *ring = fake_new(0, SUBBUF,
						  2 + rng_below(&rng, 6));
		uint64_t emitted = 0, got = 0, lost = 0;
		struct rbmap_event ev;

		for (int turn = 0; turn < 100; turn++) {
			uint64_t n = rng_below(&rng, 1 << rng_below(&rng, 8));

			while (n--)
				fake_emit(ring, emitted * 3, emitted), emitted++;
			n = rng_below(&rng, 1 << rng_below(&rng, 8));
			if (turn == 99)
				n = UINT64_MAX;
			while (n-- && rbmap_next_event(&ring->map, &ev) == 1) {
				lost += ev.lost;
				assert_int_equal(event_number(&ev), got + lost);
				assert_int_equal(ev.ts, 3 * (got + lost));
				got++;
			}
		}
		assert_int_equal(got + lost, emitted);
		assert_int_equal(rbmap_events_read(&ring->map), got);
		fake_free(ring);
	}
}

/* A second map does not read the events that the first map has read. */
static void test_second_map_goes_on(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	struct rbmap_map first = ring->map;
	struct rbmap_event ev;
	uint64_t next = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		fake_emit(ring, 50 + i, i);
	while (rbmap_next_event(&ring->map, &ev) == 1)
		next++;
	assert_int_equal(next, 3);
	for (int i = 3; i < 6; i++)
		fake_emit(ring, 50 + i, i);

	ring->map = first;
	assert_int_equal(rbmap_map_init(&ring->map, ring->meta, 4096), 0);
	while (rbmap_next_event(&ring->map, &ev) == 1) {
		assert_int_equal(event_number(&ev), next);
		assert_int_equal(ev.ts, 50 + next);
		next++;
	}
	assert_int_equal(next, 6);
	fake_free(ring);
}

/* A sub-buffer may contain only the number of lost events. */
static void test_loss_without_an_event(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	struct rbmap_subbuf sb;
	struct rbmap_event ev;
	struct rbmap_loss loss;

	(void)state;
	ring->meta->reader.id = 2;
	ring->meta->reader.lost_events = 9;
	ring->map.id = 0;
	assert_int_equal(rbmap_next_subbuf(&ring->map, &sb), 1);
	assert_int_equal(sb.size, 0);
	assert_int_equal(sb.lost, 9);
	assert_int_equal(rbmap_next_subbuf(&ring->map, &sb), 0);

	/* The next event reports the loss, or rbmap_loss() does. */
	ring->meta->reader.id = 3;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 0);
	rbmap_loss(&ring->map, &loss);
	assert_int_equal(loss.reported, 18);
	ring->meta->reader.lost_events = 0;
	fake_emit(ring, 1, 0);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	assert_int_equal(ev.lost, 9);
	fake_free(ring);
}

/* Each cause of a loss is in the sum. */
static void test_causes(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	struct rbmap_loss loss;

	(void)state;
	fake_losses(ring, 1);
	assert_int_equal(rbmap_loss(&ring->map, &loss), 0);
	assert_losses(&loss, 1);
	fake_free(ring);
}

/* The losses of each ring that went are in the sums, also of rings without an event. */
static void test_causes_in_several_rings(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	struct rbmap_event ev;
	struct rbmap_loss loss;

	(void)state;
	for (unsigned int i = 1; i <= 3; i++) {
		fake_losses(ring, i);
		ring->next_slots = SLOTS;
		ring->next_subbuf_size = SUBBUF;
		assert_int_equal(rbmap_next_event(&ring->map, &ev), 0);
	}
	fake_losses(ring, 4);
	assert_int_equal(rbmap_loss(&ring->map, &loss), 0);
	assert_losses(&loss, 1 + 2 + 3 + 4);
	fake_free(ring);
}

/* The kernel's own ring: no fields of rbmap in the meta-page, losses in flags only. */
static void test_foreign_ring(void **state)
{
	/* Room for the number behind the events. */
	struct fake_ring *ring = fake_new(0, SUBBUF + 8, SLOTS);
	struct rbmap_event ev;
	struct rbmap_loss loss;
	uint64_t got = 0, lost = 0;

	(void)state;
	ring->meta->meta_struct_len = RBMAP_META_TRACE_LEN;
	memset(&ring->meta->magic, 0xff, sizeof(*ring->meta) -
	       RBMAP_META_TRACE_LEN);
	assert_int_equal(rbmap_map_init(&ring->map, ring->meta, 4096), 0);
	assert_false(ring->map.is_rbmap);
	for (int i = 0; i < 1000; i++)
		fake_emit(ring, i, i);
	while (rbmap_next_event(&ring->map, &ev) == 1) {
		lost += ev.lost;
		got++;
	}
	assert_int_equal(got + lost, 1000);
	rbmap_loss(&ring->map, &loss);
	assert_int_equal(loss.overrun, lost);
	assert_int_equal(loss.full, 0);
	assert_int_equal(loss.disabled, 0);
	assert_int_equal(loss.unreported, 0);
	assert_int_equal(rbmap_map_now(&ring->map), 0);
	assert_int_equal(rbmap_clock(&ring->map), -1);
	assert_int_equal(rbmap_generation(&ring->map), 0);
	fake_free(ring);
}

/* Without room for the number, the size of a loss is unknown. */
static void test_loss_of_unknown_size(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	struct rbmap_event ev;
	struct rbmap_loss loss;

	(void)state;
	ring->meta->meta_struct_len = RBMAP_META_TRACE_LEN;
	assert_int_equal(rbmap_map_init(&ring->map, ring->meta, 4096), 0);
	for (int i = 0; i < 1000; i++)
		fake_emit(ring, i, i);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	assert_true(ev.lost == RBMAP_LOST_UNKNOWN);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	assert_int_equal(ev.lost, 0);
	rbmap_loss(&ring->map, &loss);
	assert_true(loss.reported == RBMAP_LOST_UNKNOWN);
	assert_true(loss.total > 0);
	fake_free(ring);
}

static void test_meta_that_lies(void **state)
{
	static const struct {
		size_t offset;
		uint32_t value;
		int error;
	} lie[] = {
		{ offsetof(struct rbmap_meta, meta_page_size), 0,
		  RBMAP_ERR_NOT_RBMAP },
		{ offsetof(struct rbmap_meta, meta_page_size), 4095,
		  RBMAP_ERR_NOT_RBMAP },
		{ offsetof(struct rbmap_meta, meta_struct_len), 79,
		  RBMAP_ERR_NOT_RBMAP },
		{ offsetof(struct rbmap_meta, meta_struct_len), 4097,
		  RBMAP_ERR_NOT_RBMAP },
		{ offsetof(struct rbmap_meta, subbuf_size), 0,
		  RBMAP_ERR_NOT_RBMAP },
		{ offsetof(struct rbmap_meta, subbuf_size), 4097,
		  RBMAP_ERR_NOT_RBMAP },
		{ offsetof(struct rbmap_meta, nr_subbufs), 0,
		  RBMAP_ERR_NOT_RBMAP },
		{ offsetof(struct rbmap_meta, nr_subbufs), 1,
		  RBMAP_ERR_NOT_RBMAP },
		{ offsetof(struct rbmap_meta, version), RBMAP_META_VERSION + 1, RBMAP_ERR_VERSION },
		{ offsetof(struct rbmap_meta, version), 0, RBMAP_ERR_VERSION },
		{ offsetof(struct rbmap_meta, reader.id), SLOTS + 1,
		  RBMAP_ERR_CORRUPT },
		{ offsetof(struct rbmap_meta, reader.read), SUBBUF,
		  RBMAP_ERR_CORRUPT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lie) / sizeof(lie[0]); i++) {
		struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);

		memcpy((char *)ring->meta + lie[i].offset, &lie[i].value, 4);
		assert_int_equal(rbmap_map_init(&ring->map, ring->meta, 4096),
				 lie[i].error);
		fake_free(ring);
	}
}

static void test_reader_that_lies(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	struct rbmap_event ev;
	unsigned long *commit;

	(void)state;
	ring->meta->reader.id = SLOTS + 1;
	ring->writer_with_reader = true;
	ring->error = -EAGAIN;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), RBMAP_ERR_CORRUPT);
	ring->error = 0;
	ring->meta->reader.id = 0;
	commit = (unsigned long *)(ring->map.data + 8);
	*commit = SUBBUF - 15;
	/* Nothing of it is read, and nothing is skipped. */
	for (int i = 0; i < 2; i++)
		assert_int_equal(rbmap_next_event(&ring->map, &ev), RBMAP_ERR_CORRUPT);

	/* Garbage in a sub-buffer is reported once, and its rest is skipped. */
	*commit = 40;
	memset((void *)(ring->map.data + 16), 0xff, 40);
	memset((void *)(ring->map.data + 16), 0x01, 1);	/* an event of 8 */
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 0);
	*commit = 44;
	memset((void *)(ring->map.data + 16 + 40), 0, 4);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), RBMAP_ERR_CORRUPT);
	*commit = 100;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 0);
	fake_free(ring);
}

static void test_errors_of_the_device(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	struct rbmap_event ev;

	(void)state;
	ring->error = -EAGAIN;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 0);
	ring->error = -EINTR;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), -EINTR);
	ring->error = -ENODEV;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), RBMAP_ERR_GONE);
	fake_free(ring);
}

/* A replaced ring is read to its end, and its losses are counted. */
static void test_next_ring(void **state)
{
	static const size_t sizes[] = { 2 * SUBBUF, SUBBUF, 4 * SUBBUF };
	struct fake_ring *ring = fake_new(2, SUBBUF, SLOTS);
	uint64_t emitted = 0, lost = 0, got = 0;
	unsigned int generation = 1, unreported = 0;
	struct rbmap_event ev;
	struct rbmap_loss loss;

	(void)state;
	for (unsigned int i = 0; i < 7; i++) {
		/* Some rings are empty. */
		for (unsigned int n = i % 3 * 40; n; n--, emitted++)
			fake_emit(ring, emitted, emitted);
		ring->next_slots = 2 + i % 4;
		ring->next_subbuf_size = sizes[i % 3];
		ring->next_clock = i % 4;
		if (ring->meta->overrun) {
			rbmap_loss(&ring->map, &loss);
			assert_int_equal(loss.unreported, ring->meta->overrun);
			unreported++;
		}
		/* Read two rings at a time, and the last ring to its end. */
		if (i & 1)
			continue;
		while (rbmap_next_event(&ring->map, &ev) == 1) {
			lost += ev.lost;
			assert_int_equal(event_number(&ev), got + lost);
			assert_int_equal(ev.ts, got + lost);
			assert_int_equal(ev.cpu, 2);
			got++;
		}
		assert_int_equal(rbmap_subbuf_size(&ring->map), sizes[i % 3]);
		assert_int_equal(rbmap_nr_subbufs(&ring->map), 3 + i % 4);
		assert_int_equal(rbmap_clock(&ring->map), i % 4);
		assert_true(rbmap_generation(&ring->map) > generation);
		generation = rbmap_generation(&ring->map);
	}
	assert_true(lost > 0 && unreported > 0);
	rbmap_loss(&ring->map, &loss);
	assert_int_equal(loss.unreported, 0);
	assert_int_equal(loss.overrun, lost);
	assert_int_equal(loss.reported, lost);
	fake_free(ring);

	/* The kernel's own ring has no successor. */
	ring = fake_new(0, SUBBUF, SLOTS);
	ring->map.is_rbmap = false;
	ring->error = -ESTALE;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), RBMAP_ERR_GONE);
	fake_free(ring);
}

/* A loss behind the last event of a ring is reported with the first event of the next ring. */
static void test_loss_behind_a_ring(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	struct rbmap_event ev;
	struct rbmap_loss loss;

	(void)state;
	fake_emit(ring, 1, 0);
	ring->next_slots = SLOTS;
	ring->next_subbuf_size = SUBBUF;
	ring->lost_behind = 9;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	assert_int_equal(ev.lost, 0);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 0);
	fake_emit(ring, 2, 1);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	assert_int_equal(ev.lost, 9);
	rbmap_loss(&ring->map, &loss);
	assert_int_equal(loss.reported, 9);

	/* One call leaves two rings without an event. */
	ring->next_slots = SLOTS;
	ring->more_rings = 1;
	ring->lost_behind = 5;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 0);
	fake_emit(ring, 3, 2);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	assert_int_equal(ev.lost, 5 + 5);
	fake_free(ring);
}

/* The writer has lapped the reader, and is in the sub-buffer that splice() gets. */
static struct fake_ring *lapped_ring(uint64_t *emitted)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, 2);

	/* Two sub-buffers are overwritten, and the writer is in the last one. */
	for (*emitted = 0; ring->meta->overrun < 10; (*emitted)++)
		fake_emit(ring, *emitted, *emitted);
	/* Only the newest sub-buffer is left. */
	ring->meta->overrun += ring->slot[0].events;
	ring->meta->lost += ring->slot[0].events;
	ring->spare[ring->nr_spare++] = ring->slot[0].id;
	ring->slot[0] = ring->slot[1];
	ring->nr_used = 1;
	ring->lapped = true;
	assert_int_equal(rbmap_splice(&ring->map, -1, SUBBUF), 0);
	assert_true(ring->writer_with_reader);
	assert_int_equal(ring->meta->lost_reported, ring->meta->lost);
	return ring;
}

static uint64_t loss_reported(struct fake_ring *ring)
{
	struct rbmap_loss loss;

	rbmap_loss(&ring->map, &loss);
	return loss.reported;
}

/* splice() has left a sub-buffer unread: the map reports the loss before it, once. */
static void test_loss_that_splice_leaves_to_the_map(void **state)
{
	uint64_t emitted, got = 0;
	struct fake_ring *ring = lapped_ring(&emitted);
	struct rbmap_event ev;

	(void)state;
	assert_int_equal(rbmap_splice(&ring->map, -1, SUBBUF), 0);
	assert_int_equal(loss_reported(ring), 0);
	while (rbmap_next_event(&ring->map, &ev) == 1) {
		assert_int_equal(ev.lost, got ? 0 : ring->meta->lost);
		assert_int_equal(event_number(&ev), ring->meta->lost + got);
		got++;
	}
	assert_int_equal(got + ring->meta->lost, emitted);
	assert_int_equal(loss_reported(ring), ring->meta->lost);
	assert_int_equal(rbmap_splice(&ring->map, -1, SUBBUF), 0);
	assert_int_equal(loss_reported(ring), ring->meta->lost);
	fake_free(ring);
}

/* The writer has left that sub-buffer: splice() passes it on, with the loss. */
static void test_loss_that_splice_reports_later(void **state)
{
	uint64_t emitted;
	struct fake_ring *ring = lapped_ring(&emitted);
	struct rbmap_event ev;

	(void)state;
	while (ring->writer_with_reader) {
		fake_emit(ring, emitted, emitted);
		emitted++;
	}
	assert_int_equal(rbmap_splice(&ring->map, -1, SUBBUF), SUBBUF);
	assert_int_equal(loss_reported(ring), ring->meta->lost);
	assert_int_equal(rbmap_events_read(&ring->map), emitted - 1 - ring->meta->lost);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	assert_int_equal(ev.lost, 0);
	assert_int_equal(event_number(&ev), emitted - 1);
	assert_int_equal(loss_reported(ring), ring->meta->lost);
	fake_free(ring);
}

static void test_nothing_new_is_one_call(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	struct rbmap_event ev;

	(void)state;
	fake_emit(ring, 1, 0);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	ring->calls = 0;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 0);
	assert_int_equal(ring->calls, 1);
	fake_free(ring);
}

static void test_wait_and_wake(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	uint64_t one = 1;
	struct rbmap_event ev;

	(void)state;
	assert_int_equal(rbmap_wait(&ring->map, 0), 0);
	assert_int_equal(rbmap_wake(&ring->map), 0);
	assert_int_equal(rbmap_wait(&ring->map, -1), 0);
	assert_int_equal(rbmap_wait(&ring->map, 0), 0);
	assert_int_equal(write(ring->map.fd, &one, 8), 8);
	assert_int_equal(rbmap_wait(&ring->map, -1), 1);

	/* The map already holds the second event: do not wait. */
	fake_emit(ring, 1, 0);
	fake_emit(ring, 2, 1);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	assert_int_equal(rbmap_wait(&ring->map, -1), 1);
	fake_free(ring);
}

/* A signal handler may call rbmap_wake(): it leaves errno alone, even if nobody waits. */
static void test_wake_keeps_errno(void **state)
{
	struct fake_ring *ring = fake_new(0, SUBBUF, SLOTS);
	uint64_t most = UINT64_MAX - 1;

	(void)state;
	assert_int_equal(write(ring->map.wake_fd, &most, sizeof(most)), sizeof(most));
	errno = ERANGE;
	assert_int_equal(rbmap_wake(&ring->map), 0);
	assert_int_equal(errno, ERANGE);
	fake_free(ring);
}

/* Without memory for the next ring, each call fails until there is some. */
static void test_next_ring_without_memory(void **state)
{
	struct fake_ring *ring = fake_new(2, SUBBUF, SLOTS);
	struct rbmap_event ev;
	struct rbmap_loss loss;

	(void)state;
	fake_emit(ring, 1, 0);
	ring->next_slots = SLOTS;
	ring->next_subbuf_size = SUBBUF;
	ring->next_error = -ENOMEM;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rbmap_next_event(&ring->map, &ev), -ENOMEM);
		assert_int_equal(rbmap_loss(&ring->map, &loss), 0);
		assert_int_equal(loss.total, 0);
		assert_int_equal(rbmap_clock(&ring->map), -1);
		assert_int_equal(rbmap_generation(&ring->map), 0);
		assert_int_equal(rbmap_splice(&ring->map, 1, SUBBUF), 0);
		assert_int_equal(rbmap_wait(&ring->map, 0), 0);
	}
	ring->next_error = 0;
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 0);
	fake_emit(ring, 2, 7);
	assert_int_equal(rbmap_next_event(&ring->map, &ev), 1);
	assert_int_equal(event_number(&ev), 7);
	fake_free(ring);
}

static void expect_no_ring(const char *path, int error)
{
	struct rbmap_map *map = (void *)1;

	assert_int_equal(rbmap_open_path(&map, path, 0), error);
	assert_null(map);
}

static void test_files_that_are_no_ring(void **state)
{
	char path[] = "/tmp/lib_map.XXXXXX";
	struct rbmap_map *map;
	int fd = mkstemp(path);

	(void)state;
	/* Reading a map beyond the end of an empty file would raise SIGBUS. */
	expect_no_ring(path, RBMAP_ERR_NOT_RBMAP);
	close(fd);
	unlink(path);
	expect_no_ring(path, -ENOENT);
	expect_no_ring("/dev/null", RBMAP_ERR_NOT_RBMAP);
	expect_no_ring("/dev/zero", RBMAP_ERR_NOT_RBMAP);
	expect_no_ring("/dev", RBMAP_ERR_NOT_RBMAP);
	expect_no_ring("/proc/self/status", RBMAP_ERR_NOT_RBMAP);
	assert_int_equal(rbmap_open(&map, -1, 0), -EINVAL);
	assert_int_equal(rbmap_open(&map, 0, 1), -EINVAL);
	if (access("/dev/rbmap", F_OK) && access("/sys/module/rbmap", F_OK)) {
		struct rbmap_merge *merge;

		assert_int_equal(rbmap_open(&map, 0, 0),
				 RBMAP_ERR_NOT_LOADED);
		assert_int_equal(rbmap_merge_open(&merge, 0),
				 RBMAP_ERR_NOT_LOADED);
		assert_null(merge);
	}
	rbmap_close(NULL);
	rbmap_merge_close(NULL);
}

static void test_each_error_has_its_text(void **state)
{
	(void)state;
	for (int a = RBMAP_ERR_CORRUPT; a <= RBMAP_ERR_NOT_LOADED; a++)
		for (int b = RBMAP_ERR_CORRUPT; b < a; b++)
			assert_string_not_equal(rbmap_strerror(a),
						rbmap_strerror(b));
	assert_string_equal(rbmap_strerror(-ENOMEM), strerror(ENOMEM));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_of_a_growing_subbuf),
		cmocka_unit_test(test_loss_is_told_once),
		cmocka_unit_test(test_random_interleaving),
		cmocka_unit_test(test_second_map_goes_on),
		cmocka_unit_test(test_loss_without_an_event),
		cmocka_unit_test(test_causes),
		cmocka_unit_test(test_causes_in_several_rings),
		cmocka_unit_test(test_foreign_ring),
		cmocka_unit_test(test_loss_of_unknown_size),
		cmocka_unit_test(test_meta_that_lies),
		cmocka_unit_test(test_reader_that_lies),
		cmocka_unit_test(test_errors_of_the_device),
		cmocka_unit_test(test_next_ring),
		cmocka_unit_test(test_loss_behind_a_ring),
		cmocka_unit_test(test_loss_that_splice_leaves_to_the_map),
		cmocka_unit_test(test_loss_that_splice_reports_later),
		cmocka_unit_test(test_nothing_new_is_one_call),
		cmocka_unit_test(test_wait_and_wake),
		cmocka_unit_test(test_wake_keeps_errno),
		cmocka_unit_test(test_next_ring_without_memory),
		cmocka_unit_test(test_files_that_are_no_ring),
		cmocka_unit_test(test_each_error_has_its_text),
	};

	return cmocka_run_group_tests_name("lib_map", tests, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The events of a stream (a CPU of a buffer) are encoded into pages again. When some pages are
 * full, they are compressed and go to the spool, so memory does not grow with the recording.
 * The file has the chunks of a stream one behind the other, so they are copied from the spool
 * at the end.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "base/array.h"
#include "base/files.h"
#include "dat_cut_parts.h"

#define LEVEL		1	/* larger ones take much more time and save little */
#define CHUNK_BYTES	65536	/* pages that are compressed together */
#define CHUNK_HEAD	8	/* both sizes of a chunk */
#define EXTEND_BYTES	8	/* a time extension */
#define DELTA_BITS	27
#define EXTEND_BITS	59

/* A word before an event: its type or length, and the time since the event before. */
static uint32_t event_word(uint32_t type, uint32_t delta)
{
#if __BYTE_ORDER == __BIG_ENDIAN
	return type << DELTA_BITS | delta;
#else
	return type | delta << (32 - DELTA_BITS);
#endif
}

static size_t head_of(const struct dat_cut *cut)
{
	return cut->r->head;
}

static struct stream *stream_of(struct dat_cut *cut, unsigned int buffer, unsigned int cpu)
{
	return &cut->stream[cut->r->buffer[buffer].first + cpu];
}

static size_t page_size_of(const struct dat_cut *cut, const struct stream *s)
{
	return cut->r->cpu[s - cut->stream].page_size;
}

static size_t chunk_size_of(const struct dat_cut *cut, const struct stream *s)
{
	size_t page = page_size_of(cut, s);

	return page > CHUNK_BYTES ? page : CHUNK_BYTES / page * page;
}

int dat_cut_pack(struct dat_cut *cut, const void *data, size_t size)
{
	size_t room = ZSTD_compressBound(size), packed;
	uint32_t sizes[2];
	char *at;

	cut->packed.size = 0;
	at = buf_room(&cut->packed, CHUNK_HEAD + room);
	if (!at)
		return -ENOMEM;
	packed = ZSTD_compressCCtx(cut->zstd, at + CHUNK_HEAD, room, data, size, LEVEL);
	if (ZSTD_isError(packed))
		return -ENOMEM;
	sizes[0] = packed;
	sizes[1] = size;
	memcpy(at, sizes, CHUNK_HEAD);
	buf_end(&cut->packed, at + CHUNK_HEAD + packed);
	return 0;
}

/* Compress the whole pages of a stream, and append them to the spool. */
static int put_chunk(struct dat_cut *cut, struct stream *s)
{
	int ret;

	if (!s->full)
		return 0;
	if (!array_grow(s->piece, s->nr_pieces))
		return -ENOMEM;
	ret = dat_cut_pack(cut, s->pages, s->full);
	if (ret)
		return ret;
	ret = write_all_at(cut->spool, cut->packed.data, cut->packed.size, cut->spool_size);
	if (ret) {
		cut->write_error = ret;
		return ret;
	}
	s->piece[s->nr_pieces++] = (struct piece){ cut->spool_size, cut->packed.size };
	cut->spool_size += cut->packed.size;
	s->full = 0;
	return 0;
}

/* Bytes behind the events of a page that the number of lost events takes */
static size_t lost_size(const struct dat_cut *cut, uint64_t lost)
{
	return lost && lost != RBMAP_LOST_UNKNOWN ? cut->r->long_size : 0;
}

/* Write the header of a page, and the loss before it, if there is room for the number. */
static void put_page_head(const struct dat_cut *cut, struct stream *s)
{
	size_t size = lost_size(cut, s->page_lost);
	unsigned char *page = s->pages + s->full, *end = page + head_of(cut) + s->used;
	uint64_t commit = s->used;
	uint32_t word = s->page_lost;

	if (s->page_lost)
		commit |= RBMAP_MISSED_EVENTS;
	/* The numbers of a 32-bit kernel are smaller. */
	if (size && head_of(cut) + s->used + size <= page_size_of(cut, s) &&
	    (size == sizeof(s->page_lost) || s->page_lost == word)) {
		commit |= RBMAP_MISSED_STORED;
		memcpy(end, size == sizeof(word) ? (const void *)&word : &s->page_lost, size);
	}
	memcpy(page, &s->page_ts, sizeof(s->page_ts));
	word = commit;
	memcpy(page + sizeof(s->page_ts),
	       cut->r->long_size == sizeof(word) ? (const void *)&word : &commit,
	       cut->r->long_size);
}

static int end_page(struct dat_cut *cut, struct stream *s)
{
	if (!s->open)
		return 0;
	put_page_head(cut, s);
	s->open = false;
	s->full += page_size_of(cut, s);
	return s->full == chunk_size_of(cut, s) ? put_chunk(cut, s) : 0;
}

/* Begin a page, which reports the loss. */
static int begin_page(struct dat_cut *cut, struct stream *s, uint64_t ts)
{
	int ret = end_page(cut, s);

	if (ret)
		return ret;
	if (!s->pages)
		s->pages = malloc(chunk_size_of(cut, s));
	if (!s->pages)
		return -ENOMEM;
	memset(s->pages + s->full, 0, page_size_of(cut, s));
	s->open = true;
	s->used = 0;
	s->page_ts = ts;
	s->ts = ts;
	s->page_lost = s->lost;
	s->lost = 0;
	return 0;
}

static bool is_short(const struct rbmap_event *ev)
{
	return ev->size && ev->size % 4 == 0 && ev->size / 4 <= RBMAP_TYPE_LEN_MAX;
}

/* Return the bytes of an event with its payload, without a time extension. */
static size_t event_bytes(const struct rbmap_event *ev)
{
	return (is_short(ev) ? 4 : 8) + round_up_to(ev->size, 4);
}

static void put_word(const struct dat_cut *cut, struct stream *s, uint32_t word)
{
	memcpy(s->pages + s->full + head_of(cut) + s->used, &word, sizeof(word));
	s->used += sizeof(word);
}

static void put_event(const struct dat_cut *cut, struct stream *s, const struct rbmap_event *ev,
		      uint64_t delta)
{
	if (delta >> DELTA_BITS) {
		put_word(cut, s, event_word(RBMAP_TYPE_TIME_EXTEND,
					    delta & ((1u << DELTA_BITS) - 1)));
		put_word(cut, s, delta >> DELTA_BITS);
		delta = 0;
	}
	if (is_short(ev)) {
		put_word(cut, s, event_word(ev->size / 4, delta));
	} else {
		put_word(cut, s, event_word(0, delta));
		put_word(cut, s, ev->size + 4);
	}
	memcpy(s->pages + s->full + head_of(cut) + s->used, ev->data, ev->size);
	s->used += round_up_to(ev->size, 4);
}

/* Does the event fit behind the last one of its page? */
static bool follows(const struct dat_cut *cut, const struct stream *s,
		    const struct rbmap_event *ev, uint64_t ts)
{
	size_t size = head_of(cut) + s->used + event_bytes(ev) + lost_size(cut, s->page_lost);
	uint64_t delta = ts - s->ts;

	if (!s->open || s->lost || ts < s->ts || delta >> EXTEND_BITS)
		return false;
	return size + (delta >> DELTA_BITS ? EXTEND_BYTES : 0) <= page_size_of(cut, s);
}

int dat_cut_add(struct dat_cut *cut, const struct rbmap_event *ev)
{
	struct stream *s = stream_of(cut, rbmap_recording_event_buffer(cut->r), ev->cpu);
	size_t size = head_of(cut) + event_bytes(ev);
	uint64_t ts = dat_event_ring_time(cut->r);
	int ret = 0;

	s->lost = dat_lost_sum(s->lost, ev->lost);
	if (follows(cut, s, ev, ts)) {
		put_event(cut, s, ev, ts - s->ts);
		s->ts = ts;
		return 0;
	}
	if (size > page_size_of(cut, s))
		return RBMAP_ERR_BROKEN;
	/* The loss does not fit beside the event: it gets a page of its own. */
	if (size + lost_size(cut, s->lost) > page_size_of(cut, s))
		ret = begin_page(cut, s, ts);
	if (!ret)
		ret = begin_page(cut, s, ts);
	if (!ret)
		put_event(cut, s, ev, 0);
	return ret;
}

void dat_cut_leave_out(struct dat_cut *cut, const struct rbmap_event *ev, uint64_t lost)
{
	struct stream *s = stream_of(cut, rbmap_recording_event_buffer(cut->r), ev->cpu);

	s->lost = dat_lost_sum(s->lost, lost);
	cut->left_out[ev->cpu]++;
}

struct dat_loss dat_cut_add_lost_last(struct dat_cut *cut, unsigned int cpu)
{
	struct dat_loss sum = { 0 };

	for (unsigned int i = 0; i < cut->r->nr_streams; i++) {
		const struct dat_cpu_reader *c = &cut->r->cpu[i];
		struct stream *s = &cut->stream[i];
		struct dat_loss loss;

		if (c->cpu != cpu || !cut->r->buffer[c->buffer].chosen)
			continue;
		loss = dat_stream_loss_behind(cut->r, i);
		/* The counters do not say how many of those that were missed are in the part. */
		if (dat_stops_early(cut->r) && dat_missed(cut->r, c->buffer, cpu))
			loss.more = true;
		loss.more |= dat_stream_lacks_events(cut->r, i);
		s->lost = dat_lost_sum(s->lost, loss.known);
		s->lost_more = loss.more;
		dat_add_loss(&sum, loss);
	}
	return sum;
}

/* Write the last pages of all streams, and the losses behind the last events. */
int dat_cut_end_streams(struct dat_cut *cut)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < cut->r->nr_streams; i++) {
		struct stream *s = &cut->stream[i];

		if (s->lost)
			ret = begin_page(cut, s, s->ts);
		/* A page cannot have a number and say that more was lost. */
		if (!ret && s->lost_more) {
			s->lost = RBMAP_LOST_UNKNOWN;
			ret = begin_page(cut, s, s->ts);
		}
		if (!ret)
			ret = end_page(cut, s);
		if (!ret)
			ret = put_chunk(cut, s);
		free(s->pages);
		s->pages = NULL;
	}
	return ret;
}

void dat_cut_drop_counters(struct dat_cut *cut, unsigned int cpu)
{
	if (cpu < cut->r->nr_cpus)
		cut->drops_counters[cpu] = true;
}

int dat_cut_new(struct dat_cut **result, struct rbmap_recording *r, int spool)
{
	struct dat_cut *cut = calloc(1, sizeof(*cut));

	if (!cut)
		return -ENOMEM;
	cut->r = r;
	cut->spool = spool;
	cut->stream = calloc(r->nr_streams + 1, sizeof(*cut->stream));
	cut->left_out = calloc(r->nr_cpus + 1, sizeof(*cut->left_out));
	cut->drops_counters = calloc(r->nr_cpus + 1, sizeof(*cut->drops_counters));
	cut->zstd = ZSTD_createCCtx();
	*result = cut;
	if (cut->stream && cut->left_out && cut->drops_counters && cut->zstd)
		return 0;
	dat_cut_free(cut);
	*result = NULL;
	return -ENOMEM;
}

void dat_cut_free(struct dat_cut *cut)
{
	if (!cut)
		return;
	for (unsigned int i = 0; cut->stream && i < cut->r->nr_streams; i++) {
		free(cut->stream[i].pages);
		free(cut->stream[i].piece);
	}
	free(cut->stream);
	free(cut->left_out);
	free(cut->drops_counters);
	ZSTD_freeCCtx(cut->zstd);
	buf_free(&cut->packed);
	buf_free(&cut->options);
	free(cut);
}

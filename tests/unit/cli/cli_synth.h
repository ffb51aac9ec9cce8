/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sub-buffers and formats made by hand, as a ring would hold them.
 */
#ifndef CLI_SYNTH_H
#define CLI_SYNTH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <linux/rbmap.h>

#include "recording/write/dat_write.h"

#define SYNTH_SUBBUF	4096
#define SYNTH_LARGEST	65536
#define SYNTH_ROOM	(SYNTH_SUBBUF - RBMAP_SUBBUF_HEADER_SIZE)

enum { SYNTH_SWITCH = 1, SYNTH_PRINT = 2, SYNTH_CALL = 3 };

static const char synth_header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static const char synth_header_event[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n"
	"\ttime_delta  :   27 bits\n"
	"\tarray       :   32 bits\n"
	"\n"
	"\tpadding     : type == 29\n"
	"\ttime_extend : type == 30\n"
	"\ttime_stamp : type == 31\n"
	"\tdata max type_len  == 28\n";

#define SYNTH_COMMON							\
	"format:\n"							\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char synth_switch[] =
	"name: sched_switch\nID: 1\n" SYNTH_COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d\", "
	"REC->prev_comm, REC->prev_pid, REC->prev_prio, "
	"(REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, \"|\", { 1, \"S\" }, { 2, \"D\" }) : \"R\", "
	"REC->prev_state & 0x100 ? \"+\" : \"\", "
	"REC->next_comm, REC->next_pid, REC->next_prio\n";

static const char synth_print[] =
	"name: number\nID: 2\n" SYNTH_COMMON
	"\tfield:unsigned long long nr;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"nr=%llu\", REC->nr\n";

static const char synth_call[] =
	"name: call\nID: 3\n" SYNTH_COMMON
	"\tfield:void * ip;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%pS %ps\", REC->ip, REC->ip\n";

static const struct dat_format synth_formats[] = {
	{ "rbmap", synth_call },
	{ "rbmap", synth_print },
	{ "sched", synth_switch },
};


static inline struct dat_source synth_source(unsigned int nr_cpus)
{
	return (struct dat_source){
		.header_page = synth_header_page,
		.header_event = synth_header_event,
		.formats = synth_formats,
		.nr_formats = 3,
		.clocks = "[local] mono boot x86-tsc",
		.uname = "Linux host 6.1 x86_64",
		.version = "rbmap 1",
		.page_size = SYNTH_SUBBUF,
		.nr_cpus = nr_cpus,
	};
}

struct synth {
	union {
		struct rbmap_subbuf_header header;
		unsigned char bytes[SYNTH_LARGEST];
	};
	size_t room;		/* SYNTH_ROOM where it is 0 */
	uint64_t ts;
	size_t told;		/* size that synth_piece() has returned */
	uint32_t id;
};

static inline void synth_begin(struct synth *s, uint64_t ts)
{
	memset(s->bytes, 0, sizeof(s->bytes));
	s->header.time_stamp = ts;
	s->ts = ts;
	s->told = 0;
	s->id++;
}

static inline unsigned char *synth_grow(struct synth *s, size_t size)
{
	unsigned char *at = s->bytes + sizeof(s->header) + s->header.commit;

	if (s->header.commit + size > (s->room ? s->room : SYNTH_ROOM))
		return NULL;
	s->header.commit += size;
	return at;
}

static inline unsigned char *synth_pair(unsigned char *at, uint32_t type,
					uint32_t delta, uint32_t word)
{
	type |= delta << 5;
	memcpy(at, &type, 4);
	memcpy(at + 4, &word, 4);
	return at + 8;
}

/*
 * Add an event; 0: it is full.  @type: RBMAP_TYPE_TIME_STAMP: an absolute time,
 * else an extended one where it is needed.
 */
static inline int synth_add_as(struct synth *s, uint32_t type, uint64_t ts,
			       const void *data, size_t size)
{
	uint64_t delta = ts - s->ts, time = delta;
	bool is_long = !size || size % 4 || size / 4 > RBMAP_TYPE_LEN_MAX;
	bool timed = type == RBMAP_TYPE_TIME_STAMP || delta >> RBMAP_TS_SHIFT;
	unsigned char *at = synth_grow(s, 4 + (is_long ? 4 : 0) +
				       (size + 3) / 4 * 4 + (timed ? 8 : 0));
	uint32_t word;

	if (!at)
		return 0;
	if (timed) {
		if (type == RBMAP_TYPE_TIME_STAMP)
			time = ts & ((1ULL << 59) - 1);
		at = synth_pair(at, type, time & ((1u << RBMAP_TS_SHIFT) - 1),
				time >> RBMAP_TS_SHIFT);
		delta = 0;
	}
	if (is_long) {
		at = synth_pair(at, 0, delta, size + 4);
	} else {
		word = size / 4 | delta << 5;
		memcpy(at, &word, 4);
		at += 4;
	}
	memcpy(at, data, size);
	s->ts = ts;
	return 1;
}

static inline int synth_add(struct synth *s, uint64_t ts, const void *data,
			    size_t size)
{
	return synth_add_as(s, RBMAP_TYPE_TIME_EXTEND, ts, data, size);
}

/* A discarded event, or what lies between events; 0: it is full. */
static inline int synth_padding(struct synth *s, uint32_t delta, size_t bytes)
{
	unsigned char *at = synth_grow(s, bytes);

	if (!at)
		return 0;
	synth_pair(at, RBMAP_TYPE_PADDING, delta, bytes - 4);
	s->ts += delta;
	return 1;
}

struct synth_number_event {
	struct rbmap_event_common common;
	uint64_t nr;
};

static inline int synth_number(struct synth *s, uint64_t ts, int pid,
			       uint64_t nr)
{
	struct synth_number_event ev = {
		{ .type = SYNTH_PRINT, .pid = pid }, nr
	};

	return synth_add(s, ts, &ev, sizeof(ev));
}

static inline int synth_call_of(struct synth *s, uint64_t ts, int pid,
				uint64_t ip)
{
	struct synth_number_event ev = {
		{ .type = SYNTH_CALL, .pid = pid }, ip
	};

	return synth_add(s, ts, &ev, sizeof(ev));
}

struct synth_switch_event {
	struct rbmap_event_common common;
	char prev_comm[16];
	int32_t prev_pid, prev_prio;
	int64_t prev_state;
	char next_comm[16];
	int32_t next_pid, next_prio;
};

static inline int synth_sched_switch(struct synth *s, uint64_t ts, int prev,
				     const char *prev_comm, int next,
				     const char *next_comm)
{
	struct synth_switch_event ev = {
		.common = { .type = SYNTH_SWITCH, .pid = prev },
		.prev_pid = prev, .prev_prio = 120, .prev_state = 1,
		.next_pid = next, .next_prio = 120,
	};

	strncpy(ev.prev_comm, prev_comm, 15);
	strncpy(ev.next_comm, next_comm, 15);
	return synth_add(s, ts, &ev, sizeof(ev));
}

/* Return the new part of the sub-buffer since the last piece. */
static inline struct rbmap_subbuf synth_piece(struct synth *s, uint64_t lost)
{
	struct rbmap_subbuf sb = {
		.start = s->bytes,
		.size = s->header.commit,
		.offset = s->told,
		.timestamp = s->header.time_stamp,
		.lost = lost,
		.id = s->id,
	};

	s->told = sb.size;
	return sb;
}

#endif /* CLI_SYNTH_H */

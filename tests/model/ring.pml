/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring of module/ring for SPIN: its variables, the bounds, and the variables
 * and checks that only the model has.  context.pml has the writer's contexts,
 * reader.pml the reader.
 *
 * A label names the step that follows it.  A comment in module/ring gives the same
 * name ("model: NAME"); tests/model/names compares the two.
 *
 * One step is one access to memory that contexts or CPUs share.  Work on a context's
 * own variables belongs to the access before it.  Memory is sequentially consistent
 * here.  Sizes and times are small numbers: an event needs one or two units of a
 * sub-buffer, and a stamp before the event needs another one.
 */

/* Bounds; tests/model/run sets them. */
#ifndef SLOTS
#define SLOTS	2
#endif
#ifndef CAP
#define CAP	2	/* units of a sub-buffer */
#endif
#ifndef MODE
#define MODE	OVERWRITE
#endif
#ifndef TASK
#define TASK	3	/* events of the outermost context */
#endif
#ifndef IRQ
#define IRQ	1	/* events of the context that interrupts it */
#endif
#ifndef NMI
#define NMI	0	/* events of the context that interrupts both */
#endif
#ifndef LARGE
#define LARGE	0	/* most events that need two units */
#endif
#ifndef DISCARDS
#define DISCARDS 0	/* most events that are discarded */
#endif
#ifndef TICKS
#define TICKS	2	/* most steps of the clock forward */
#endif
#ifndef BACKS
#define BACKS	0	/* most steps of the clock backward */
#endif
#ifndef READS
#define READS	1	/* reads beside the writer; the rest is read after it */
#endif
#ifndef HOW
#define HOW	COPY
#endif
#ifndef RESETS
#define RESETS	0	/* resets, counted as reads */
#endif
#ifndef EARLY
#define EARLY		0	/* 1: some writers have read the clock before they enter */
#endif
#ifndef REPLACES
#define REPLACES	0	/* 1: the ring is replaced; counted as a read */
#endif
#ifndef NEST
#define NEST	3	/* RBMAP_MAX_NEST */
#endif
#ifndef TRIES
#define TRIES	2	/* RBMAP_GET_TRIES */
#endif
#ifndef REDUCE
#define REDUCE	1	/* see `sees` */
#endif

/* Operations of the reader; HOW is one of the first two. */
#define COPY	0	/* read(): rbmap_get_copy() */
#define MAPPED	1	/* GET_READER: rbmap_get_mapped() */
#define RESET	2	/* rbmap_cpu_buffer_reset() */
#define REPLACE	3	/* rbmap_buffer_replace() */

/* rbmap_ring_config.mode */
#define OVERWRITE	0
#define DISCARD		1

/* seq wraps: in slots and commit modulo MOD, in the tail modulo TMOD. */
#define TMOD		8
#define MOD		(TMOD * SLOTS)
#define FIRST_SEQ	(MOD - 2)
#ifdef no_seq_wrap
#define SUB(a, b)	(((a) >= (b)) -> ((a) - (b)) : (MOD - 1))
#else
#define SUB(a, b)	(((a) + MOD - (b)) % MOD)
#endif
#define BEHIND(d)	((d) >= MOD / 2)	/* d = SUB(): negative */
#define ADD(a, n)	(((a) + (n)) % MOD)
#define EXPAND(t, base)	ADD(base, ((t) + TMOD - (base) % TMOD) % TMOD)
#define IX(seq)		((seq) % SLOTS)

/* ---- struct rbmap_ring */

byte tail_seq = FIRST_SEQ % TMOD, tail_id = 1, tail_off;
byte tail_header = 1;	/* the id of the sub-buffer whose memory it is */
byte commit_seq = FIRST_SEQ, commit_off, commit_id = 1;
byte before, after, floor;
byte nest;
byte closed_events, own_events, overrun, dropped;
byte slot_seq[SLOTS], slot_id[SLOTS];
bit slot_free[SLOTS];
byte shown_seq[SLOTS], shown_id[SLOTS], newest = FIRST_SEQ;
bit off;		/* the ring has been replaced, too */

#define TAIL_IS(seq, id, at) \
	(tail_seq == (seq) && tail_id == (id) && tail_off == (at))
/* ring->published: commit in the form of a tail */
#define PUBLISHED_IS(seq, id, at) \
	(commit_seq % TMOD == (seq) && commit_id == (id) && commit_off == (at))
#define SLOT_IS(s, seq, id, free) \
	(slot_seq[IX(s)] == (seq) && slot_id[IX(s)] == (id) && \
	 slot_free[IX(s)] == (free))

/* ---- struct rbmap_ring_subbuf and the contents of sub-buffers, by id */

#define IDS	(SLOTS + 1)
byte header_commit[IDS], header_time[IDS];
bit header_missed[IDS];		/* RBMAP_MISSED_EVENTS */
byte events[IDS], end[IDS], closed[IDS], first_event[IDS], drops_before[IDS];

/* A record; `time` is what the clock returned, to check the decoded time against. */
#define NOTHING	0
#define EVENT	1	/* `value` is its delta */
#define SKIPPED	2	/* discarded; later times include its delta */
#define STAMP	3	/* absolute */
#define EXTEND	4
#define REST	5	/* second unit of a large event */
typedef record {
	byte kind;
	byte value;
	byte time;
};
record data[IDS * CAP];
#define AT(id, unit)	data[(id) * CAP + (unit)]

#define DELTA_MAX	1	/* 27 bits */

/* ---- struct rbmap_reader */

byte reader_id, reader_seq, reader_next = FIRST_SEQ, reader_off;
byte reader_events, expected, read_events, lost, reported_drops, reported;
bit holds;

/* struct rbmap_base: the counters at the last reset */
byte base_reported, base_dropped, base_overrun;

/* ---- the CPU, the clock, and others */

byte cur;		/* the context that runs */
bit busy;		/* the outermost context is writing an event */
byte now = 1;
byte ticks = TICKS, backs = BACKS;

/* smp_call_function_single(): the reader asks for rbmap_ring_close() */
bit close_wanted;
byte close_seq;
bit install_wanted;	/* the reader asks for rbmap_install_on_cpu() */
bit retired;		/* replaced, and a grace period has passed */

/*
 * The reader runs only while `sees` is set.  It is set before each step of a context
 * whose order with the reader's steps matters.  Between other steps the reader need
 * not run: it could do the same before the next step that matters.  (An ample set:
 * the other steps access nothing that the reader accesses, and a context always
 * reaches a step that matters or its end.)  A step that matters asserts `sees`.
 * With REDUCE=0 the reader runs between any two steps, to check this reduction.
 *
 * There is one exception: after one step, the reader can ask the CPU to close a
 * sub-buffer before the next.  Where such a request would interrupt the outermost
 * context, the reader runs between any two steps.
 */
bit sees = 1;
#define CLOSES	(HOW == MAPPED || RESETS + REPLACES > 0)
#define UNSEEN	sees = (!REDUCE || (CLOSES && level == 0))
#define SEEN	sees = 1

/* ---- variables of the model alone, for its checks */

byte to_do = TASK + IRQ + NMI;	/* events that have not begun */
byte discards = DISCARDS, larges = LARGE;
byte written, discarded, elsewhere;
byte last_time;			/* time of the last event before the tail */
byte opened;
byte heard;			/* losses reported to the caller */
bit not_called;			/* a sub-buffer was closed without ops->closed() */
hidden byte i, k, time, count;

/* Each id is in exactly one slot, or is the reader's. */
inline check_ids()
{
	i = 0;
	do
	:: i < SLOTS ->
		assert(slot_id[i] != reader_id);
		k = i + 1;
		do
		:: k < SLOTS -> assert(slot_id[i] != slot_id[k]); k++
		:: else -> break
		od;
		i++
	:: else -> break
	od
}

/* No context writes to published bytes of the sub-buffer that the reader holds. */
inline check_unpublished(id, unit)
{
	assert(id != reader_id || unit >= header_commit[id])
}

/* The slot table says that sub-buffer id is in the slot of seq. */
inline check_shown(seq, id)
{
	assert(shown_seq[IX(seq)] == seq && shown_id[IX(seq)] == id)
}

/*
 * The slot table does not list sub-buffer id under another seq: a writer would
 * change it while observers read it as that one.  It may be missing from the table:
 * once a reader has consumed the sub-buffer being written, its slot belongs to the
 * next lap.
 */
inline check_not_shown(seq, id)
{
	i = 0;
	do
	:: i < SLOTS ->
		assert(shown_id[i] != id || shown_seq[i] == seq);
		i++
	:: else -> break
	od
}

/* The ring has unread bytes. */
#define AHEAD	SUB(commit_seq, reader_next)
#define READER_SIZE	(BEHIND(AHEAD) -> commit_off : end[reader_id])
#define HAS_EVENT /* reader.c: rbmap_ring_has_event() */ \
	((AHEAD > 0 && !BEHIND(AHEAD)) || (AHEAD == 0 && commit_off) || \
	 (holds && reader_off < READER_SIZE))

/* The ring has unread bytes in a sub-buffer that the writer has closed. */
#define HAS_CLOSED /* reader.c: rbmap_ring_has_closed() */ \
	((AHEAD > 0 && !BEHIND(AHEAD)) || \
	 (AHEAD == 0 && holds && reader_off < READER_SIZE))

/* rb_clock() */
inline clock_read()
{
	if
	:: true
	:: ticks > 0 -> ticks--; now++
	:: backs > 0 && now > 1 -> backs--; now--
	fi
}

#include "context.pml"
#include "reader.pml"

/* rbmap_ring_init() */
init {
	atomic {
		i = 0;
		do
		:: i < SLOTS ->
			k = ADD(FIRST_SEQ, i);
			slot_seq[IX(k)] = (i == 0 -> k : ADD(k, MOD - SLOTS));
			slot_id[IX(k)] = i + 1;
			slot_free[IX(k)] = (i != 0);
			shown_seq[IX(k)] = slot_seq[IX(k)];
			shown_id[IX(k)] = slot_id[IX(k)];
			i++
		:: else -> break
		od;
		run context(0, TASK);
		run context(1, IRQ);
		if
		:: NMI > 0 -> run context(2, NMI)
		:: else
		fi;
		run reader()
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring of module/ring for SPIN: what it consists of, and what is known of
 * it beside.  context.pml has the writer's contexts, reader.pml the reader.
 *
 * A label before a step is the name that a comment in module/ring calls it by
 * ("model: NAME"); tests/model/names compares the two.
 *
 * One step is one access to what contexts or CPUs share; what a context does
 * with its own variables goes along with the access before it.  Memory is
 * sequentially consistent here.  Bytes, sizes and times are small numbers: an
 * event takes a unit of a sub-buffer, or two, a stamp before it another one.
 */

/* The bounds: `run` gives them. */
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
#define IRQ	1	/* of the one that interrupts it */
#endif
#ifndef NMI
#define NMI	0	/* and of the one that interrupts both */
#endif
#ifndef LARGE
#define LARGE	0	/* so many of the events may take two units */
#endif
#ifndef DISCARDS
#define DISCARDS 0	/* so many of the events may be discarded */
#endif
#ifndef TICKS
#define TICKS	2	/* the clock may move so often ... */
#endif
#ifndef BACKS
#define BACKS	0	/* ... and step back so often; else it stands still */
#endif
#ifndef READS
#define READS	1	/* reads while there may be writers; then all is read */
#endif
#ifndef HOW
#define HOW	COPY
#endif
#ifndef RESETS
#define RESETS	0	/* resets, counted as reads */
#endif
#ifndef REPLACES
#define REPLACES	0	/* 1: another ring takes its place, as a read does */
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

/* What the reader does; HOW is one of the first two. */
#define COPY	0	/* read(): rbmap_get_copy() */
#define MAPPED	1	/* GET_READER: rbmap_get_mapped() */
#define RESET	2	/* rbmap_cpu_buffer_reset() */
#define REPLACE	3	/* rbmap_buffer_replace() */

/* rbmap_ring_config.mode */
#define OVERWRITE	0
#define DISCARD		1

/* seq: of slots and commit modulo MOD, of the tail modulo TMOD; it wraps. */
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
byte commit_seq = FIRST_SEQ, commit_off, commit_id = 1;
byte before, after, floor;
byte nest;
byte closed_events, overrun, dropped;
byte slot_seq[SLOTS], slot_id[SLOTS];
bit slot_free[SLOTS];
byte shown_seq[SLOTS], shown_id[SLOTS], newest = FIRST_SEQ;
bit off;		/* what is looked up is another ring, too */

#define TAIL_IS(seq, id, at) \
	(tail_seq == (seq) && tail_id == (id) && tail_off == (at))
/* ring->published: what commit says, as a tail */
#define PUBLISHED_IS(seq, id, at) \
	(commit_seq % TMOD == (seq) && commit_id == (id) && commit_off == (at))
#define SLOT_IS(s, seq, id, free) \
	(slot_seq[IX(s)] == (seq) && slot_id[IX(s)] == (id) && \
	 slot_free[IX(s)] == (free))

/* ---- struct rbmap_ring_subbuf and what a sub-buffer holds, by id */

#define IDS	(SLOTS + 1)
byte header_commit[IDS], header_time[IDS];
bit header_missed[IDS];		/* RBMAP_MISSED_EVENTS */
byte events[IDS], end[IDS], closed[IDS], first_event[IDS], drops_before[IDS];

/* A record: a time is what the clock said, for the check of what it decodes to. */
#define NOTHING	0
#define EVENT	1	/* of delta `value` */
#define SKIPPED	2	/* discarded; its delta counts */
#define STAMP	3	/* absolute */
#define EXTEND	4
#define REST	5	/* of an event that takes two units */
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
byte reader_events, expected, read_events, lost, told_drops, told;
bit holds;

/* struct rbmap_base: the counters at the last reset */
byte base_told, base_dropped, base_overrun;

/* ---- the CPU, the clock, and others */

byte cur;		/* the context that runs */
bit busy;		/* the outermost one has an event */
byte now = 1;
byte ticks = TICKS, backs = BACKS;

/* smp_call_function_single(): the reader asks for rbmap_ring_close() */
bit close_wanted;
byte close_seq;
bit install_wanted;	/* or for rbmap_install_on_cpu() */
bit retired;		/* after a grace period */

/*
 * The next step of the context that runs is one that the reader's steps can
 * be told from, coming before it or after.  Only there the reader runs: what
 * it does between other steps it could as well do before the next of these.
 * (An ample set: those steps touch nothing that the reader does, and a context
 * always comes to one of these or to its end.)  A step that needs it asserts
 * it.  With REDUCE=0 the reader runs anywhere, as a check of this.
 *
 * But what it learns from one step it can have a sub-buffer closed for before
 * the next: while that would interrupt the outermost context, it runs anywhere.
 */
bit sees = 1;
#define CLOSES	(HOW == MAPPED || RESETS + REPLACES > 0)
#define UNSEEN	sees = (!REDUCE || (CLOSES && level == 0))
#define SEEN	sees = 1

/* ---- what is known beside, and checked */

byte to_do = TASK + IRQ + NMI;	/* events that did not begin yet */
byte discards = DISCARDS, larges = LARGE;
byte written, discarded, elsewhere;
byte last_time;			/* of the event at the tail */
byte opened;
byte heard;			/* losses that the caller heard of */
bit not_called;			/* closed, and ops->closed() was not called */
hidden byte i, k, time, count;

/* Architecture: each id is in one slot, or the reader's. */
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

/* Nobody writes what is published, while the reader has it. */
inline check_unpublished(id, unit)
{
	assert(id != reader_id || unit >= header_commit[id])
}

/* Observers are shown that it lies there. */
inline check_shown(seq, id)
{
	assert(shown_seq[IX(seq)] == seq && shown_id[IX(seq)] == id)
}

/*
 * Observers are not shown that something else lies there, which whoever writes it
 * would change under their eyes.  They may be shown nothing of it: a reader that
 * has taken what is written leaves its slot to the next lap.
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

/* Is there something to read? */
#define AHEAD	SUB(commit_seq, reader_next)
#define READER_SIZE	(BEHIND(AHEAD) -> commit_off : end[reader_id])
#define HAS_EVENT /* reader.c: rbmap_ring_has_event() */ \
	((AHEAD > 0 && !BEHIND(AHEAD)) || (AHEAD == 0 && commit_off) || \
	 (holds && reader_off < READER_SIZE))

/* Is there something that the writer has left? */
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

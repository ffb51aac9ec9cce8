/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writer's contexts on the ring's CPU: reserve.h and writer.c.  Only a context
 * of a higher level interrupts a running context, and it runs to its end.
 */

inline stamp_raise(stamp, least)
{
	do
	:: atomic {
		was = stamp;
		if
		:: was >= least -> break
		:: else
		fi
	};
raise_cmpxchg:	/* writer.c: rbmap_stamp_raise() */
	atomic {
#ifdef plain_raise
		stamp = least; break
#else
		if
		:: stamp == was -> stamp = least; break
		:: else
		fi
#endif
	}
	od
}

/* rbmap_ring_forget_stamps(); sets `sees` at the end */
inline forget_stamps()
{
	t = after;
#ifndef no_floor
	stamp_raise(floor, t);
#endif
forget_after:	/* writer.c: rbmap_ring_forget_stamps() */
	after = 0;
forget_before:	/* writer.c: rbmap_ring_forget_stamps() */
	t = before;
#ifndef no_floor
	stamp_raise(floor, t);
#endif
forget_lift:	/* writer.c: rbmap_ring_forget_stamps() */
	t = floor;
#ifndef no_lift
	stamp_raise(before, t);
#endif
	SEEN
}

inline record_write(unit, what, number)
{
	assert(AT(tid, unit).kind == NOTHING);
	AT(tid, unit).kind = what;
	AT(tid, unit).value = number;
	AT(tid, unit).time = ts;
	unit++
}

inline record_clear(id, unit)
{
	AT(id, unit).kind = NOTHING;
	AT(id, unit).value = 0;
	AT(id, unit).time = 0;
	unit++
}

/* Both a closing context and a reserving one read the tail again. */
inline retry()
{
	if
	:: closing -> goto close_look
	:: else -> goto again
	fi
}

#ifdef all_publish
#define NESTED_LEFT	(nest - 1)
#else
#define NESTED_LEFT	0
#endif

/* init runs level n as process n + 1, so the guard means cur <= level. */
proctype context(byte level; byte todo) provided (cur < _pid)
{
	byte interrupted, nested_in;
	bit was_seen, closing, any_closed;
	bit alone;			/* outermost context, still on the fast path */
	bit early;			/* the time has been read: the fast path uses it */
	byte tseq, tid, toff;		/* the tail as last read */
	byte header;			/* as a context on the fast path has loaded it */
	byte b, a, ts, delta, kind, size, units, at;
	byte s, sseq, sid;
	bit sfree;
	byte t, was;
	byte time_before;

end_idle:
	atomic {
		if
		/* A context that begins now finds the new ring. */
		:: retired && todo > 0 ->
			todo--;
			to_do--;
			elsewhere++;
			goto end_idle
		:: !retired && todo > 0 && !(level == 0 && busy) ->
			todo--;
			to_do--
		:: level == 1 && close_wanted -> closing = 1
#ifdef installs_at_once
		:: level == 1 && install_wanted ->
#else
		:: level == 1 && install_wanted && nest == 0 ->
#endif
			install_wanted = 0;
			closing = 1;
turn_off:	/* writer.c: rbmap_ring_set_off() */
			off = 1
		fi;
		interrupted = cur;
		nested_in = nest;
		was_seen = sees;
		cur = level;
		busy = (level == 0 -> 1 : busy);
		UNSEEN;
		size = 1;
		if
		:: !closing && larges > 0 -> larges--; size = 2
		:: true
		fi;
		early = 0;
		if
		:: EARLY && !closing -> clock_read(); ts = now; early = 1
		:: true
		fi
	};
#ifdef off_before_enter
	if
	:: off && !closing -> elsewhere++; goto back
	:: else
	fi;
#endif
enter:	/* reserve.h: rbmap_ring_enter(), rbmap_ring_reserve_fast() */
	/*
	 * Load and store of nest are one step, here and in leave: a context that
	 * interrupts between the two restores nest, which `back` asserts.
	 */
	atomic {
		nest++;
		alone = (nest == 1);
		if
		:: closing && off -> goto leave
#ifndef off_before_enter
		:: !closing && REPLACES > 0 -> SEEN; goto look_off
#endif
		:: else
		fi;
entered:
		if
		:: nest > NEST && closing -> goto leave
		:: nest > NEST && !closing -> SEEN; goto drop
		:: nest <= NEST && closing -> goto close_look
		:: else -> goto again
		fi
	};
	/* rbmap_ring_reserve_fast() reads off a bit later: nothing sets off in between. */
look_off:	/* reserve.h: rbmap_ring_reserve_fast() */
	atomic {
		assert(sees);
		UNSEEN;
		if
		:: off -> elsewhere++; goto leave_empty
		:: else -> goto entered
		fi
	};

again:
tail_load:	/* reserve.h: rbmap_ring_reserve(), rbmap_ring_reserve_fast() */
	atomic {
		tseq = tail_seq;
		tid = tail_id;
		toff = tail_off
	};
clock_first:	/* reserve.h: rbmap_ring_reserve_fast() */
	atomic {
		if
		:: alone && !early -> clock_read(); ts = now
		:: else
		fi
	};
before_load:	/* reserve.h: rbmap_ring_reserve(), rbmap_ring_reserve_fast() */
	b = before;
after_load:	/* reserve.h: rbmap_ring_reserve(), rbmap_ring_reserve_fast() */
	a = after;
clock_load:	/* reserve.h: rbmap_ring_reserve() */
	atomic {
		if
		:: !alone -> clock_read(); ts = now
		:: else
		fi;
		if
#ifdef early_not_compared
		:: alone && early && toff > 0 && b == a && ts < a ->
			kind = EVENT;
			delta = 0;
			goto room
#endif
		:: toff > 0 && b == a && ts > a && ts - a <= DELTA_MAX ->
			kind = EVENT;
			delta = ts - a;
			goto room
		/* The fast path fails; the context retries on the slow path. */
		:: else ->
			if
			:: alone -> alone = 0; goto again
			:: else
			fi
		fi
	};
floor_load:	/* writer.c: rbmap_ring_stamp() */
	atomic {
		t = floor;
		if
		:: ts >= t -> goto lift
		:: else
		fi
	};
	atomic {
		clock_read();
		ts = now;
lift:
		ts = (ts < t -> t : ts);
		ts = (ts < b -> b : ts);
		ts = (ts < a -> a : ts);
		kind = EVENT;
		delta = 0;
		if
		:: toff == 0
		:: toff > 0 && b == a ->
			delta = ts - a;
			kind = (delta == 0 -> EVENT : EXTEND)
		:: toff > 0 && b != a -> kind = STAMP
		fi;
room:
		units = size + (kind != EVENT);
#ifdef room_off_by_one
		if
		:: toff + units > CAP + 1 -> SEEN; alone = 0; goto open_next
#else
		if
		:: toff + units > CAP -> SEEN; alone = 0; goto open_next
#endif
		:: else
		fi
	};
header_load:	/* reserve.h: rbmap_ring_reserve_fast() */
	atomic {
		if
		:: alone -> header = tail_header
		:: else
		fi
	};
before_store:	/* reserve.h: rbmap_ring_reserve(), rbmap_ring_reserve_fast() */
	before = ts;
#ifdef after_before_cmpxchg
	after = ts;
#endif
#ifdef plain_tail_store
	atomic {
		if
		:: TAIL_IS(tseq, tid, toff)
		:: else -> goto loser
		fi
	};
#endif
tail_cmpxchg:	/* reserve.h: rbmap_ring_reserve(), rbmap_ring_reserve_fast() */
	atomic {
		if
#ifdef plain_tail_store
		:: true ->
			tail_seq = tseq;
			tail_id = tid;
			tail_off = toff + units;
#else
		:: TAIL_IS(tseq, tid, toff) ->
			tail_off = toff + units;
#endif
			assert(tail_off <= CAP);
			assert(ts >= last_time);
			/* The new ring has later events already. */
			assert(!off);
			time_before = last_time;
			last_time = ts
		:: else -> goto loser
		fi
	};
	goto winner;
loser:
	/* An outermost context has interrupted no writer that its stamp misleads. */
	atomic {
		UNSEEN;
		if
		:: alone -> alone = 0; goto again
		:: else
		fi
	};
#ifndef loser_keeps_stamps
	forget_stamps();
#endif
	UNSEEN;
	goto again;
winner:
#ifndef after_before_cmpxchg
after_store:	/* reserve.h: rbmap_ring_reserve(), rbmap_ring_reserve_fast() */
	after = ts;
#endif
before_recheck:	/* reserve.h: rbmap_ring_reserve() */
	atomic {
		SEEN;
		if
#ifdef no_before_recheck
		:: true -> goto write_event
#else
		:: alone || before == ts -> goto write_event
#endif
		:: else -> UNSEEN
		fi
	};
	forget_stamps();

	/* No other context accesses these bytes: one step. */
write_event:
	atomic {
		assert(sees);
		assert(!alone || header == tid);
		check_unpublished(tid, toff);
		check_not_shown(EXPAND(tseq, commit_seq), tid);
		header_time[tid] = (toff == 0 -> ts : header_time[tid]);
		at = toff;
		if
		:: kind == EVENT
		:: else ->
			delta = (kind == STAMP -> ts : delta);
			record_write(at, kind, delta);
			delta = 0
		fi;
		record_write(at, EVENT, delta);
		if
		:: at < toff + units -> record_write(at, REST, 0)
		:: else
		fi;
		UNSEEN;
		if
		:: true ->
			/* rbmap_ring_commit() */
			written++;
			if
#ifdef no_published_look
			:: alone ->
#else
			:: alone && PUBLISHED_IS(tseq, tid, toff) ->
#endif
				own_events++;
				toff = toff + units;
				goto own_header
			:: else -> events[tid]++; goto leave
			fi
		:: discards > 0 ->
			discards--;
			discarded++
		fi
	};

#ifdef discard_keeps_stamps
	SEEN;
#else
	forget_stamps();
#endif
#ifdef plain_discard_store
	atomic {
		if
		:: TAIL_IS(tseq, tid, toff + units)
		:: else -> goto skip_event
		fi
	};
#endif
discard_cmpxchg:	/* reserve.h: rbmap_ring_discard() */
	atomic {
		assert(sees);
		check_unpublished(tid, toff);
		if
#ifdef plain_discard_store
		:: true ->
			tail_seq = tseq;
			tail_id = tid;
#else
		:: TAIL_IS(tseq, tid, toff + units) ->
#endif
			tail_off = toff;
			last_time = time_before;
			i = toff;
			do
			:: i < toff + units -> record_clear(tid, i)
			:: else -> break
			od
		:: else ->
skip_event:
			AT(tid, toff + units - size).kind = SKIPPED
		fi;
		UNSEEN;
		goto leave
	};

close_look:	/* writer.c: rbmap_ring_close() */
	atomic {
		tseq = tail_seq;
		tid = tail_id;
		toff = tail_off;
		if
		:: tseq == close_seq % TMOD -> SEEN
		:: else -> goto leave
		fi
	};

	/*
	 * rbmap_ring_open_next() loads commit once: no context publishes meanwhile,
	 * which slot_claim asserts.
	 */
open_next:
slot_load:	/* writer.c: rbmap_ring_open_next() */
	atomic {
		assert(sees);
		s = ADD(EXPAND(tseq, commit_seq), 1);
		sseq = slot_seq[IX(s)];
		sid = slot_id[IX(s)];
		sfree = slot_free[IX(s)];
		if
		:: sseq == s -> UNSEEN; goto show_slot
		:: sseq != s && sseq != ADD(s, MOD - SLOTS) ->
			UNSEEN;
			retry()
		:: sseq != s && sseq == ADD(s, MOD - SLOTS) && !sfree ->
			t = SUB(commit_seq, sseq);
			if
#ifdef waits_for_reader
			:: MODE == DISCARD && !closing -> goto slot_load
#endif
			:: MODE == DISCARD -> goto no_room
#ifndef no_lapped_check
			:: MODE == OVERWRITE && (t == 0 || BEHIND(t)) ->
				goto no_room
#endif
			:: else
			fi
		:: sseq != s && sseq == ADD(s, MOD - SLOTS) && sfree
		fi
	};
slot_claim:	/* writer.c: rbmap_ring_open_next() */
	atomic {
		assert(sees);
		assert(s == ADD(EXPAND(tseq, commit_seq), 1));
		if
#ifdef plain_slot_claim
		:: true ->
#else
		:: SLOT_IS(s, sseq, sid, sfree) ->
#endif
			slot_seq[IX(s)] = s;
			slot_id[IX(s)] = sid;
			slot_free[IX(s)] = 0;
			opened++;
			assert(opened < TMOD && opened < MOD / 2);
			check_ids();
			i = 0;
			do
			:: i < CAP -> record_clear(sid, i)
			:: else -> break
			od;
			UNSEEN
		:: else ->
#ifdef loser_adds_overrun
			overrun = overrun + (sfree -> 0 : closed[sid]);
#endif
			goto slot_load
		fi;
		if
		:: sfree -> goto show_slot
		:: else
		fi
	};
overrun_add:	/* writer.c: rbmap_ring_open_next() */
	overrun = overrun + closed[sid];
show_slot:	/* writer.c: rbmap_ring_open_next() */
#ifndef show_after_tail
	atomic {
#ifdef show_claimed_only
		if
		:: sseq == s -> goto tail_move
		:: else
		fi;
#endif
		shown_seq[IX(s)] = s;
		shown_id[IX(s)] = sid
	};
#endif
tail_move:	/* writer.c: rbmap_ring_open_next() */
#ifdef loser_records_end
	end[tid] = toff;
#endif
	atomic {
		if
		:: TAIL_IS(tseq, tid, toff) ->
			tail_seq = s % TMOD;
			tail_id = sid;
			tail_off = 0
		:: else -> retry()
		fi
	};
#ifdef show_after_tail
	atomic {
		shown_seq[IX(s)] = s;
		shown_id[IX(s)] = sid
	};
#endif
end_record:	/* writer.c: rbmap_ring_open_next() */
	end[tid] = toff;
#ifndef header_kept
header_tail:	/* writer.c: rbmap_ring_set_tail_header() */
	atomic {
		tseq = tail_seq;
		tid = tail_id
	};
header_store:	/* writer.c: rbmap_ring_set_tail_header() */
	tail_header = tid;
#ifndef no_header_recheck
header_recheck:	/* writer.c: rbmap_ring_set_tail_header() */
	if
	:: tail_seq == tseq
	:: else -> goto header_tail
	fi;
#endif
#endif
	retry();
no_room:
	if
	:: closing -> UNSEEN; goto leave
	:: else
	fi;
drop:
	atomic {
		assert(sees);
		dropped++;
		UNSEEN
	};

	/* Nobody else publishes while this context is in the ring. */
leave_empty:	/* reserve.h: rbmap_ring_leave() */
	atomic {
		tseq = tail_seq;
		tid = tail_id;
		toff = tail_off;
		if
#ifdef leave_nested
		:: PUBLISHED_IS(tseq, tid, toff) -> goto publish_nest
#else
		:: nest == 1 && PUBLISHED_IS(tseq, tid, toff) -> goto publish_nest
#endif
		:: else
		fi
	};

leave:	/* reserve.h: rbmap_ring_publish() */
	atomic {
		if
#ifndef all_publish
		:: nest > 1 -> nest--; goto back
#endif
		:: else
		fi;
publish:	/* reserve.h: rbmap_ring_publish() */
		tseq = tail_seq;
		tid = tail_id;
		toff = tail_off;
		s = commit_seq;
		sid = commit_id;
		t = closed_events;
		SEEN;
		if
		:: s % TMOD == tseq -> goto publish_header
		:: else ->
			any_closed = 1;
			events[sid] = events[sid] + own_events;
			own_events = 0
		fi
	};

close_header:	/* writer.c: rbmap_ring_close_subbufs() */
	atomic {
		assert(sees);
		header_commit[sid] = end[sid];
		header_missed[sid] = 0
	};
close_events:	/* writer.c: rbmap_ring_close_subbufs() */
	atomic {
		assert(sees);
		closed[sid] = events[sid];
#ifndef events_not_reset
		events[sid] = 0;
#endif
		t = t + closed[sid];
		not_called = 1
	};
close_slot:	/* writer.c: rbmap_ring_close_subbufs() */
	atomic {
		assert(sees);
		s = ADD(s, 1);
		assert(slot_seq[IX(s)] == s);
		sid = slot_id[IX(s)]
	};
close_first:	/* writer.c: rbmap_ring_close_subbufs() */
	atomic {
		assert(sees);
		first_event[sid] = t;
		drops_before[sid] = dropped
	};
	/*
	 * header.commit, the number of events and newest are one step: nothing in
	 * this model reads them before publish_commit.
	 */
show_newest:	/* writer.c: rbmap_ring_close_subbufs() */
	atomic {
		assert(sees);
		header_commit[sid] = 0;
		check_shown(s, sid);
		newest = s;
		if
		:: s % TMOD == tseq -> closed_events = t; commit_id = sid
		:: else -> goto close_header
		fi
	};
publish_header:	/* reserve.h: rbmap_ring_publish() */
#ifndef commit_before_header
	atomic {
		assert(sees);
		assert(!retired || closing);
		assert(sid == tid);
		header_commit[tid] = toff;
		header_missed[tid] = 0
	};
#endif
#ifdef nest_cleared_early
	nest = 0;
#endif
publish_commit:	/* reserve.h: rbmap_ring_publish() */
	atomic {
		assert(sees);
		assert(newest == s);
		commit_seq = s;
		commit_off = toff;
#ifndef commit_before_header
		UNSEEN
#endif
	};
#ifdef commit_before_header
	header_commit[tid] = toff;
	UNSEEN;
#endif
publish_nest:	/* reserve.h: rbmap_ring_publish(), rbmap_ring_commit(), rbmap_ring_leave() */
	nest = NESTED_LEFT;
publish_recheck:	/* reserve.h: rbmap_ring_publish(), rbmap_ring_commit(), rbmap_ring_leave() */
	atomic {
#ifndef no_publish_recheck
		if
		:: TAIL_IS(tseq, tid, toff)
		:: else -> goto publish_again
		fi;
#endif
		/* ops->closed() */
		not_called = (any_closed -> 0 : not_called);
back:
		assert(nest == nested_in);
		if
		:: interrupted == 0 && (level == 0 || !busy) ->
			/* Everything is published. */
			assert(nest == 0 && !not_called);
			assert(TAIL_IS(commit_seq % TMOD, commit_id, commit_off));
			assert(header_commit[tail_id] == tail_off);
			assert(tail_header == tail_id)
		:: else
		fi;
		close_wanted = (closing -> 0 : close_wanted);
		cur = interrupted;
		busy = (level == 0 -> 0 : busy);
		sees = was_seen;
		interrupted = 0; nested_in = 0; was_seen = 0;
		closing = 0; any_closed = 0; alone = 0;
		tseq = 0; tid = 0; toff = 0; header = 0;
		b = 0; a = 0; ts = 0; delta = 0; kind = 0;
		size = 0; units = 0; at = 0;
		s = 0; sseq = 0; sid = 0; sfree = 0; t = 0; was = 0;
		time_before = 0;
		goto end_idle
	};
publish_again:	/* reserve.h: rbmap_ring_publish(), rbmap_ring_commit(), rbmap_ring_leave() */
	nest = 1;
	goto publish;

	/* No other context publishes before this one sets nest to 0. */
own_header:	/* reserve.h: rbmap_ring_commit() */
	atomic {
		SEEN;
		assert(!retired);
		header_commit[tid] = toff;
		header_missed[tid] = 0
	};
own_commit:	/* reserve.h: rbmap_ring_commit() */
	atomic {
		assert(sees);
		commit_off = commit_off + units;
		assert(commit_off == toff);
		UNSEEN;
		goto publish_nest
	}
}

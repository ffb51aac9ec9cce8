/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reader on another CPU: reader.c, as buffer/consume.c and buffer/cpu_buffer.c
 * call it.
 */

/* Results of rbmap_ring_get() */
#define EMPTY	0
#define MORE	1
#define NEXT	2
#define BUSY	3

#define CLOSE_TRIES	4

/* All records below `to` are complete, and their times decode to the clock's. */
inline check_records(to)
{
	time = header_time[reader_id];
	count = 0;
	i = 0;
	do
	:: i < to ->
		assert(AT(reader_id, i).kind != NOTHING);
		time = (AT(reader_id, i).kind == STAMP -> 0 : time) +
		       AT(reader_id, i).value;
		assert(time == AT(reader_id, i).time);
		count = count + (i >= reader_off && AT(reader_id, i).kind == EVENT);
		i++
	:: else -> break
	od
}

/* Count unread units twice: d by sequence numbers, count by the records found. */
inline unread_all()	/* reader.c: rbmap_ring_unread_bytes(), rbmap_subbuf_bytes() */
{
	d = (holds -> header_commit[reader_id] - reader_off : 0);
	count = d;
	n = reader_next;
	k = SUB(commit_seq, n);
	if
	:: BEHIND(k)
	:: else ->
		if
		:: k >= SLOTS -> k = SLOTS - 1; n = ADD(commit_seq, MOD - k)
		:: else
		fi;
		do
		:: k > 0 ->
			d = d + header_commit[slot_id[IX(n)]];
			n = ADD(n, 1);
			k--
		:: else -> break
		od;
		d = d + commit_off
	fi;
	n = 0;
	i = 0;
	do
	:: i < SLOTS * CAP ->
		count = count + (!slot_free[i / CAP] &&
				 AT(slot_id[i / CAP], i % CAP).kind != NOTHING);
		i++
	:: else -> break
	od
}

proctype reader() provided (sees)
{
	byte reads = READS, resets = RESETS, replaces = REPLACES;
	byte how, took, cseq, coff, n, tries, closes;
	byte sseq, sid, d, to, until;
	bit sfree, last, got, marked;

act:
	atomic {
		sseq = 0; sid = 0; sfree = 0; d = 0; to = 0; until = 0;
		cseq = 0; coff = 0; n = 0; tries = 0; took = 0; how = HOW;
		closes = CLOSE_TRIES;
		if
		:: reads > 0 -> reads--
		:: reads > 0 && resets > 0 ->
			reads--;
			resets--;
			how = RESET;
			goto skip_end
		:: reads > 0 && replaces > 0 ->
			reads--;
			replaces--;
			how = REPLACE;
			install_wanted = 1;
			goto synchronize
		:: to_do == 0 && cur == 0 && !busy ->
			last = 1;
			reads = 0;
			assert(written <= read_events + overrun || HAS_EVENT);
			unread_all();
			assert(d == count)
		fi
	};
	goto get;

	/* synchronize_rcu(): all contexts that use the old ring have left it. */
synchronize:
	atomic {
#ifdef no_grace_period
		(off);
#else
		(off && cur == 0 && !busy);
#endif
		retired = 1;
		goto act
	};
skip_end:	/* reader.c: rbmap_ring_skip() */
	until = commit_seq;

get:	/* reader.c: rbmap_ring_get() */
	atomic {
		tries = 0;
		/* A reported loss stays in the sub-buffer. */
		assert(!marked || header_missed[reader_id]);
#ifdef header_before_commit
		to = header_commit[reader_id];
#else
		cseq = commit_seq;
#endif
		if
		:: holds
		:: else -> n = reader_next; goto get_commit
		fi
	};
get_header:	/* reader.c: rbmap_ring_get(), rbmap_subbuf_bytes() */
	atomic {
#ifdef header_before_commit
		cseq = commit_seq;
#else
		to = header_commit[reader_id];
#endif
		if
		:: reader_off < to -> took = MORE; goto took_it
		:: reader_off >= to && cseq == reader_seq ->
			took = EMPTY;
			goto took_it
		:: else -> holds = 0
		fi;
		n = reader_next
	};
get_commit:	/* reader.c: rbmap_ring_get() */
	atomic {
		cseq = commit_seq;
		coff = commit_off;
		d = SUB(cseq, n);
		if
#ifdef gets_empty
		:: BEHIND(d) ->
#else
		:: BEHIND(d) || (d == 0 && coff == 0) ->
#endif
			took = EMPTY;
			goto took_it
		:: !BEHIND(d) && d >= SLOTS ->
			n = ADD(cseq, MOD - SLOTS + 1);
			reader_next = n
		:: else
		fi
	};
get_slot:	/* reader.c: rbmap_ring_get() */
	atomic {
		sseq = slot_seq[IX(n)];
		sid = slot_id[IX(n)];
		sfree = slot_free[IX(n)];
		d = SUB(sseq, n);
		assert(!BEHIND(d));
		if
		:: d > 0 ->
			n = ADD(sseq, MOD - SLOTS + 1);
			reader_next = n;
			goto get_again
		:: else -> assert(!sfree)
		fi
	};
get_cmpxchg:	/* reader.c: rbmap_ring_get() */
	atomic {
		if
#ifdef plain_slot_get
		:: true ->
			slot_seq[IX(n)] = n;
#else
		:: SLOT_IS(n, sseq, sid, sfree) ->
#endif
			slot_id[IX(n)] = reader_id;
#ifndef spare_not_free
			slot_free[IX(n)] = 1;
#endif
			reader_id = sid;
			marked = 0;
			check_ids()
		:: else ->
get_again:
			tries++;
			if
			:: tries < TRIES -> goto get_commit
			:: else -> took = BUSY; goto took_it
			fi
		fi
	};
get_begin:	/* reader.c: rbmap_reader_begin() */
	atomic {
		reader_off = 0;
		reader_events = 0;
		reader_seq = n;
		reader_next = ADD(n, 1);
		holds = 1;
		/* The bytes that commit announced are there. */
		assert(n != cseq || header_commit[sid] >= coff);
		assert(first_event[sid] >= expected);
		lost = first_event[sid] - expected;
		expected = first_event[sid];
		if
		:: drops_before[sid] > reported_drops ->
#ifdef drops_reported_twice
			lost = lost + drops_before[sid];
#else
			lost = lost + drops_before[sid] - reported_drops;
#endif
			reported_drops = drops_before[sid]
		:: else
		fi;
		reported = reported + lost;
		took = NEXT;
		goto took_it
	};

	/*
	 * rbmap_get_subbuf(): the sub-buffer just consumed may be empty, for instance if
	 * rbmap_ring_close() closed it before anything was written.
	 */
took_it:
	atomic {
		to = header_commit[reader_id];
		if
		:: how >= RESET && holds -> goto unread
		:: how >= RESET && !holds -> goto reset_close
		:: how < RESET && took == BUSY -> goto get
		:: how < RESET && took == NEXT && to == 0 && lost == 0 ->
			goto get
		:: how == COPY && took == EMPTY -> goto report_drops
		:: how == MAPPED && took == EMPTY -> goto get_drops
		:: how == MAPPED && took == NEXT && lost > 0 -> goto mark
		:: else -> goto unread
		fi
	};

	/* rbmap_get_drops() */
get_drops:
	atomic {
		got = 0;
		if
		:: dropped > reported_drops && closes > 0 -> closes--
		:: else -> goto acted
		fi
	};
	atomic {
		until = commit_seq;
		goto close
	};

	/* rbmap_ring_mark_lost() */
mark:	/* reader.c: rbmap_ring_reader_at_writer() */
	atomic {
#ifndef mark_open
		cseq = commit_seq;
		if
		:: cseq == reader_seq -> until = reader_seq; goto close
		:: else
		fi
#else
		true
#endif
	};
mark_flag: /* reader.c: rbmap_ring_mark_lost() */
	atomic {
		header_missed[reader_id] = 1;
		marked = 1;
		heard = heard + lost
	};
	goto unread;

	/* rbmap_close_subbuf(); the last attempt gives up */
close:
	atomic {
		close_seq = until;
		close_wanted = 1
	};
	atomic {
		!close_wanted ->
		close_seq = 0;
		if
		:: how >= RESET -> goto reset_counts
		:: how == MAPPED && took == EMPTY && commit_seq != until ->
			goto get
		:: how == MAPPED && took == EMPTY && commit_seq == until ->
			goto acted
		:: how == MAPPED && took != EMPTY && commit_seq != until ->
			goto mark
		:: how == MAPPED && took != EMPTY && commit_seq == until ->
			heard = heard + lost
		fi
	};

	/* rbmap_ring_unread(), rbmap_ring_consume() */
unread:	/* reader.c: rbmap_subbuf_bytes() */
	atomic {
		to = header_commit[reader_id];
		if
		:: how == COPY && reader_off == 0 ->
			heard = heard + lost;
			/* The number does not fit: it is returned alone. */
			if
			:: lost > 0 && to == CAP -> lost = 0; to = 0
			:: else
			fi
		:: else
		fi
	};
consume_writer:	/* reader.c: rbmap_ring_reader_at_writer() */
	cseq = commit_seq;
consume_size:	/* reader.c: rbmap_subbuf_bytes() */
	atomic {
		check_records(to);
		d = count;
		if
		:: cseq != reader_seq && to == header_commit[reader_id] ->
			assert(d == closed[reader_id] - reader_events);
			d = closed[reader_id] - reader_events
		:: else
		fi;
		reader_off = to;
		reader_events = reader_events + d;
		expected = expected + d;
		read_events = read_events + d;
		got = 1;
		if
		:: how < RESET -> goto acted
		:: else
		fi;
		/* rbmap_ring_skip() */
		d = SUB(until, reader_seq);
		if
		:: (took == NEXT || took == MORE) && d > 0 && !BEHIND(d) ->
			goto get
		:: else
		fi
	};

	/* rbmap_cpu_buffer_reset() */
reset_close:	/* reader.c: rbmap_ring_reader_at_writer() */
	atomic {
		if
		:: holds && commit_seq == reader_seq ->
			until = reader_seq;
			goto close
		:: else
		fi
	};
reset_counts:
	atomic {
		reported_drops = dropped;
		base_dropped = dropped;
		lost = 0;
		base_reported = reported;
		base_overrun = expected - read_events
	};
	goto acted;

	/* rbmap_ring_report_drops() */
report_drops:
	atomic {
		got = 0;
		if
		:: dropped > reported_drops ->
			got = 1;
			reported = reported + dropped - reported_drops;
			heard = heard + dropped - reported_drops;
			reported_drops = dropped
		:: else
		fi
	};

acted:
	if
	:: !last || got -> goto act
	:: else
	fi;

	/* All writers have ended, and everything is read. */
	assert(!HAS_EVENT);
	assert(!HAS_CLOSED);
	d_step { unread_all() };
	assert(d == 0);
	assert(written + discarded + elsewhere + dropped == TASK + IRQ + NMI);
	assert(written == read_events + overrun);
	assert(expected == written);
	assert(reported_drops == dropped);
	assert(reported - base_reported == overrun - base_overrun +
				   dropped - base_dropped);
	assert(RESETS > 0 || heard == reported)
}

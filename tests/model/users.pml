/* SPDX-License-Identifier: GPL-2.0-only */
/* Users of a CPU's rings: control files, threads with an open file, buffer/wait.c. */

/* Writes of `buffer_size_kb` and `snapshot` */
proctype control()
{
	byte c = NONE, r = NONE, old = NONE, x = NONE, nx = NONE, s = NONE;
	byte o = NONE, k;

	go;
	do
	:: atomic { !hide && resizes > 0 -> resizes--; controls++ };
		buffer_replace(0, c, r, old, x, nx, k);
		controls--
	:: atomic { !hide && snaps > 0 -> snaps--; controls++ };
		buffer_replace(1, c, r, old, x, nx, k);
		set_snapshot(c, s, o);
		c = NONE;
		if
		:: !snaps -> set_snapshot(c, s, o)	/* dropped */
		:: true
		fi;
		controls--
	:: hide || (!resizes && !snaps) -> break
	od;
	others--
}

/* A write of `retired_size_kb` */
proctype limiter()
{
	byte x = NONE, nx = NONE, k;

	go;
	if
	:: atomic { !hide -> controls++ };
		limit = 0;
		expire(x, nx, k);
		controls--
	:: hide
	fi;
	others--
}

/* RBMAP_IOCTL_SNAPSHOT on a file that stays open */
proctype snapshot_fd()
{
	byte c = NONE, r = NONE, old = NONE, x = NONE, nx = NONE, o = NONE, k;

	go;
	if
	:: atomic { offered -> users++ }
	:: !offered -> goto refused
	fi;
	do
	:: fds > 0 ->
		fds--;
		/* rbmap_snapshot_file(), which needs a descriptor */
		users++;
		if
		:: true -> buffer_replace(1, c, r, old, x, nx, k)
		:: true
		fi;
		if
		:: c == NONE ->
#ifdef fd_not_cleaned_up
			goto fd_done
#else
			goto fd_closed
#endif
		:: else
		fi;
		/* rbmap_file_start() */
		drop_drained(x, k);
		live(c);
snapshot_fd_destroy:	/* device/device.c: rbmap_file_destroy() */
		put_clone(c, o);
		c = NONE;
fd_closed:
		users--;
fd_done:
		skip
	:: else -> break
	od;
	users--;
refused:
	others--
}

proctype writer()
{
	byte todo = EVENTS;

	do
	:: atomic { on && todo > 0 ->
		todo--;
		assert(cpu_buf && state[current] == ALIVE);
		assert(!retired[current]);
		unread[current]++;
		entries[current]++;
		written++ }
	:: !on || !todo -> break
	od;
	others--
}

proctype stats()
{
	byte g = NONE, before, e, a, x;

	if
	:: atomic { !hide -> controls++ }
	:: hide -> goto end
	fi;
#ifndef stats_without_lock
stats_keep: /* buffer/cpu_buffer.c: rbmap_cpu_buffer_stats(), rbmap_cpu_buffer_reset(), rbmap_cpu_buffer_discard() */
	atomic { !stats_lock -> stats_lock = 1 };
#endif
	atomic {
		before = written;
		e = past_entries;
		a = past_abandoned;
		x = past_expired;
		find(g, 0, true)
	};
	do
	:: g != NONE ->
stats_ring:	/* buffer/cpu_buffer.c: rbmap_cpu_buffer_stats() */
		atomic {
			assert(state[g] == ALIVE);
			e = e + entries[g];
			a = a + abandoned[g];
			x = x + expired[g]
		};
stats_next:	/* buffer/cpu_buffer.c: rbmap_gen_next() */
		atomic {
			assert(state[g] == ALIVE && listed[g]);
			find(g, g + 1, true)
		}
	:: else -> break
	od;
	atomic {
		/* Each event is counted once, each expired one in both counters. */
		assert(e >= before && e <= written);
		assert(a == x);
#ifndef stats_without_lock
		stats_lock = 0;
#endif
		controls--;
		e = 0; a = 0; x = 0; before = 0
	};
end:
	others--
}

/*
 * A passive walk gets a queued ring under the lock, as the work below does, and puts it before
 * its call ends.
 */
#define walk_get	/* buffer/walk.c: rbmap_walk_ring() */ \
	get_written

/* The work of buffer/wait.c; it is cancelled before the rings are freed. */
proctype look()
{
	byte g = NONE;

get_written:	/* buffer/wait.c: rbmap_get_written() */
	atomic {
		find_last(g);
		kref_get(g)
	};
	atomic { live(g) };
put_written: /* buffer/wait.c: rbmap_want_next(), rbmap_confirm_work(), rbmap_recheck_work() */
	put_ring(g);
	others--;
	looked = 1
}

#define IDLE	0
#define OPENING	32

/* A thread with the open file f; the first thread opens it. */
proctype thread(byte f; byte todo)
{
	byte g = NONE, prev = NONE, old = NONE, x = NONE, s = NONE, o = NONE;
	byte n = NONE, k, what, turns, maps;
	bit last;

	if
	:: atomic { !f_tried[f] && offered -> f_tried[f] = 1; users++ }
	:: atomic { !f_tried[f] && !offered -> f_tried[f] = 1; goto end }
	:: atomic { f_tried[f] && f_threads[f] > 0 -> f_threads[f]++; goto next }
	:: f_tried[f] && !f_threads[f] -> goto end
	fi;
	if
	:: DOES(f) & SNAP
	:: else -> goto opens
	fi;
	atomic {
		s = snapshot;
		if
		:: s == NONE -> goto put_buffer
		:: else
		fi;
#ifndef snapshot_of_without_reference
snapshot_of:	/* buffer/snapshot.c: rbmap_snapshot_get() */
		kref_get(s)
#endif
	};
	atomic { live(s); clone_alloc(n, s) };
	atomic { generation_clone(n, s) };
#ifndef snapshot_of_without_reference
snapshot_of_put: /* buffer/snapshot.c: rbmap_snapshot_of() */
	put_clone(s, o);
#endif
	atomic {
		s = NONE;
		f_snapshot[f] = 1;
		f_gen[f] = n;
		n = NONE
	};
opens:
	what = OPENING;
	goto bind;

next:
	atomic {
		what = IDLE;
		turns = 0;
		g = NONE;
		prev = NONE;
		x = NONE;
		if
		:: todo > 0 && (DOES(f) & READ) && !f_observes[f] -> what = READ
		:: todo > 0 && (DOES(f) & POLL) -> what = POLL
		:: todo > 0 && (DOES(f) & MAP) && maps == 0 -> what = MAP
		:: todo > 0 && (DOES(f) & MAP) && maps == 1 -> todo--; goto fork
		:: todo > 0 && (DOES(f) & OBSERVE) -> todo--; goto observe
		:: maps > 0 -> goto unmap
		:: maps == 0 && (!DRAIN || f > 0 || todo == 0) -> goto close
		fi;
		todo--
	};
read:
	atomic {
		if
		:: what == READ && !f_snapshot[f] && !f_reads[f] &&
		   !f_observes[f] ->
			/* rbmap_file_bind_reader() */
			readers++;
			f_reads[f] = 1;
			go = 1
		:: else
		fi
	};

	/* rbmap_file_bind(); with prev for rbmap_file_advance() */
bind:
	drop_drained(x, k);
	atomic {
		assert(cpu_buf);
		n = NONE;
		old = NONE;
		if
		:: f_gen[f] == NONE ->
			f_listed[f] = 1;
			f_open[f] = 1;
			find(n, 0, queued[i]);
			assert(n != NONE);
			kref_get(n)
		:: else ->
			live(f_gen[f]);
			if
			:: f_snapshot[f] || f_maps[f]
			/* files_leave() has not come to this file yet. */
			:: !f_snapshot[f] && !f_maps[f] && let_go[f_gen[f]] ->
				if
				:: f_observes[f] -> find(n, f_gen[f] + 1, refs[i] > 0)
				:: else -> find(n, f_gen[f] + 1, queued[i])
				fi;
				assert(n != NONE);
				kref_get(n)
			:: !f_snapshot[f] && !f_maps[f] && f_observes[f] &&
			   !let_go[f_gen[f]] && f_looked[f] && retired[f_gen[f]] ->
#ifdef observer_gets_dying
				find(n, f_gen[f] + 1, true);
				if
				:: n != NONE -> kref_get(n)
				:: else
				fi
#else
get_next:	/* buffer/file.c: rbmap_gen_get_next() */
				find(n, f_gen[f] + 1, refs[i] > 0);
				assert(n != NONE || gone);
				if
				:: n != NONE -> kref_get(n)
				:: else
				fi
#endif
			:: !f_snapshot[f] && !f_maps[f] && !f_observes[f] &&
			   !let_go[f_gen[f]] && DRAINED(f_gen[f]) ->
bind_oldest:	/* buffer/file.c: rbmap_file_get_next() */
				find(n, 0, queued[i]);
				assert(n != NONE);
				if
				:: n == f_gen[f] -> n = NONE
				:: else -> kref_get(n)
				fi
			:: else
			fi
		fi;
		if
		:: n != NONE ->
			assert(!f_maps[f]);
			old = f_gen[f];
			assert(old == NONE || n > old);
			/* An observer skips only rings that were let go. */
			assert(!f_observes[f] || f_seen[f] || let_go[old]);
			f_gen[f] = n;
#ifndef looked_stays
			f_looked[f] = 0;
#endif
			f_seen[f] = 0;
			n = NONE
		:: else
		fi;
		f_open[f] = 1;
		g = f_gen[f];
		if
		:: what == MAP ->
			f_maps[f]++;
			f_looked[f] = 1;
			f_seen[f] = 1
		:: else
		fi;
#ifndef bind_without_reference
bind_get:	/* buffer/file.c: rbmap_file_bind() */
		kref_get(g)
#endif
	};
	if
	:: old != NONE ->
bind_put:	/* buffer/file.c: rbmap_file_bind() */
		put_ring(old);
		old = NONE
	:: else
	fi;
	if
	:: prev == NONE
#ifdef old_loops
	:: prev != NONE -> prev = NONE; turns++; assert(turns <= RINGS)
#else
	:: prev != NONE && prev == g ->
advance_same:	/* buffer/file.c: rbmap_file_advance() */
		put_ring(prev);
		goto give_back
	:: prev != NONE && prev != g ->
		assert(g > prev);
		turns++;
		assert(turns < RINGS);
advance_put:	/* buffer/file.c: rbmap_file_advance() */
		put_ring(prev);
		prev = NONE
#endif
	fi;
	if
	:: what == OPENING -> f_threads[f]++; goto give_back
	:: what == MAP -> goto mmap
	:: what == POLL -> goto poll
	:: what == READ
	fi;

	/* rbmap_file_fill(), rbmap_file_splice() */
look_again:
#ifndef old_loops
	if
	:: f_observes[f] -> goto give_back
	:: else
	fi;
#endif
	atomic {
		locked != g;
		/* rbmap_file_get_subbuf() */
		live(g);
		if
		:: unread[g] + carried[g] > 0 ->
			if
			:: !IS_CLONE(g) ->
				reported = reported + carried[g];
				was_read = was_read + (unread[g] > 0)
			:: else
			fi;
			carried[g] = 0;
			unread[g] = unread[g] - (unread[g] > 0);
splice_keep:		/* device/splice.c: rbmap_splice_locked() */
#ifdef passed_of_retired
			passed[g] = !IS_CLONE(g);
#else
			passed[g] = passed[g] || (!IS_CLONE(g) && !retired[g]);
#endif
			goto give_back
		:: else
		fi
	};
	atomic {
		live(g);
		if
		:: DRAINED(g) -> goto advance
		:: else
		fi
	};
	/* rbmap_wait_readable(); O_NONBLOCK, or a signal */
	if
	:: unread[g] + carried[g] > 0 || retired[g] || f_observes[f] ->
		goto look_again
	:: true -> goto give_back
	fi;

poll:
	atomic {
		live(g);
		if
		:: DRAINED(g)
		:: else -> goto give_back
		fi
	};
advance:
#ifdef old_loops
	if
	:: f_maps[f] || f_snapshot[f] || (gone && f_gen[f] == current) ->
		goto give_back
	:: else
	fi;
	put_ring(g);
#endif
	prev = g;
	goto bind;

mmap:
	if
	:: atomic { locked != g ->
mmap_count:	/* device/mmap.c: rbmap_gen_mmap() */
		live(g);
		mapped[g]++;
		maps = 1
	   }
	:: atomic { true ->	/* no memory */
mmap_failed:	/* device/mmap.c: rbmap_mmap() */
		assert(f_maps[f] > 0);
		f_maps[f]--
	   }
	fi;

	/* Put the reference that rbmap_file_bind() gave its caller. */
give_back:
#ifndef bind_without_reference
op_put:	/* device/device.c: rbmap_file_fill(), rbmap_ring_poll(), rbmap_file_splice() */
	put_ring(g);
#endif
	goto next;

observe:
	atomic {
		if
		:: f_snapshot[f] || f_maps[f]
		:: else ->
			/* rbmap_file_observe() */
			f_observes[f] = 1;
			readers = readers - f_reads[f];
			f_reads[f] = 0
		fi;
		goto next
	};

fork:
vma_open_map:	/* device/mmap.c: rbmap_vma_open() */
	atomic {
		assert(f_maps[f] > 0);
		f_maps[f]++
	};
vma_open:	/* device/mmap.c: rbmap_vma_open() */
	atomic {
		locked != f_gen[f];
		live(f_gen[f]);
		assert(mapped[f_gen[f]] > 0);
		mapped[f_gen[f]]++;
		maps++;
		goto next
	};

unmap:
#ifdef unmap_first
	f_maps[f]--;
#endif
vma_close:	/* device/mmap.c: rbmap_vma_close() */
	atomic {
		locked != f_gen[f];
		live(f_gen[f]);
		assert(mapped[f_gen[f]] > 0);
		mapped[f_gen[f]]--;
		maps--
	};
#ifndef unmap_first
vma_close_unmap: /* device/mmap.c: rbmap_vma_close() */
	atomic {
		assert(f_maps[f] > 0);
		f_maps[f]--
	};
#endif
	goto next;

	/* rbmap_release() */
close:
	if
	:: DRAIN && f == 0 -> atomic { others == 1 ->
		/* All others have ended: each event can be read or was reported lost. */
		if
		:: written == was_read + reported
		:: else ->
			find(x, f_gen[0], unread[i] + carried[i] > 0);
			assert(x != NONE);
			what = READ;
			goto read
		fi }
	:: else
	fi;
	atomic {
		f_threads[f]--;
		if
		:: f_threads[f] > 0 -> goto end
		:: else
		fi;
		f_open[f] = 0;
unbind:	/* buffer/file.c: rbmap_file_unbind() */
		assert(!f_maps[f]);
#ifndef unbind_without_list_del
		f_listed[f] = 0;
#endif
		last = f_reads[f] && readers == 1;
		readers = readers - f_reads[f];
		f_reads[f] = 0
	};
	if
	:: f_snapshot[f] -> put_clone(f_gen[f], o)
	:: else ->
unbind_put:	/* buffer/file.c: rbmap_file_unbind() */
		put_ring(f_gen[f])
	fi;
	drop_drained(x, k);
	do
	:: atomic { last ->
release_reserved: /* buffer/cpu_buffer.c: rbmap_cpu_buffer_release_reserved() */
		find(x, 0, queued[i] && kept[i] && !readers);
		if
		:: x == NONE -> break
		:: else
		fi;
#ifndef leaves_twice
		queued[x] = 0
#endif
	   };
release_reserved_put: /* buffer/cpu_buffer.c: rbmap_cpu_buffer_release_reserved() */
	   put_ring(x)
	:: !last -> break
	od;
put_buffer:
	users--;
end:
	others--
}

/* rbmap_buffer_destroy(), or the end of the module after all other processes */
proctype ender()
{
	byte g = NONE, s = NONE, o = NONE;

	END || others == 0;
	hide = 1;
	controls == 0;
	offered = 0;
#ifdef end_without_lock
	on = 0;
	gone = 1;
#else
	atomic { !buf_lock -> on = 0; gone = 1 };
#endif
	atomic {
		/* rbmap_gen_retire() */
		locked != current;
		live(current);
		assert(!retired[current]);
		passed[current] = 0;
		retired[current] = 1
	};
#ifndef freed_while_open
	/* rbmap_buffer_abandon(), or the last rbmap_buffer_put() */
	users == 0;
#endif
	!LOOKS || looked;
	set_snapshot(g, s, o);
	do
	:: atomic {
		find(g, 0, true);
destroy:	/* buffer/cpu_buffer.c: rbmap_cpu_buffer_destroy() */
		if
		:: g == NONE -> break
		:: else
		fi;
		assert(refs[g] == 1 && queued[g] && retired[g]);
		listed[g] = 0;
		generation_free(g)
	   }
	od;
	atomic {
		cpu_buf = 0;
		assert(!readers && !buf_lock && !stats_lock && !users);
		i = 0;
		do
		:: i < N -> assert(state[i] != ALIVE); i++
		:: else -> break
		od
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* References to rings; how rings are allocated, queued, let go and freed. */

/* Access a ring: neither the ring nor the memory of its origin is freed. */
inline live(g)
{
	assert(cpu_buf && g < N && state[g] == ALIVE);
	assert(!IS_CLONE(g) || state[origin[g]] == ALIVE)
}

inline kref_get(g)
{
	assert(cpu_buf && state[g] == ALIVE && refs[g] > 0);
	refs[g]++
}

#define DRAINED(g) (retired[g] && !unread[g] && !carried[g])

/* x: the first listed ring i >= from for which `is` holds, or NONE. */
inline find(x, from, is)
{
	i = from;
	x = NONE;
	do
	:: i < RINGS && listed[i] && (is) -> x = i; break
	:: i < RINGS && !(listed[i] && (is)) -> i++
	:: i >= RINGS -> break
	od
}

inline find_last(x)
{
	x = NONE;
	i = 0;
	do
	:: i < RINGS -> x = (listed[i] -> i : x); i++
	:: else -> break
	od
}

inline generation_free(g)
{
	assert(cpu_buf && state[g] == ALIVE && !listed[g]);
	assert(mapped[g] == 0 && !passed[g]);
	j = 0;
	do
	:: j < FILES -> assert(!f_open[j] || f_gen[j] != g); j++
	:: else -> break
	od;
	state[g] = FREED
}

/* Put a reference to a ring, or to a clone if the reference is not its last. */
inline put_ring(g)
{
	atomic {
		assert(cpu_buf && state[g] == ALIVE && refs[g] > 0);
put_dec:	/* buffer/generation.c: rbmap_gen_put() */
		refs[g]--;
		if
		:: refs[g] > 0 -> goto put_ring_done
		:: else -> assert(!IS_CLONE(g) && listed[g] && !queued[g])
		fi
	};
#ifdef release_without_stats_lock
	listed[g] = 0;
#else
release_lock:	/* buffer/cpu_buffer.c: rbmap_cpu_buffer_remove_ring() */
	atomic { !stats_lock -> stats_lock = 1 };
#endif
#ifdef release_list_del_first
	atomic { listed[g] = 0; stats_lock = 0 };
#endif
release_list_del:	/* buffer/cpu_buffer.c: rbmap_cpu_buffer_remove_ring() */
	atomic {
		assert(state[g] == ALIVE && refs[g] == 0);
		listed[g] = 0;
		past_entries = past_entries + entries[g];
		past_abandoned = past_abandoned + abandoned[g];
		past_expired = past_expired + expired[g];
		stats_lock = 0
	};
	atomic { generation_free(g) };
put_ring_done:
	skip
}

/* Put a reference to a clone; the last put also puts the origin's reference. */
inline put_clone(g, o)
{
	atomic {
		assert(cpu_buf && state[g] == ALIVE && refs[g] > 0);
		refs[g]--;
		if
		:: refs[g] > 0 -> goto put_clone_done
		:: else -> o = origin[g]; generation_free(g)
		fi
	};
#ifndef clone_without_origin
free_origin:	/* buffer/generation.c: rbmap_gen_free_memory() */
	put_ring(o);
#endif
put_clone_done:
	o = NONE
}

/* A file that leaves a ring, or FILES. */
inline file_that_leaves(g, observers)
{
	h = 0;
	do
	:: h == FILES -> break
#ifdef leave_mapped
	:: h < FILES && f_listed[h] && f_gen[h] == g &&
#else
	:: h < FILES && f_listed[h] && f_gen[h] == g && !f_maps[h] &&
#endif
	   (!f_observes[h] || observers) -> break
	:: else -> h++
	od
}

/* The caller has a reference to g.  The lock is released after each file. */
inline files_leave(g, observers)
{
	do
	:: atomic {
		file_that_leaves(g, observers);
		if
		:: h == FILES -> break
		:: else
		fi;
		assert(f_open[h]);
		if
		:: f_observes[h] -> find(j, g + 1, refs[i] > 0)
		:: else -> find(j, g + 1, queued[i])
		fi;
		assert(j != NONE);
files_leave_get:	/* buffer/file.c: rbmap_file_get_after() */
		kref_get(j);
#ifndef leave_without_rebinding
		f_gen[h] = j;
#endif
		f_looked[h] = 0;
		f_seen[h] = 0
	   };
files_leave_put:	/* buffer/file.c: rbmap_files_unbind() */
	   put_ring(g)
	od
}

inline drop_drained(x, k)
{
	do
	:: atomic {
		assert(cpu_buf);
drained_unqueue:	/* buffer/cpu_buffer.c: rbmap_cpu_buffer_drop_drained() */
		find_last(j);
#ifdef drained_last
		find(x, 0, queued[i] && DRAINED(i));
#else
		find(x, 0, queued[i] && DRAINED(i) && i != j);
#endif
		if
		:: x == NONE -> break
		:: else
		fi;
		queued[x] = 0
	   };
	   files_leave(x, 0);
drained_put:	/* buffer/cpu_buffer.c: rbmap_cpu_buffer_drop_drained() */
	   put_ring(x)
	od
}

/* rbmap_waits_for_reader() */
inline waits_for_reader(g, is)
{
	is = queued[g];
	h = 0;
	do
	:: h < FILES ->
		if
		:: f_listed[h] && f_gen[h] == g ->
#ifndef expire_mapped
			if
			:: f_maps[h] > 0 -> is = 0; break
			:: else
			fi;
#endif
			is = 1
		:: else
		fi;
		h++
	:: else -> break
	od
}

inline oldest_expired(x)
{
	x = NONE;
	j = NONE;	/* the last such ring */
	last_retired = NONE;
	sum = 0;
	i = 0;
	do
	:: i < RINGS ->
		if
		:: listed[i] && retired[i] && !let_go[i] ->
			waits_for_reader(i, waits);
			last_retired = i;
			if
			:: waits ->
				sum++;
				x = (x == NONE -> i : x);
				j = i
			:: else
			fi
		:: else
		fi;
		i++
	:: else -> break
	od;
	if
#ifdef expire_last
	:: sum > limit
#else
	:: x != j && sum > limit
#endif
	:: else -> x = NONE
	fi
}

/* nx: the first queued ring after g that drop_drained() keeps, or NONE. */
inline heir(g, nx)
{
	nx = NONE;
	if
	:: g != NONE && queued[g] ->
		find_last(j);
		find(nx, g + 1, queued[i] && (!DRAINED(i) || i == j));
		assert(nx != NONE)
	:: else
	fi
}

inline expire(x, nx, k)
{
	do
	:: true ->
#ifndef expire_without_stats_lock
expire_lock:	/* buffer/expire.c: rbmap_cpu_buffer_expire() */
	   atomic { !stats_lock -> stats_lock = 1 };
#endif
	   atomic {
		oldest_expired(x);
heir_get:	/* buffer/expire.c: rbmap_lock_heir() */
		heir(x, nx);
		x = NONE;
		if
		:: nx != NONE -> kref_get(nx)
		:: else
		fi
	   };
#ifndef heir_not_locked
heir_lock:	/* buffer/expire.c: rbmap_lock_heir() */
	   atomic {
		locked = nx
	   };
#endif
	   atomic {
		oldest_expired(x);
		k = 0;
		if
		:: x == NONE -> goto expire_unlock
		:: else
		fi;
heir_same:	/* buffer/expire.c: rbmap_let_go() */
		heir(x, h);
		if
		:: h != nx -> goto expire_unlock
		:: else
		fi;
expire_unqueue:	/* buffer/expire.c: rbmap_let_go() */
		assert(x != last_retired && !mapped[x]);
		let_go[x] = 1;
		k = 1;
		if
		:: !queued[x] -> kref_get(x)
		:: else
		fi;
		queued[x] = 0
	   };
	   if
	   :: nx != NONE ->
abandon:	/* buffer/expire.c: rbmap_hand_on_losses() */
		atomic {
			live(x);
			lost = unread[x];
			on_the_way = unread[x] + carried[x];
			abandoned[x] = abandoned[x] + lost;
			unread[x] = 0;
			carried[x] = 0
		};
carry:		/* buffer/expire.c: rbmap_hand_on_losses() */
		atomic {
			live(nx);
#ifndef losses_not_carried
			carried[nx] = carried[nx] + on_the_way;
#endif
			expired[nx] = expired[nx] + lost;
			on_the_way = 0;
			lost = 0
		}
	   :: else
	   fi;
expire_unlock:
	   locked = NONE;
#ifndef expire_without_stats_lock
	   stats_lock = 0;
#endif
	   if
	   :: k > 0 ->
		files_leave(x, 1);
expire_put:	/* buffer/expire.c: rbmap_cpu_buffer_expire() */
		put_ring(x);
		k = 0
	   :: else
	   fi;
	   if
	   :: nx != NONE ->
expire_put_heir: /* buffer/expire.c: rbmap_cpu_buffer_expire() */
		put_ring(nx)
	   :: else
	   fi;
	   if
	   :: x == NONE -> break
	   :: else
	   fi
	od
}

inline clone_alloc(c, g)
{
	assert(nr_clones < CLONES);
	c = RINGS + nr_clones;
	nr_clones++;
	state[c] = ALIVE;
	refs[c] = 1;
	origin[c] = (IS_CLONE(g) -> origin[g] : g);
#ifndef clone_without_origin
clone_get:	/* buffer/generation.c: rbmap_gen_clone_alloc() */
	kref_get(origin[c])
#endif
}

inline generation_clone(c, g)
{
	live(g);
	live(c);
	assert(retired[g]);
	unread[c] = unread[g];
	retired[c] = 1
}

inline set_snapshot(c, s, o)
{
	atomic { s = snapshot; snapshot = c };
	if
	:: s != NONE ->
set_snapshot_put:	/* buffer/snapshot.c: rbmap_cpu_buffer_set_snapshot() */
		put_clone(s, o)
	:: else
	fi;
	s = NONE
}

/* rbmap_buffer_replace(); c: the snapshot if `wanted`, else NONE */
inline buffer_replace(wanted, c, r, old, x, nx, k)
{
	atomic { !buf_lock -> buf_lock = 1; c = NONE };
	if
	:: gone -> goto replace_end
	:: else
	fi;
create:		/* buffer/generation.c: rbmap_gen_alloc() */
	atomic {
		assert(nr_rings < RINGS);
		r = nr_rings;
		nr_rings++;
		state[r] = ALIVE;
		refs[r] = 1;
		old = current;
		live(old);
		if
		:: wanted -> clone_alloc(c, old)
		:: else
		fi
	};
queue:		/* buffer/cpu_buffer.c: rbmap_cpu_buffer_queue() */
	atomic {
		queued[r] = 1;
		listed[r] = 1
	};
	/* After a grace period no context writes to the old ring. */
	current = r;
#ifndef replaced_without_reference
replaced_get:	/* buffer/resize.c: rbmap_replaced() */
	atomic {
		kref_get(old)
	};
#endif
retire:		/* buffer/generation.c: rbmap_gen_retire() */
	atomic {
		locked != old;
		live(old);
		assert(!retired[old]);
		passed[old] = 0;
		retired[old] = 1
	};
	if
	:: wanted ->
		atomic { locked != old; generation_clone(c, old) };
reserve_for_snapshot: /* buffer/cpu_buffer.c: rbmap_cpu_buffer_reserve_for_snapshot() */
		atomic {
			live(old);
			kept[old] = 1;
#ifdef leaves_with_readers
			k = queued[old];
#else
			k = queued[old] && !readers;
#endif
			queued[old] = queued[old] && !k
		};
		if
		:: k ->
			k = 0;
reserve_for_snapshot_put: /* buffer/cpu_buffer.c: rbmap_cpu_buffer_reserve_for_snapshot() */
			put_ring(old)
		:: else
		fi
	:: else
	fi;
	atomic { live(old) };
	drop_drained(x, k);
	expire(x, nx, k);
#ifndef replaced_without_reference
replaced_put:	/* buffer/resize.c: rbmap_replaced() */
	put_ring(old);
#endif
replace_end:
	atomic { buf_lock = 0; old = NONE; r = NONE; x = NONE; nx = NONE }
}

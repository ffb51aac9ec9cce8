/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ring lifetimes for SPIN: generations, open files, maps, observers, snapshots,
 * readers, resizing, the limit on retired rings and the end of a buffer, with the
 * references and locks of module/.  lives.pml has the inlines that the processes
 * call, users.pml the processes.
 *
 * A label names the step that follows it.  A comment in the code gives the same
 * name ("model: NAME"); tests/model/names compares the two.
 *
 * A section under cpu_buf->lock or a reader_lock is one step.  stats_lock, the
 * buffer's lock and the reader_lock of `locked` are held for several steps.  A
 * ring's number is its place in the list.  Its content is a number of events.
 */

/* Bounds; tests/model/run sets them. */
#ifndef RINGS
#define RINGS	2	/* 1 + RESIZES + SNAPS + FDS */
#endif
#ifndef CLONES
#define CLONES	0	/* SNAPS + FDS + number of files of the snapshot */
#endif
#ifndef RESIZES
#define RESIZES	0
#endif
#ifndef SNAPS
#define SNAPS	0	/* snapshots by the control file */
#endif
#ifndef FDS
#define FDS	0	/* snapshots by RBMAP_IOCTL_SNAPSHOT */
#endif
#ifndef RETIRED
#define RETIRED	9	/* retired_size_kb, in rings */
#endif
#ifndef LIMITS
#define LIMITS	0	/* 1: retired_size_kb is set to 0 at any time */
#endif
#ifndef EVENTS
#define EVENTS	1
#endif
#ifndef STATS
#define STATS	0	/* 1: `stats` is read */
#endif
#ifndef LOOKS
#define LOOKS	0	/* 1: the work of buffer/wait.c runs once */
#endif
#ifndef END
#define END	0	/* 1: the buffer is destroyed at any time; 0: at the end */
#endif
#ifndef DRAIN
#define DRAIN	0	/* 1: file 0 reads before all others begin, then to the end */
#endif
/* FILEn: sum of the operations of file n; TODOn: their number; THREADSn: threads. */
#define READ	1	/* read() and splice() */
#define POLL	2
#define OBSERVE	4
#define MAP	8	/* mmap(), munmap(), and fork() with a map */
#define SNAP	16	/* the file is one of the snapshot */
#ifndef FILE0
#define FILE0	0
#endif
#ifndef FILE1
#define FILE1	0
#endif
#ifndef TODO0
#define TODO0	2
#endif
#ifndef TODO1
#define TODO1	2
#endif
#ifndef THREADS0
#define THREADS0 1
#endif
#define FILES	2
#define DOES(f)	((f) == 0 -> (FILE0) : (FILE1))

#define N	(RINGS + CLONES)
#define NONE	N
#define IS_CLONE(g) ((g) >= RINGS)

/* ---- struct rbmap_gen */

#define ALIVE	1
#define FREED	2
byte state[N], refs[N], mapped[N], origin[N];
bit listed[N], queued[N], retired[N], kept[N], let_go[N];
byte unread[N], carried[N];	/* unread events; losses of earlier rings */
byte entries[N], abandoned[N], expired[N];
bit passed[N];		/* splice() has kept memory for the ring */

/* ---- struct rbmap_cpu_buffer, struct rbmap_buffer */

bit cpu_buf = 1;		/* the structure is allocated */
byte current, snapshot = NONE, readers;
bit stats_lock, buf_lock;
byte past_entries, past_abandoned, past_expired;
byte limit = RETIRED;
bit offered = 1, gone, on = 1;
byte users;

/* ---- struct rbmap_file */

byte f_gen[FILES], f_maps[FILES];
bit f_listed[FILES], f_snapshot[FILES], f_reads[FILES];
bit f_observes[FILES], f_looked[FILES];

/* ---- variables of the model alone, for its checks */

byte nr_rings = 1, nr_clones;
byte f_threads[FILES];
bit f_tried[FILES], f_open[FILES];
bit f_seen[FILES];		/* the file has mapped its ring */
bit hide;			/* the control files are removed */
byte controls;			/* running callbacks of control files */
byte others;			/* running processes except ender */
byte resizes = RESIZES, snaps = SNAPS, fds = FDS;
byte written, was_read, reported;
bit go = !DRAIN;
bit looked;			/* the work of buffer/wait.c has ended */
byte locked = NONE;		/* ring whose reader_lock is held for several steps */
byte on_the_way, lost;		/* rbmap_hand_on_losses(), under stats_lock */
hidden byte i, j, h, last_retired, sum, waits;

#include "lives.pml"
#include "users.pml"

/* rbmap_buffer_alloc() */
init {
	atomic {
		i = 0;
		do
		:: i < FILES -> f_gen[i] = NONE; i++
		:: else -> break
		od;
		state[0] = ALIVE;
		refs[0] = 1;
		queued[0] = 1;
		listed[0] = 1;
		if
		:: RESIZES + SNAPS > 0 -> others++; run control()
		:: else
		fi;
		if
		:: LIMITS > 0 -> others++; run limiter()
		:: else
		fi;
		if
		:: FDS > 0 -> others++; run snapshot_fd()
		:: else
		fi;
		if
		:: EVENTS > 0 -> others++; run writer()
		:: else
		fi;
		if
		:: STATS > 0 -> others++; run stats()
		:: else
		fi;
		if
		:: LOOKS > 0 -> others++; run look()
		:: else
		fi;
		if
		:: FILE0 > 0 -> others++; run thread(0, TODO0)
		:: else
		fi;
		if
		:: FILE0 > 0 && THREADS0 > 1 -> others++; run thread(0, TODO0)
		:: else
		fi;
		if
		:: FILE1 > 0 -> others++; run thread(1, TODO1)
		:: else
		fi;
		run ender()
	}
}

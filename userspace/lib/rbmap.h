/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * librbmap: read rbmap's rings where they lie.
 *
 * Functions return 0 or more for success and a negative error, which
 * rbmap_strerror() puts into words.  A struct rbmap_map or rbmap_merge belongs
 * to one thread at a time; only rbmap_wake() may be called from another one,
 * or from a signal handler.
 *
 * A ring has one reader: two programs that read the same CPU each see a part
 * of its events.
 */
#ifndef RBMAP_H
#define RBMAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rbmap_map;	/* the mapped ring of one CPU */
struct rbmap_merge;	/* the mapped rings of all CPUs, in time order */

/* Errors of our own, beside negative errno values. */
enum rbmap_error {
	RBMAP_ERR_NOT_LOADED	= -4096,	/* no /dev/rbmap: module absent */
	RBMAP_ERR_NO_CPU	= -4097,	/* module loaded, no such CPU */
	RBMAP_ERR_PERMISSION	= -4098,	/* device not readable for us */
	RBMAP_ERR_NOT_RBMAP	= -4099,	/* file is no ring that can be mapped */
	RBMAP_ERR_VERSION	= -4100,	/* ring of a version we don't know */
	RBMAP_ERR_GONE		= -4101,	/* ring retired or device gone */
	RBMAP_ERR_CORRUPT	= -4102,	/* bytes that no writer writes */
};

const char *rbmap_strerror(int error);

/*
 * Open and map the ring of one CPU, or any file that maps like one: a kernel's
 * own per_cpu/cpuN/trace_pipe_raw (6.10 and later) too.  flags: 0.
 */
int rbmap_open(struct rbmap_map **map, int cpu, unsigned int flags);
int rbmap_open_path(struct rbmap_map **map, const char *path,
		    unsigned int flags);
void rbmap_close(struct rbmap_map *map);

/*
 * The same, but only look: nothing is taken from the one who reads the ring,
 * and any number of programs may.  What is still in the ring comes first, read
 * by others or not.  Other functions are the same for such a map, and
 * rbmap_merge_observe() is the same for all CPUs.  What it comes too late for
 * it is told as lost: the writer doesn't wait.  Rings of rbmap only.
 */
int rbmap_observe(struct rbmap_map **map, int cpu, unsigned int flags);
int rbmap_observe_path(struct rbmap_map **map, const char *path,
		       unsigned int flags);

int rbmap_fd(const struct rbmap_map *map);
int rbmap_cpu(const struct rbmap_map *map);		/* -1: not known */
size_t rbmap_subbuf_size(const struct rbmap_map *map);	/* header included */
unsigned int rbmap_nr_subbufs(const struct rbmap_map *map);

/*
 * enum rbmap_clock of linux/rbmap.h, and which of its CPU's rings is mapped, from
 * 1; a kernel's own ring does not say: -1, and 0.
 */
int rbmap_clock(const struct rbmap_map *map);
unsigned int rbmap_generation(const struct rbmap_map *map);

/* Events were lost, their number is not stored (a kernel's own ring only). */
#define RBMAP_LOST_UNKNOWN	UINT64_MAX

/* A piece of a sub-buffer that is new since the last call. */
struct rbmap_subbuf {
	const void	*start;		/* the sub-buffer, its header first */
	size_t		size;		/* bytes of events now, header not counted */
	size_t		offset;		/* those that are not new */
	uint64_t	timestamp;	/* the header's */
	uint64_t	lost;		/* events lost before it; told once */
	uint32_t	id;
};

/*
 * 1: *sb has new bytes, or only tells of a loss (size 0), and is valid until
 * the next call.  0: nothing new now.  Never waits.  For one map use either
 * this or rbmap_next_event().
 */
int rbmap_next_subbuf(struct rbmap_map *map, struct rbmap_subbuf *sb);

struct rbmap_event {
	uint64_t	ts;
	const void	*data;		/* begins with struct rbmap_event_common */
	uint32_t	size;
	int		cpu;
	uint64_t	lost;		/* lost on this CPU just before it */
};

/*
 * 1: *ev is the next event, valid until the next call.  0: none now.  Never
 * waits.  After RBMAP_ERR_CORRUPT the next call goes on with the sub-buffer
 * that follows.
 */
int rbmap_next_event(struct rbmap_map *map, struct rbmap_event *ev);

/*
 * Decode the events of a raw sub-buffer (mapped, read, or from a file), any
 * bytes whatever.  @size is what is there, header included.  Begin with a
 * zeroed cursor.  1: *ev is the next event (cpu is -1).  0: no more.
 */
struct rbmap_cursor {
	uint64_t	ts;
	size_t		offset;		/* bytes decoded, header not counted */
};
int rbmap_decode(const void *subbuf, size_t size, struct rbmap_cursor *cursor,
		 struct rbmap_event *ev);

/* Events that were lost before a raw sub-buffer, as its commit says. */
uint64_t rbmap_decode_lost(const void *subbuf, size_t size);

/*
 * Wait until the ring is filled to buffer_percent.  1: look for events.
 * 0: time is up, or rbmap_wake(): fewer events may be there.  -EINTR: a
 * signal.  timeout_ms -1: for ever.
 */
int rbmap_wait(struct rbmap_map *map, int timeout_ms);
int rbmap_wake(struct rbmap_map *map);	/* wakes all who wait for this ring */

/*
 * Loss since the ring began or was reset, as of the last call that looked for
 * events.  A kernel's own ring says overrun only.
 */
struct rbmap_loss {
	uint64_t	overrun;	/* overwritten before they were read */
	uint64_t	full;		/* refused: discard mode and no room */
	uint64_t	lapped;		/* nested writers went round the ring */
	uint64_t	nested;		/* contexts nested too deep */
	uint64_t	too_large;	/* larger than a sub-buffer */
	uint64_t	expired;	/* in earlier rings, which nobody read in time */
	uint64_t	no_ring;	/* on a CPU that had no ring yet */
	uint64_t	total;		/* sum of the above */
	uint64_t	told;		/* told by this map, in events or sub-buffers */
	uint64_t	disabled;	/* refused, tracing was off: not lost */
	uint64_t	untold;		/* of total: no reader was told yet */
};
int rbmap_loss(struct rbmap_map *map, struct rbmap_loss *loss);

/*
 * The rings of all CPUs as one stream, by time; of equal times the lower CPU
 * first.  A CPU whose ring can't be found is left out; one that goes offline
 * keeps its ring.
 *
 * An event is given out when no ring can come up with an older one: each of
 * the others has shown its own next event, or was found empty at least the
 * hold time after it.  The hold time covers events that have their time
 * stamp and are still being written, by a context that was interrupted.  An
 * event that takes longer than that comes late, and its time is then smaller
 * than that of the one before it.  Where a ring is filled to buffer_percent,
 * nothing is held: order is not worth a loss.  rbmap_merge_set_hold(merge, 0)
 * releases what is held: do so to get the last events, at the end.
 */
#define RBMAP_MERGE_HOLD_US	10000	/* hold time at first */

/* The directory of a named buffer is /dev/rbmap/NAME.  flags: 0. */
int rbmap_merge_open(struct rbmap_merge **merge, unsigned int flags);
int rbmap_merge_observe(struct rbmap_merge **merge, unsigned int flags);
int rbmap_merge_open_path(struct rbmap_merge **merge, const char *dir,
			  unsigned int flags);
int rbmap_merge_observe_path(struct rbmap_merge **merge, const char *dir,
			     unsigned int flags);
void rbmap_merge_set_hold(struct rbmap_merge *merge, unsigned int usecs);
int rbmap_merge_next(struct rbmap_merge *merge, struct rbmap_event *ev);
int rbmap_merge_wait(struct rbmap_merge *merge, int timeout_ms);
int rbmap_merge_loss(struct rbmap_merge *merge, struct rbmap_loss *loss);
void rbmap_merge_close(struct rbmap_merge *merge);

const char *rbmap_version(void);

#ifdef __cplusplus
}
#endif
#endif /* RBMAP_H */

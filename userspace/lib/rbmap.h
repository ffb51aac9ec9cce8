/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * librbmap: read rbmap's rings in place, without a copy.
 *
 * Functions return 0 or more for success and a negative error, which
 * rbmap_strerror() describes.  A struct rbmap_map or rbmap_merge must be used by
 * one thread at a time; only rbmap_wake() and rbmap_merge_wake() may be called from
 * another thread or from a signal handler.
 *
 * A ring has one reader: if two programs read the same CPU, each of them gets a
 * part of its events.
 */
#ifndef RBMAP_H
#define RBMAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rbmap_map;	/* the mapped ring of one CPU */
struct rbmap_merge;	/* the mapped rings of all CPUs, in time order */

/* The library's own errors, in addition to negative errno values. */
enum rbmap_error {
	RBMAP_ERR_NOT_LOADED	= -4096,	/* no /dev/rbmap: the module is not loaded */
	RBMAP_ERR_NO_CPU	= -4097,	/* the module is loaded, the CPU does not exist */
	RBMAP_ERR_PERMISSION	= -4098,	/* no permission to open the device */
	RBMAP_ERR_NOT_RBMAP	= -4099,	/* the file is not a ring that can be mapped */
	RBMAP_ERR_VERSION	= -4100,	/* unknown version of the ring */
	RBMAP_ERR_GONE		= -4101,	/* the ring was retired, or the device removed */
	RBMAP_ERR_CORRUPT	= -4102,	/* the sub-buffer holds invalid bytes */

	/* Recordings: */
	RBMAP_ERR_NO_RECORDING	= -5000,	/* the file is not a trace.dat */
	RBMAP_ERR_DAT_VERSION	= -5001,	/* a trace.dat of a version other than 6 and 7 */
	RBMAP_ERR_FOREIGN	= -5002,	/* from a machine with other byte order */
	RBMAP_ERR_CUT		= -5003,	/* the file ends before the data */
	RBMAP_ERR_BROKEN	= -5004,	/* the headers are invalid */
	RBMAP_ERR_LATENCY	= -5005,	/* the text of a latency tracer */
	RBMAP_ERR_COMPRESSION	= -5006,	/* compressed, but not by zstd */
	RBMAP_ERR_NO_ZSTD	= -5009,	/* compressed, and libzstd is not installed */
	RBMAP_ERR_COMPRESSED	= -5010	/* the whole file is compressed */
};

const char *rbmap_strerror(int error);

/*
 * Open and map the ring of one CPU, or any file that maps like one: also ftrace's
 * per_cpu/cpuN/trace_pipe_raw (6.10 and later).  flags: 0.
 */
int rbmap_open(struct rbmap_map **map, int cpu, unsigned int flags);
int rbmap_open_path(struct rbmap_map **map, const char *path,
		    unsigned int flags);
void rbmap_close(struct rbmap_map *map);

/*
 * Open and map a ring as an observer.  An observer does not consume events, and any
 * number of programs may observe one ring.  An observer begins with the oldest
 * event in the ring, even if a reader has read that event.  The other functions
 * work on such a map as on a reader's; rbmap_merge_observe() observes all CPUs.
 * The writer does not wait for an observer: events that were overwritten first are
 * reported as lost.  Only rbmap's own rings can be observed.
 */
int rbmap_observe(struct rbmap_map **map, int cpu, unsigned int flags);
int rbmap_observe_path(struct rbmap_map **map, const char *path,
		       unsigned int flags);

int rbmap_fd(const struct rbmap_map *map);
int rbmap_cpu(const struct rbmap_map *map);		/* -1: unknown */
size_t rbmap_subbuf_size(const struct rbmap_map *map);	/* with its header */
unsigned int rbmap_nr_subbufs(const struct rbmap_map *map);

/*
 * The clock of the mapped ring, enum rbmap_clock of linux/rbmap.h, and the ring's
 * number among the rings of its CPU, from 1.  For ftrace's ring: -1 and 0.
 */
int rbmap_clock(const struct rbmap_map *map);
unsigned int rbmap_generation(const struct rbmap_map *map);

/*
 * Return: the number of the event behind the last sub-buffer of rbmap_next_subbuf(), among
 * all events that were written to this generation of the ring, from 0.  Valid after the
 * first sub-buffer.  0: the map is not an observer.
 */
uint64_t rbmap_observer_number(const struct rbmap_map *map);

/* An unknown number of events was lost. */
#define RBMAP_LOST_UNKNOWN	UINT64_MAX

/* The part of a sub-buffer that is new since the last call. */
struct rbmap_subbuf {
	const void	*start;		/* the sub-buffer, beginning with its header */
	size_t		size;		/* bytes of events, without the header */
	size_t		offset;		/* bytes of events that earlier calls returned */
	uint64_t	timestamp;	/* time stamp of the header */
	uint64_t	lost;		/* events lost before it; reported once */
	uint32_t	id;
};

/*
 * Return: 1: *sb has new bytes, or only reports a loss (size 0); it is valid until
 * the next call.  0: no new bytes.  The function never waits.  Use either this
 * function or rbmap_next_event() on one map, not both.
 */
int rbmap_next_subbuf(struct rbmap_map *map, struct rbmap_subbuf *sb);

/*
 * The number of events in all pieces that rbmap_next_subbuf() and
 * rbmap_next_event() got from the rings, and that rbmap_splice() passed on.  The
 * kernel counts them: this costs no decoding.  If two programs read a ring at the same
 * moment, the number may be wrong.
 */
uint64_t rbmap_events_read(const struct rbmap_map *map);

/*
 * Pass sub-buffers that the writer has left to a pipe, at most size bytes: all of them,
 * with their headers, and with the number of lost events as commit says.  Unless another
 * process has mapped the ring, the pages themselves are moved, which costs less than to
 * write them from the map.  The function unmaps the sub-buffers, so that pieces become
 * invalid; rbmap_next_subbuf() maps them again and goes on behind what was passed.
 *
 * Return: the number of bytes.  0: the writer has left no sub-buffer, or the pipe is
 * full, or rbmap_next_subbuf() has to go on to the next ring or to report a loss first.
 * -EINVAL: size or the pipe is smaller than a sub-buffer.  -EBADF: the map observes.
 * RBMAP_ERR_NOT_RBMAP: a ring of ftrace.  The function never waits.
 */
ssize_t rbmap_splice(struct rbmap_map *map, int pipe, size_t size);

struct rbmap_event {
	uint64_t	ts;
	const void	*data;		/* begins with struct rbmap_event_common */
	uint32_t	size;
	int		cpu;
	uint64_t	lost;		/* events lost on this CPU just before it */
};

/*
 * Return: 1: *ev is the next event; it is valid until the next call.  0: no event
 * now.  The function never waits.  After RBMAP_ERR_CORRUPT the next call continues
 * with the next sub-buffer.
 */
int rbmap_next_event(struct rbmap_map *map, struct rbmap_event *ev);

/*
 * Decode the events of a raw sub-buffer: mapped, read, or from a file.  The bytes
 * may be arbitrary.  size: bytes of the sub-buffer, with its header.  Begin with a
 * zeroed cursor.  Return: 1: *ev is the next event (its cpu is -1).  0: the
 * sub-buffer has no more events.
 */
struct rbmap_cursor {
	uint64_t	ts;
	size_t		offset;		/* bytes decoded, without the header */
};
int rbmap_decode(const void *subbuf, size_t size, struct rbmap_cursor *cursor,
		 struct rbmap_event *ev);

/* Number of events lost before a raw sub-buffer, according to its commit. */
uint64_t rbmap_decode_lost(const void *subbuf, size_t size);

/*
 * Throw away all events that the map would return.  The kernel counts them as discarded,
 * and not as read; losses before the call are not reported.  Return: 0.  -EBADF: the map
 * observes.  -ENOTTY: a ring of ftrace, or an older module.  The function never waits.
 */
int rbmap_discard_unread(struct rbmap_map *map);

/*
 * Wait until the ring is filled to buffer_percent.  Return: 1: the ring is filled.
 * 0: the timeout expired, or rbmap_wake() was called; the ring may hold fewer
 * events.  -EINTR: a signal was caught.  timeout_ms -1: no timeout.
 */
int rbmap_wait(struct rbmap_map *map, int timeout_ms);
int rbmap_wake(struct rbmap_map *map);	/* wake all waiters of this ring */

/*
 * Losses since the ring was made or reset, as of the last call that searched for
 * events.  ftrace's ring has overrun only.
 */
struct rbmap_loss {
	uint64_t	overrun;	/* overwritten before they were read */
	uint64_t	full;		/* dropped in discard mode: the ring was full */
	uint64_t	lapped;		/* dropped: nested writers filled the ring */
	uint64_t	nested;		/* dropped: contexts were nested too deep */
	uint64_t	too_large;	/* dropped: larger than a sub-buffer */
	uint64_t	expired;	/* in retired rings that were freed unread */
	uint64_t	no_ring;	/* dropped: the CPU had no ring yet */
	uint64_t	total;		/* sum of the above */
	uint64_t	reported;		/* reported by this map, in events or sub-buffers */
	uint64_t	disabled;	/* refused while tracing was off; not lost */
	uint64_t	unreported;		/* part of total not yet reported to any reader */
};
int rbmap_loss(struct rbmap_map *map, struct rbmap_loss *loss);

/*
 * The rings of all CPUs as one stream, in time order; at equal times the lower CPU
 * comes first.  A CPU without a ring is skipped; a CPU that goes offline keeps its
 * ring.
 *
 * An event is returned when no other ring can still have an older one.  For each
 * other ring either the next event is known, or the ring was empty at least the
 * hold time after the event.  The hold time allows for an interrupted writer: its event has a time
 * stamp and is not committed yet.  An event that is committed later than that is
 * returned late: its time is smaller than the time of the event before it.  If a
 * ring is filled to buffer_percent, no event is held back, because order is not
 * worth a loss.  rbmap_merge_set_hold(merge, 0) releases all events that are held:
 * call it at the end to get the last events.
 */
#define RBMAP_MERGE_HOLD_US	10000	/* default hold time */

/* The directory of a named buffer is /dev/rbmap/NAME.  flags: 0. */
int rbmap_merge_open(struct rbmap_merge **merge, unsigned int flags);
int rbmap_merge_observe(struct rbmap_merge **merge, unsigned int flags);
int rbmap_merge_open_path(struct rbmap_merge **merge, const char *dir,
			  unsigned int flags);
int rbmap_merge_observe_path(struct rbmap_merge **merge, const char *dir,
			     unsigned int flags);
void rbmap_merge_set_hold(struct rbmap_merge *merge, unsigned int usecs);
/*
 * Change the watermark of a buffer of the caller's own by its load. buffer_percent: path of
 * its control file; NULL: no more. Return 0 or -errno, after which it is not changed.
 */
int rbmap_merge_pace(struct rbmap_merge *merge, const char *buffer_percent);
int rbmap_merge_next(struct rbmap_merge *merge, struct rbmap_event *ev);
int rbmap_merge_wait(struct rbmap_merge *merge, int timeout_ms);
int rbmap_merge_wake(struct rbmap_merge *merge);	/* end the wait of this merge */
int rbmap_merge_loss(struct rbmap_merge *merge, struct rbmap_loss *loss);
/*
 * Events that a CPU has lost behind the last one that rbmap_merge_next() has returned.  Its ring
 * still has to report them, or reports them with an event that was not returned.  i: a number
 * from 0.  Return: 1, the CPU of such a ring in *cpu and the number, RBMAP_LOST_UNKNOWN if it is
 * not known, in *lost.  0: there are no more.
 */
int rbmap_merge_lost_last(const struct rbmap_merge *merge, unsigned int i, int *cpu,
			  uint64_t *lost);
/*
 * Rings of CPUs that have come online, and that the last look could not open.  They are missing
 * from the events and the losses.  i: a number from 0.  Return: the error of such a ring, and its
 * CPU in *cpu; -1: it is unknown.  0: there are no more.
 */
int rbmap_merge_unopened(const struct rbmap_merge *merge, unsigned int i, int *cpu);
void rbmap_merge_close(struct rbmap_merge *merge);

/* Clocks that were read together. */
struct rbmap_moment {
	uint64_t	ring;		/* the ring's clock: ns, or cycles of x86-tsc */
	uint64_t	real;		/* CLOCK_REALTIME in ns */
	uint64_t	boot;		/* CLOCK_BOOTTIME in ns */
	int64_t		tai_offset;	/* seconds that TAI is ahead of UTC; 0: unknown */
	uint64_t	error;		/* ns that the other clocks may be away from ring */
};

/*
 * Read a ring's clock together with the others, within a few microseconds.  clock: that of
 * rbmap_clock().  control: the directory /sys/kernel/rbmap, or /sys/kernel/rbmap/instances/NAME
 * of a buffer with this clock; RBMAP_CLOCK_LOCAL needs it, others may have NULL.  Return: 0.
 * -EINVAL: programs cannot read such a clock, or control is NULL.  Other negative errors: control
 * cannot be read.  The function does not wait, and may be called from any thread.
 */
int rbmap_moment_now(struct rbmap_moment *moment, int clock, const char *control);

/*
 * The formats of events, as files like events/sched/sched_switch/format have them.  A
 * struct rbmap_formats may be used by several threads that do not add to it.  Returned
 * pointers are valid until rbmap_formats_free().  The structures belong to the
 * library, which can add members at their ends.
 */
struct rbmap_formats;

#define RBMAP_FIELD_SIGNED	(1u << 0)	/* numbers have a sign */
#define RBMAP_FIELD_ARRAY	(1u << 1)	/* has elements, or a text */
#define RBMAP_FIELD_STRING	(1u << 2)	/* an array of char */
#define RBMAP_FIELD_DYNAMIC	(1u << 3)	/* the event has the place of the array */
#define RBMAP_FIELD_RELATIVE	(1u << 4)	/* which counts from the end of the field */
#define RBMAP_FIELD_COMMON	(1u << 5)	/* all events have the field */
#define RBMAP_FIELD_POINTER	(1u << 6)	/* an address in the kernel */

struct rbmap_format_field {
	const char	*name;
	const char	*type;		/* as in C, with the length of an array */
	uint32_t	offset;		/* in bytes from the beginning of an event's data */
	uint32_t	size;		/* in bytes; 0: an array up to the end of the event */
	uint32_t	element_size;	/* bytes of an element, or of the number */
	uint32_t	flags;		/* RBMAP_FIELD_* */
};

struct rbmap_format {
	const char	*system;
	const char	*name;
	const char	*print;		/* the print format, as in the file; may be empty */
	uint32_t	id;		/* the type in struct rbmap_event_common */
	uint32_t	size;		/* bytes that the fields need */
	uint32_t	nr_fields;	/* with the common ones, which come first */
};

/* Make an empty table.  Return: 0 or -ENOMEM. */
int rbmap_formats_new(struct rbmap_formats **formats);
void rbmap_formats_free(struct rbmap_formats *formats);

/*
 * Add the format in a text.  Return: 0.  -EINVAL: the text is not a format.  -EEXIST: the
 * table has a format with this id, which stays.  -ENOMEM.
 */
int rbmap_formats_add(struct rbmap_formats *formats, const char *system,
		      const char *text, size_t size);

/*
 * Add the formats below the events directory of a buffer, such as
 * /sys/kernel/rbmap/events; NULL: that one.  Formats that the table has stay.  Return: the
 * number of formats that were added, or a negative error of the directory.
 */
int rbmap_formats_load(struct rbmap_formats *formats, const char *dir);

/* Return: the format of an event, by its id, by its name (system NULL: any), or NULL. */
const struct rbmap_format *rbmap_formats_of(const struct rbmap_formats *formats,
					    const struct rbmap_event *ev);
const struct rbmap_format *rbmap_formats_by_id(const struct rbmap_formats *formats,
					       unsigned int id);
const struct rbmap_format *rbmap_formats_by_name(const struct rbmap_formats *formats,
						 const char *system, const char *name);
/* Return: the format with the next id; NULL: the end.  Begin with NULL. */
const struct rbmap_format *rbmap_formats_next(const struct rbmap_formats *formats,
					      const struct rbmap_format *format);

/* Return: a field by its index, from 0, or by its name; NULL: the event has no such field. */
const struct rbmap_format_field *rbmap_format_field(const struct rbmap_format *format,
					     unsigned int index);
const struct rbmap_format_field *rbmap_format_field_by_name(const struct rbmap_format *format,
						     const char *name);

/*
 * Values of a field.  Events and formats may have any bytes: no function reads outside of
 * the event.  Return: 0.  RBMAP_ERR_CORRUPT: the value would lie outside of the event.
 * rbmap_field_number() also returns -EINVAL if elements do not have 1, 2, 4 or 8 bytes,
 * and -ERANGE behind the last element; a signed number is extended to 64 bits.
 * rbmap_field_string() finds the bytes before the first 0, at which the text need not end,
 * and returns -EINVAL if the elements have more than a byte.
 */
int rbmap_field_data(const struct rbmap_format_field *field, const struct rbmap_event *ev,
		     const void **data, size_t *size);
int rbmap_field_number(const struct rbmap_format_field *field, const struct rbmap_event *ev,
		       size_t index, uint64_t *number);
int rbmap_field_string(const struct rbmap_format_field *field, const struct rbmap_event *ev,
		       const char **text, size_t *len);

/*
 * A recording: a trace.dat of rbmap record or of trace-cmd, of version 6 or 7, compressed
 * by zstd or not.  Its memory does not grow with the number of events.  A recording is used
 * by one thread at a time.  Returned pointers are valid until
 * rbmap_recording_close().
 */
struct rbmap_recording;

/*
 * Open a recording.  rbmap_recording_open_fd() takes over the descriptor of a regular
 * file, and closes it also if it fails.  flags: 0.  Return: 0 or a negative error.
 */
int rbmap_recording_open(struct rbmap_recording **recording, const char *path,
			 unsigned int flags);
int rbmap_recording_open_fd(struct rbmap_recording **recording, int fd,
			    unsigned int flags);
void rbmap_recording_close(struct rbmap_recording *recording);

/*
 * Return: 1: *ev is the next event of all CPUs in the order of time, valid until the next
 * call.  0: the end.  At equal times the lower CPU comes first.  The events are those of all
 * buffers, or of the chosen one.
 */
int rbmap_recording_next(struct rbmap_recording *recording, struct rbmap_event *ev);

/*
 * The sub-buffers of one CPU, instead of the events of all.  Use either this function or
 * rbmap_recording_next() between two calls of rbmap_recording_rewind().  Return: 1: *sb is
 * the next sub-buffer, valid until the next call for this CPU.  0: the end.  The offset and
 * the id are 0.  The size is 0 if the sub-buffer only reports a loss, or has invalid bytes.
 * rbmap_decode() finds its events: pass sb->size and the size of the header.  sb->lost has
 * all events that were lost before the sub-buffer.
 */
int rbmap_recording_next_subbuf(struct rbmap_recording *recording, unsigned int cpu,
				struct rbmap_subbuf *sb);

/*
 * The buffers of the recorded system.  A recording of rbmap has one.  One of trace-cmd has
 * those of its options -B behind the top buffer, whose name is "".  The CPUs of a
 * buffer have the numbers from 0 on; the top buffer may have no data.  Return: NULL: there is
 * no such buffer.  0 CPUs: it has no data.
 */
unsigned int rbmap_recording_buffers(const struct rbmap_recording *recording);
const char *rbmap_recording_buffer_name(const struct rbmap_recording *recording,
					unsigned int buffer);
unsigned int rbmap_recording_buffer_cpus(const struct rbmap_recording *recording,
					 unsigned int buffer);

/* Return: the buffer of the event that rbmap_recording_next() has stored. */
unsigned int rbmap_recording_event_buffer(const struct rbmap_recording *recording);

/*
 * Read one buffer alone.  Without this call, rbmap_recording_next() returns the events of all
 * buffers, and rbmap_recording_next_subbuf() the sub-buffers of the top buffer.  The call comes
 * before the first event, or after rbmap_recording_rewind(); between sub-buffers it may come at
 * any time, because each CPU of each buffer has a place of its own.  Return: 0.  -EINVAL: there
 * is no such buffer.
 */
int rbmap_recording_choose_buffer(struct rbmap_recording *recording, unsigned int buffer);

/*
 * trace-cmd writes corrections of times, which make them those of a host, of the wall clock or
 * ns.  rbmap_recording_next() applies them; the times of sub-buffers are those of the ring.
 * Return: the corrected time of a CPU's event or sub-buffer.
 */
uint64_t rbmap_recording_correct(const struct rbmap_recording *recording, unsigned int cpu,
				 uint64_t ts);
/* Return: 1: corrected times are those of CLOCK_REALTIME; else 0. */
int rbmap_recording_is_dated(const struct rbmap_recording *recording);

/* Begin again with the first event.  Damage of events is found, and counted, again. */
void rbmap_recording_rewind(struct rbmap_recording *recording);

/* After the last event.  Return: the events lost on a CPU after its last event. */
uint64_t rbmap_recording_lost_last(const struct rbmap_recording *recording,
				   unsigned int cpu);

/* Return: the part of the data that was read, from 0 to 1. */
double rbmap_recording_done(const struct rbmap_recording *recording);

const struct rbmap_formats *rbmap_recording_formats(const struct rbmap_recording *recording);
unsigned int rbmap_recording_cpus(const struct rbmap_recording *recording);

/* Return: the name of a thread, as the recorder knew it at the end; NULL: unknown. */
const char *rbmap_recording_comm(const struct rbmap_recording *recording, int pid);

/*
 * Return: the path of a thread's cgroup, the last one that the recorder knew; NULL: unknown.
 * Its number in its own PID namespace; 0: unknown, or the same.
 */
const char *rbmap_recording_cgroup(const struct rbmap_recording *recording, int pid);
int rbmap_recording_ns_pid(const struct rbmap_recording *recording, int pid);

/*
 * Return: the name of a block device below /dev, by the number that events have: the kernel's
 * MAJOR << 20 | MINOR; NULL: unknown.
 */
const char *rbmap_recording_device(const struct rbmap_recording *recording, uint32_t dev);

/*
 * Return: the host of a CPU in a recording of rbmap fleet merge; NULL: all CPUs are those of one
 * host.  The names of the host's threads begin with its name, and a colon.
 */
const char *rbmap_recording_host(const struct rbmap_recording *recording, unsigned int cpu);

/* Return: the name of the clock, such as "local"; NULL: unknown. */
const char *rbmap_recording_clock(const struct rbmap_recording *recording);

/* Return: "SYSTEM HOST RELEASE MACHINE" of the recorded kernel; NULL: unknown. */
const char *rbmap_recording_uname(const struct rbmap_recording *recording);

enum rbmap_moment_id {
	RBMAP_MOMENT_BEGIN,		/* the recording began */
	RBMAP_MOMENT_TRIGGER,		/* the rings were frozen */
	RBMAP_MOMENT_END		/* the recording ended */
};

/* Return: a moment; NULL: unknown.  A recording of trace-cmd has none. */
const struct rbmap_moment *rbmap_recording_moment(const struct rbmap_recording *recording,
						  enum rbmap_moment_id id);

/* Return: why the rings were frozen; NULL: unknown. */
const char *rbmap_recording_reason(const struct rbmap_recording *recording);

/* Damage that was found up to now.  Events that are not damaged are returned. */
struct rbmap_damage {
	uint64_t	missing;	/* bytes of data that the file should have, and lacks */
	uint64_t	broken;		/* sub-buffers with invalid bytes: their rest is skipped */
	uint32_t	formats;	/* formats that are invalid */
	uint32_t	lacking;	/* CPUs of an unfinished recording without their files */
	uint8_t		unfinished;	/* 1: the recorder did not finish the file */
	uint8_t		busy;		/* 1: the recorder still writes it */
};

/* Return: the damage.  The next call changes the structure. */
const struct rbmap_damage *rbmap_recording_damage(struct rbmap_recording *recording);

/*
 * The text of a recording's events, as `rbmap report` prints it: the fields by the event's print
 * format, after columns for the task, the CPU and the time.  Formats are compiled once.  A
 * report is used by the thread that uses the recording, and is closed before that.
 * libtraceevent parses the formats, and prints what this engine does not know.  It may crash on
 * those of a hostile file: a program that reads such files prints in a process without rights.
 */
struct rbmap_report;

#define RBMAP_REPORT_JSON	0x1	/* JSON, one object a line: rbmap-json(5) */
#define RBMAP_REPORT_WALL	0x2	/* in text: date and time of day */
#define RBMAP_REPORT_UTC	0x4	/* in text: the same as UTC */
#define RBMAP_REPORT_PLUGINS	0x8	/* in text: libtraceevent's plugins print their events */

/*
 * Begin a report, before the first event is read, or after rbmap_recording_rewind().  It looks
 * at all events, because threads have names in later ones, and rewinds the recording.  Return:
 * 0 or a negative error.  -EINVAL: an unknown flag.  -ENODATA: the recording does not say when
 * it was made, as RBMAP_REPORT_WALL and RBMAP_REPORT_UTC need.
 */
int rbmap_report_open(struct rbmap_report **report, struct rbmap_recording *recording,
		      unsigned int flags);
void rbmap_report_close(struct rbmap_report *report);

/*
 * Store lines and their size.  They end with a newline, not with a 0, and are valid until the
 * next call for this report.  Return: 0 or -ENOMEM.
 *
 * rbmap_report_head(): the first line of the output.  rbmap_report_event(): the event that
 * rbmap_recording_next() has stored.  Each event is passed, in this order, because names of
 * threads are learnt from them.  A line before it tells the events that were lost before it.
 * rbmap_report_lost(): the line that tells events that a CPU has lost, such as those of
 * rbmap_recording_lost_last(); nothing if there are none.
 */
int rbmap_report_head(struct rbmap_report *report, const char **text, size_t *size);
int rbmap_report_event(struct rbmap_report *report, const struct rbmap_event *ev,
		       const char **text, size_t *size);
int rbmap_report_lost(struct rbmap_report *report, unsigned int cpu, uint64_t lost,
		      const char **text, size_t *size);

const char *rbmap_version(void);

#ifdef __cplusplus
}
#endif
#endif /* RBMAP_H */

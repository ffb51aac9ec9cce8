// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace, trace_pipe and the text of snapshots: the events of all CPUs, or of one, as tracefs
 * prints them.
 *
 * trace_pipe is a reader like cpuN: it consumes events, shares them with other readers, and
 * waits.  trace shows the events that are unread when it is read, and leaves them where they
 * are.  An open of trace that truncates it discards the unread events.  The text of a snapshot
 * reads rings of its own, which share the memory of the snapshot's.
 *
 * The oldest event of all CPUs comes first.  An event that is written later with an earlier
 * time comes later, as in tracefs.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/pipe_fs_i.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "buffer/audience.h"
#include "buffer/buffer.h"
#include "buffer/cpu_buffer.h"
#include "buffer/file.h"
#include "buffer/snapshot.h"
#include "buffer/wait.h"
#include "buffer/walk.h"
#include "compat/text.h"
#include "device.h"
#include "event/registry.h"
#include "lib/error_log.h"
#include "text_print.h"
#include "text_seek.h"
#include "trace.h"

/* A line is at most this long, and a read() ends with the line that goes beyond the first. */
#define RBMAP_TEXT_LINE		sizeof_field(struct trace_seq, buffer)
#define RBMAP_TEXT_READ		PAGE_SIZE
/* Items that others may take before this file does, until it looks again at all CPUs. */
#define RBMAP_TEXT_TRIES	64

enum rbmap_text_kind {
	RBMAP_TEXT_TRACE,
	RBMAP_TEXT_PIPE,
	RBMAP_TEXT_SNAPSHOT,
};

/**
 * struct rbmap_text_cpu - a CPU of an open file
 * @cpu: the CPU
 * @file: the file's part in readers of the CPU's rings; NULL if the file is trace, or as long
 *	as the CPU has no ring or no snapshot
 * @walk: place in the CPU's events
 * @gen: the ring that is read, with a reference, while a call lasts; or NULL
 * @found: whether @walk has found an item
 * @started: whether an event of the CPU was printed
 * @entry: entry in the CPU's wait queue, while the file waits
 */
struct rbmap_text_cpu {
	int			cpu;
	struct rbmap_file	*file;
	struct rbmap_walk	walk;
	struct rbmap_gen	*gen;
	bool			found;
	bool			started;
	wait_queue_entry_t	entry;
};

/**
 * struct rbmap_text_file - an open trace, trace_pipe or text of a snapshot
 * @buffer: the buffer
 * @only: the CPU of the file, or RBMAP_ALL_CPUS
 * @kind: which of them
 * @lock: serializes read()
 * @begun: whether trace has begun to print
 * @annotates: whether trace names a CPU at its first event
 * @events: number of events that were printed
 * @printer: prints records
 * @text: printed text
 * @len: bytes of @text
 * @at: bytes of it that were read
 * @pos: offset of the text behind these bytes, if the file is trace or a snapshot
 * @nr: number of elements of @cpus
 * @cpus: possible CPUs, or the CPU of the file
 */
struct rbmap_text_file {
	struct rbmap_buffer	*buffer;
	int			only;
	enum rbmap_text_kind	kind;
	struct mutex		lock;
	bool			begun;
	bool			annotates;
	u64			events;
	struct rbmap_printer	*printer;
	char			*text;
	size_t			len;
	size_t			at;
	loff_t			pos;
	unsigned int		nr;
	struct rbmap_text_cpu	cpus[];
};

#define for_each_text_cpu(_tc, _file)					\
	for ((_tc) = (_file)->cpus; (_tc) < (_file)->cpus + (_file)->nr; (_tc)++)

/* ---- open and release */

static void rbmap_text_free(struct rbmap_text_file *file)
{
	struct rbmap_text_cpu *tc;

	for_each_text_cpu(tc, file) {
		if (tc->file)
			rbmap_file_destroy(tc->file);
	}
	rbmap_printer_free(file->printer);
	kvfree(file->text);
	kvfree(file);
}

static void rbmap_text_set_cpus(struct rbmap_text_file *file)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (file->only == RBMAP_ALL_CPUS || file->only == cpu)
			file->cpus[file->nr++].cpu = cpu;
	}
}

/* All memory of the file is charged to the process that opens it. */
static struct rbmap_text_file *rbmap_text_alloc(struct rbmap_buffer *buf, int only,
						enum rbmap_text_kind kind)
{
	unsigned int nr = only == RBMAP_ALL_CPUS ? num_possible_cpus() : 1;
	struct rbmap_text_file *file;

	file = kvzalloc(struct_size(file, cpus, nr), GFP_KERNEL_ACCOUNT);
	if (!file)
		return NULL;
	file->buffer = buf;
	file->only = only;
	file->kind = kind;
	mutex_init(&file->lock);
	file->text = kvmalloc(RBMAP_TEXT_READ + 2 * RBMAP_TEXT_LINE, GFP_KERNEL_ACCOUNT);
	file->printer = rbmap_printer_create();
	if (!file->text || !file->printer) {
		rbmap_text_free(file);
		return NULL;
	}
	/* That does not change while the file is open. */
	file->printer->keeps_addresses = rbmap_buffer_keeps_addresses(buf);
	rbmap_text_set_cpus(file);
	return file;
}

/*
 * A CPU that comes on line later is read from then on.  Without memory for a file, the CPU
 * is left out until the next call.
 */
static int rbmap_text_add_files(struct rbmap_text_file *file)
{
	struct rbmap_cpu_buffer *cpu_buf;
	struct rbmap_text_cpu *tc;
	struct rbmap_file *reader;

	for_each_text_cpu(tc, file) {
		cpu_buf = rbmap_cpu_buffer_with_ring(file->buffer, tc->cpu);
		if (tc->file || !cpu_buf)
			continue;
		reader = rbmap_file_create(cpu_buf, NULL);
		if (!reader)
			return -ENOMEM;
		/* poll() takes no lock.  litmus: text-file */
		smp_store_release(&tc->file, reader);
	}
	return 0;
}

static int rbmap_text_open(struct file *file, struct rbmap_buffer *buf, int only,
			   enum rbmap_text_kind kind)
{
	struct rbmap_text_file *text = rbmap_text_alloc(buf, only, kind);

	if (!text)
		return -ENOMEM;
	if (kind == RBMAP_TEXT_PIPE && rbmap_text_add_files(text)) {
		rbmap_text_free(text);
		return -ENOMEM;
	}
	file->private_data = text;
	return 0;
}

static int rbmap_trace_pipe_open(struct inode *inode, struct file *file)
{
	int err = rbmap_text_open(file, file->private_data, RBMAP_ALL_CPUS, RBMAP_TEXT_PIPE);

	return err ?: stream_open(inode, file);
}

static int rbmap_cpu_trace_pipe_open(struct inode *inode, struct file *file)
{
	const struct rbmap_cpu_buffer *cpu_buf = file->private_data;
	int err = rbmap_text_open(file, cpu_buf->buffer, cpu_buf->cpu, RBMAP_TEXT_PIPE);

	return err ?: stream_open(inode, file);
}

static int rbmap_trace_open(struct inode *inode, struct file *file)
{
	struct rbmap_buffer *buf = file->private_data;
	int err = rbmap_text_open(file, buf, RBMAP_ALL_CPUS, RBMAP_TEXT_TRACE);

	/* An open that fails leaves the events. */
	if (!err && (file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		rbmap_buffer_reset(buf);
		rbmap_events_reset_missed(buf, RBMAP_ALL_CPUS);
	}
	return err;
}

static int rbmap_cpu_trace_open(struct inode *inode, struct file *file)
{
	struct rbmap_cpu_buffer *cpu_buf = file->private_data;
	int err = rbmap_text_open(file, cpu_buf->buffer, cpu_buf->cpu, RBMAP_TEXT_TRACE);

	if (!err && (file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		rbmap_cpu_buffer_reset(cpu_buf);
		rbmap_events_reset_missed(cpu_buf->buffer, cpu_buf->cpu);
	}
	return err;
}

static int rbmap_snapshot_text_open(struct inode *inode, struct file *file)
{
	return rbmap_text_open(file, file->private_data, RBMAP_ALL_CPUS, RBMAP_TEXT_SNAPSHOT);
}

static int rbmap_cpu_snapshot_text_open(struct inode *inode, struct file *file)
{
	const struct rbmap_cpu_buffer *cpu_buf = file->private_data;

	return rbmap_text_open(file, cpu_buf->buffer, cpu_buf->cpu, RBMAP_TEXT_SNAPSHOT);
}

static int rbmap_text_release(struct inode *inode, struct file *file)
{
	struct rbmap_text_file *text = file->private_data;
	struct rbmap_buffer *buf = text->buffer;

	rbmap_text_free(text);
	rbmap_buffer_show_end(buf);
	rbmap_buffer_put(buf);
	return 0;
}

/* A shell truncates a file by writing a newline to it, which must succeed. */
static ssize_t rbmap_trace_write(struct file *file, const char __user *from,
				 size_t len, loff_t *pos)
{
	return len;
}

/* ---- the rings of all CPUs */

static void rbmap_text_cpu_put(struct rbmap_text_cpu *tc)
{
	if (tc->gen)
		rbmap_gen_put(tc->gen);
	tc->gen = NULL;
	tc->found = false;
}

static void rbmap_text_put_rings(struct rbmap_text_file *file)
{
	struct rbmap_text_cpu *tc;

	for_each_text_cpu(tc, file)
		rbmap_text_cpu_put(tc);
}

static void rbmap_text_get_rings(struct rbmap_text_file *file)
{
	struct rbmap_text_cpu *tc;

	for_each_text_cpu(tc, file) {
		if (tc->file)
			tc->gen = rbmap_file_bind_reader(tc->file);
		else if (tc->walk.cpu_buf)
			tc->gen = rbmap_walk_ring(&tc->walk);
	}
}

/* Go on to the next ring.  Return whether there is one. */
static bool rbmap_text_cpu_advance(struct rbmap_text_cpu *tc)
{
	struct rbmap_gen *gen = tc->gen;

	if (tc->file) {
		if (!rbmap_gen_drained(gen))
			return false;
		tc->gen = rbmap_file_advance(tc->file, gen);
		return tc->gen;
	}
	tc->walk.number = gen->number + 1;
	rbmap_text_cpu_put(tc);
	tc->gen = rbmap_walk_ring(&tc->walk);
	return tc->gen;
}

/* Find the next item of a CPU, unless it is known. */
static bool rbmap_text_cpu_look(struct rbmap_text_cpu *tc)
{
	while (!tc->found && tc->gen) {
		/* Readers look at idle CPUs for each event: do not lock the ring for that. */
		if (!tc->file || rbmap_ring_has_event(&tc->gen->ring) ||
		    rbmap_ring_unreported_drops(&tc->gen->ring))
			tc->found = rbmap_walk_look(&tc->walk, tc->gen);
		if (!tc->found && !rbmap_text_cpu_advance(tc))
			break;
	}
	return tc->found;
}

/* The CPU with the oldest item, or NULL. */
static struct rbmap_text_cpu *rbmap_text_oldest(struct rbmap_text_file *file)
{
	struct rbmap_text_cpu *tc, *oldest = NULL;

	for_each_text_cpu(tc, file) {
		if (rbmap_text_cpu_look(tc) &&
		    (!oldest || tc->walk.item.time < oldest->walk.item.time))
			oldest = tc;
	}
	return oldest;
}

/* ---- text */

static void rbmap_text_add_line(struct rbmap_text_file *file)
{
	const struct trace_seq *s = rbmap_printer_text(file->printer);
	size_t len = min_t(size_t, trace_seq_used((struct trace_seq *)s), RBMAP_TEXT_LINE);

	memcpy(file->text + file->len, s->buffer, len);
	file->len += len;
}

/* As in tracefs, the text has no line for losses before the first event of a snapshot. */
static u64 rbmap_text_lost(const struct rbmap_text_file *file, const struct rbmap_text_cpu *tc)
{
	const struct rbmap_item *item = &tc->walk.item;

	return file->kind == RBMAP_TEXT_SNAPSHOT && item->size && !tc->started ? 0 : item->lost;
}

/* trace names a CPU at its first event, if events were overwritten. */
static void rbmap_text_annotate(struct rbmap_text_file *file, struct rbmap_text_cpu *tc)
{
	struct trace_seq *s = rbmap_printer_text(file->printer);

	if (tc->started)
		return;
	tc->started = true;
	if (!file->annotates || !file->events)
		return;
	trace_seq_init(s);
	trace_seq_printf(s, "##### CPU %u buffer started ####\n", tc->cpu);
	rbmap_text_add_line(file);
}

static void rbmap_text_print(struct rbmap_text_file *file, struct rbmap_text_cpu *tc, u32 size)
{
	const struct rbmap_item *item = &tc->walk.item;
	u64 lost = rbmap_text_lost(file, tc);

	if (lost) {
		rbmap_print_lost(file->printer, tc->cpu, lost);
		rbmap_text_add_line(file);
	}
	if (!item->size)
		return;
	rbmap_text_annotate(file, tc);
	file->printer->counts_cycles = tc->gen->ring.clock == RBMAP_CLOCK_X86_TSC;
	if (rbmap_buffer_is_raw(file->buffer))
		rbmap_print_raw(file->printer, tc->cpu, item->time, size);
	else
		rbmap_print_record(file->printer, tc->cpu, item->time, size);
	rbmap_text_add_line(file);
	file->events++;
}

/* Take the item of a CPU, and print it.  Return 0 or a negative error. */
static int rbmap_text_take(struct rbmap_text_file *file, struct rbmap_text_cpu *tc)
{
	struct rbmap_printer *printer = file->printer;
	int size;

	size = rbmap_printer_make_room(printer, tc->walk.item.size);
	if (size)
		return size;
	tc->found = false;
	size = rbmap_walk_take(&tc->walk, tc->gen, printer->record, printer->room);
	if (size < 0)
		return size;
	rbmap_text_print(file, tc, size);
	return 0;
}

/*
 * Print what can be read now, up to about @count bytes.  Return 0, or an error before the
 * first line: -EAGAIN if others have taken each event that was found.
 */
static int rbmap_text_fill(struct rbmap_text_file *file, size_t count)
{
	size_t limit = min_t(size_t, count, RBMAP_TEXT_READ);
	unsigned int tries = RBMAP_TEXT_TRIES;
	struct rbmap_text_cpu *tc;
	int err = 0;

	rbmap_text_get_rings(file);
	while (file->len < limit && tries && !fatal_signal_pending(current)) {
		tc = rbmap_text_oldest(file);
		if (!tc)
			break;
		err = rbmap_text_take(file, tc);
		if (err == -EAGAIN)
			tries--;
		else if (err)
			break;
		cond_resched();
	}
	rbmap_text_put_rings(file);
	rbmap_printer_release(file->printer);
	return file->len ? 0 : err;
}

static ssize_t rbmap_text_copy(struct rbmap_text_file *file, char __user *to, size_t count)
{
	size_t size = min(count, file->len - file->at);
	size_t left = copy_to_user(to, file->text + file->at, size);

	file->at += size - left;
	return left == size ? -EFAULT : size - left;
}

static bool rbmap_text_has(struct rbmap_text_file *file)
{
	if (file->at < file->len)
		return true;
	file->at = 0;
	file->len = 0;
	return false;
}

/* ---- trace */

/*
 * Count events as tracefs does: those that were read count as not written, and the file of one
 * CPU has the sums of all.
 */
static void rbmap_text_count(struct rbmap_text_file *file, u64 *entries, u64 *written)
{
	struct rbmap_buffer_stats stats;
	int cpu;

	*entries = 0;
	*written = 0;
	for_each_possible_cpu(cpu) {
		if (rbmap_buffer_stats(file->buffer, cpu, &stats))
			continue;
		*entries += stats.unread;
		*written += stats.unread + stats.overrun;
		if (stats.overrun)
			file->annotates = true;
	}
}

static void rbmap_text_print_header(struct rbmap_text_file *file, u64 entries, u64 written)
{
	struct trace_seq *s = rbmap_printer_text(file->printer);
	const char *const *line;

	trace_seq_init(s);
	trace_seq_puts(s, "# tracer: nop\n#\n");
	trace_seq_printf(s, "# entries-in-buffer/entries-written: %llu/%llu   #P:%d\n#\n",
			 entries, written, num_online_cpus());
	for (line = rbmap_text_columns; *line; line++)
		trace_seq_puts(s, *line);
	rbmap_text_add_line(file);
}

/* The events that are there now are shown, so that the text has an end. */
static void rbmap_text_begin(struct rbmap_text_file *file)
{
	struct rbmap_cpu_buffer *cpu_buf;
	struct rbmap_text_cpu *tc;
	u64 entries, written;

	for_each_text_cpu(tc, file) {
		cpu_buf = rbmap_cpu_buffer_with_ring(file->buffer, tc->cpu);
		if (cpu_buf)
			rbmap_walk_begin(&tc->walk, cpu_buf);
	}
	rbmap_text_count(file, &entries, &written);
	rbmap_text_print_header(file, entries, written);
}

/* ---- snapshots */

/* The texts of tracefs, so that clients find them.  Here 2 frees the snapshot, too. */
static const char rbmap_snapshot_commands[] =
	"# echo 0 > snapshot : Clears and frees snapshot buffer\n"
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer.\n"
	"# echo 2 > snapshot : Clears snapshot buffer (but does not allocate or free)\n"
	"#                      (Doesn't have to be '2' works with any number that\n"
	"#                       is not a '0' or '1')\n";
static const char rbmap_cpu_snapshot_commands[] =
	"# echo 0 > snapshot : Invalid for per_cpu snapshot file.\n"
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer for this cpu.\n"
	"# echo 2 > snapshot : Clears this cpu's snapshot buffer (but does not allocate)\n"
	"#                      (Doesn't have to be '2' works with any number that\n"
	"#                       is not a '0' or '1')\n";

static void rbmap_snapshot_print_help(struct rbmap_text_file *file)
{
	struct trace_seq *s = rbmap_printer_text(file->printer);
	bool taken = rbmap_buffer_has_snapshot(file->buffer, RBMAP_ALL_CPUS);

	trace_seq_init(s);
	trace_seq_puts(s, "# tracer: nop\n#\n");
	trace_seq_printf(s, "#\n# * Snapshot is %s *\n#\n", taken ? "allocated" : "freed");
	trace_seq_puts(s, "# Snapshot commands:\n");
	trace_seq_puts(s, file->only == RBMAP_ALL_CPUS ? rbmap_snapshot_commands :
			  rbmap_cpu_snapshot_commands);
	rbmap_text_add_line(file);
}

/* Get a reader of the CPU's snapshot, which begins at its oldest event. */
static int rbmap_snapshot_bind(struct rbmap_text_file *file, struct rbmap_text_cpu *tc)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer_with_ring(file->buffer, tc->cpu);
	struct rbmap_gen *gen;

	if (tc->file)
		rbmap_file_destroy(tc->file);
	tc->file = NULL;
	if (!cpu_buf)
		return 0;
	gen = rbmap_snapshot_of(cpu_buf);
	if (IS_ERR(gen))
		return PTR_ERR(gen) == -ENODATA ? 0 : PTR_ERR(gen);
	tc->file = rbmap_file_create(cpu_buf, gen);
	return tc->file ? 0 : -ENOMEM;
}

/*
 * Count the events of the snapshot as tracefs does: the file of one CPU has the sums of all.
 * Return whether the file has an event to show.
 */
static bool rbmap_snapshot_count(struct rbmap_text_file *file, u64 *entries, u64 *written)
{
	struct rbmap_buffer_stats stats;
	bool shows = false;
	int cpu;

	*entries = 0;
	*written = 0;
	for_each_possible_cpu(cpu) {
		if (!rbmap_snapshot_stats(file->buffer, cpu, &stats))
			continue;
		*entries += stats.unread;
		*written += stats.unread + stats.overrun;
		if (stats.overrun)
			file->annotates = true;
		if (stats.unread && (file->only == RBMAP_ALL_CPUS || file->only == cpu))
			shows = true;
	}
	return shows;
}

static int rbmap_snapshot_begin(struct rbmap_text_file *file)
{
	struct rbmap_text_cpu *tc;
	u64 entries, written;
	int err;

	for_each_text_cpu(tc, file) {
		err = rbmap_snapshot_bind(file, tc);
		if (err)
			return err;
	}
	if (rbmap_snapshot_count(file, &entries, &written))
		rbmap_text_print_header(file, entries, written);
	else
		rbmap_snapshot_print_help(file);
	return 0;
}

static ssize_t rbmap_snapshot_refuse(struct rbmap_text_file *file, const char *text, size_t len)
{
	rbmap_error_log_add(rbmap_buffer_errors(file->buffer), "snapshot",
			    file->only == RBMAP_ALL_CPUS ? "write a number, such as 0, 1 or 2" :
							   "write 1 or 2",
			    text, len, 0);
	return -EINVAL;
}

/* 1 takes a snapshot, and other numbers discard it. */
static ssize_t rbmap_snapshot_write(struct file *file, const char __user *from, size_t len,
				    loff_t *pos)
{
	struct rbmap_text_file *snapshot = file->private_data;
	char text[24] = "";
	size_t size = min(len, sizeof(text) - 1);
	unsigned long number;
	int err = 0;

	if (copy_from_user(text, from, size))
		return -EFAULT;
	if (size < len || kstrtoul(text, 10, &number) ||
	    (!number && snapshot->only != RBMAP_ALL_CPUS))
		return rbmap_snapshot_refuse(snapshot, text, size);
	if (number == 1)
		err = rbmap_buffer_snapshot(snapshot->buffer, snapshot->only);
	else
		rbmap_buffer_drop_snapshot(snapshot->buffer, snapshot->only);
	return err ?: len;
}

/* ---- trace and snapshots */

/* Begin with the first line.  Return 0 or a negative error. */
static int rbmap_text_start(struct rbmap_text_file *file)
{
	struct rbmap_text_cpu *tc;
	int err = 0;

	file->annotates = false;
	file->events = 0;
	for_each_text_cpu(tc, file) {
		tc->started = false;
		tc->walk = (struct rbmap_walk) {};
	}
	if (file->kind == RBMAP_TEXT_SNAPSHOT)
		err = rbmap_snapshot_begin(file);
	else
		rbmap_text_begin(file);
	file->begun = !err;
	return err;
}

/* The writer may overwrite an event that was found.  The retries end where the walk ends. */
static int rbmap_text_fill_passive(struct rbmap_text_file *file, size_t count)
{
	int err;

	do {
		err = rbmap_text_fill(file, count);
	} while (err == -EAGAIN && !signal_pending(current));
	return err == -EAGAIN ? -ERESTARTSYS : err;
}

/* Print something, unless there is text that was not read.  No text: this is the end. */
static int rbmap_text_more(struct rbmap_text_file *file, size_t count)
{
	if (rbmap_text_has(file))
		return 0;
	return file->begun ? rbmap_text_fill_passive(file, count) : rbmap_text_start(file);
}

/* Print the text again, which is that of this moment, and leave out what is before @pos. */
static int rbmap_text_print_from(struct rbmap_text_file *file, loff_t pos)
{
	size_t size;
	int err;

	file->begun = false;
	file->at = 0;
	file->len = 0;
	for (file->pos = 0; file->pos < pos; file->pos += size) {
		err = rbmap_text_more(file, RBMAP_TEXT_READ);
		if (err || !file->len)
			return err;
		size = min_t(u64, pos - file->pos, file->len - file->at);
		file->at += size;
		if (signal_pending(current))
			return -ERESTARTSYS;
		cond_resched();
	}
	return 0;
}

/* As in tracefs, a read at the beginning prints the text again. */
static ssize_t rbmap_trace_read_locked(struct rbmap_text_file *file, char __user *to,
				       size_t count, loff_t *pos)
{
	ssize_t ret = 0;

	if (!*pos || *pos != file->pos)
		ret = rbmap_text_print_from(file, *pos);
	if (!ret)
		ret = rbmap_text_more(file, count);
	if (!ret && file->len)
		ret = rbmap_text_copy(file, to, count);
	if (ret > 0) {
		*pos += ret;
		file->pos = *pos;
	}
	return ret;
}

static ssize_t rbmap_trace_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct rbmap_text_file *text = file->private_data;
	ssize_t ret;

	if (!count)
		return 0;
	if (mutex_lock_interruptible(&text->lock))
		return -ERESTARTSYS;
	ret = rbmap_trace_read_locked(text, to, count, pos);
	mutex_unlock(&text->lock);
	return ret;
}

/* ---- trace_pipe */

/* Return true if the CPU has unread events, or a ring that is new to the file. */
static bool rbmap_text_cpu_ready(const struct rbmap_text_file *file, struct rbmap_text_cpu *tc)
{
	if (!tc->file)
		return rbmap_cpu_buffer_with_ring(file->buffer, tc->cpu);
	return rbmap_wait_tests(tc->gen);
}

/* tracefs ends a file that has been read when recording stops. */
static bool rbmap_text_ends(const struct rbmap_text_file *file)
{
	return rbmap_buffer_gone(file->buffer) ||
	       (file->events && !rbmap_buffer_is_on(file->buffer));
}

/* Each CPU is asked: each one's writer must know that a reader waits. */
static bool rbmap_text_ready(struct rbmap_text_file *file)
{
	struct rbmap_text_cpu *tc;
	bool ready = rbmap_text_ends(file);

	for_each_text_cpu(tc, file)
		ready |= rbmap_text_cpu_ready(file, tc);
	return ready;
}

static int rbmap_text_sleep(struct rbmap_text_file *file)
{
	int err = 0;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (rbmap_text_ready(file))
			break;
		if (signal_pending(current)) {
			err = -ERESTARTSYS;
			break;
		}
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return err;
}

/* Wait in the queues of all CPUs. */
static int rbmap_text_wait(struct rbmap_text_file *file)
{
	struct rbmap_text_cpu *tc;
	int err;

	rbmap_text_get_rings(file);
	for_each_text_cpu(tc, file) {
		init_waitqueue_entry(&tc->entry, current);
		add_wait_queue(&rbmap_cpu_buffer(file->buffer, tc->cpu)->wait, &tc->entry);
	}
	err = rbmap_text_sleep(file);
	for_each_text_cpu(tc, file)
		remove_wait_queue(&rbmap_cpu_buffer(file->buffer, tc->cpu)->wait, &tc->entry);
	rbmap_text_put_rings(file);
	return err;
}

/* Print something, and wait for it.  Return 0; 1 at the end of the file; a negative error. */
static int rbmap_text_await(struct rbmap_text_file *file, unsigned int flags, size_t count)
{
	int err;

	for (;;) {
		err = rbmap_text_add_files(file);
		if (!err)
			err = rbmap_text_fill(file, count);
		if (err == -EAGAIN && !signal_pending(current))
			continue;
		if (err || file->len)
			return err == -EAGAIN ? -ERESTARTSYS : err;
		/* As in tracefs, only a reader that waits comes to an end. */
		if (flags & O_NONBLOCK && !rbmap_buffer_gone(file->buffer))
			return -EAGAIN;
		if (rbmap_text_ends(file))
			return 1;
		if (signal_pending(current))
			return -ERESTARTSYS;
		err = rbmap_text_wait(file);
		if (err)
			return err;
	}
}

/* Take the lock when there is text.  Return as rbmap_text_await(): not 0 without the lock. */
static int rbmap_trace_pipe_lock(struct rbmap_text_file *file, unsigned int flags, size_t count)
{
	int ret = 0;

	if (mutex_lock_interruptible(&file->lock))
		return -ERESTARTSYS;
	if (!rbmap_text_has(file))
		ret = rbmap_text_await(file, flags, count);
	if (ret)
		mutex_unlock(&file->lock);
	return ret;
}

static ssize_t rbmap_trace_pipe_read(struct file *file, char __user *to, size_t count,
				     loff_t *pos)
{
	struct rbmap_text_file *text = file->private_data;
	ssize_t ret;

	if (!count)
		return 0;
	ret = rbmap_trace_pipe_lock(text, file->f_flags, count);
	if (ret)
		return min_t(ssize_t, ret, 0);
	ret = rbmap_text_copy(text, to, count);
	mutex_unlock(&text->lock);
	return ret;
}

static void rbmap_text_page_release(struct splice_pipe_desc *spd, unsigned int i)
{
	put_page(spd->pages[i]);
}

/* Copy text to a page that the pipe keeps.  Without room in the pipe the text stays. */
static ssize_t rbmap_text_to_pipe(struct rbmap_text_file *file, struct pipe_inode_info *pipe,
				  size_t count)
{
	struct page *page = alloc_page(GFP_KERNEL_ACCOUNT);
	struct partial_page partial = {
		.len = min3(count, file->len - file->at, (size_t)PAGE_SIZE),
	};
	struct splice_pipe_desc spd = {
		.pages		= &page,
		.partial	= &partial,
		.nr_pages	= 1,
		.nr_pages_max	= 1,
		.ops		= &nosteal_pipe_buf_ops,
		.spd_release	= rbmap_text_page_release,
	};
	ssize_t ret;

	if (!page)
		return -ENOMEM;
	memcpy(page_address(page), file->text + file->at, partial.len);
	ret = splice_to_pipe(pipe, &spd);
	if (ret > 0)
		file->at += ret;
	return ret;
}

/*
 * The pipe is not locked meanwhile, so that its reader does not wait for new events.  The pipe
 * of sendfile() is that of the task, and nobody has locked it.
 */
static ssize_t rbmap_trace_pipe_splice(struct file *file, loff_t *pos,
				       struct pipe_inode_info *pipe, size_t count,
				       unsigned int flags)
{
	unsigned int how = file->f_flags | (flags & SPLICE_F_NONBLOCK ? O_NONBLOCK : 0);
	struct rbmap_text_file *text = file->private_data;
	bool locked = pipe != current->splice_pipe;
	ssize_t ret;

	if (locked)
		pipe_unlock(pipe);
	ret = rbmap_trace_pipe_lock(text, how, count);
	if (locked)
		pipe_lock(pipe);
	if (ret)
		return min_t(ssize_t, ret, 0);
	ret = rbmap_text_to_pipe(text, pipe, count);
	mutex_unlock(&text->lock);
	return ret;
}

/*
 * As poll() of cpuN: the watermark counts.  A CPU that has come on line is read from the next
 * read() on.
 */
static __poll_t rbmap_text_cpu_poll(const struct rbmap_text_file *text,
				    struct rbmap_text_cpu *tc, struct file *file,
				    poll_table *table)
{
	struct rbmap_file *reader = smp_load_acquire(&tc->file);	/* litmus: text-file */

	if (reader)
		return rbmap_ring_poll(reader, file, table) & ~EPOLLHUP;
	poll_wait(file, &rbmap_cpu_buffer(text->buffer, tc->cpu)->wait, table);
	return rbmap_cpu_buffer_with_ring(text->buffer, tc->cpu) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* The lock is not taken, because a thread that waits in read() holds it. */
static __poll_t rbmap_trace_pipe_poll(struct file *file, poll_table *table)
{
	struct rbmap_text_file *text = file->private_data;
	struct rbmap_text_cpu *tc;
	__poll_t ready = 0;

	for_each_text_cpu(tc, text)
		ready |= rbmap_text_cpu_poll(text, tc, file, table);
	if (READ_ONCE(text->at) < READ_ONCE(text->len) || rbmap_buffer_gone(text->buffer))
		ready |= EPOLLIN | EPOLLRDNORM;
	return ready;
}

#define RBMAP_TRACE_FOPS(_open, _write) {				\
	.owner		= THIS_MODULE,					\
	.open		= _open,					\
	.release	= rbmap_text_release,				\
	.read		= rbmap_trace_read,				\
	.write		= _write,					\
	.llseek		= rbmap_text_llseek,				\
}

#define RBMAP_TRACE_PIPE_FOPS(_open) {					\
	.owner		= THIS_MODULE,					\
	.open		= _open,					\
	.release	= rbmap_text_release,				\
	.read		= rbmap_trace_pipe_read,			\
	.splice_read	= rbmap_trace_pipe_splice,			\
	.poll		= rbmap_trace_pipe_poll,			\
}

const struct file_operations rbmap_trace_fops =
	RBMAP_TRACE_FOPS(rbmap_trace_open, rbmap_trace_write);
const struct file_operations rbmap_cpu_trace_fops =
	RBMAP_TRACE_FOPS(rbmap_cpu_trace_open, rbmap_trace_write);
const struct file_operations rbmap_snapshot_text_fops =
	RBMAP_TRACE_FOPS(rbmap_snapshot_text_open, rbmap_snapshot_write);
const struct file_operations rbmap_cpu_snapshot_text_fops =
	RBMAP_TRACE_FOPS(rbmap_cpu_snapshot_text_open, rbmap_snapshot_write);
const struct file_operations rbmap_trace_pipe_fops =
	RBMAP_TRACE_PIPE_FOPS(rbmap_trace_pipe_open);
const struct file_operations rbmap_cpu_trace_pipe_fops =
	RBMAP_TRACE_PIPE_FOPS(rbmap_cpu_trace_pipe_open);

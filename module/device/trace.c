// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace and the text of snapshots.
 *
 * trace shows the events that are unread when it is read, and leaves them where they are.  An
 * open of trace that truncates it discards the unread events.  The text of a snapshot reads
 * rings of its own, which share the memory of the snapshot's.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "buffer/buffer.h"
#include "buffer/cpu_buffer.h"
#include "buffer/file.h"
#include "buffer/snapshot.h"
#include "buffer/walk.h"
#include "compat/text.h"
#include "event/registry.h"
#include "files.h"
#include "lib/error_log.h"
#include "text_file.h"
#include "text_print.h"

/* ---- open */

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

/* A shell truncates a file by writing a newline to it, which must succeed. */
static ssize_t rbmap_trace_write(struct file *file, const char __user *from,
				 size_t len, loff_t *pos)
{
	return len;
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

#define RBMAP_TRACE_FOPS(_open, _write) {				\
	.owner		= THIS_MODULE,					\
	.open		= _open,					\
	.release	= rbmap_text_release,				\
	.read		= rbmap_trace_read,				\
	.write		= _write,					\
	.llseek		= rbmap_text_llseek,				\
}

const struct file_operations rbmap_trace_fops =
	RBMAP_TRACE_FOPS(rbmap_trace_open, rbmap_trace_write);
const struct file_operations rbmap_cpu_trace_fops =
	RBMAP_TRACE_FOPS(rbmap_cpu_trace_open, rbmap_trace_write);
const struct file_operations rbmap_snapshot_text_fops =
	RBMAP_TRACE_FOPS(rbmap_snapshot_text_open, rbmap_snapshot_write);
const struct file_operations rbmap_cpu_snapshot_text_fops =
	RBMAP_TRACE_FOPS(rbmap_cpu_snapshot_text_open, rbmap_snapshot_write);

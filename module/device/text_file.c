// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events of all CPUs, or of one, as the text that tracefs prints.
 *
 * The oldest event of all CPUs comes first.  An event that is written later with an earlier
 * time comes later, as in tracefs.
 */
#include <linux/fs.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "buffer/audience.h"
#include "buffer/buffer.h"
#include "buffer/cpu_buffer.h"
#include "buffer/file.h"
#include "compat/text.h"
#include "text_file.h"
#include "text_print.h"

/* A line is at most this long. */
#define RBMAP_TEXT_LINE		sizeof_field(struct trace_seq, buffer)
/* Items that others may take before this file does, until it looks again at all CPUs. */
#define RBMAP_TEXT_TRIES	64

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
int rbmap_text_add_files(struct rbmap_text_file *file)
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

int rbmap_text_open(struct file *file, struct rbmap_buffer *buf, int only,
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

int rbmap_text_release(struct inode *inode, struct file *file)
{
	struct rbmap_text_file *text = file->private_data;
	struct rbmap_buffer *buf = text->buffer;

	rbmap_text_free(text);
	rbmap_buffer_show_end(buf);
	rbmap_buffer_put(buf);
	return 0;
}

/* ---- the rings of all CPUs */

static void rbmap_text_cpu_put(struct rbmap_text_cpu *tc)
{
	if (tc->gen)
		rbmap_gen_put(tc->gen);
	tc->gen = NULL;
	tc->found = false;
}

void rbmap_text_put_rings(struct rbmap_text_file *file)
{
	struct rbmap_text_cpu *tc;

	for_each_text_cpu(tc, file)
		rbmap_text_cpu_put(tc);
}

void rbmap_text_get_rings(struct rbmap_text_file *file)
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

void rbmap_text_add_line(struct rbmap_text_file *file)
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
int rbmap_text_fill(struct rbmap_text_file *file, size_t count)
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

ssize_t rbmap_text_copy(struct rbmap_text_file *file, char __user *to, size_t count)
{
	size_t size = min(count, file->len - file->at);
	size_t left = copy_to_user(to, file->text + file->at, size);

	file->at += size - left;
	return left == size ? -EFAULT : size - left;
}

bool rbmap_text_has(struct rbmap_text_file *file)
{
	if (file->at < file->len)
		return true;
	file->at = 0;
	file->len = 0;
	return false;
}

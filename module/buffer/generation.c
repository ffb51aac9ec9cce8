// SPDX-License-Identifier: GPL-2.0-only
/* Allocate, free, clone, retire and reset a ring. */
#include <linux/gfp.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "consume.h"
#include "internal.h"
#include "meta_page.h"
#include "pages.h"
#include "wait.h"

/* The size that rbmap_pages_alloc() allocates. */
static u32 rbmap_slot_table_bytes(u32 nr_slots)
{
	return roundup_pow_of_two(PAGE_ALIGN(rbmap_slot_table_size(nr_slots)));
}

/**
 * rbmap_gen_bytes - estimate the memory of a ring
 * @sizes: sizes of the ring
 */
unsigned long rbmap_gen_bytes(const struct rbmap_sizes *sizes)
{
	return (sizes->nr_slots + 1UL) *
	       (sizes->subbuf_size + sizeof(struct rbmap_ring_subbuf) + sizeof(u64)) +
	       rbmap_slot_table_bytes(sizes->nr_slots);
}

/* Without the ring's users, only its memory is left. */
static void rbmap_gen_free_memory(struct rbmap_gen *gen)
{
	struct rbmap_ring_subbuf *subbuf = gen->ring.subbuf;
	struct rbmap_pages_batch batch = { 0 };
	u32 i;

	for (i = 0; subbuf && subbuf[i].header && !gen->origin; i++) {
		rbmap_pages_free_later(&batch, subbuf[i].header, gen->subbuf_size);
		cond_resched();
		if (i == gen->ring.nr_slots)
			break;
	}
	rbmap_pages_free_end(&batch);
	kvfree(subbuf);
	kvfree(gen->ring.slot);
	if (gen->ring.slot_table && !gen->origin)
		rbmap_pages_free(gen->ring.slot_table, gen->slot_table_size);
	free_page((unsigned long)gen->meta);
	if (gen->pad)
		__free_page(gen->pad);
	if (gen->origin)
		rbmap_gen_put(gen->origin);	/* model: free_origin */
	kfree(gen);
}

/* The large rings whose memory is freed later */
static LLIST_HEAD(rbmap_gen_unused);

static void rbmap_gen_free_unused(struct work_struct *work)
{
	struct rbmap_gen *gen, *next;

	llist_for_each_entry_safe(gen, next, llist_del_all(&rbmap_gen_unused), unused)
		rbmap_gen_free_memory(gen);
}

static DECLARE_DELAYED_WORK(rbmap_gen_free_work, rbmap_gen_free_unused);

/*
 * The kernel needs five hundred instructions for each page that is freed.  A process that ends
 * a recording with large rings does not wait for that: it ends before the work begins.
 */
#define RBMAP_FREE_NOW_BYTES	(8UL << 20)
#define RBMAP_FREE_DELAY	(HZ / 20)

/**
 * rbmap_gen_free - free a ring
 * @gen: a ring that nobody writes, reads or maps.  If it was written, it is retired
 *
 * The memory of a large ring is freed a moment later.  rbmap_gen_free_settle() waits for that,
 * and comes before each ring that is allocated, so that at most as much memory waits as
 * was in use at one time.
 *
 * Context: may sleep.
 */
void rbmap_gen_free(struct rbmap_gen *gen)
{
	rbmap_gen_wake_exit(gen);
	if (gen->origin ||
	    (u64)gen->ring.nr_slots * gen->subbuf_size <= RBMAP_FREE_NOW_BYTES) {
		rbmap_gen_free_memory(gen);
		return;
	}
	llist_add(&gen->unused, &rbmap_gen_unused);
	rbmap_work_later(&rbmap_gen_free_work, RBMAP_FREE_DELAY);
}

/**
 * rbmap_gen_free_settle - wait until the memory of all freed rings is free
 *
 * Context: sleeps.
 */
void rbmap_gen_free_settle(void)
{
	flush_delayed_work(&rbmap_gen_free_work);
}

static void rbmap_gen_release(struct kref *refs)
{
	struct rbmap_gen *gen = container_of(refs, struct rbmap_gen, refs);

	/* A clone is in no list. */
	if (!gen->origin)
		rbmap_cpu_buffer_remove_ring(gen);
	rbmap_gen_free(gen);
}

/**
 * rbmap_gen_put - put a reference to a ring
 * @gen: the ring, which is freed with its last reference
 *
 * Context: may sleep.
 */
void rbmap_gen_put(struct rbmap_gen *gen)
{
	kref_put(&gen->refs, rbmap_gen_release);	/* model: put_dec */
}

/* Allocate all but the memory of the sub-buffers. */
static struct rbmap_gen *
rbmap_gen_alloc(struct rbmap_cpu_buffer *cpu_buf,
		const struct rbmap_sizes *sizes, gfp_t charge)
{
	const gfp_t gfp = GFP_KERNEL | charge;
	int node = cpu_to_node(cpu_buf->cpu);
	struct rbmap_gen *gen;
	int i;

	gen = kzalloc_node(sizeof(*gen), gfp, node);
	if (!gen)
		return NULL;
	gen->cpu_buf = cpu_buf;
	gen->subbuf_size = sizes->subbuf_size;
	gen->ring.nr_slots = sizes->nr_slots;
	kref_init(&gen->refs);	/* model: create */
	INIT_LIST_HEAD(&gen->list);
	for (i = 0; i < RBMAP_NR_KEEPS; i++)
		INIT_LIST_HEAD(&gen->files[i]);
	mutex_init(&gen->reader_lock);
	rbmap_gen_wake_init(gen);

	gen->ring.subbuf = kvzalloc_node(array_size(sizes->nr_slots + 1,
						    sizeof(*gen->ring.subbuf)),
					 gfp, node);
	gen->ring.slot = kvzalloc_node(array_size(sizes->nr_slots,
						  sizeof(*gen->ring.slot)),
				       gfp, node);
	gen->meta = (void *)get_zeroed_page(gfp);
	if (sizes->subbuf_size > PAGE_SIZE)
		gen->pad = alloc_page(gfp | __GFP_ZERO);
	if (gen->ring.subbuf && gen->ring.slot && gen->meta &&
	    (gen->pad || sizes->subbuf_size == PAGE_SIZE))
		return gen;
	rbmap_gen_free(gen);
	return NULL;
}

static int rbmap_subbufs_alloc(struct rbmap_gen *gen, int node)
{
	u32 i;

	gen->slot_table_size = rbmap_slot_table_bytes(gen->ring.nr_slots);
	gen->ring.slot_table = rbmap_pages_alloc(gen->slot_table_size, node, 0);
	if (!gen->ring.slot_table)
		return -ENOMEM;
	for (i = 0; i <= gen->ring.nr_slots; i++) {
		gen->ring.subbuf[i].header = rbmap_pages_alloc(gen->subbuf_size,
							       node, 0);
		if (!gen->ring.subbuf[i].header)
			return -ENOMEM;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/**
 * rbmap_gen_create - create a ring for a CPU, in that CPU's memory
 * @cpu_buf: a possible CPU's part; the CPU may be off line
 * @sizes: sizes of the ring
 * @clock: clock of the ring's events
 *
 * The ring is empty, and on or off as the buffer is.
 *
 * Context: may sleep.
 * Return: the ring, with a reference for the queue, or ERR_PTR: -ENOMEM; -EINTR if
 * the process was killed.
 */
struct rbmap_gen *
rbmap_gen_create(struct rbmap_cpu_buffer *cpu_buf,
		 const struct rbmap_sizes *sizes,
		 enum rbmap_clock clock)
{
	struct rbmap_ring_config config = {
		.nr_slots	= sizes->nr_slots,
		.subbuf_size	= sizes->subbuf_size,
		.mode		= cpu_buf->buffer->mode,
		.clock		= clock,
		.ops		= &rbmap_ring_ops,
	};
	struct rbmap_gen *gen = rbmap_gen_alloc(cpu_buf, sizes, 0);
	int err;

	if (!gen)
		return ERR_PTR(-ENOMEM);
	err = rbmap_subbufs_alloc(gen, cpu_to_node(cpu_buf->cpu));
	if (err) {
		rbmap_gen_free(gen);
		return ERR_PTR(err);
	}
	config.subbuf = gen->ring.subbuf;
	config.slot = gen->ring.slot;
	config.slot_table = gen->ring.slot_table;
	rbmap_ring_init(&gen->ring, &config);
	rbmap_ring_set_off(&gen->ring, !rbmap_cpu_buffer_is_on(cpu_buf));
	rbmap_meta_init(gen);
	return gen;
}

/**
 * rbmap_gen_clone_alloc - allocate the ring that rbmap_gen_clone() fills in
 * @gen: a ring
 * @charge: __GFP_ACCOUNT for a clone that ends with a file of the current task; 0 for one
 *	that the buffer keeps after the task has ended
 *
 * Context: may sleep.
 * Return: the clone, with a reference; NULL without memory.
 */
struct rbmap_gen *
rbmap_gen_clone_alloc(struct rbmap_gen *gen, gfp_t charge)
{
	const struct rbmap_sizes sizes = rbmap_sizes_of(gen);
	struct rbmap_gen *clone =
		rbmap_gen_alloc(gen->cpu_buf, &sizes, charge);

	if (!clone)
		return NULL;
	clone->origin = gen->origin ?: gen;
	kref_get(&clone->origin->refs);	/* model: clone_get */
	return clone;
}

/**
 * rbmap_gen_clone - create another reader of the unread events
 * @clone: ring from rbmap_gen_clone_alloc() of @gen
 * @gen: a retired ring
 *
 * Reading one of the rings does not consume events of the other.
 *
 * Context: may sleep.
 */
void rbmap_gen_clone(struct rbmap_gen *clone,
		     struct rbmap_gen *gen)
{
	mutex_lock(&gen->reader_lock);
	gen->shared = true;
	rbmap_ring_clone(&clone->ring, &gen->ring, clone->ring.subbuf,
			 clone->ring.slot);
	clone->base = gen->base;
	clone->reader_now = gen->reader_now;
	clone->expiry = gen->expiry;
	mutex_unlock(&gen->reader_lock);
	clone->shared = true;
	clone->number = gen->number;
	clone->retired = true;
	rbmap_meta_init(clone);
}

/**
 * rbmap_gen_retire - tell the readers that no more events follow
 * @gen: a ring without writers.  A grace period has passed since it was replaced, or
 *	turned off for good, so that no writer can enter it
 *
 * Context: may sleep.
 */
void rbmap_gen_retire(struct rbmap_gen *gen)
{
	mutex_lock(&gen->reader_lock);
	rbmap_ring_seal(&gen->ring);
	/* The ring needs no more memory, and splice() keeps none from now on. */
	rbmap_page_pool_free(&gen->page_pool, gen->subbuf_size);
	/*
	 * A reader that sees the flag sees all events: the grace period is a full
	 * barrier, too.
	 * litmus: generation-retire
	 */
	WRITE_ONCE(gen->retired, true);	/* model: retire */
	rbmap_meta_update(gen);
	mutex_unlock(&gen->reader_lock);
	rbmap_wake_all(gen);
}

/**
 * rbmap_gen_drained - test whether a ring is retired and read to its end
 * @gen: any ring
 *
 * A drained ring stays drained.
 *
 * Context: any.
 */
bool rbmap_gen_drained(const struct rbmap_gen *gen)
{
	return rbmap_gen_retired(gen) &&
	       !rbmap_ring_has_event(&gen->ring) &&
	       !rbmap_ring_unreported_drops(&gen->ring);
}

/* Count all committed events as read.  Return their number. */
static u64 rbmap_skip_unread(struct rbmap_gen *gen)
{
	struct rbmap_ring *ring = &gen->ring;
	struct rbmap_reader *reader = &ring->reader;
	u64 read = reader->read;

	rbmap_ring_skip(ring);
	reader->lost = 0;
	return reader->read - read;
}

/*
 * Let the reader start in another sub-buffer, for a program that maps the ring and keeps
 * an offset.  This interrupts the writer's CPU.
 */
static void rbmap_leave_writer(struct rbmap_gen *gen)
{
	struct rbmap_ring *ring = &gen->ring;
	struct rbmap_reader *reader = &ring->reader;

	if (rbmap_ring_reader_at_writer(ring) && rbmap_close_subbuf(gen, reader->seq))
		rbmap_ring_consume(ring, reader->offset + rbmap_ring_unread(ring));
}

/**
 * rbmap_gen_discard - discard the unread events
 * @gen: a ring, which may be written concurrently
 *
 * The counters of written and of read events lack the discarded ones from now on.  All
 * losses count as reported.  Observers still find the events.  The reader may stay in the
 * sub-buffer that is written, behind the discarded events.  Closing that sub-buffer would
 * interrupt the writer's CPU, and any reader may call this as often as it wants.
 *
 * Context: may sleep.
 */
void rbmap_gen_discard(struct rbmap_gen *gen)
{
	u64 nr;

	mutex_lock(&gen->reader_lock);
	nr = rbmap_skip_unread(gen);
	rbmap_ring_report_drops(&gen->ring);
	gen->base.entries += nr;
	gen->base.read += nr;
	gen->discarded += nr;
	rbmap_meta_update(gen);
	mutex_unlock(&gen->reader_lock);
}

/**
 * rbmap_gen_reset - discard the unread events and count from 0
 * @gen: a ring, which may be written concurrently
 *
 * All committed events count as read, and the current counters are subtracted from
 * now on.  Each event below `expected` was either read or overwritten.  This
 * determines both counters exactly, whatever the writer does concurrently.
 *
 * Context: may sleep.
 */
void rbmap_gen_reset(struct rbmap_gen *gen)
{
	struct rbmap_base *base = &gen->base;
	struct rbmap_ring *ring = &gen->ring;
	struct rbmap_reader *reader = &ring->reader;
	u64 nr, read;
	int i;

	mutex_lock(&gen->reader_lock);
	nr = rbmap_skip_unread(gen);
	read = reader->read;
	rbmap_leave_writer(gen);
	nr += reader->read - read;
	/* The snapshot of a ring that is not queued keeps the events. */
	if (READ_ONCE(gen->queued))
		gen->discarded += nr;
	/* A snapshot shares the memory of a retired ring. */
	if (!rbmap_gen_retired(gen))
		rbmap_ring_empty_reader(ring);

	reader->reported_drops = 0;
	for (i = 0; i < RBMAP_NR_DROPS; i++) {
		base->dropped[i] = local_read(&ring->dropped[i]);
		reader->reported_drops += base->dropped[i];
	}
	base->reported = reader->reported;
	base->entries = reader->expected;
	base->read = reader->read;
	base->overrun = reader->expected - reader->read;
	base->disabled = local_read(&ring->disabled);
	base->seq = reader->next;
	base->touched = READ_ONCE(ring->touched);
	base->overwritten = local_read(&ring->overwritten);
	gen->moved = 0;
	gen->copied = 0;
	reader->carried = 0;
	gen->expiry = (struct rbmap_expiry) {};

	rbmap_meta_update(gen);
	mutex_unlock(&gen->reader_lock);
}

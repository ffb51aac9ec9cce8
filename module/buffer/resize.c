// SPDX-License-Identifier: GPL-2.0-only
/* Change the sizes or the clock: each CPU continues in a new ring. */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "expire.h"
#include "internal.h"
#include "lib/log.h"
#include "resize.h"

#define RBMAP_MIN_SUBBUF_KB	max(4UL, PAGE_SIZE >> 10)
#define RBMAP_MAX_SUBBUF_KB	4096UL

/* The largest sub-buffers whose pages the allocator finds in memory that is in pieces, too. */
#define RBMAP_CHEAP_SUBBUF_KB	(PAGE_SIZE >> 10 << PAGE_ALLOC_COSTLY_ORDER)

/* More sub-buffers than that cost more to allocate and to free, and the reader gains nothing. */
#define RBMAP_MANY_SLOTS	8192UL

/* The smallest sub-buffers with which a ring of that size has few enough slots. */
static unsigned long rbmap_subbuf_kb_for(unsigned long size_kb)
{
	unsigned long kb = RBMAP_MIN_SUBBUF_KB;

	while (kb < RBMAP_CHEAP_SUBBUF_KB && size_kb > kb * RBMAP_MANY_SLOTS)
		kb *= 2;
	while (kb < RBMAP_MAX_SUBBUF_KB && size_kb > kb * RBMAP_MAX_SLOTS)
		kb *= 2;
	return kb;
}

/**
 * rbmap_sizes_set - convert sizes to slots and bytes
 * @sizes: filled
 * @size_kb: KiB of all slots; rounded up to whole sub-buffers
 * @subbuf_size_kb: KiB of a sub-buffer; 0: a size that @size_kb determines
 *
 * Return: 0, or -EINVAL with a message in the log.
 */
int rbmap_sizes_set(struct rbmap_sizes *sizes, unsigned long size_kb,
		    unsigned long subbuf_size_kb)
{
	unsigned long slots;

	if (!subbuf_size_kb)
		subbuf_size_kb = rbmap_subbuf_kb_for(size_kb);
	if (subbuf_size_kb < RBMAP_MIN_SUBBUF_KB ||
	    subbuf_size_kb > RBMAP_MAX_SUBBUF_KB ||
	    !is_power_of_2(subbuf_size_kb)) {
		rbmap_err("subbuf_size_kb=%lu: must be a power of two, %lu to %lu\n",
			  subbuf_size_kb, RBMAP_MIN_SUBBUF_KB,
			  RBMAP_MAX_SUBBUF_KB);
		return -EINVAL;
	}
	slots = size_kb / subbuf_size_kb + !!(size_kb % subbuf_size_kb);
	if (slots && slots < RBMAP_MIN_SLOTS)
		slots = RBMAP_MIN_SLOTS;
	if (slots < RBMAP_MIN_SLOTS || slots > RBMAP_MAX_SLOTS) {
		rbmap_err("buffer_size_kb=%lu: must be 1 to %lu with sub-buffers of %lu KiB\n",
			  size_kb, RBMAP_MAX_SLOTS * subbuf_size_kb,
			  subbuf_size_kb);
		return -EINVAL;
	}
	sizes->nr_slots = slots;
	sizes->subbuf_size = subbuf_size_kb << 10;
	return 0;
}

static unsigned long rbmap_sizes_need_kb(const struct rbmap_sizes *sizes,
					 unsigned int cpus)
{
	return (rbmap_gen_bytes(sizes) >> 10) * cpus;
}

static unsigned long rbmap_free_kb(void)
{
	rbmap_gen_free_settle();
	return si_mem_available() << (PAGE_SHIFT - 10);
}

/**
 * rbmap_sizes_fit - test whether there is enough memory for rings
 * @sizes: sizes of each ring
 * @cpus: number of rings
 *
 * Context: sleeps until the memory of freed rings is free.
 */
bool rbmap_sizes_fit(const struct rbmap_sizes *sizes, unsigned int cpus)
{
	return rbmap_sizes_need_kb(sizes, cpus) <= rbmap_free_kb();
}

static int rbmap_check_memory(unsigned long size_kb, unsigned long need_kb, unsigned int cpus)
{
	unsigned long free_kb = rbmap_free_kb();

	if (need_kb <= free_kb)
		return 0;
	rbmap_err("buffer_size_kb=%lu: needs %lu KiB for %u CPUs, %lu KiB are available, %lu KiB are missing: choose a smaller buffer_size_kb\n",
		  size_kb, need_kb, cpus, free_kb, need_kb - free_kb);
	return -ENOMEM;
}

/**
 * rbmap_sizes_check_memory - check that there is enough memory for rings
 * @sizes: sizes of each ring
 * @cpus: number of rings
 *
 * Call this before the allocation, which would otherwise start the OOM killer.
 *
 * Context: sleeps until the memory of freed rings is free.
 * Return: 0, or -ENOMEM with a message in the log.
 */
int rbmap_sizes_check_memory(const struct rbmap_sizes *sizes, unsigned int cpus)
{
	return rbmap_check_memory(rbmap_sizes_kb(sizes), rbmap_sizes_need_kb(sizes, cpus), cpus);
}

/* Iterate over the CPUs that have a ring: one CPU, or all of them. */
#define for_each_replaced(_buf, _which, _cpu, _cpu_buf)			\
	for_each_possible_cpu(_cpu)					\
		if (((_which) == RBMAP_ALL_CPUS || (_which) == (_cpu)) && \
		    ((_cpu_buf) = rbmap_cpu_buffer_with_ring(_buf, _cpu)))

/*
 * Check the memory for rings that take the place of others.  Their sizes may differ, and the
 * message has the largest one.
 */
static int rbmap_replacements_check(struct rbmap_buffer *buf, int which,
				    const struct rbmap_sizes *sizes)
{
	unsigned long size_kb = 0, need_kb = 0;
	struct rbmap_cpu_buffer *cpu_buf;
	unsigned int cpus = 0;
	int cpu;

	for_each_replaced(buf, which, cpu, cpu_buf) {
		struct rbmap_sizes s = sizes ? *sizes : rbmap_sizes_of(cpu_buf->current_gen);

		size_kb = max(size_kb, rbmap_sizes_kb(&s));
		need_kb += rbmap_sizes_need_kb(&s, 1);
		cpus++;
	}
	return rbmap_check_memory(size_kb, need_kb, cpus);
}

static int rbmap_replacements_create(struct rbmap_buffer *buf, int which,
				     const struct rbmap_sizes *sizes,
				     enum rbmap_clock clock,
				     struct rbmap_gen **gens,
				     struct rbmap_snapshots *snapshots)
{
	struct rbmap_cpu_buffer *cpu_buf;
	int cpu, err = rbmap_replacements_check(buf, which, sizes);

	if (err)
		return err;
	for_each_replaced(buf, which, cpu, cpu_buf) {
		struct rbmap_sizes same = rbmap_sizes_of(cpu_buf->current_gen);
		struct rbmap_gen *gen;

		gen = rbmap_gen_create(cpu_buf, sizes ?: &same, clock);
		if (IS_ERR(gen))
			return PTR_ERR(gen);
		gens[cpu] = gen;
		if (!snapshots)
			continue;
		snapshots->gen[cpu] = rbmap_gen_clone_alloc(cpu_buf->current_gen,
							    snapshots->charge);
		if (!snapshots->gen[cpu])
			return -ENOMEM;
	}
	return 0;
}

static void rbmap_replacements_free(struct rbmap_gen **gens)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (gens[cpu])
			rbmap_gen_free(gens[cpu]);
		gens[cpu] = NULL;
	}
}

/* Retire a ring that was replaced, and keep it for its readers and the snapshot. */
static void rbmap_replaced(struct rbmap_gen *gen,
			   struct rbmap_gen *snapshot)
{
	/*
	 * Once the ring is retired, a reader that has come to its end may release
	 * it.
	 */
	kref_get(&gen->refs);	/* model: replaced_get */
	rbmap_gen_retire(gen);
	if (snapshot) {
		rbmap_gen_clone(snapshot, gen);
		rbmap_cpu_buffer_reserve_for_snapshot(gen);
	}
	rbmap_cpu_buffer_drop_drained(gen->cpu_buf);
	rbmap_cpu_buffer_expire(gen->cpu_buf);
	rbmap_gen_put(gen);	/* model: replaced_put */
}

static void rbmap_buffer_update_max_event(struct rbmap_buffer *buf)
{
	u32 min_size = buf->sizes.subbuf_size;
	struct rbmap_cpu_buffer *cpu_buf;
	int cpu;

	for_each_replaced(buf, RBMAP_ALL_CPUS, cpu, cpu_buf)
		min_size = min(min_size, cpu_buf->current_gen->subbuf_size);
	WRITE_ONCE(buf->max_event,
		   rbmap_max_event(min_size - RBMAP_SUBBUF_HEADER_SIZE));
}

/**
 * rbmap_buffer_replace - have CPUs continue in new rings
 * @buf: the buffer, with its lock held
 * @which: a CPU, or RBMAP_ALL_CPUS
 * @sizes: sizes of the new rings; NULL to keep the old sizes
 * @clock: clock of the new rings
 * @snapshots: filled with a snapshot of the unread events of each CPU, or NULL.
 *	With snapshots, new files start with the new rings if the old ones have no
 *	readers
 *
 * Unread events can be read as before: a file reads one ring to its end, and
 * continues with the next one.  The replacement itself loses no event and changes no
 * counter.
 *
 * Context: may sleep.
 * Return: 0; -ENOMEM, also with a message in the log before anything is allocated, or -EINTR,
 * if nothing has changed; -ENODEV if the buffer has ended.
 */
int rbmap_buffer_replace(struct rbmap_buffer *buf, int which,
			 const struct rbmap_sizes *sizes,
			 enum rbmap_clock clock,
			 struct rbmap_snapshots *snapshots)
{
	struct rbmap_cpu_buffer *cpu_buf;
	struct rbmap_gen **gens;
	int cpu, err;

	lockdep_assert_held(&buf->lock);
	if (buf->gone)
		return -ENODEV;
	gens = kvcalloc(nr_cpu_ids, sizeof(*gens), GFP_KERNEL);
	if (!gens)
		return -ENOMEM;

	/*
	 * A CPU that comes on line gets its first ring either before this or after
	 * it.
	 * litmus: replace-new-cpu
	 */
	cpus_read_lock();
	err = rbmap_replacements_create(buf, which, sizes, clock, gens,
					snapshots);
	if (err) {
		cpus_read_unlock();
		rbmap_replacements_free(gens);
		if (snapshots)
			rbmap_replacements_free(snapshots->gen);
		goto out;
	}
	for_each_replaced(buf, which, cpu, cpu_buf)	/* step: install */
		gens[cpu] = rbmap_cpu_buffer_install(cpu_buf, gens[cpu]);
	if (which == RBMAP_ALL_CPUS) {
		if (sizes)
			buf->sizes = *sizes;
		WRITE_ONCE(buf->clock, clock);
	}
	rbmap_buffer_update_max_event(buf);
	cpus_read_unlock();	/* step: replace_unlock */

	/*
	 * A writer has preemption off from looking its ring up to leaving it.  So no
	 * writer is in an old ring after this.
	 * litmus: generation-retire, observe-retired
	 */
	synchronize_rcu_expedited();
	for_each_replaced(buf, which, cpu, cpu_buf) {
		if (!gens[cpu])
			continue;	/* came on line later: its first ring */
		rbmap_replaced(gens[cpu], snapshots ? snapshots->gen[cpu] : NULL);
	}
out:
	kvfree(gens);
	return err;
}

/* Tell why there are no rings, in the log of the kernel and in error_log. */
static void rbmap_expand_refuse(struct rbmap_buffer *buf, const struct rbmap_sizes *sizes)
{
	unsigned int cpus = cpumask_weight(&buf->awaiting);
	char setting[48];

	snprintf(setting, sizeof(setting), "buffer_size_kb=%lu", rbmap_sizes_kb(sizes));
	rbmap_warn("no memory for the rings: %lu KiB for %u CPUs (%s), %lu KiB are available: choose a smaller buffer_size_kb; each use tries again\n",
		   rbmap_sizes_need_kb(sizes, cpus), cpus, setting, rbmap_free_kb());
	rbmap_error_log_add(&buf->errors, "buffer_size_kb",
			    "no memory for the rings: choose a smaller buffer_size_kb",
			    setting, strlen(setting), RBMAP_ERROR_NO_PLACE);
}

/* Create the rings of all CPUs that await one, which the caller frees on failure. */
static int rbmap_first_rings_create(struct rbmap_buffer *buf, const struct rbmap_sizes *sizes,
				    struct rbmap_gen **gens)
{
	struct rbmap_gen *gen;
	int cpu;

	if (!rbmap_sizes_fit(sizes, cpumask_weight(&buf->awaiting)))
		return -ENOMEM;
	for_each_cpu(cpu, &buf->awaiting) {
		gen = rbmap_gen_create(rbmap_cpu_buffer(buf, cpu), sizes, buf->clock);
		if (IS_ERR(gen))
			return PTR_ERR(gen);
		gens[cpu] = gen;
	}
	return 0;
}

static void rbmap_buffer_set_expanded(struct rbmap_buffer *buf)
{
	lockdep_assert_held(&buf->lock);
	/*
	 * Pairs with the acquire in rbmap_buffer_expand().
	 * litmus: expand
	 */
	smp_store_release(&buf->expanded, true);
}

static int rbmap_first_rings_install(struct rbmap_buffer *buf, const struct rbmap_sizes *sizes,
				     struct rbmap_gen **gens)
{
	int cpu, err;

	/* A CPU that comes on line awaits its ring before this, or gets it after this. */
	cpus_read_lock();
	err = rbmap_first_rings_create(buf, sizes, gens);
	if (err)
		goto out;
	for_each_cpu(cpu, &buf->awaiting) {
		rbmap_cpu_buffer_install(rbmap_cpu_buffer(buf, cpu), gens[cpu]);
		gens[cpu] = NULL;
		cpumask_clear_cpu(cpu, &buf->awaiting);
	}
	buf->sizes = *sizes;
	rbmap_buffer_update_max_event(buf);
	rbmap_buffer_set_expanded(buf);
out:
	cpus_read_unlock();
	return err;
}

static int rbmap_buffer_expand_locked(struct rbmap_buffer *buf, const struct rbmap_sizes *sizes)
{
	struct rbmap_gen **gens;
	int err = -ENOMEM;

	lockdep_assert_held(&buf->lock);
	if (buf->expanded)
		return 0;
	if (buf->gone)
		return -ENODEV;
	gens = kvcalloc(nr_cpu_ids, sizeof(*gens), GFP_KERNEL);
	if (gens) {
		err = rbmap_first_rings_install(buf, sizes, gens);
		rbmap_replacements_free(gens);
	}
	kvfree(gens);
	if (err == -ENOMEM)
		rbmap_expand_refuse(buf, sizes);
	return err;
}

/**
 * rbmap_buffer_expand - allocate the rings of a buffer that has none yet
 * @buf: the buffer, which is about to be written or read
 *
 * Either all CPUs get their rings, or nothing changes, and the next call tries again.
 *
 * Context: may sleep.
 * Return: 0 if the buffer has its rings; -ENOMEM, with a message in the log; -EINTR if the
 * process was killed; -ENODEV if the buffer has ended.
 */
int rbmap_buffer_expand(struct rbmap_buffer *buf)
{
	int err;

	/*
	 * A caller that finds the buffer expanded finds the rings.
	 * litmus: expand
	 */
	if (smp_load_acquire(&buf->expanded))
		return 0;
	if (mutex_lock_killable(&buf->lock))
		return -EINTR;
	err = rbmap_buffer_expand_locked(buf, &buf->sizes);
	mutex_unlock(&buf->lock);
	return err;
}

/**
 * rbmap_buffer_expand_for_module - rbmap_buffer_expand() for a caller that gets no error
 * @buf: the buffer
 *
 * Without memory the CPUs lack their rings, as if they had come on line without memory.  The
 * events of the module are counted, and any write to a control file tries again.
 *
 * Context: may sleep.
 */
void rbmap_buffer_expand_for_module(struct rbmap_buffer *buf)
{
	int cpu;

	might_sleep();
	if (!rbmap_buffer_expand(buf))
		return;
	mutex_lock(&buf->lock);
	cpus_read_lock();
	if (!buf->expanded) {
		for_each_cpu(cpu, &buf->awaiting) {
			rbmap_buffer_set_missing(buf, cpu, true);
			cpumask_clear_cpu(cpu, &buf->awaiting);
		}
		rbmap_buffer_set_expanded(buf);
	}
	cpus_read_unlock();
	mutex_unlock(&buf->lock);
}

static bool rbmap_buffer_sizes_locked(struct rbmap_buffer *buf, int which,
				      struct rbmap_sizes *sizes)
{
	struct rbmap_cpu_buffer *cpu_buf;
	bool found = false, same = true;
	int cpu;

	lockdep_assert_held(&buf->lock);
	*sizes = buf->sizes;
	if (!buf->expanded)
		return which == RBMAP_ALL_CPUS || cpumask_test_cpu(which, &buf->awaiting);
	for_each_replaced(buf, which, cpu, cpu_buf) {
		struct rbmap_sizes s = rbmap_sizes_of(cpu_buf->current_gen);

		found = true;
		if (which == RBMAP_ALL_CPUS)
			same &= s.nr_slots == sizes->nr_slots &&
				s.subbuf_size == sizes->subbuf_size;
		else
			*sizes = s;
	}
	return found && same;
}

/**
 * rbmap_buffer_add_ring - create a ring for a CPU that came on line without one
 * @buf: the buffer, with its lock held
 * @cpu: the CPU
 * @sizes: sizes of the ring
 *
 * Context: may sleep.
 * Return: 0 if the CPU has a ring; -ENODEV if it was never on line or the buffer has
 * ended; or an error of rbmap_gen_create().
 */
int rbmap_buffer_add_ring(struct rbmap_buffer *buf, int cpu,
			  const struct rbmap_sizes *sizes)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer(buf, cpu);
	int err = 0;

	lockdep_assert_held(&buf->lock);
	/* No callback of CPU hotplug can add the ring concurrently. */
	cpus_read_lock();
	if (buf->gone || !cpu_buf || !rbmap_buffer_cpu_missing(buf, cpu))
		err = -ENODEV;
	else if (!cpu_buf->current_gen)
		err = rbmap_cpu_buffer_add_ring(cpu_buf, sizes);
	if (!err)
		rbmap_buffer_update_max_event(buf);
	cpus_read_unlock();
	return err;
}

/**
 * rbmap_buffer_sizes - get the sizes of the rings that are written, or of the first ones
 * @buf: the buffer
 * @which: a CPU, or RBMAP_ALL_CPUS
 * @sizes: filled
 *
 * Context: may sleep.
 * Return: true, or false if that CPU has no ring or the CPUs have different sizes.
 * Then @sizes are those of rings of new CPUs.
 */
bool rbmap_buffer_sizes(struct rbmap_buffer *buf, int which,
			struct rbmap_sizes *sizes)
{
	bool same;

	mutex_lock(&buf->lock);
	same = rbmap_buffer_sizes_locked(buf, which, sizes);
	mutex_unlock(&buf->lock);
	return same;
}

/* The size of sub-buffers that a user has set; 0: none. */
static unsigned long rbmap_get_subbuf_kb(struct rbmap_buffer *buf, int which)
{
	const struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer(buf, which);

	return cpu_buf ? cpu_buf->subbuf_size_kb : buf->subbuf_size_kb;
}

static void rbmap_set_subbuf_kb(struct rbmap_buffer *buf, int which,
				unsigned long subbuf_size_kb)
{
	int cpu;

	if (which == RBMAP_ALL_CPUS)
		buf->subbuf_size_kb = subbuf_size_kb;
	for_each_possible_cpu(cpu) {
		if (which == RBMAP_ALL_CPUS || which == cpu)
			rbmap_cpu_buffer(buf, cpu)->subbuf_size_kb = subbuf_size_kb;
	}
}

/*
 * As in tracefs, a buffer without rings gets them now: the caller asks for memory, and is
 * told whether there is any.
 */
static int rbmap_buffer_set_sizes_locked(struct rbmap_buffer *buf, int which,
					 unsigned long size_kb,
					 unsigned long subbuf_size_kb)
{
	struct rbmap_sizes sizes, were;
	bool same, equal;
	int err;

	same = rbmap_buffer_sizes_locked(buf, which, &were);
	err = rbmap_sizes_set(&sizes, size_kb ?: rbmap_sizes_kb(&were),
			      subbuf_size_kb ?: rbmap_get_subbuf_kb(buf, which));
	if (err)
		return err;
	equal = same && !memcmp(&sizes, &were, sizeof(sizes));
	if (equal && buf->expanded)
		return 0;
	err = rbmap_sizes_check_memory(&sizes, which == RBMAP_ALL_CPUS ?
				       num_online_cpus() : 1);
	if (err)
		return err;
	if (!buf->expanded && which == RBMAP_ALL_CPUS)
		return rbmap_buffer_expand_locked(buf, &sizes);
	err = rbmap_buffer_expand_locked(buf, &buf->sizes);
	if (err || equal)
		return err;
	if (which != RBMAP_ALL_CPUS && !same)
		return rbmap_buffer_add_ring(buf, which, &sizes);
	return rbmap_buffer_replace(buf, which, &sizes, buf->clock, NULL);
}

/*
 * 0 KiB stands for the present size of the ring, and for the size of sub-buffers that
 * was set before.  The lock is held until the other size is set, so that two concurrent
 * callers that set one size each do not undo each other's change.
 */
static int rbmap_buffer_set_sizes(struct rbmap_buffer *buf, int which,
				  unsigned long size_kb,
				  unsigned long subbuf_size_kb)
{
	int err;

	mutex_lock(&buf->lock);
	err = rbmap_buffer_set_sizes_locked(buf, which, size_kb,
					    subbuf_size_kb);
	if (!err && subbuf_size_kb)
		rbmap_set_subbuf_kb(buf, which, subbuf_size_kb);
	mutex_unlock(&buf->lock);
	/* There may be memory now for the CPUs without a ring. */
	rbmap_buffer_add_missing(buf);
	return err;
}

/**
 * rbmap_buffer_resize - change the size of rings
 * @buf: the buffer
 * @which: a CPU, or RBMAP_ALL_CPUS
 * @size_kb: KiB of all slots, rounded up to whole sub-buffers
 *
 * Context: may sleep.
 * Return: 0; -EINVAL or -ENOMEM with a message in the log; -ENODEV; -EINTR if
 * nothing has changed.
 */
int rbmap_buffer_resize(struct rbmap_buffer *buf, int which,
			unsigned long size_kb)
{
	return rbmap_buffer_set_sizes(buf, which, size_kb, 0);
}

/**
 * rbmap_buffer_resize_subbufs - change the size of sub-buffers
 * @buf: the buffer
 * @which: a CPU, or RBMAP_ALL_CPUS
 * @subbuf_size_kb: KiB, a power of two, 4 to 4096; the rings keep their size,
 *	rounded up to whole sub-buffers
 *
 * Context: may sleep.
 * Return: as rbmap_buffer_resize().
 */
int rbmap_buffer_resize_subbufs(struct rbmap_buffer *buf, int which,
				unsigned long subbuf_size_kb)
{
	return rbmap_buffer_set_sizes(buf, which, 0, subbuf_size_kb);
}

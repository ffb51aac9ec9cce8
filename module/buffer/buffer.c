// SPDX-License-Identifier: GPL-2.0-only
/* A buffer: one ring per CPU, allocated as CPUs come on line, kept after. */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "expire.h"
#include "internal.h"
#include "lib/log.h"
#include "resize.h"
#include "wait.h"

#define RBMAP_DEFAULT_PERCENT	50

static enum cpuhp_state rbmap_hotplug_state;
static unsigned long rbmap_retired_size_kb;

/* Which CPUs lack something. */
static DEFINE_SPINLOCK(rbmap_lacking_lock);

/* Who has which buffer. */
static DEFINE_SPINLOCK(rbmap_users_lock);

/**
 * rbmap_cpu_place - a CPU's part of a buffer, with a ring or without one
 * @buf: the buffer
 * @cpu: any number
 *
 * Return: it, or NULL: no such CPU.
 */
struct rbmap_cpu_buffer *rbmap_cpu_place(struct rbmap_buffer *buf, int cpu)
{
	if (cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return NULL;
	return per_cpu_ptr(buf->cpu_buffer, cpu);
}

/**
 * rbmap_cpu_buffer - a CPU's part of a buffer, where it has a ring
 * @buf: the buffer
 * @cpu: any number
 *
 * Return: it, or NULL: no such CPU, or it was never on line, or there was no memory
 * when it came.
 */
struct rbmap_cpu_buffer *rbmap_cpu_buffer(struct rbmap_buffer *buf, int cpu)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_place(buf, cpu);

	/*
	 * Pairs with the release in rbmap_cpu_buffer_install().
	 * litmus: cpu-ring, replace-new-cpu
	 */
	return cpu_buf && smp_load_acquire(&cpu_buf->current_gen) ? cpu_buf :
								    NULL;
}

/**
 * rbmap_buffer_set_lacks - say whether a CPU lacks something for want of memory
 * @buf: the buffer
 * @cpu: a CPU that was on line, or is about to be
 * @lacks: its ring, its devices or its directory
 *
 * Context: may sleep.
 */
void rbmap_buffer_set_lacks(struct rbmap_buffer *buf, int cpu, bool lacks)
{
	spin_lock(&rbmap_lacking_lock);
	if (lacks)
		cpumask_set_cpu(cpu, &buf->lacking);
	else
		cpumask_clear_cpu(cpu, &buf->lacking);
	WRITE_ONCE(buf->lacks, !cpumask_empty(&buf->lacking));
	spin_unlock(&rbmap_lacking_lock);
}

/**
 * rbmap_buffer_lacks - does a CPU lack something for want of memory?
 * @buf: the buffer
 * @cpu: a CPU
 */
bool rbmap_buffer_lacks(const struct rbmap_buffer *buf, int cpu)
{
	return cpumask_test_cpu(cpu, &buf->lacking);
}

/**
 * rbmap_buffer_lacks_any - does any CPU?
 * @buf: the buffer
 */
bool rbmap_buffer_lacks_any(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->lacks);
}

/**
 * rbmap_buffer_has_ring - has a CPU got its ring?
 * @buf: the buffer
 * @cpu: a CPU
 */
bool rbmap_buffer_has_ring(struct rbmap_buffer *buf, int cpu)
{
	return rbmap_cpu_buffer(buf, cpu);
}

/**
 * rbmap_buffer_show_lacking - list these CPUs
 * @buf: the buffer
 * @page: filled
 *
 * Return: its length.
 */
int rbmap_buffer_show_lacking(const struct rbmap_buffer *buf, char *page)
{
	return cpumap_print_to_pagebuf(true, page, &buf->lacking);
}

/**
 * rbmap_buffer_complete - make the rings that lack, if there is memory now
 * @buf: the buffer
 *
 * Context: may sleep.
 */
void rbmap_buffer_complete(struct rbmap_buffer *buf)
{
	int cpu;

	if (!READ_ONCE(buf->lacks))
		return;
	mutex_lock(&buf->lock);
	for_each_possible_cpu(cpu) {
		bool without = !rbmap_cpu_buffer(buf, cpu);

		if (rbmap_buffer_lacks(buf, cpu) && without &&
		    !rbmap_buffer_add_ring(buf, cpu, &buf->sizes))
			rbmap_info("CPU %d has its ring now\n", cpu);
	}
	mutex_unlock(&buf->lock);
}

/**
 * rbmap_buffer_set_completing - say how all that lacks is made
 * @buf: new
 * @completing: does so; who has made it waits for it before the buffer goes
 */
void rbmap_buffer_set_completing(struct rbmap_buffer *buf,
				 struct work_struct *completing)
{
	buf->completing = completing;
}

/**
 * rbmap_buffer_retry - have all that lacks be made, soon
 * @buf: the buffer; somebody has it, or a file of it
 *
 * Context: any.
 */
void rbmap_buffer_retry(struct rbmap_buffer *buf)
{
	if (unlikely(READ_ONCE(buf->lacks)))
		schedule_work(buf->completing);
}

/*
 * Before the CPU runs, so that it misses nothing.  Where there is no memory, it runs
 * without a ring: a machine needs its CPUs more than we do.
 */
static int rbmap_cpu_prepare(unsigned int cpu, struct hlist_node *node)
{
	struct rbmap_buffer *buf = hlist_entry(node, struct rbmap_buffer,
					       hotplug);
	int err;

	if (rbmap_cpu_buffer(buf, cpu))
		return 0;
	err = rbmap_cpu_buffer_add_ring(rbmap_cpu_place(buf, cpu), &buf->sizes);
	if (!err)
		return 0;
	buf->error = err;
	rbmap_buffer_set_lacks(buf, cpu, true);
	rbmap_err("no memory for the ring of CPU %d: it takes %lu KiB (buffer_size_kb=%lu): choose a smaller buffer_size_kb; until there is a ring, events of this CPU are lost, and counted as `dropped no ring`\n",
		  cpu, rbmap_gen_bytes(&buf->sizes) >> 10,
		  rbmap_sizes_kb(&buf->sizes));
	return 0;
}

/* It has written its last event: those who wait look again. */
static int rbmap_cpu_dead(unsigned int cpu, struct hlist_node *node)
{
	struct rbmap_cpu_buffer *cpu_buf =
		rbmap_cpu_buffer(hlist_entry(node, struct rbmap_buffer,
					     hotplug), cpu);

	if (cpu_buf)
		rbmap_wake_all(cpu_buf->current_gen);
	return 0;
}

/**
 * rbmap_buffers_init - before the first rbmap_buffer_alloc()
 * @retired_size_kb: what rbmap_buffer_set_retired_size() sets, of new buffers
 *
 * Return: 0 or a negative error.
 */
int rbmap_buffers_init(unsigned long retired_size_kb)
{
	int state = rbmap_waits_init();

	if (state)
		return state;
	state = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN,
					    "rbmap:prepare", rbmap_cpu_prepare,
					    rbmap_cpu_dead);

	if (state < 0) {
		rbmap_waits_exit();
		return state;
	}
	rbmap_hotplug_state = state;
	rbmap_retired_size_kb = retired_size_kb;
	return 0;
}

/**
 * rbmap_buffers_exit - after the last rbmap_buffer_free()
 */
void rbmap_buffers_exit(void)
{
	cpuhp_remove_multi_state(rbmap_hotplug_state);
	rbmap_waits_exit();
}

static void rbmap_buffer_free_rings(struct rbmap_buffer *buf)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer(buf, cpu);

		if (cpu_buf)
			rbmap_cpu_buffer_destroy(cpu_buf);
	}
	free_percpu(buf->cpu_buffer);
	free_percpu(buf->head.ring);
	kfree(buf);
}

/**
 * rbmap_buffer_alloc - a buffer with a ring for each CPU
 * @config: sizes and mode
 *
 * Context: may sleep.
 * Return: it, or ERR_PTR: -EINVAL (a size is out of range), -ENOMEM; the log
 * says which and what would do.
 */
struct rbmap_buffer *
rbmap_buffer_alloc(const struct rbmap_buffer_config *config)
{
	struct rbmap_buffer *buf;
	int cpu, err;

	buf = kzalloc(sizeof(*buf), GFP_KERNEL);
	if (!buf)
		return ERR_PTR(-ENOMEM);
	mutex_init(&buf->lock);
	buf->mode = config->mode;
	buf->clock = config->clock;
	buf->retired_size_kb = rbmap_retired_size_kb;
	buf->percent = RBMAP_DEFAULT_PERCENT;
	buf->on = true;
	buf->raw = config->raw;

	err = rbmap_sizes_set(&buf->sizes, config->size_kb,
			      config->subbuf_size_kb);
	if (!err)
		err = rbmap_sizes_check_memory(&buf->sizes, num_online_cpus());
	if (err)
		goto err_free_buffer;
	buf->max_event = rbmap_max_event(buf->sizes.subbuf_size -
					 RBMAP_SUBBUF_HEADER_SIZE);

	err = -ENOMEM;
	buf->cpu_buffer = alloc_percpu(struct rbmap_cpu_buffer);
	buf->head.ring = alloc_percpu(struct rbmap_ring *);
	if (!buf->cpu_buffer || !buf->head.ring)
		goto err_free_buffer;
	for_each_possible_cpu(cpu)
		rbmap_cpu_buffer_init(buf, cpu);
	err = cpuhp_state_add_instance(rbmap_hotplug_state, &buf->hotplug);
	if (err) {
		rbmap_buffer_free_rings(buf);
		return ERR_PTR(err);
	}
	/* CPUs come without a ring, but a buffer does not. */
	if (buf->lacks) {
		err = buf->error;
		rbmap_buffer_free(buf);
		return ERR_PTR(err);
	}
	return buf;

err_free_buffer:
	free_percpu(buf->cpu_buffer);
	free_percpu(buf->head.ring);
	kfree(buf);
	return ERR_PTR(err);
}

/**
 * rbmap_buffer_free - free a buffer
 * @buf: no writer, no open file, no map
 *
 * Context: may sleep.
 */
void rbmap_buffer_free(struct rbmap_buffer *buf)
{
	cpuhp_state_remove_instance_nocalls(rbmap_hotplug_state, &buf->hotplug);
	rbmap_buffer_free_rings(buf);
}

/**
 * rbmap_buffer_offer - from now on it can be opened
 * @buf: the buffer
 */
void rbmap_buffer_offer(struct rbmap_buffer *buf)
{
	spin_lock(&rbmap_users_lock);
	buf->offered = true;
	spin_unlock(&rbmap_users_lock);
}

/**
 * rbmap_buffer_withdraw - from now on it can't be opened, if nobody has it
 * @buf: the buffer
 *
 * Return: false: somebody has it.
 */
bool rbmap_buffer_withdraw(struct rbmap_buffer *buf)
{
	bool unused;

	spin_lock(&rbmap_users_lock);
	unused = !buf->users;
	if (unused)
		buf->offered = false;
	spin_unlock(&rbmap_users_lock);
	return unused;
}

/**
 * rbmap_buffer_get - somebody opens it
 * @buf: the buffer
 *
 * Return: false: it can't be opened (yet, or any more).
 */
bool rbmap_buffer_get(struct rbmap_buffer *buf)
{
	bool offered;

	spin_lock(&rbmap_users_lock);
	offered = buf->offered;
	buf->users += offered;
	spin_unlock(&rbmap_users_lock);
	return offered;
}

/**
 * rbmap_buffer_get_more - who has it gives it to somebody else, too
 * @buf: the buffer
 */
void rbmap_buffer_get_more(struct rbmap_buffer *buf)
{
	spin_lock(&rbmap_users_lock);
	buf->users++;
	spin_unlock(&rbmap_users_lock);
}

void rbmap_buffer_put(struct rbmap_buffer *buf)
{
	void (*release)(void *data);

	spin_lock(&rbmap_users_lock);
	release = --buf->users ? NULL : buf->release;
	spin_unlock(&rbmap_users_lock);
	if (release)
		release(buf->data);
}
EXPORT_SYMBOL_GPL(rbmap_buffer_put);

/**
 * rbmap_buffer_abandon - have a buffer go with the last who has it
 * @buf: it was ended; nobody looks it up any more
 * @release: called then, or now
 * @data: for @release
 *
 * Context: may sleep, as the last rbmap_buffer_put().
 */
void rbmap_buffer_abandon(struct rbmap_buffer *buf,
			  void (*release)(void *data), void *data)
{
	bool unused;

	spin_lock(&rbmap_users_lock);
	unused = !buf->users;
	buf->release = release;
	buf->data = data;
	spin_unlock(&rbmap_users_lock);
	if (unused)
		release(data);
}

static void rbmap_buffer_visit(struct rbmap_buffer *buf,
			       void (*visit)(struct rbmap_cpu_buffer *cpu_buf))
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer(buf, cpu);

		if (cpu_buf)
			visit(cpu_buf);
	}
}

/* The same for CPUs without a ring; its lock and cpus_read_lock() held. */
static void
rbmap_buffer_visit_without(struct rbmap_buffer *buf,
			   void (*visit)(struct rbmap_cpu_buffer *cpu_buf))
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!rbmap_cpu_buffer(buf, cpu))
			visit(rbmap_cpu_place(buf, cpu));
	}
}

static void rbmap_visit_on(struct rbmap_cpu_buffer *cpu_buf)
{
	rbmap_ring_set_off(&cpu_buf->current_gen->ring, !cpu_buf->buffer->on);
}

static void rbmap_visit_mode(struct rbmap_cpu_buffer *cpu_buf)
{
	WRITE_ONCE(cpu_buf->current_gen->ring.mode, cpu_buf->buffer->mode);
}

static void rbmap_visit_notify(struct rbmap_cpu_buffer *cpu_buf)
{
	rbmap_notify(cpu_buf->current_gen);
}

/**
 * rbmap_buffer_set_on - record or refuse events
 * @buf: the buffer
 * @on: what to do
 *
 * Context: may sleep.  An event that was reserved is still committed after
 * this returns.
 */
void rbmap_buffer_set_on(struct rbmap_buffer *buf, bool on)
{
	mutex_lock(&buf->lock);
	cpus_read_lock();
	rbmap_buffer_visit_without(buf, rbmap_no_ring_count);
	WRITE_ONCE(buf->on, on);
	rbmap_buffer_visit(buf, rbmap_visit_on);
	cpus_read_unlock();
	mutex_unlock(&buf->lock);
}

static void rbmap_visit_retire(struct rbmap_cpu_buffer *cpu_buf)
{
	rbmap_gen_retire(cpu_buf->current_gen);
}

/**
 * rbmap_buffer_end - no event comes any more, for good
 * @buf: the buffer; it can't be opened any more, but who has it reads on
 *
 * Context: sleeps.
 */
void rbmap_buffer_end(struct rbmap_buffer *buf)
{
	spin_lock(&rbmap_users_lock);
	buf->offered = false;
	spin_unlock(&rbmap_users_lock);

	rbmap_buffer_set_on(buf, false);
	mutex_lock(&buf->lock);
	/* From here on no ring takes the place of another one. */
	WRITE_ONCE(buf->gone, true);
	mutex_unlock(&buf->lock);
	/* Whoever found a ring on has left it.  litmus: generation-retire */
	synchronize_rcu();
	rbmap_buffer_visit(buf, rbmap_visit_retire);
}

/**
 * rbmap_buffer_gone - does no event come any more?
 * @buf: the buffer
 */
bool rbmap_buffer_gone(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->gone);
}

/**
 * rbmap_buffer_is_raw - are payloads a module's own?
 * @buf: the buffer
 */
bool rbmap_buffer_is_raw(const struct rbmap_buffer *buf)
{
	return buf->raw;
}

bool rbmap_buffer_is_on(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->on);
}

/**
 * rbmap_buffer_set_mode - what a full ring does
 * @buf: the buffer
 * @mode: overwrite or discard; holds from the next full ring on
 *
 * Context: may sleep.
 */
void rbmap_buffer_set_mode(struct rbmap_buffer *buf, enum rbmap_mode mode)
{
	mutex_lock(&buf->lock);
	cpus_read_lock();
	WRITE_ONCE(buf->mode, mode);
	rbmap_buffer_visit(buf, rbmap_visit_mode);
	cpus_read_unlock();
	mutex_unlock(&buf->lock);
}

enum rbmap_mode rbmap_buffer_mode(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->mode);
}

/**
 * rbmap_buffer_set_percent - how full a ring is when its readers are woken
 * @buf: the buffer
 * @percent: 0 (any event) to 100
 *
 * Return: 0 or -EINVAL.
 */
int rbmap_buffer_set_percent(struct rbmap_buffer *buf, unsigned int percent)
{
	if (percent > 100)
		return -EINVAL;
	mutex_lock(&buf->lock);
	WRITE_ONCE(buf->percent, percent);
	/* Those who wait look again. */
	rbmap_buffer_visit(buf, rbmap_visit_notify);
	mutex_unlock(&buf->lock);
	return 0;
}

unsigned int rbmap_buffer_percent(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->percent);
}

/**
 * rbmap_buffer_set_retired_size - limit the memory of retired rings
 * @buf: the buffer
 * @kb: KiB of each CPU's retired rings that wait to be read.  Where there are more,
 *	the oldest is let go, and its unread events are lost
 *
 * Context: may sleep.
 */
void rbmap_buffer_set_retired_size(struct rbmap_buffer *buf, unsigned long kb)
{
	WRITE_ONCE(buf->retired_size_kb, kb);
	rbmap_buffer_visit(buf, rbmap_cpu_buffer_expire);
}

unsigned long rbmap_buffer_retired_size(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->retired_size_kb);
}

/**
 * rbmap_clock_available - can this machine use that clock?
 * @clock: the clock
 */
bool rbmap_clock_available(enum rbmap_clock clock)
{
	switch (clock) {
	case RBMAP_CLOCK_LOCAL:
	case RBMAP_CLOCK_MONO:
	case RBMAP_CLOCK_BOOT:
		return true;
	case RBMAP_CLOCK_X86_TSC:
		return rb_has_tsc();
	}
	return false;
}

/**
 * rbmap_buffer_set_clock - choose the clock
 * @buf: the buffer; each CPU goes on in a new ring, as times of two clocks
 *	can't be compared, and the old one can still be read
 * @clock: the clock
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: not on this machine; as rbmap_buffer_replace().
 */
int rbmap_buffer_set_clock(struct rbmap_buffer *buf, enum rbmap_clock clock)
{
	int err = 0;

	if (!rbmap_clock_available(clock))
		return -EINVAL;
	mutex_lock(&buf->lock);
	if (clock != buf->clock)
		err = rbmap_buffer_replace(buf, RBMAP_ALL_CPUS, NULL, clock,
					   NULL);
	mutex_unlock(&buf->lock);
	return err;
}

enum rbmap_clock rbmap_buffer_clock(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->clock);
}

/**
 * rbmap_buffer_reset - forget what is unread, count from 0
 * @buf: the buffer; may be written to meanwhile
 *
 * Context: may sleep.
 */
void rbmap_buffer_reset(struct rbmap_buffer *buf)
{
	mutex_lock(&buf->lock);
	cpus_read_lock();
	rbmap_buffer_visit_without(buf, rbmap_no_ring_reset);
	cpus_read_unlock();
	mutex_unlock(&buf->lock);
	rbmap_buffer_visit(buf, rbmap_cpu_buffer_reset);
}

/**
 * rbmap_buffer_stats - one CPU's counters
 * @buf: the buffer
 * @cpu: the CPU
 * @stats: filled
 *
 * Context: may sleep.
 * Return: 0, or -ENODEV: there is no such CPU.
 */
int rbmap_buffer_stats(struct rbmap_buffer *buf, int cpu,
		       struct rbmap_buffer_stats *stats)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_place(buf, cpu);
	bool without = false;

	if (!cpu_buf)
		return -ENODEV;
	/* A CPU keeps its ring: only where there is none may one come meanwhile. */
	if (!rbmap_cpu_buffer(buf, cpu)) {
		mutex_lock(&buf->lock);
		cpus_read_lock();
		without = !cpu_buf->current_gen;
		if (without)
			rbmap_no_ring_stats(cpu_buf, stats);
		cpus_read_unlock();
		mutex_unlock(&buf->lock);
	}
	if (!without)
		rbmap_cpu_buffer_stats(cpu_buf, stats);
	return 0;
}

size_t rbmap_buffer_max_event(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->max_event);
}
EXPORT_SYMBOL_GPL(rbmap_buffer_max_event);

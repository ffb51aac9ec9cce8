// SPDX-License-Identifier: GPL-2.0-only
/* A buffer: one ring per CPU, allocated as CPUs come on line, kept after. */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "cpu_buffer.h"
#include "log.h"

#define RBMAP_DEFAULT_PERCENT	50

static enum cpuhp_state rbmap_hotplug_state;
static unsigned long rbmap_retired_size_kb;

/* Who has which buffer. */
static DEFINE_SPINLOCK(rbmap_users_lock);

/**
 * rbmap_cpu_buffer - a CPU's part of a buffer
 * @buf: the buffer
 * @cpu: any number
 *
 * Return: it, or NULL: no such CPU, or it was never on line.
 */
struct rbmap_cpu_buffer *rbmap_cpu_buffer(struct rbmap_buffer *buf, int cpu)
{
	if (cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return NULL;
	/*
	 * Pairs with the release in rbmap_buffer_add_cpu().
	 * litmus: cpu-ring, replace-new-cpu
	 */
	return smp_load_acquire(per_cpu_ptr(buf->cpu_buffer, cpu));
}

static int rbmap_buffer_add_cpu(struct rbmap_buffer *buf, int cpu)
{
	struct rbmap_cpu_buffer *cpu_buf;

	if (rbmap_cpu_buffer(buf, cpu))
		return 0;
	cpu_buf = rbmap_cpu_buffer_create(buf, cpu);
	if (IS_ERR(cpu_buf)) {
		rbmap_err("no memory for the ring of CPU %d: it takes %lu KiB (buffer_size_kb=%lu): choose a smaller buffer_size_kb\n",
			  cpu, rbmap_generation_bytes(&buf->sizes) >> 10,
			  rbmap_sizes_kb(&buf->sizes));
		return PTR_ERR(cpu_buf);
	}
	/* The CPU itself finds its ring: hotplug starts it after this. */
	*per_cpu_ptr(buf->head.ring, cpu) = &cpu_buf->current_gen->ring;
	/* Pairs with the acquire in rbmap_cpu_buffer().  litmus: cpu-ring */
	smp_store_release(per_cpu_ptr(buf->cpu_buffer, cpu), cpu_buf);
	return 0;
}

/* Before the CPU runs, so that it misses nothing. */
static int rbmap_cpu_prepare(unsigned int cpu, struct hlist_node *node)
{
	return rbmap_buffer_add_cpu(hlist_entry(node, struct rbmap_buffer,
						hotplug), cpu);
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
	int err;

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
		goto free;
	buf->max_event = rbmap_max_event(buf->sizes.subbuf_size -
					 RBMAP_SUBBUF_HEADER_SIZE);

	err = -ENOMEM;
	buf->cpu_buffer = alloc_percpu(struct rbmap_cpu_buffer *);
	buf->head.ring = alloc_percpu(struct rbmap_ring *);
	if (!buf->cpu_buffer || !buf->head.ring)
		goto free;
	err = cpuhp_state_add_instance(rbmap_hotplug_state, &buf->hotplug);
	if (err) {
		rbmap_buffer_free_rings(buf);
		return ERR_PTR(err);
	}
	return buf;

free:
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
	WRITE_ONCE(buf->on, on);
	rbmap_buffer_visit(buf, rbmap_visit_on);
	cpus_read_unlock();
	mutex_unlock(&buf->lock);
}

static void rbmap_visit_retire(struct rbmap_cpu_buffer *cpu_buf)
{
	rbmap_generation_retire(cpu_buf->current_gen);
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
#ifdef CONFIG_X86
		return boot_cpu_has(X86_FEATURE_TSC);
#else
		return false;
#endif
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
	rbmap_buffer_visit(buf, rbmap_cpu_buffer_reset);
}

/**
 * rbmap_buffer_stats - one CPU's counters
 * @buf: the buffer
 * @cpu: the CPU
 * @stats: filled
 *
 * Context: may sleep.
 * Return: 0, or -ENODEV: that CPU has no ring.
 */
int rbmap_buffer_stats(struct rbmap_buffer *buf, int cpu,
		       struct rbmap_buffer_stats *stats)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer(buf, cpu);

	if (!cpu_buf)
		return -ENODEV;
	rbmap_cpu_buffer_stats(cpu_buf, stats);
	return 0;
}

size_t rbmap_buffer_max_event(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->max_event);
}
EXPORT_SYMBOL_GPL(rbmap_buffer_max_event);

// SPDX-License-Identifier: GPL-2.0-only
/* A buffer: one ring per CPU, allocated as CPUs come on line, kept after. */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "cpu_buffer.h"
#include "log.h"

#define RBMAP_MIN_SUBBUF_KB	4UL
#define RBMAP_MAX_SUBBUF_KB	4096UL
#define RBMAP_DEFAULT_PERCENT	50

static enum cpuhp_state rbmap_hotplug_state;

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
	/* Pairs with the release in rbmap_buffer_add_cpu().  litmus: cpu-ring */
	return smp_load_acquire(per_cpu_ptr(buf->cpu_buffer, cpu));
}

static int rbmap_buffer_add_cpu(struct rbmap_buffer *buf, int cpu)
{
	struct rbmap_cpu_buffer *cpu_buf;

	if (rbmap_cpu_buffer(buf, cpu))
		return 0;
	cpu_buf = rbmap_cpu_buffer_create(buf, cpu);
	if (!cpu_buf) {
		rbmap_err("no memory for the ring of CPU %d: it takes %lu KiB (buffer_size_kb=%lu): choose a smaller buffer_size_kb\n",
			  cpu, rbmap_cpu_buffer_bytes(buf) >> 10,
			  rbmap_buffer_size_kb(buf));
		return -ENOMEM;
	}
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
		rbmap_wake_all(cpu_buf);
	return 0;
}

/**
 * rbmap_buffers_init - before the first rbmap_buffer_create()
 */
int rbmap_buffers_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN,
					    "rbmap:prepare", rbmap_cpu_prepare,
					    rbmap_cpu_dead);

	if (state < 0)
		return state;
	rbmap_hotplug_state = state;
	return 0;
}

/**
 * rbmap_buffers_exit - after the last rbmap_buffer_destroy()
 */
void rbmap_buffers_exit(void)
{
	cpuhp_remove_multi_state(rbmap_hotplug_state);
}

static int rbmap_buffer_configure(struct rbmap_buffer *buf,
				  const struct rbmap_buffer_config *config)
{
	unsigned long subbuf_kb = config->subbuf_size_kb;
	unsigned long slots;

	if (subbuf_kb < max(RBMAP_MIN_SUBBUF_KB, PAGE_SIZE >> 10) ||
	    subbuf_kb > RBMAP_MAX_SUBBUF_KB || !is_power_of_2(subbuf_kb)) {
		rbmap_err("subbuf_size_kb=%lu: must be a power of two, %lu to %lu\n",
			  subbuf_kb,
			  max(RBMAP_MIN_SUBBUF_KB, PAGE_SIZE >> 10),
			  RBMAP_MAX_SUBBUF_KB);
		return -EINVAL;
	}
	slots = config->size_kb / subbuf_kb + !!(config->size_kb % subbuf_kb);
	if (slots && slots < RBMAP_MIN_SLOTS)
		slots = RBMAP_MIN_SLOTS;
	if (slots < RBMAP_MIN_SLOTS || slots > RBMAP_MAX_SLOTS) {
		rbmap_err("buffer_size_kb=%lu: must be 1 to %lu with sub-buffers of %lu KiB\n",
			  config->size_kb, RBMAP_MAX_SLOTS * subbuf_kb,
			  subbuf_kb);
		return -EINVAL;
	}
	buf->nr_slots = slots;
	buf->subbuf_size = subbuf_kb << 10;
	return 0;
}

/* Asked for first: finding out by allocating would start the OOM killer. */
static int rbmap_buffer_check_memory(const struct rbmap_buffer *buf)
{
	unsigned long free_kb = si_mem_available() << (PAGE_SHIFT - 10);
	unsigned long need_kb = (rbmap_cpu_buffer_bytes(buf) >> 10) *
				num_online_cpus();

	if (need_kb <= free_kb)
		return 0;
	rbmap_err("buffer_size_kb=%lu: needs %lu KiB for %u CPUs, %lu KiB are available, %lu KiB are missing: choose a smaller buffer_size_kb\n",
		  rbmap_buffer_size_kb(buf), need_kb, num_online_cpus(),
		  free_kb, need_kb - free_kb);
	return -ENOMEM;
}

static void rbmap_buffer_free(struct rbmap_buffer *buf)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer(buf, cpu);

		if (cpu_buf)
			rbmap_cpu_buffer_destroy(cpu_buf);
	}
	free_percpu(buf->cpu_buffer);
	kfree(buf);
}

/**
 * rbmap_buffer_create - a buffer with a ring for each CPU
 * @config: sizes and mode
 *
 * Context: may sleep.
 * Return: it, or ERR_PTR: -EINVAL (a size is out of range), -ENOMEM; the log
 * says which and what would do.
 */
struct rbmap_buffer *
rbmap_buffer_create(const struct rbmap_buffer_config *config)
{
	struct rbmap_buffer *buf;
	int err;

	buf = kzalloc(sizeof(*buf), GFP_KERNEL);
	if (!buf)
		return ERR_PTR(-ENOMEM);
	mutex_init(&buf->lock);
	buf->mode = config->mode;
	buf->percent = RBMAP_DEFAULT_PERCENT;
	buf->on = true;

	err = rbmap_buffer_configure(buf, config);
	if (!err)
		err = rbmap_buffer_check_memory(buf);
	if (err)
		goto free;

	err = -ENOMEM;
	buf->cpu_buffer = alloc_percpu(struct rbmap_cpu_buffer *);
	if (!buf->cpu_buffer)
		goto free;
	err = cpuhp_state_add_instance(rbmap_hotplug_state, &buf->hotplug);
	if (err) {
		rbmap_buffer_free(buf);
		return ERR_PTR(err);
	}
	return buf;

free:
	kfree(buf);
	return ERR_PTR(err);
}

/**
 * rbmap_buffer_destroy - free a buffer
 * @buf: no writer, no open file, no map
 *
 * Context: may sleep.
 */
void rbmap_buffer_destroy(struct rbmap_buffer *buf)
{
	cpuhp_state_remove_instance_nocalls(rbmap_hotplug_state, &buf->hotplug);
	rbmap_buffer_free(buf);
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
	WRITE_ONCE(cpu_buf->ring.off, rbmap_buffer_off(cpu_buf->buffer));
}

static void rbmap_visit_mode(struct rbmap_cpu_buffer *cpu_buf)
{
	WRITE_ONCE(cpu_buf->ring.mode, cpu_buf->buffer->mode);
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
	WRITE_ONCE(buf->percent, percent);
	/* Those who wait look again. */
	rbmap_buffer_visit(buf, rbmap_notify);
	return 0;
}

unsigned int rbmap_buffer_percent(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->percent);
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

/* The rings are off, and nobody is in one. */
static void rbmap_visit_clock(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_ring *ring = &cpu_buf->ring;

	/* Leaves an empty sub-buffer: none has times of both clocks. */
	rbmap_cpu_buffer_reset(cpu_buf);
	/* Readers look at the clock, too. */
	mutex_lock(&cpu_buf->reader_lock);
	rbmap_ring_set_clock(ring, cpu_buf->buffer->clock);
	rbmap_meta_update(cpu_buf);
	mutex_unlock(&cpu_buf->reader_lock);
}

/* Rings of CPUs that come on line meanwhile begin with the new setting. */
static void rbmap_buffer_set_paused(struct rbmap_buffer *buf, bool paused)
{
	cpus_read_lock();
	WRITE_ONCE(buf->paused, paused);
	rbmap_buffer_visit(buf, rbmap_visit_on);
	cpus_read_unlock();
}

/**
 * rbmap_buffer_set_clock - choose the clock
 * @buf: the buffer, which is reset: times of two clocks can't be compared
 * @clock: the clock
 *
 * Events that come during the change are counted as disabled.
 *
 * Context: may sleep.
 * Return: 0, or -EINVAL: not on this machine.
 */
int rbmap_buffer_set_clock(struct rbmap_buffer *buf, enum rbmap_clock clock)
{
	if (!rbmap_clock_available(clock))
		return -EINVAL;
	mutex_lock(&buf->lock);
	if (clock != buf->clock) {
		rbmap_buffer_set_paused(buf, true);
		/*
		 * Writers have preemption off from looking at `off` to their
		 * end: now nobody is in a ring.  litmus: clock-change
		 */
		synchronize_rcu();
		/*
		 * A ring is made with the new clock, or is there to be visited.
		 * litmus: clock-new-cpu
		 */
		cpus_read_lock();
		WRITE_ONCE(buf->clock, clock);
		cpus_read_unlock();
		/*
		 * Not under cpus_read_lock(), which readers take within
		 * reader_lock.
		 */
		rbmap_buffer_visit(buf, rbmap_visit_clock);
		/*
		 * Who finds a ring on again finds the new clock in it: they
		 * begin after this.
		 */
		synchronize_rcu();
		rbmap_buffer_set_paused(buf, false);
	}
	mutex_unlock(&buf->lock);
	return 0;
}

enum rbmap_clock rbmap_buffer_clock(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->clock);
}

unsigned long rbmap_buffer_size_kb(const struct rbmap_buffer *buf)
{
	return (unsigned long)buf->nr_slots * (buf->subbuf_size >> 10);
}

unsigned long rbmap_buffer_subbuf_size_kb(const struct rbmap_buffer *buf)
{
	return buf->subbuf_size >> 10;
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
	mutex_lock(&cpu_buf->reader_lock);
	rbmap_cpu_stats(cpu_buf, stats);
	mutex_unlock(&cpu_buf->reader_lock);
	return 0;
}

size_t rbmap_buffer_max_event(const struct rbmap_buffer *buf)
{
	return rbmap_max_event(buf->subbuf_size - RBMAP_SUBBUF_HEADER_SIZE);
}
EXPORT_SYMBOL_GPL(rbmap_buffer_max_event);

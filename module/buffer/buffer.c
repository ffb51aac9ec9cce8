// SPDX-License-Identifier: GPL-2.0-only
/*
 * A buffer: one ring per CPU, allocated when the CPU comes on line, and then kept.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "expire.h"
#include "internal.h"
#include "lib/access.h"
#include "lib/log.h"
#include "resize.h"
#include "wait.h"

#define RBMAP_DEFAULT_PERCENT	50

static enum cpuhp_state rbmap_hotplug_state;
static unsigned long rbmap_retired_size_kb;

/* Protects @missing_cpus, @markers_missing and @any_missing of all buffers. */
static DEFINE_SPINLOCK(rbmap_missing_lock);

/* Protects @offered, @users, @release and @data of all buffers. */
static DEFINE_SPINLOCK(rbmap_users_lock);

/**
 * rbmap_cpu_buffer - get a CPU's part of a buffer, with or without a ring
 * @buf: the buffer
 * @cpu: any number
 *
 * Return: the CPU's part; NULL if the CPU does not exist.
 */
struct rbmap_cpu_buffer *rbmap_cpu_buffer(struct rbmap_buffer *buf, int cpu)
{
	if (cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return NULL;
	return per_cpu_ptr(buf->cpu_buffer, cpu);
}

/**
 * rbmap_cpu_buffer_with_ring - get a CPU's part of a buffer if it has a ring
 * @buf: the buffer
 * @cpu: any number
 *
 * Return: the CPU's part; NULL if the CPU does not exist, was never on line, or had
 * no memory for its ring when it came on line.
 */
struct rbmap_cpu_buffer *rbmap_cpu_buffer_with_ring(struct rbmap_buffer *buf, int cpu)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer(buf, cpu);

	/*
	 * Pairs with the release in rbmap_cpu_buffer_install().
	 * litmus: cpu-ring, replace-new-cpu
	 */
	return cpu_buf && smp_load_acquire(&cpu_buf->current_gen) ? cpu_buf :
								    NULL;
}

static void rbmap_buffer_update_missing(struct rbmap_buffer *buf)
{
	lockdep_assert_held(&rbmap_missing_lock);
	WRITE_ONCE(buf->any_missing, buf->markers_missing || !cpumask_empty(&buf->missing_cpus));
}

/**
 * rbmap_buffer_set_missing - record whether a CPU lacks something for want of memory
 * @buf: the buffer
 * @cpu: a CPU that was on line, or is about to be
 * @missing: whether the CPU lacks its ring, its devices or its directory
 *
 * Context: may sleep.
 */
void rbmap_buffer_set_missing(struct rbmap_buffer *buf, int cpu, bool missing)
{
	spin_lock(&rbmap_missing_lock);
	if (missing)
		cpumask_set_cpu(cpu, &buf->missing_cpus);
	else
		cpumask_clear_cpu(cpu, &buf->missing_cpus);
	rbmap_buffer_update_missing(buf);
	spin_unlock(&rbmap_missing_lock);
}

/**
 * rbmap_buffer_set_markers_missing - record whether the markers are missing
 * @buf: the buffer
 * @missing: whether the buffer lacks its markers for want of memory
 *
 * Context: may sleep.
 */
void rbmap_buffer_set_markers_missing(struct rbmap_buffer *buf, bool missing)
{
	spin_lock(&rbmap_missing_lock);
	WRITE_ONCE(buf->markers_missing, missing);
	rbmap_buffer_update_missing(buf);
	spin_unlock(&rbmap_missing_lock);
}

/**
 * rbmap_buffer_markers_missing - test whether the markers are missing
 * @buf: the buffer
 */
bool rbmap_buffer_markers_missing(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->markers_missing);
}

/**
 * rbmap_buffer_cpu_missing - test whether a CPU lacks something for want of memory
 * @buf: the buffer
 * @cpu: a CPU
 */
bool rbmap_buffer_cpu_missing(const struct rbmap_buffer *buf, int cpu)
{
	return cpumask_test_cpu(cpu, &buf->missing_cpus);
}

/**
 * rbmap_buffer_any_missing - test whether any CPU lacks something for want of memory
 * @buf: the buffer
 */
bool rbmap_buffer_any_missing(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->any_missing);
}

/**
 * rbmap_buffer_has_ring - test whether a CPU has a ring, or gets it at the first use
 * @buf: the buffer
 * @cpu: a CPU
 *
 * Return: true if one of the two holds.  While the rings are allocated, the result may be
 * false for a CPU that has just got its ring.
 */
bool rbmap_buffer_has_ring(struct rbmap_buffer *buf, int cpu)
{
	return cpumask_test_cpu(cpu, &buf->awaiting) || rbmap_cpu_buffer_with_ring(buf, cpu);
}

/**
 * rbmap_buffer_show_missing - list the CPUs that lack something for want of memory
 * @buf: the buffer
 * @page: page of an attribute in sysfs
 *
 * Return: the length of the list.
 */
int rbmap_buffer_show_missing(const struct rbmap_buffer *buf, char *page)
{
	return sysfs_emit(page, "%*pbl\n", cpumask_pr_args(&buf->missing_cpus));
}

/**
 * rbmap_buffer_add_missing - allocate the missing rings if there is memory now
 * @buf: the buffer
 *
 * Context: may sleep.
 */
void rbmap_buffer_add_missing(struct rbmap_buffer *buf)
{
	int cpu;

	if (!READ_ONCE(buf->any_missing))
		return;
	mutex_lock(&buf->lock);
	for_each_possible_cpu(cpu) {
		if (rbmap_buffer_cpu_missing(buf, cpu) && !rbmap_buffer_has_ring(buf, cpu) &&
		    !rbmap_buffer_add_ring(buf, cpu, &buf->sizes))
			rbmap_info("CPU %d has its ring now\n", cpu);
	}
	mutex_unlock(&buf->lock);
}

/**
 * rbmap_buffer_set_retry_work - set the work that allocates all that is missing
 * @buf: a new buffer
 * @retry_work: the work; its owner cancels it before the buffer is freed
 */
void rbmap_buffer_set_retry_work(struct rbmap_buffer *buf,
				 struct work_struct *retry_work)
{
	buf->retry_work = retry_work;
}

/**
 * rbmap_buffer_retry - schedule the allocation of all that is missing
 * @buf: the buffer; the caller has a reference to it or to one of its files
 *
 * Context: any.
 */
void rbmap_buffer_retry(struct rbmap_buffer *buf)
{
	if (unlikely(READ_ONCE(buf->any_missing)))
		schedule_work(buf->retry_work);
}

/*
 * Runs before the CPU does, so that the CPU's first events are recorded.  Without
 * memory the CPU comes up without a ring: the machine needs the CPU more than rbmap
 * does.
 */
static int rbmap_cpu_prepare(unsigned int cpu, struct hlist_node *node)
{
	struct rbmap_buffer *buf = hlist_entry(node, struct rbmap_buffer,
					       hotplug);
	int err;

	if (rbmap_cpu_buffer_with_ring(buf, cpu))
		return 0;
	/* rbmap_buffer_expand() excludes CPU hotplug. */
	if (!buf->expanded) {
		cpumask_set_cpu(cpu, &buf->awaiting);
		return 0;
	}
	err = rbmap_cpu_buffer_add_ring(rbmap_cpu_buffer(buf, cpu), &buf->sizes);
	if (!err)
		return 0;
	buf->error = err;
	rbmap_buffer_set_missing(buf, cpu, true);
	rbmap_err("no memory for the ring of CPU %d: it takes %lu KiB (buffer_size_kb=%lu): choose a smaller buffer_size_kb; until there is a ring, events of this CPU are lost, and counted as `dropped no ring`\n",
		  cpu, rbmap_gen_bytes(&buf->sizes) >> 10,
		  rbmap_sizes_kb(&buf->sizes));
	return 0;
}

/*
 * The CPU has written its last event: wake the readers, which test the ring again.
 */
static int rbmap_cpu_dead(unsigned int cpu, struct hlist_node *node)
{
	struct rbmap_cpu_buffer *cpu_buf =
		rbmap_cpu_buffer_with_ring(hlist_entry(node, struct rbmap_buffer, hotplug),
					   cpu);

	if (cpu_buf)
		rbmap_wake_all(cpu_buf->current_gen);
	return 0;
}

/**
 * rbmap_buffers_init - prepare for the first rbmap_buffer_alloc()
 * @retired_size_kb: limit of retired rings in new buffers, as for
 *	rbmap_buffer_set_retired_size()
 *
 * Return: 0 or a negative error.
 */
int rbmap_buffers_init(unsigned long retired_size_kb)
{
	int state = rbmap_wait_module_init();

	if (state)
		return state;
	state = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN,
					    "rbmap:prepare", rbmap_cpu_prepare,
					    rbmap_cpu_dead);

	if (state < 0) {
		rbmap_wait_module_exit();
		return state;
	}
	rbmap_hotplug_state = state;
	rbmap_retired_size_kb = retired_size_kb;
	return 0;
}

/**
 * rbmap_buffers_exit - clean up after the last rbmap_buffer_free()
 */
void rbmap_buffers_exit(void)
{
	cpuhp_remove_multi_state(rbmap_hotplug_state);
	rbmap_gen_free_settle();
	rbmap_wait_module_exit();
}

static void rbmap_buffer_free_rings(struct rbmap_buffer *buf)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer_with_ring(buf, cpu);

		if (cpu_buf)
			rbmap_cpu_buffer_destroy(cpu_buf);
	}
	free_percpu(buf->cpu_buffer);
	free_percpu(buf->head.ring);
	rbmap_error_log_clear(&buf->errors);
	kfree(buf);
}

/**
 * rbmap_buffer_alloc - allocate a buffer with a ring for each CPU
 * @config: sizes and mode
 * @expand: whether to allocate the rings; else rbmap_buffer_expand() does so
 *
 * Context: may sleep.
 * Return: the buffer, or ERR_PTR: -EINVAL if a size is out of range, -ENOMEM.  The
 * log names the cause and a valid value.
 */
struct rbmap_buffer *
rbmap_buffer_alloc(const struct rbmap_buffer_config *config, bool expand)
{
	struct rbmap_buffer *buf;
	int cpu, err;

	buf = kzalloc(sizeof(*buf), GFP_KERNEL);
	if (!buf)
		return ERR_PTR(-ENOMEM);
	mutex_init(&buf->lock);
	rbmap_error_log_init(&buf->errors);
	buf->expanded = expand;
	buf->mode = config->mode;
	buf->clock = config->clock;
	buf->retired_size_kb = rbmap_retired_size_kb;
	buf->subbuf_size_kb = config->subbuf_size_kb;
	buf->percent = RBMAP_DEFAULT_PERCENT;
	buf->on = true;
	buf->raw = config->raw;
	buf->keeps_addresses = rbmap_addresses_shown();

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
	/* A CPU may come up without a ring.  A new buffer fails instead. */
	if (buf->any_missing) {
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
 * @buf: the buffer, without writers, open files and maps
 *
 * Context: may sleep.
 */
void rbmap_buffer_free(struct rbmap_buffer *buf)
{
	cpuhp_state_remove_instance_nocalls(rbmap_hotplug_state, &buf->hotplug);
	rbmap_buffer_free_rings(buf);
}

/**
 * rbmap_buffer_offer - allow the buffer to be opened
 * @buf: the buffer
 */
void rbmap_buffer_offer(struct rbmap_buffer *buf)
{
	spin_lock(&rbmap_users_lock);
	buf->offered = true;
	spin_unlock(&rbmap_users_lock);
}

/**
 * rbmap_buffer_withdraw - prevent the buffer from being opened, if it has no users
 * @buf: the buffer
 *
 * Return: true if the buffer cannot be opened any more; false if it has users.
 */
bool rbmap_buffer_withdraw(struct rbmap_buffer *buf)
{
	bool unused;

	spin_lock(&rbmap_users_lock);
	unused = !buf->users;
	if (unused)	/* step: withdraw */
		buf->offered = false;
	spin_unlock(&rbmap_users_lock);
	return unused;
}

/**
 * rbmap_buffer_get - get a reference to a buffer that can be opened
 * @buf: the buffer
 *
 * Return: true, or false if the buffer is not offered yet or was withdrawn.
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
 * rbmap_buffer_get_more - get another reference to a buffer
 * @buf: the buffer, to which the caller has a reference
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
 * rbmap_buffer_abandon - have a buffer released with its last reference
 * @buf: the buffer, which has ended and cannot be looked up any more
 * @release: called when the last reference is put, or now if nobody has one
 * @data: argument of @release
 *
 * Context: may sleep, as may the last rbmap_buffer_put().
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
		struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer_with_ring(buf, cpu);

		if (cpu_buf)
			visit(cpu_buf);
	}
}

/*
 * Visit the CPUs without a ring.  The caller holds buf->lock and cpus_read_lock().
 */
static void
rbmap_buffer_visit_without(struct rbmap_buffer *buf,
			   void (*visit)(struct rbmap_cpu_buffer *cpu_buf))
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!rbmap_cpu_buffer_with_ring(buf, cpu))
			visit(rbmap_cpu_buffer(buf, cpu));
	}
}

static void rbmap_visit_on(struct rbmap_cpu_buffer *cpu_buf)
{
	rbmap_ring_set_off(&cpu_buf->current_gen->ring,
			   !rbmap_cpu_buffer_is_on(cpu_buf));
}

static void rbmap_visit_mode(struct rbmap_cpu_buffer *cpu_buf)
{
	WRITE_ONCE(cpu_buf->current_gen->ring.mode, cpu_buf->buffer->mode);
}

static void rbmap_visit_notify(struct rbmap_cpu_buffer *cpu_buf)
{
	rbmap_notify(cpu_buf->current_gen);
}

/* trace_pipe ends when recording stops. */
static void rbmap_buffer_notify_off(struct rbmap_buffer *buf)
{
	rbmap_buffer_visit(buf, rbmap_visit_notify);
}

/**
 * rbmap_buffer_set_on - enable or disable recording
 * @buf: the buffer
 * @on: whether events are recorded
 *
 * Context: may sleep.  An event that was already reserved is still committed after
 * this function returns.
 */
void rbmap_buffer_set_on(struct rbmap_buffer *buf, bool on)
{
	mutex_lock(&buf->lock);
	cpus_read_lock();
	rbmap_buffer_visit_without(buf, rbmap_no_ring_count);
	WRITE_ONCE(buf->on, on);
	rbmap_buffer_visit(buf, rbmap_visit_on);
	if (!on)
		rbmap_buffer_notify_off(buf);
	cpus_read_unlock();
	mutex_unlock(&buf->lock);
}

/**
 * rbmap_buffer_set_cpus - set of which CPUs events are recorded
 * @buf: the buffer
 * @cpus: these CPUs
 *
 * Context: as rbmap_buffer_set_on().
 */
void rbmap_buffer_set_cpus(struct rbmap_buffer *buf, const struct cpumask *cpus)
{
	mutex_lock(&buf->lock);
	cpus_read_lock();
	rbmap_buffer_visit_without(buf, rbmap_no_ring_count);
	cpumask_andnot(&buf->not_traced, cpu_possible_mask, cpus);
	rbmap_buffer_visit(buf, rbmap_visit_on);
	cpus_read_unlock();
	mutex_unlock(&buf->lock);
}

/**
 * rbmap_buffer_cpus - get the CPUs of which events are recorded
 * @buf: the buffer
 * @cpus: set to these CPUs
 *
 * Context: may sleep.
 */
void rbmap_buffer_cpus(struct rbmap_buffer *buf, struct cpumask *cpus)
{
	mutex_lock(&buf->lock);
	cpumask_andnot(cpus, cpu_possible_mask, &buf->not_traced);
	mutex_unlock(&buf->lock);
}

static void rbmap_visit_retire(struct rbmap_cpu_buffer *cpu_buf)
{
	rbmap_gen_retire(cpu_buf->current_gen);
}

/**
 * rbmap_buffer_stop - begin to end a buffer: it records no more events, for good
 * @buf: the buffer, which cannot be opened any more; open files can still read it
 *
 * A writer that found its ring on may still write until the end of a grace period.
 *
 * Context: may sleep.
 */
void rbmap_buffer_stop(struct rbmap_buffer *buf)
{
	spin_lock(&rbmap_users_lock);
	buf->offered = false;
	spin_unlock(&rbmap_users_lock);

	rbmap_buffer_set_on(buf, false);
	mutex_lock(&buf->lock);
	/* From here on no ring is replaced. */
	WRITE_ONCE(buf->gone, true);
	mutex_unlock(&buf->lock);
}

/**
 * rbmap_buffer_end - end a buffer: tell its readers that no event follows
 * @buf: the buffer.  A grace period has passed since rbmap_buffer_stop(), so that each
 *	writer that found its ring on has left the ring
 *
 * Context: may sleep.
 */
void rbmap_buffer_end(struct rbmap_buffer *buf)
{
	rbmap_buffer_visit(buf, rbmap_visit_retire);
}

/**
 * rbmap_buffer_gone - test whether the buffer has ended, so that no event follows
 * @buf: the buffer
 */
bool rbmap_buffer_gone(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->gone);
}

/**
 * rbmap_buffer_errors - the last refusals of writes to the files of a buffer
 * @buf: the buffer, which has the log
 *
 * Context: any.
 */
struct rbmap_error_log *rbmap_buffer_errors(struct rbmap_buffer *buf)
{
	return &buf->errors;
}

/**
 * rbmap_buffer_is_raw - test whether a module defines the payloads itself
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
 * rbmap_buffer_set_mode - set what the writer does when the ring is full
 * @buf: the buffer
 * @mode: overwrite or discard; applies from the next full ring on
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
 * rbmap_buffer_set_percent - set how full a ring must be to wake its readers
 * @buf: the buffer
 * @percent: 0 (each event) to 100
 *
 * Return: 0 or -EINVAL.
 */
int rbmap_buffer_set_percent(struct rbmap_buffer *buf, unsigned int percent)
{
	if (percent > 100)
		return -EINVAL;
	mutex_lock(&buf->lock);
	WRITE_ONCE(buf->percent, percent);
	/* Wake the readers, which test the new watermark. */
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
 * @kb: KiB of each CPU's retired rings that wait for a reader.  Above this limit the
 *	oldest ring is released, and its unread events are lost
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
 * rbmap_clock_available - test whether this machine has a clock
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
 * rbmap_buffer_set_clock - set the clock
 * @buf: the buffer.  Each CPU continues in a new ring, because times of two clocks
 *	cannot be compared.  The old ring can still be read
 * @clock: the clock
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if the machine does not have this clock; or an error of
 * rbmap_buffer_replace().
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
 * rbmap_buffer_reset - discard the unread events and count from 0
 * @buf: the buffer, which may be written concurrently
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
 * rbmap_buffer_stats - get one CPU's counters
 * @buf: the buffer
 * @cpu: the CPU
 * @stats: filled
 *
 * Context: may sleep.
 * Return: 0, or -ENODEV if the CPU does not exist.
 */
int rbmap_buffer_stats(struct rbmap_buffer *buf, int cpu,
		       struct rbmap_buffer_stats *stats)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer(buf, cpu);
	bool without = false;

	if (!cpu_buf)
		return -ENODEV;
	/*
	 * A CPU keeps its ring.  A CPU without one may get one until the locks are
	 * held.
	 */
	if (!rbmap_cpu_buffer_with_ring(buf, cpu)) {
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

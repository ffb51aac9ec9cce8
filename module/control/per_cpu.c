// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/rbmap/per_cpu: the counters, sizes and snapshots of each CPU. */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "buffer/cpu_buffer.h"
#include "control.h"
#include "dir.h"
#include "event/event_set.h"
#include "event/self_cost.h"
#include "files.h"

/* Print nanoseconds as seconds, and the time of a cycle counter unchanged. */
static int rbmap_time_emit(const struct rbmap_buffer *buffer, char *buf,
			   int len, const char *name, u64 time)
{
	u32 rest;

	if (rbmap_buffer_clock(buffer) == RBMAP_CLOCK_X86_TSC)
		return sysfs_emit_at(buf, len, "%s: %llu\n", name, time);
	time = div_u64_rem(time, NSEC_PER_SEC, &rest);
	return sysfs_emit_at(buf, len, "%s: %5llu.%06u\n", name, time,
			     rest / (u32)NSEC_PER_USEC);
}

static ssize_t stats_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_dir_data(kobj);
	const struct rbmap_control *control = rbmap_dir_data(kobj->parent);
	struct rbmap_buffer_stats s;
	u64 missed = 0;
	int err, len;

	if (control->events)
		missed = rbmap_event_set_missed(control->events, cpu_buf->cpu);
	err = rbmap_buffer_stats(cpu_buf->buffer, cpu_buf->cpu, &s);
	if (err)
		return err;

	/* The counters of tracefs, with the same names and in the same order. */
	len = sysfs_emit(buf, "entries: %llu\noverrun: %llu\n", s.unread,
			 s.overrun);
	len += sysfs_emit_at(buf, len, "commit overrun: %llu\n",
			     s.dropped_lapped);
	len += sysfs_emit_at(buf, len, "bytes: %llu\n", s.unread_bytes);
	len += rbmap_time_emit(cpu_buf->buffer, buf, len, "oldest event ts",
			       s.oldest);
	len += rbmap_time_emit(cpu_buf->buffer, buf, len, "now ts", s.now);
	len += sysfs_emit_at(buf, len, "dropped events: %llu\n",
			     s.dropped_full + s.dropped_lapped +
			     s.dropped_nested + s.dropped_too_large +
			     s.dropped_no_ring);
	len += sysfs_emit_at(buf, len, "read events: %llu\n", s.read);
	/* The counters that only rbmap has. */
	len += sysfs_emit_at(buf, len, "emitted: %llu\n", s.entries);
	len += sysfs_emit_at(buf, len, "discarded: %llu\n", s.discarded);
	len += sysfs_emit_at(buf, len, "dropped full: %llu\n", s.dropped_full);
	len += sysfs_emit_at(buf, len, "dropped lapped: %llu\n",
			     s.dropped_lapped);
	len += sysfs_emit_at(buf, len, "dropped nested: %llu\n",
			     s.dropped_nested);
	len += sysfs_emit_at(buf, len, "dropped too large: %llu\n",
			     s.dropped_too_large);
	len += sysfs_emit_at(buf, len, "dropped no ring: %llu\n",
			     s.dropped_no_ring);
	/* Missed events have reached no ring, so the sums above and below lack them. */
	len += sysfs_emit_at(buf, len, "missed: %llu\n", missed);
	len += sysfs_emit_at(buf, len, "disabled: %llu\n", s.disabled);
	len += sysfs_emit_at(buf, len, "excluded: %llu\n", s.excluded);
	len += sysfs_emit_at(buf, len, "expired: %llu\n", s.expired);
	len += sysfs_emit_at(buf, len, "lost events: %llu\n", s.lost);
	len += sysfs_emit_at(buf, len, "lost reported: %llu\n", s.lost_reported);
	len += sysfs_emit_at(buf, len, "subbufs touched: %llu\n",
			     s.subbufs_touched);
	len += sysfs_emit_at(buf, len, "subbufs lost: %llu\n", s.subbufs_lost);
	len += sysfs_emit_at(buf, len, "subbufs moved: %llu\n", s.moved);
	len += sysfs_emit_at(buf, len, "subbufs copied: %llu\n", s.copied);
	len += sysfs_emit_at(buf, len, "slots: %u\n", s.sizes.nr_slots);
	len += sysfs_emit_at(buf, len, "subbuf size: %u\n",
			     s.sizes.subbuf_size);
	len += sysfs_emit_at(buf, len, "generation: %u\n", s.generation);
	len += sysfs_emit_at(buf, len, "snapshot events: %llu\n", s.taken);
	len += sysfs_emit_at(buf, len, "retired rings: %u\n", s.retired_rings);
	len += sysfs_emit_at(buf, len, "retired bytes: %llu\n",
			     s.retired_bytes);
	len += sysfs_emit_at(buf, len, "readers: %u\n", s.readers);
	/* If it is measured, the cost is that of the events of all buffers together. */
	return len + rbmap_self_cost_summary(cpu_buf->cpu, buf, len);
}

static ssize_t self_cost_show(struct kobject *kobj,
			      struct kobj_attribute *attr, char *buf)
{
	const struct rbmap_cpu_buffer *cpu_buf = rbmap_dir_data(kobj);

	return rbmap_self_cost_histogram(cpu_buf->cpu, buf);
}

static ssize_t buffer_size_kb_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_dir_data(kobj);

	return rbmap_control_size_show(cpu_buf->buffer, cpu_buf->cpu, false,
				       buf);
}

static ssize_t buffer_size_kb_store(struct kobject *kobj,
				    struct kobj_attribute *attr,
				    const char *buf, size_t len)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_dir_data(kobj);

	return rbmap_control_size_store(cpu_buf->buffer, cpu_buf->cpu, false,
					attr->attr.name, buf, len);
}

static ssize_t buffer_subbuf_size_kb_show(struct kobject *kobj,
					  struct kobj_attribute *attr,
					  char *buf)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_dir_data(kobj);

	return rbmap_control_size_show(cpu_buf->buffer, cpu_buf->cpu, true,
				       buf);
}

static ssize_t buffer_subbuf_size_kb_store(struct kobject *kobj,
					   struct kobj_attribute *attr,
					   const char *buf, size_t len)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_dir_data(kobj);

	return rbmap_control_size_store(cpu_buf->buffer, cpu_buf->cpu, true,
					attr->attr.name, buf, len);
}

static ssize_t snapshot_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_dir_data(kobj);

	return rbmap_control_snapshot_show(cpu_buf->buffer, cpu_buf->cpu, buf);
}

static ssize_t snapshot_store(struct kobject *kobj,
			      struct kobj_attribute *attr, const char *buf,
			      size_t len)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_dir_data(kobj);

	return rbmap_control_snapshot_store(cpu_buf->buffer, cpu_buf->cpu,
					    attr->attr.name, buf, len);
}

static struct kobj_attribute stats_attr = RBMAP_ATTR_RO(stats);
static struct kobj_attribute buffer_size_kb_attr = RBMAP_ATTR_RW(buffer_size_kb);
static struct kobj_attribute buffer_subbuf_size_kb_attr =
	RBMAP_ATTR_RW(buffer_subbuf_size_kb);
static struct kobj_attribute snapshot_attr = RBMAP_ATTR_RW(snapshot);
static struct kobj_attribute self_cost_attr = RBMAP_ATTR_RO(self_cost);

static struct attribute *rbmap_cpu_attrs[] = {
	&stats_attr.attr,
	&buffer_size_kb_attr.attr,
	&buffer_subbuf_size_kb_attr.attr,
	&snapshot_attr.attr,
	&self_cost_attr.attr,
	NULL
};

static const struct attribute_group rbmap_cpu_group = {
	.attrs = rbmap_cpu_attrs,
};

/**
 * rbmap_control_add_cpu - create per_cpu/cpuN unless it exists
 * @control: files of a buffer
 * @cpu: a CPU that was on line
 *
 * Context: may sleep; one caller at a time.
 * Return: 0 or -ENOMEM.
 */
int rbmap_control_add_cpu(struct rbmap_control *control, int cpu)
{
	struct kobject *dir;
	char name[16];

	if (control->cpu_dir[cpu])
		return 0;
	snprintf(name, sizeof(name), "cpu%d", cpu);
	dir = rbmap_dir_create(name, control->cpus_dir,
			       rbmap_cpu_buffer(control->buffer, cpu),
			       control->buffer);
	if (!dir)
		return -ENOMEM;
	if (rbmap_dir_add_group(dir, &rbmap_cpu_group)) {
		rbmap_dir_remove(dir);
		return -ENOMEM;
	}
	control->cpu_dir[cpu] = dir;
	return 0;
}

/**
 * rbmap_control_cpus_init - create per_cpu, without the directories of CPUs
 * @control: files of a buffer
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rbmap_control_cpus_init(struct rbmap_control *control)
{
	control->cpu_dir = kvcalloc(nr_cpu_ids, sizeof(*control->cpu_dir),
				    GFP_KERNEL);
	if (!control->cpu_dir)
		return -ENOMEM;
	control->cpus_dir = rbmap_dir_create("per_cpu", control->dir, control,
					     control->buffer);
	return control->cpus_dir ? 0 : -ENOMEM;
}

/**
 * rbmap_control_cpus_exit - remove per_cpu
 * @control: files of a buffer
 *
 * Context: sleeps.
 */
void rbmap_control_cpus_exit(struct rbmap_control *control)
{
	unsigned int cpu;

	for (cpu = 0; control->cpu_dir && cpu < nr_cpu_ids; cpu++)
		rbmap_dir_remove(control->cpu_dir[cpu]);
	kvfree(control->cpu_dir);
	control->cpu_dir = NULL;
	rbmap_dir_remove(control->cpus_dir);
	control->cpus_dir = NULL;
}

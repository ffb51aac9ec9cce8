// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/rbmap/per_cpu: what each CPU's ring has written, and lost. */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "control.h"

struct rbmap_cpu_dir {
	struct kobject		*dir;
	struct kobj_attribute	stats;
	struct kobj_attribute	size;
	struct kobj_attribute	subbuf_size;
	struct kobj_attribute	snapshot;
	int			cpu;
};

static DEFINE_MUTEX(rbmap_cpus_lock);
static struct kobject *rbmap_cpus;
static struct rbmap_cpu_dir **rbmap_cpu_dirs;	/* by CPU */
static struct rbmap_buffer *rbmap_cpus_buffer;

/* Nanoseconds as seconds, a counter as it is. */
static int rbmap_now_emit(char *buf, int len, u64 now)
{
	u32 rest;

	if (rbmap_buffer_clock(rbmap_cpus_buffer) == RBMAP_CLOCK_X86_TSC)
		return sysfs_emit_at(buf, len, "now ts: %llu\n", now);
	now = div_u64_rem(now, NSEC_PER_SEC, &rest);
	return sysfs_emit_at(buf, len, "now ts: %5llu.%06u\n", now,
			     rest / (u32)NSEC_PER_USEC);
}

static ssize_t stats_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	struct rbmap_cpu_dir *dir = container_of(attr, struct rbmap_cpu_dir,
						 stats);
	struct rbmap_buffer_stats s;
	int err, len;

	err = rbmap_buffer_stats(rbmap_cpus_buffer, dir->cpu, &s);
	if (err)
		return err;

	len = sysfs_emit(buf, "entries: %llu\noverrun: %llu\nbytes: %llu\n",
			 s.unread, s.overrun, s.unread_bytes);
	len += rbmap_now_emit(buf, len, s.now);
	len += sysfs_emit_at(buf, len, "dropped events: %llu\n",
			     s.dropped_full + s.dropped_lapped +
			     s.dropped_nested + s.dropped_too_large);
	len += sysfs_emit_at(buf, len, "read events: %llu\n", s.read);
	len += sysfs_emit_at(buf, len, "emitted: %llu\n", s.entries);
	len += sysfs_emit_at(buf, len, "dropped full: %llu\n", s.dropped_full);
	len += sysfs_emit_at(buf, len, "dropped lapped: %llu\n",
			     s.dropped_lapped);
	len += sysfs_emit_at(buf, len, "dropped nested: %llu\n",
			     s.dropped_nested);
	len += sysfs_emit_at(buf, len, "dropped too large: %llu\n",
			     s.dropped_too_large);
	len += sysfs_emit_at(buf, len, "disabled: %llu\n", s.disabled);
	len += sysfs_emit_at(buf, len, "lost events: %llu\n", s.lost);
	len += sysfs_emit_at(buf, len, "lost told: %llu\n", s.lost_told);
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
	return len;
}

static ssize_t buffer_size_kb_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	struct rbmap_cpu_dir *dir = container_of(attr, struct rbmap_cpu_dir,
						 size);

	return rbmap_control_size_show(rbmap_cpus_buffer, dir->cpu, false, buf);
}

static ssize_t buffer_size_kb_store(struct kobject *kobj,
				    struct kobj_attribute *attr,
				    const char *buf, size_t len)
{
	struct rbmap_cpu_dir *dir = container_of(attr, struct rbmap_cpu_dir,
						 size);

	return rbmap_control_size_store(rbmap_cpus_buffer, dir->cpu, false,
					attr->attr.name, buf, len);
}

static ssize_t buffer_subbuf_size_kb_show(struct kobject *kobj,
					  struct kobj_attribute *attr,
					  char *buf)
{
	struct rbmap_cpu_dir *dir = container_of(attr, struct rbmap_cpu_dir,
						 subbuf_size);

	return rbmap_control_size_show(rbmap_cpus_buffer, dir->cpu, true, buf);
}

static ssize_t buffer_subbuf_size_kb_store(struct kobject *kobj,
					   struct kobj_attribute *attr,
					   const char *buf, size_t len)
{
	struct rbmap_cpu_dir *dir = container_of(attr, struct rbmap_cpu_dir,
						 subbuf_size);

	return rbmap_control_size_store(rbmap_cpus_buffer, dir->cpu, true,
					attr->attr.name, buf, len);
}

static ssize_t snapshot_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	struct rbmap_cpu_dir *dir = container_of(attr, struct rbmap_cpu_dir,
						 snapshot);

	return rbmap_control_snapshot_show(rbmap_cpus_buffer, dir->cpu, buf);
}

static ssize_t snapshot_store(struct kobject *kobj,
			      struct kobj_attribute *attr, const char *buf,
			      size_t len)
{
	struct rbmap_cpu_dir *dir = container_of(attr, struct rbmap_cpu_dir,
						 snapshot);

	return rbmap_control_snapshot_store(rbmap_cpus_buffer, dir->cpu,
					    attr->attr.name, buf, len);
}

static const struct rbmap_cpu_dir rbmap_cpu_dir_attrs = {
	.stats		= __ATTR_RO(stats),
	.size		= __ATTR_RW(buffer_size_kb),
	.subbuf_size	= __ATTR_RW(buffer_subbuf_size_kb),
	.snapshot	= __ATTR_RW(snapshot),
};

static void rbmap_cpu_dir_remove(struct rbmap_cpu_dir *dir)
{
	rbmap_control_remove(dir->dir);
	kfree(dir);
}

static struct rbmap_cpu_dir *rbmap_cpu_dir_create(int cpu)
{
	struct rbmap_cpu_dir *dir = kmemdup(&rbmap_cpu_dir_attrs, sizeof(*dir),
					    GFP_KERNEL);
	char name[16];

	if (!dir)
		return NULL;
	dir->cpu = cpu;
	sysfs_attr_init(&dir->stats.attr);
	sysfs_attr_init(&dir->size.attr);
	sysfs_attr_init(&dir->subbuf_size.attr);
	sysfs_attr_init(&dir->snapshot.attr);
	snprintf(name, sizeof(name), "cpu%d", cpu);
	dir->dir = kobject_create_and_add(name, rbmap_cpus);
	if (!dir->dir || sysfs_create_file(dir->dir, &dir->stats.attr) ||
	    sysfs_create_file(dir->dir, &dir->size.attr) ||
	    sysfs_create_file(dir->dir, &dir->subbuf_size.attr) ||
	    sysfs_create_file(dir->dir, &dir->snapshot.attr)) {
		rbmap_cpu_dir_remove(dir);
		return NULL;
	}
	return dir;
}

/**
 * rbmap_control_add_cpu - make per_cpu/cpuN, if it is not there
 * @cpu: a CPU that has a ring
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rbmap_control_add_cpu(int cpu)
{
	int err = 0;

	mutex_lock(&rbmap_cpus_lock);
	if (!rbmap_cpu_dirs[cpu]) {
		rbmap_cpu_dirs[cpu] = rbmap_cpu_dir_create(cpu);
		if (!rbmap_cpu_dirs[cpu])
			err = -ENOMEM;
	}
	mutex_unlock(&rbmap_cpus_lock);
	return err;
}

/**
 * rbmap_control_cpus_init - make per_cpu
 * @root: /sys/kernel/rbmap
 * @buf: what is shown
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM; then all is undone.
 */
int rbmap_control_cpus_init(struct kobject *root, struct rbmap_buffer *buf)
{
	struct rbmap_buffer_stats stats;
	int cpu, err = 0;

	rbmap_cpus_buffer = buf;
	rbmap_cpu_dirs = kcalloc(nr_cpu_ids, sizeof(*rbmap_cpu_dirs),
				 GFP_KERNEL);
	if (!rbmap_cpu_dirs)
		return -ENOMEM;
	rbmap_cpus = kobject_create_and_add("per_cpu", root);
	if (!rbmap_cpus) {
		kfree(rbmap_cpu_dirs);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		if (!err && !rbmap_buffer_stats(buf, cpu, &stats))
			err = rbmap_control_add_cpu(cpu);
	}
	if (err)
		rbmap_control_cpus_exit();
	return err;
}

/**
 * rbmap_control_cpus_exit - remove per_cpu
 *
 * No rbmap_control_add_cpu() may come any more.
 *
 * Context: sleeps.
 */
void rbmap_control_cpus_exit(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (rbmap_cpu_dirs[cpu])
			rbmap_cpu_dir_remove(rbmap_cpu_dirs[cpu]);
	}
	rbmap_control_remove(rbmap_cpus);
	kfree(rbmap_cpu_dirs);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits a tracepoint N times, with any probes that are registered there:
 *
 *	echo N TRACEPOINT >/sys/kernel/debug/bench/event
 *	cat ...			TRACEPOINT N NANOSECONDS
 *
 * The module's own tracepoints are hit as kernel code hits one.  A module cannot hit
 * the kernel's tracepoints: it calls their probes as the tracepoint would.
 */
#include <asm/syscall.h>
#include <linux/debugfs.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/skbuff.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "bench.h"

#define CREATE_TRACE_POINTS
#include "bench_trace.h"

typedef void (*probe_func)(void *data, unsigned long a, unsigned long b,
			   unsigned long c, unsigned long d);

#define MAX_PROBES	4

/* The probes of a tracepoint of the kernel, and the arguments to call them with. */
struct hit {
	const char		*name;
	struct tracepoint_func	probe[MAX_PROBES];
	int			nr_probes;
	unsigned long		arg[4];
};

static struct {
	char	name[32];
	u32	n;
	u64	ns;
} last;
static DEFINE_MUTEX(lock);
static struct irqaction action = { .name = "bench" };

/* The objects of the kernel's events */
static struct page *page;
static struct sk_buff *skb;
static struct socket *sock;

static __always_inline void hit_ours(size_t size)
{
	trace_bench_hit(1, 2);
}
BENCH_WAY(ours, 0, hit_ours)

#define hit_payload(size)	trace_bench_##size(bench_payload)
BENCH_SIZES(payload, hit_payload)

static const struct bench_way payload_ways[] = { BENCH_ENTRIES(payload) };

/* Find the way that hits the tracepoint "bench_SIZE". */
static const struct bench_way *find_payload(const char *name)
{
	u32 size;
	int i;

	if (sscanf(name, "bench_%u", &size) != 1)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(payload_ways); i++) {
		if (payload_ways[i].size == size)
			return &payload_ways[i];
	}
	return NULL;
}

/* The arguments of tracepoints that have numbers alone */
static const struct {
	const char	*name;
	unsigned long	arg[3];
} of_numbers[] = {
	{ "softirq_entry", { 1 } },
	{ "local_timer_entry", { 0xec } },
	{ "ipi_send_cpu", { 0, 0x1000, 0x2000 } },
	{ "kfree", { 0x1000, 0x2000 } },
};

static void set_arguments(struct hit *hit)
{
	const char *name = hit->name;
	int i;

	for (i = 0; i < ARRAY_SIZE(of_numbers); i++) {
		if (!strcmp(name, of_numbers[i].name))
			memcpy(hit->arg, of_numbers[i].arg, sizeof(of_numbers[i].arg));
	}
	if (!strcmp(name, "sched_switch")) {
		hit->arg[1] = (unsigned long)current;
		hit->arg[2] = (unsigned long)current;
	} else if (!strcmp(name, "sched_waking")) {
		hit->arg[0] = (unsigned long)current;
	} else if (!strcmp(name, "sched_stat_runtime")) {
		hit->arg[0] = (unsigned long)current;
		hit->arg[1] = 1000;
	} else if (!strcmp(name, "sys_enter")) {
		hit->arg[0] = (unsigned long)task_pt_regs(current);
		hit->arg[1] = 1;
	} else if (!strcmp(name, "irq_handler_entry")) {
		hit->arg[0] = 1;
		hit->arg[1] = (unsigned long)&action;
	} else if (!strcmp(name, "mm_page_alloc")) {
		hit->arg[0] = (unsigned long)page;
		hit->arg[2] = (__force unsigned long)GFP_KERNEL;
	} else if (!strcmp(name, "mm_filemap_add_to_page_cache")) {
		hit->arg[0] = (unsigned long)page;
	} else if (!strcmp(name, "consume_skb")) {
		hit->arg[0] = (unsigned long)skb;
	} else if (!strcmp(name, "inet_sock_set_state")) {
		hit->arg[0] = (unsigned long)sock->sk;
		hit->arg[1] = TCP_SYN_SENT;
		hit->arg[2] = TCP_ESTABLISHED;
	}
}

static void find_probes(struct tracepoint *tp, void *data)
{
	struct tracepoint_func *funcs;
	struct hit *hit = data;

	if (strcmp(tp->name, hit->name))
		return;
	rcu_read_lock_sched();
	funcs = rcu_dereference_sched(tp->funcs);
	for (; funcs && funcs->func && hit->nr_probes < MAX_PROBES; funcs++)
		hit->probe[hit->nr_probes++] = *funcs;
	rcu_read_unlock_sched();
}

/* No probe is removed meanwhile: the script that enabled it waits for this write. */
static int hit_kernels(const char *name, u32 n, u64 *ns)
{
	struct hit hit = { .name = name };
	unsigned long flags;
	u64 begin;
	int i;

	for_each_kernel_tracepoint(find_probes, &hit);
	if (!hit.nr_probes)
		return -ESRCH;
	set_arguments(&hit);
	/* The tracepoint disables preemption, too. */
	preempt_disable();
	local_irq_save(flags);
	begin = ktime_get_ns();
	for (; n; n--)
		for (i = 0; i < hit.nr_probes; i++)
			((probe_func)hit.probe[i].func)(hit.probe[i].data,
				hit.arg[0], hit.arg[1], hit.arg[2], hit.arg[3]);
	*ns = ktime_get_ns() - begin;
	local_irq_restore(flags);
	preempt_enable();
	return 0;
}

/*
 * Measure twice and keep the second time: the first fills the caches with the ring's
 * memory.  cond_resched(), because a task that must reschedule has unusual flags.
 */
static int hit(const char *name, u32 n)
{
	const struct bench_way *payload = find_payload(name);
	u64 ns = 0;
	int i, err = 0;

	for (i = 0; !err && i < 2; i++) {
		cond_resched();
		if (!strcmp(name, "bench_hit"))
			ns = ours_0(n);
		else if (payload)
			ns = payload->run(n);
		else
			err = hit_kernels(name, n, &ns);
	}
	last.n = n;
	last.ns = ns;
	strscpy(last.name, name, sizeof(last.name));
	return err;
}

static ssize_t event_write(struct file *file, const char __user *text,
			   size_t len, loff_t *pos)
{
	char line[64] = "", name[32];
	int err;
	u32 n;

	if (len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, text, len))
		return -EFAULT;
	if (sscanf(line, "%u %31s", &n, name) != 2)
		return -EINVAL;
	mutex_lock(&lock);
	/* Events of the page cache look at the file of a page. */
	page->mapping = file->f_mapping;
	err = hit(name, n);
	page->mapping = NULL;
	mutex_unlock(&lock);
	return err ?: len;
}

static int event_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&lock);
	seq_printf(seq, "%s %u %llu\n", last.name, last.n, last.ns);
	mutex_unlock(&lock);
	return 0;
}

static int event_open(struct inode *inode, struct file *file)
{
	return single_open(file, event_show, NULL);
}

static const struct file_operations event_fops = {
	.owner		= THIS_MODULE,
	.open		= event_open,
	.read		= seq_read,
	.write		= event_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* Without a network nobody hits its events. */
static bool make_network(void)
{
#ifdef CONFIG_INET
	skb = alloc_skb(64, GFP_KERNEL);
	return skb && !sock_create_kern(&init_net, PF_INET, SOCK_STREAM, IPPROTO_TCP, &sock);
#else
	return true;
#endif
}

static void free_network(void)
{
#ifdef CONFIG_INET
	if (sock)
		sock_release(sock);
	kfree_skb(skb);
#endif
}

int bench_event_init(struct dentry *dir)
{
	page = alloc_page(GFP_KERNEL);
	if (!page || !make_network()) {
		bench_event_exit();
		return -ENOMEM;
	}
	debugfs_create_file("event", 0600, dir, NULL, &event_fops);
	return 0;
}

void bench_event_exit(void)
{
	free_network();
	if (page)
		__free_page(page);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults that take long, for those who search for them:
 *
 *	echo N >/sys/module/slow/parameters/irq_ms	an interrupt whose handler runs N ms
 *	echo N >/sys/module/slow/parameters/hold_ms	keep a mutex, and the CPU for N ms as soon
 *							as a task waits for it
 *	echo N >/sys/module/slow/parameters/irqs_off_ms	run N ms without interrupts
 *	echo N >/sys/module/slow/parameters/hrtimer_ms	an hrtimer whose handler runs N ms
 *	echo N >/sys/module/slow/parameters/work_ms	a work item that runs N ms; it is not waited for
 *	echo N >/sys/module/slow/parameters/net_ms	a packet that the softirq NET_RX has N ms
 *	echo 0 >/sys/module/slow/parameters/flush_work	wait for such work, and for one behind it
 *
 * The mutex is the one of this module's parameters: a task that writes to one meanwhile waits.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/if_ether.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/sched/clock.h>
#include <linux/skbuff.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

#define SLOW_MOST_MS	1000
#define SLOW_WAIT_MS	20000	/* for a task that waits for the mutex */

static int slow_irq;
static unsigned int slow_irq_ms;

/*
 * By the clock of recordings: mdelay() is too short if its loop was calibrated while the
 * machine was busy.
 */
static void slow_spin(unsigned int ms)
{
	u64 end = local_clock() + (u64)ms * NSEC_PER_MSEC;

	while (local_clock() < end)
		cpu_relax();
}

static irqreturn_t slow_handler(int irq, void *data)
{
	slow_spin(slow_irq_ms);
	return IRQ_HANDLED;
}

static int slow_number(const char *text, unsigned int *ms)
{
	int err = kstrtouint(text, 0, ms);

	return err ? err : *ms > SLOW_MOST_MS ? -EINVAL : 0;
}

static int slow_set_irq(const char *text, const struct kernel_param *param)
{
	unsigned long flags;
	int err = slow_number(text, &slow_irq_ms);

	if (err || slow_irq <= 0)
		return err ? err : -EBUSY;
	local_irq_save(flags);
	generic_handle_irq(slow_irq);
	local_irq_restore(flags);
	return 0;
}

static bool slow_has_waiter(void)
{
	struct mutex *lock = &THIS_MODULE->param_lock;

#ifdef CONFIG_PREEMPT_RT
	return READ_ONCE(lock->rtmutex.waiters.rb_root.rb_node);
#else
	/* The lowest bit of the owner is MUTEX_FLAG_WAITERS of kernel/locking/mutex.h. */
	return atomic_long_read(&lock->owner) & 1;
#endif
}

static int slow_set_hold(const char *text, const struct kernel_param *param)
{
	u64 end = local_clock() + (u64)SLOW_WAIT_MS * NSEC_PER_MSEC;
	unsigned int ms;
	int err = slow_number(text, &ms);

	if (err || !ms)
		return err;
	/*
	 * However busy the machine is, somebody waits for all of the N ms. Sleep meanwhile: a
	 * task that sees the owner run may spin and not sleep.
	 */
	while (!slow_has_waiter()) {
		if (local_clock() > end)
			return -ETIMEDOUT;
		msleep(1);
	}
	slow_spin(ms);
	return 0;
}

static int slow_set_irqs_off(const char *text, const struct kernel_param *param)
{
	unsigned long flags;
	unsigned int ms;
	int err = slow_number(text, &ms);

	if (err)
		return err;
	local_irq_save(flags);
	slow_spin(ms);
	local_irq_restore(flags);
	return 0;
}

/* ---- an hrtimer */
static struct hrtimer slow_hrtimer;
static unsigned int slow_hrtimer_ms;

static enum hrtimer_restart slow_timer(struct hrtimer *timer)
{
	slow_spin(slow_hrtimer_ms);
	return HRTIMER_NORESTART;
}

static int slow_set_hrtimer(const char *text, const struct kernel_param *param)
{
	int err = slow_number(text, &slow_hrtimer_ms);

	if (!err)
		hrtimer_start(&slow_hrtimer, ms_to_ktime(5), HRTIMER_MODE_REL_PINNED_HARD);
	return err;
}

static void slow_init_hrtimer(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&slow_hrtimer, slow_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(&slow_hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	slow_hrtimer.function = slow_timer;
#endif
}

/* ---- work items, one behind the other */
static struct workqueue_struct *slow_queue;
static unsigned int slow_work_ms;

static void slow_work(struct work_struct *work)
{
	slow_spin(slow_work_ms);
}

static void slow_quick_work(struct work_struct *work)
{
}

static DECLARE_WORK(slow_item, slow_work);
static DECLARE_WORK(slow_quick_item, slow_quick_work);

static int slow_set_work(const char *text, const struct kernel_param *param)
{
	int err = slow_number(text, &slow_work_ms);

	if (!err)
		queue_work(slow_queue, &slow_item);
	return err;
}

static int slow_set_flush(const char *text, const struct kernel_param *param)
{
	queue_work(slow_queue, &slow_quick_item);
	flush_work(&slow_quick_item);
	return 0;
}

/* ---- a packet of an experimental protocol on the loopback device */
static unsigned int slow_net_ms;

static int slow_receive(struct sk_buff *skb, struct net_device *dev, struct packet_type *type,
			struct net_device *orig_dev)
{
	slow_spin(slow_net_ms);
	kfree_skb(skb);
	return NET_RX_SUCCESS;
}

static struct packet_type slow_packets __read_mostly = {
	.type = cpu_to_be16(ETH_P_802_EX1),
	.func = slow_receive,
};

static int slow_set_net(const char *text, const struct kernel_param *param)
{
	int err = slow_number(text, &slow_net_ms);
	struct sk_buff *skb;

	if (err)
		return err;
	rtnl_lock();
	err = dev_open(init_net.loopback_dev, NULL);
	rtnl_unlock();
	skb = err ? NULL : alloc_skb(ETH_ZLEN, GFP_KERNEL);
	if (!skb)
		return err ? err : -ENOMEM;
	skb_put_zero(skb, ETH_ZLEN);
	skb->dev = init_net.loopback_dev;
	skb->protocol = cpu_to_be16(ETH_P_802_EX1);
	/* The softirq runs when this CPU enables it. */
	local_bh_disable();
	netif_rx(skb);
	local_bh_enable();
	return 0;
}

static const struct kernel_param_ops slow_irq_ops = { .set = slow_set_irq };
module_param_cb(irq_ms, &slow_irq_ops, NULL, 0200);
MODULE_PARM_DESC(irq_ms, "milliseconds that the handler of an interrupt runs now");

static const struct kernel_param_ops slow_hold_ops = { .set = slow_set_hold };
module_param_cb(hold_ms, &slow_hold_ops, NULL, 0200);
MODULE_PARM_DESC(hold_ms, "milliseconds to keep the mutex and the CPU when a task waits for it");

static const struct kernel_param_ops slow_irqs_off_ops = { .set = slow_set_irqs_off };
module_param_cb(irqs_off_ms, &slow_irqs_off_ops, NULL, 0200);
MODULE_PARM_DESC(irqs_off_ms, "milliseconds to run without interrupts now");

static const struct kernel_param_ops slow_hrtimer_ops = { .set = slow_set_hrtimer };
module_param_cb(hrtimer_ms, &slow_hrtimer_ops, NULL, 0200);
MODULE_PARM_DESC(hrtimer_ms, "milliseconds that the handler of an hrtimer runs in 5 ms");

static const struct kernel_param_ops slow_work_ops = { .set = slow_set_work };
module_param_cb(work_ms, &slow_work_ops, NULL, 0200);
MODULE_PARM_DESC(work_ms, "milliseconds that a work item runs now");

static const struct kernel_param_ops slow_flush_ops = { .set = slow_set_flush };
module_param_cb(flush_work, &slow_flush_ops, NULL, 0200);
MODULE_PARM_DESC(flush_work, "wait for a work item behind that of work_ms");

static const struct kernel_param_ops slow_net_ops = { .set = slow_set_net };
module_param_cb(net_ms, &slow_net_ops, NULL, 0200);
MODULE_PARM_DESC(net_ms, "milliseconds that a softirq has a packet now");

static int __init slow_init(void)
{
	/* Without an owner, whose handlers would keep it loaded. */
	int irq = __irq_alloc_descs(-1, 1, 1, NUMA_NO_NODE, NULL, NULL), err;

	if (irq < 0)
		return irq;
	slow_queue = alloc_ordered_workqueue("slow", 0);
	if (!slow_queue) {
		irq_free_desc(irq);
		return -ENOMEM;
	}
	slow_init_hrtimer();
	irq_set_chip_and_handler(irq, &dummy_irq_chip, handle_simple_irq);
	irq_clear_status_flags(irq, IRQ_NOREQUEST);
	/* IRQF_NO_THREAD: with PREEMPT_RT, a thread would run it. */
	err = request_irq(irq, slow_handler, IRQF_NO_THREAD, "slow", NULL);
	if (err) {
		destroy_workqueue(slow_queue);
		irq_free_desc(irq);
		return err;
	}
	slow_irq = irq;
	dev_add_pack(&slow_packets);
	return 0;
}

static void __exit slow_exit(void)
{
	dev_remove_pack(&slow_packets);
	hrtimer_cancel(&slow_hrtimer);
	destroy_workqueue(slow_queue);
	free_irq(slow_irq, NULL);
	irq_free_desc(slow_irq);
}

module_init(slow_init);
module_exit(slow_exit);
MODULE_DESCRIPTION("Faults that take long, to search for");
MODULE_LICENSE("GPL");

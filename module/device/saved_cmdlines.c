// SPDX-License-Identifier: GPL-2.0-only
/*
 * saved_cmdlines: the number and the name of each thread, as tracefs' file of this name.
 * A device, because each open must give one consistent text, however long.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "buffer/buffer.h"
#include "chrdev.h"
#include "saved_cmdlines.h"

/* The file shows the threads of all users. */
#define RBMAP_CMDLINES_MODE	0400

static struct rbmap_chrdev rbmap_cmdlines_chrdev;

static void rbmap_cmdlines_show_thread(struct seq_file *m, const struct task_struct *thread)
{
	char name[TASK_COMM_LEN];

	/* A name that changes meanwhile still ends with a 0 byte. */
	strscpy(name, thread->comm, sizeof(name));
	seq_printf(m, "%d ", thread->pid);
	seq_escape(m, name, "\n");
	seq_putc(m, '\n');
}

/*
 * The numbers are those of the initial PID namespace, as in events. A thread that ends
 * meanwhile is not freed.
 *
 * litmus: thread-name
 */
static int rbmap_cmdlines_show(struct seq_file *m, void *unused)
{
	struct task_struct *process, *thread;

	rcu_read_lock();
	/*
	 * for_each_thread() would name tasklist_lock on kernels with lockdep, and that
	 * lock is not exported.
	 */
	for_each_process(process)
		list_for_each_entry_rcu(thread, &process->signal->thread_head, thread_node)
			rbmap_cmdlines_show_thread(m, thread);
	rcu_read_unlock();
	return 0;
}

static int rbmap_cmdlines_open(struct inode *inode, struct file *file)
{
	struct rbmap_buffer *buf = file->private_data;

	/* single_open() expects the member to be unused. */
	file->private_data = NULL;
	return single_open(file, rbmap_cmdlines_show, buf);
}

static int rbmap_cmdlines_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct rbmap_buffer *buf = m->private;

	single_release(inode, file);
	rbmap_buffer_put(buf);
	return 0;
}

static const struct file_operations rbmap_cmdlines_fops = {
	.owner		= THIS_MODULE,
	.open		= rbmap_cmdlines_open,
	.release	= rbmap_cmdlines_release,
	.read		= seq_read,
	.llseek		= seq_lseek,
};

/**
 * rbmap_cmdlines_init - create the device
 * @buf: the default buffer, which exists
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_cmdlines_init(struct rbmap_buffer *buf)
{
	rbmap_cmdlines_chrdev = (struct rbmap_chrdev) {
		.fops	= &rbmap_cmdlines_fops,
		.mode	= RBMAP_CMDLINES_MODE,
		.buffer	= buf,
		.data	= buf,
	};
	return rbmap_chrdev_create(&rbmap_cmdlines_chrdev, "", "saved_cmdlines");
}

/**
 * rbmap_cmdlines_exit - remove the device, which nobody has open
 *
 * Context: may sleep.
 */
void rbmap_cmdlines_exit(void)
{
	rbmap_chrdev_destroy(&rbmap_cmdlines_chrdev);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * saved_cmdlines: the number and the name of each thread, as tracefs' file of this name.
 * A device, because the text is longer than a page. A thread that exists from the first read
 * to the last one is in the text once.
 */
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "buffer/buffer.h"
#include "chrdev.h"
#include "files.h"

/* The file shows the threads of all users. */
#define RBMAP_CMDLINES_MODE	0400

static struct rbmap_chrdev rbmap_cmdlines_chrdev;

/**
 * struct rbmap_cmdlines - an open file
 * @buf: the default buffer
 * @number: the number of the thread to print
 * @name: its name
 */
struct rbmap_cmdlines {
	struct rbmap_buffer *buf;
	int number;
	char name[TASK_COMM_LEN];
};

enum rbmap_cmdlines_look { RBMAP_CMDLINES_END, RBMAP_CMDLINES_THREAD, RBMAP_CMDLINES_NO_THREAD };

/*
 * Look up the first number from @from on, which may be that of a process group without its
 * first process. The numbers are those of the initial PID namespace, as in events. A thread
 * that ends meanwhile is not freed.
 *
 * Each number has an RCU section of its own: no section is longer if there are more threads.
 * litmus: thread-name
 */
static enum rbmap_cmdlines_look rbmap_cmdlines_look_up(struct rbmap_cmdlines *line, int from)
{
	enum rbmap_cmdlines_look found = RBMAP_CMDLINES_END;
	const struct task_struct *thread = NULL;
	struct pid *pid;

	rcu_read_lock();
	/* find_ge_pid() is not exported by all kernels. */
	pid = idr_get_next(&init_pid_ns.idr, &from);
	if (pid) {
		line->number = pid_nr(pid);
		thread = pid_task(pid, PIDTYPE_PID);
		found = thread ? RBMAP_CMDLINES_THREAD : RBMAP_CMDLINES_NO_THREAD;
	}
	/* A name that changes meanwhile still ends with a 0 byte. */
	if (thread)
		strscpy(line->name, thread->comm, sizeof(line->name));
	rcu_read_unlock();
	return found;
}

/* Return the first thread whose number is *pos or more, or NULL. */
static void *rbmap_cmdlines_start(struct seq_file *m, loff_t *pos)
{
	struct rbmap_cmdlines *line = m->private;
	enum rbmap_cmdlines_look found;

	for (;;) {
		found = rbmap_cmdlines_look_up(line, *pos);
		if (found == RBMAP_CMDLINES_END)
			return NULL;
		*pos = line->number;
		if (found == RBMAP_CMDLINES_THREAD)
			return line;
		++*pos;
		cond_resched();
	}
}

static void *rbmap_cmdlines_next(struct seq_file *m, void *line, loff_t *pos)
{
	cond_resched();
	++*pos;
	return rbmap_cmdlines_start(m, pos);
}

static void rbmap_cmdlines_stop(struct seq_file *m, void *line)
{
}

static int rbmap_cmdlines_show(struct seq_file *m, void *shown)
{
	const struct rbmap_cmdlines *line = shown;

	seq_printf(m, "%d ", line->number);
	seq_escape(m, line->name, "\n");
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations rbmap_cmdlines_ops = {
	.start	= rbmap_cmdlines_start,
	.next	= rbmap_cmdlines_next,
	.stop	= rbmap_cmdlines_stop,
	.show	= rbmap_cmdlines_show,
};

static int rbmap_cmdlines_open(struct inode *inode, struct file *file)
{
	struct rbmap_buffer *buf = file->private_data;
	struct rbmap_cmdlines *line;

	/* The function expects the member to be unused. */
	file->private_data = NULL;
	line = __seq_open_private(file, &rbmap_cmdlines_ops, sizeof(*line));
	if (!line)
		return -ENOMEM;
	line->buf = buf;
	return 0;
}

static int rbmap_cmdlines_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct rbmap_cmdlines *line = m->private;
	struct rbmap_buffer *buf = line->buf;

	seq_release_private(inode, file);
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

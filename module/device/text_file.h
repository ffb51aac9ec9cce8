/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An open trace, trace_pipe or text of a snapshot: the rings that it reads, and the text that
 * is printed from them.
 */
#ifndef RBMAP_TEXT_FILE_H
#define RBMAP_TEXT_FILE_H

#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "buffer/walk.h"

struct file;
struct inode;
struct rbmap_buffer;
struct rbmap_file;
struct rbmap_gen;
struct rbmap_printer;

/* A read() prints at most this much, and the line that goes beyond it. */
#define RBMAP_TEXT_READ		PAGE_SIZE

enum rbmap_text_kind {
	RBMAP_TEXT_TRACE,
	RBMAP_TEXT_PIPE,
	RBMAP_TEXT_SNAPSHOT,
};

/**
 * struct rbmap_text_cpu - a CPU of an open file
 * @cpu: the CPU
 * @file: the file's part in readers of the CPU's rings; NULL if the file is trace, or as long
 *	as the CPU has no ring or no snapshot
 * @walk: place in the CPU's events
 * @gen: the ring that is read, with a reference, while a call lasts; or NULL
 * @found: whether @walk has found an item
 * @started: whether an event of the CPU was printed
 * @entry: entry in the CPU's wait queue, while the file waits
 */
struct rbmap_text_cpu {
	int			cpu;
	struct rbmap_file	*file;
	struct rbmap_walk	walk;
	struct rbmap_gen	*gen;
	bool			found;
	bool			started;
	wait_queue_entry_t	entry;
};

/**
 * struct rbmap_text_file - an open trace, trace_pipe or text of a snapshot
 * @buffer: the buffer
 * @only: the CPU of the file, or RBMAP_ALL_CPUS
 * @kind: which of them
 * @lock: serializes read()
 * @begun: whether trace has begun to print
 * @annotates: whether trace names a CPU at its first event
 * @events: number of events that were printed
 * @printer: prints records
 * @text: printed text
 * @len: bytes of @text
 * @at: bytes of it that were read
 * @pos: offset of the text behind these bytes, if the file is trace or a snapshot
 * @nr: number of elements of @cpus
 * @cpus: possible CPUs, or the CPU of the file
 */
struct rbmap_text_file {
	struct rbmap_buffer	*buffer;
	int			only;
	enum rbmap_text_kind	kind;
	struct mutex		lock;
	bool			begun;
	bool			annotates;
	u64			events;
	struct rbmap_printer	*printer;
	char			*text;
	size_t			len;
	size_t			at;
	loff_t			pos;
	unsigned int		nr;
	struct rbmap_text_cpu	cpus[];
};

#define for_each_text_cpu(_tc, _file)					\
	for ((_tc) = (_file)->cpus; (_tc) < (_file)->cpus + (_file)->nr; (_tc)++)

/*
 * Open a file of one CPU, or of RBMAP_ALL_CPUS.  The caller has a reference to the buffer, which
 * rbmap_text_release() puts.  Return 0 or -ENOMEM.
 */
int rbmap_text_open(struct file *file, struct rbmap_buffer *buf, int only,
		    enum rbmap_text_kind kind);
int rbmap_text_release(struct inode *inode, struct file *file);

/* Become a reader of each CPU that has a ring.  Return 0 or -ENOMEM. */
int rbmap_text_add_files(struct rbmap_text_file *file);

/* Get a reference to the ring of each CPU, and put it. */
void rbmap_text_get_rings(struct rbmap_text_file *file);
void rbmap_text_put_rings(struct rbmap_text_file *file);

/* Add the line that the printer has. */
void rbmap_text_add_line(struct rbmap_text_file *file);
/* Print what can be read now. */
int rbmap_text_fill(struct rbmap_text_file *file, size_t count);
/* Return whether there is text that was not read. */
bool rbmap_text_has(struct rbmap_text_file *file);
/* Copy text to the process.  Return the number of bytes, or -EFAULT. */
ssize_t rbmap_text_copy(struct rbmap_text_file *file, char __user *to, size_t count);

#endif /* RBMAP_TEXT_FILE_H */

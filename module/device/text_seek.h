/* SPDX-License-Identifier: GPL-2.0-only */
/* lseek() of files that print text, as in tracefs. */
#ifndef RBMAP_TEXT_SEEK_H
#define RBMAP_TEXT_SEEK_H

#include <linux/fs.h>

/*
 * A read() looks at the offset.  A text has no end before it is printed.  Programs that append
 * go to the end of a file before they write: there, all offsets are the beginning.
 */
static inline loff_t rbmap_text_llseek(struct file *file, loff_t offset, int whence)
{
	if (file->f_mode & FMODE_READ)
		return no_seek_end_llseek(file, offset, whence);
	file->f_pos = 0;
	return 0;
}

#endif /* RBMAP_TEXT_SEEK_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dirty pages and inodes.  The records of other events name a control group, by a function
 * that fs/fs-writeback.c alone has.
 */
#include <linux/backing-dev.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/writeback.h>
#include <trace/events/writeback.h>

#define RBMAP_WITHOUT_CLASS_wbc_class			1
#define RBMAP_WITHOUT_CLASS_writeback_class		1
#define RBMAP_WITHOUT_CLASS_writeback_single_inode_template	1
#define RBMAP_WITHOUT_CLASS_writeback_work_class	1
#define RBMAP_WITHOUT_CLASS_writeback_write_inode_template	1

#define RBMAP_PROBE_SET		writeback
#define RBMAP_TRACE_HEADER	"trace/events/writeback.h"
#define RBMAP_PROBES(event)		\
	event(writeback_dirty_page)		\
	event(writeback_dirty_folio)		\
	event(wait_on_page_writeback)		\
	event(folio_wait_writeback)		\
	event(writeback_mark_inode_dirty)		\
	event(writeback_dirty_inode_start)		\
	event(writeback_dirty_inode)		\
	event(writeback_dirty_inode_enqueue)		\
	event(sb_mark_inode_writeback)		\
	event(sb_clear_inode_writeback)

#include "generate.h"

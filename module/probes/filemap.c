// SPDX-License-Identifier: GPL-2.0-only
/* Pages that enter and leave the page cache. */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <trace/events/filemap.h>

#define RBMAP_PROBE_SET		filemap
#define RBMAP_TRACE_HEADER	"trace/events/filemap.h"
#define RBMAP_PROBES(event)		\
	event(mm_filemap_add_to_page_cache)		\
	event(mm_filemap_delete_from_page_cache)

#include "generate.h"

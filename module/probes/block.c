// SPDX-License-Identifier: GPL-2.0-only
/* Requests to block devices. */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/blktrace_api.h>
#include <trace/events/block.h>

/* The headers are there, what they call is not: compat/probe.sh hears of it. */
#if !IS_ENABLED(CONFIG_BLOCK) && \
	(defined(RBMAP_FITS_block_rq_insert) || defined(RBMAP_FITS_block_rq_issue) || \
	 defined(RBMAP_FITS_block_rq_complete) || defined(RBMAP_FITS_block_rq_requeue))
#error this kernel has no block layer
#endif

#define RBMAP_PROBE_SET		block
#define RBMAP_TRACE_HEADER	"trace/events/block.h"
#define RBMAP_PROBES(event)		\
	event(block_rq_insert)		\
	event(block_rq_issue)		\
	event(block_rq_requeue)		\
	event(block_rq_complete)

#include "generate.h"

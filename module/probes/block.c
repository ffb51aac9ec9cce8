// SPDX-License-Identifier: GPL-2.0-only
/* Requests to block devices. */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/blktrace_api.h>
#include <trace/events/block.h>

#define RBMAP_PROBE_SET		block
#define RBMAP_TRACE_HEADER	<trace/events/block.h>
#define RBMAP_PROBES(event)		\
	event(block_rq_issue)		\
	event(block_rq_complete)

#include "generate.h"

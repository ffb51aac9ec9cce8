// SPDX-License-Identifier: GPL-2.0-only
/* Memory: pages and what is cut from them. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <trace/events/kmem.h>

/* Integers with addresses of the kernel */
#define RBMAP_ADDRESS_call_site	1

#define RBMAP_PROBE_SET		kmem
#define RBMAP_TRACE_HEADER	"trace/events/kmem.h"
#define RBMAP_TRACE_ENUMS
#define RBMAP_PROBES(event)		\
	event(kmalloc)		\
	event(kfree)		\
	event(kmem_cache_alloc)		\
	event(kmem_cache_free)		\
	event(mm_page_alloc)		\
	event(mm_page_free)

#include "generate.h"

#undef RBMAP_ADDRESS_call_site

// SPDX-License-Identifier: GPL-2.0-only
/* The ends of packets. */
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <trace/events/skb.h>

#define RBMAP_PROBE_SET		skb
#define RBMAP_TRACE_HEADER	"trace/events/skb.h"
#define RBMAP_TRACE_ENUMS
#define RBMAP_PROBES(event)		\
	event(kfree_skb)		\
	event(consume_skb)		\
	event(skb_copy_datagram_iovec)

#include "generate.h"

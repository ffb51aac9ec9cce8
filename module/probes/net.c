// SPDX-License-Identifier: GPL-2.0-only
/* Packets between the stack and the devices. */
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <trace/events/net.h>

#define RBMAP_PROBE_SET		net
#define RBMAP_TRACE_HEADER	"trace/events/net.h"
#define RBMAP_PROBES(event)		\
	event(netif_receive_skb)		\
	event(net_dev_queue)		\
	event(net_dev_xmit)

#include "generate.h"

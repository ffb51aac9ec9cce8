// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets that TCP sends again.  The records of other events call a function that is not exported.
 * The header of sock has macros of the print format.
 */
#include <linux/tcp.h>
#include <net/tcp.h>
#include <trace/events/sock.h>
#include <trace/events/tcp.h>

#define RBMAP_PROBE_SET		tcp
#define RBMAP_TRACE_HEADER	"trace/events/tcp.h"
#define RBMAP_PROBES(event)		\
	event(tcp_retransmit_skb)

#include "generate.h"

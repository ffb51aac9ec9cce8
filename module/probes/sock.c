// SPDX-License-Identifier: GPL-2.0-only
/* States, errors and lengths of messages of sockets. */
#include <net/sock.h>
#include <trace/events/sock.h>

/* Integers with addresses of the kernel */
#define RBMAP_ADDRESS_ip	1

#define RBMAP_PROBE_SET		sock
#define RBMAP_TRACE_HEADER	"trace/events/sock.h"
#define RBMAP_TRACE_ENUMS
#define RBMAP_PROBES(event)		\
	event(sock_rcvqueue_full)		\
	event(sock_exceed_buf_limit)		\
	event(inet_sock_set_state)		\
	event(inet_sk_error_report)		\
	event(sk_data_ready)		\
	event(sock_send_length)		\
	event(sock_recv_length)

#include "generate.h"

#undef RBMAP_ADDRESS_ip

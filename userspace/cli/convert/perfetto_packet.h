/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_CLI_CONVERT_PERFETTO_PACKET_H
#define RBMAP_CLI_CONVERT_PERFETTO_PACKET_H

#include "base/buf.h"
#include "perfetto.pb-c.h"

/* Append a packet to the bytes of a trace. A failure stays in out->failed. */
void perfetto_add_packet(struct buf *out, Perfetto__TracePacket *packet);

/*
 * Append a packet with a bundle of events: @head, and then @size bytes of packed events,
 * each with its frame.
 */
void perfetto_add_bundle(struct buf *out, const Perfetto__FtraceEventBundle *head,
			 const char *events, size_t size);

/* Write the frame of an event in a bundle at @at. Return the end, which is at most @at + 11. */
char *perfetto_put_event_frame(char *at, size_t size);
#define PERFETTO_EVENT_FRAME	11

/* Load the library that writes messages. Without it, the command ends. */
void libprotobuf_c_load(void);

#endif /* RBMAP_CLI_CONVERT_PERFETTO_PACKET_H */

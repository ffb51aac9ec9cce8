// SPDX-License-Identifier: GPL-2.0-only
#include "perfetto_packet.h"
#include "wire.h"

#define FRAMES		64	/* bytes, enough for all frames around a bundle's events */
#define HEAD_MAX	96	/* for a bundle without events */

/* Fields of the messages around events */
#define TRACE_PACKET	1
#define BUNDLE		1
#define BUNDLE_EVENT	2
#define SEQUENCE_ID	10

/* Each packet has the number of the program that wrote it. Here one program wrote all. */
#define SEQUENCE	1

static char *put_frame(char *at, uint32_t field, size_t size)
{
	return put_wire(put_wire(at, wire_tag(field, WIRE_BYTES)), size);
}

char *perfetto_put_event_frame(char *at, size_t size)
{
	return put_frame(at, BUNDLE_EVENT, size);
}

void perfetto_add_packet(struct buf *out, Perfetto__TracePacket *packet)
{
	size_t size;
	char *at;

	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = SEQUENCE;
	size = protobuf_c_message_get_packed_size(&packet->base);
	at = buf_room(out, FRAMES + size);
	if (!at)
		return;
	at = put_frame(at, TRACE_PACKET, size);
	at += protobuf_c_message_pack(&packet->base, (uint8_t *)at);
	buf_end(out, at);
}

void perfetto_add_bundle(struct buf *out, const Perfetto__FtraceEventBundle *head,
			 const char *events, size_t size)
{
	char *at = buf_room(out, FRAMES + HEAD_MAX + size);
	char sequence[2 * WIRE_MAX], *sequence_end = sequence;
	char frame[2 * WIRE_MAX], packed[HEAD_MAX];
	size_t head_size, frame_size;

	if (!at)
		return;
	sequence_end = put_wire(sequence_end, wire_tag(SEQUENCE_ID, WIRE_NUMBER));
	sequence_end = put_wire(sequence_end, SEQUENCE);
	head_size = protobuf_c_message_pack(&head->base, (uint8_t *)packed);
	frame_size = put_frame(frame, BUNDLE, head_size + size) - frame;
	at = put_frame(at, TRACE_PACKET,
		       frame_size + head_size + size + (sequence_end - sequence));
	at = mempcpy(at, frame, frame_size);
	at = mempcpy(at, packed, head_size);
	if (size)
		at = mempcpy(at, events, size);
	buf_end(out, mempcpy(at, sequence, sequence_end - sequence));
}

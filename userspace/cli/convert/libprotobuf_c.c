// SPDX-License-Identifier: GPL-2.0-only
/* The functions of libprotobuf-c that the generated code uses. */
#include <protobuf-c/protobuf-c.h>

#include "command/loaded_library.h"
#include "perfetto_packet.h"

#define LIBRARY	"libprotobuf-c.so.1"

LOADED_LIBRARY_NOTE(note, "convert", "convert recordings", "suggested", LIBRARY);

static struct loaded_library library = {
	.name = "libprotobuf-c", .file = LIBRARY, .package = "libprotobuf-c1",
};

void libprotobuf_c_load(void)
{
	loaded_library_function(&library, "protobuf_c_message_pack");
}

LOADED_FUNCTION(size_t, protobuf_c_message_get_packed_size, (const ProtobufCMessage *message),
	(message))
LOADED_FUNCTION(size_t, protobuf_c_message_pack, (const ProtobufCMessage *message, uint8_t *out),
	(message, out))
LOADED_FUNCTION(size_t, protobuf_c_message_pack_to_buffer,
	(const ProtobufCMessage *message, ProtobufCBuffer *buffer), (message, buffer))
LOADED_FUNCTION(ProtobufCMessage *, protobuf_c_message_unpack,
	(const ProtobufCMessageDescriptor *descriptor, ProtobufCAllocator *allocator, size_t len,
	 const uint8_t *data), (descriptor, allocator, len, data))
LOADED_FUNCTION(void, protobuf_c_message_free_unpacked,
	(ProtobufCMessage *message, ProtobufCAllocator *allocator), (message, allocator))

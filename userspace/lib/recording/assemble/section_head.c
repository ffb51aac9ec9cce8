// SPDX-License-Identifier: GPL-2.0-only
#include "base/buf.h"
#include "section_head.h"

void section_head_add(struct buf *out, uint16_t id, uint16_t flags, uint32_t description,
		      uint64_t size)
{
	buf_add_u16(out, id);
	buf_add_u16(out, flags);
	buf_add_u32(out, description);
	buf_add_u64(out, size);
}

void section_option_add(struct buf *options, uint16_t option, uint64_t offset)
{
	buf_add_u16(options, option);
	buf_add_u32(options, sizeof(offset));
	buf_add_u64(options, offset);
}

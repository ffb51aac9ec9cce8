// SPDX-License-Identifier: GPL-2.0-only
#include "frame.h"

/* cli.mk makes both files: page/assemble puts the parts together. */
#define INCLUDE_FILE(symbol, file)				\
	__asm__(".pushsection .rodata\n"			\
		".balign 8\n"					\
		#symbol ":\n"					\
		".incbin \"" file "\"\n"			\
		#symbol "_end:\n"				\
		".popsection\n");				\
	extern const char symbol[] __attribute__((visibility("hidden"))); \
	extern const char symbol##_end[] __attribute__((visibility("hidden")))

INCLUDE_FILE(frame_head, HTML_FRAME "/begin.html");
INCLUDE_FILE(frame_tail, HTML_FRAME "/end.html");

void frame_write_begin(FILE *out)
{
	fwrite(frame_head, 1, frame_head_end - frame_head, out);
}

void frame_write_end(FILE *out)
{
	fwrite(frame_tail, 1, frame_tail_end - frame_tail, out);
}

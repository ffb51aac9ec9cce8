// SPDX-License-Identifier: GPL-2.0-only
#include "page.h"

/* The folder where cli.mk makes the files: page/assemble puts the parts together. */
#ifndef HTML_FRAME
#define HTML_FRAME "build/userspace/cli/report/html/frame"
#endif

#define INCLUDE_FILE(symbol, file)				\
	__asm__(".pushsection .rodata\n"			\
		".globl " #symbol ", " #symbol "_end\n"		\
		".hidden " #symbol ", " #symbol "_end\n"	\
		".balign 8\n"					\
		#symbol ":\n"					\
		".incbin \"" file "\"\n"			\
		#symbol "_end:\n"				\
		".popsection\n")

INCLUDE_FILE(frame_head, HTML_FRAME "/begin.html");
INCLUDE_FILE(frame_tail, HTML_FRAME "/end.html");

#define HIDDEN	__attribute__((visibility("hidden")))

extern const char frame_head[] HIDDEN, frame_head_end[] HIDDEN;
extern const char frame_tail[] HIDDEN, frame_tail_end[] HIDDEN;

void frame_write_begin(FILE *out)
{
	fwrite(frame_head, 1, frame_head_end - frame_head, out);
}

void frame_write_end(FILE *out)
{
	fwrite(frame_tail, 1, frame_tail_end - frame_tail, out);
}

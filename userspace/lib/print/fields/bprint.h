/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Prints texts of trace_printk(). The kernel records the address of the format and the
 * arguments, as vbin_printf() in lib/vsprintf.c stores them.
 */
#ifndef RBMAP_PRINT_FIELDS_BPRINT_H
#define RBMAP_PRINT_FIELDS_BPRINT_H

#include <stdint.h>

#include "base/buf.h"
#include "printer.h"

/**
 * struct bprint_args - stored arguments
 * @word: bytes of a long of the recorded kernel
 */
struct bprint_args {
	const char *data;
	uint32_t size;
	uint32_t word;
};

/*
 * Append the text. @format has escapes such as \n, as the printk section has them. A text
 * whose arguments are not all there ends with "...".
 */
void bprint_add(const char *format, const struct bprint_args *args, find_symbol_fn *find,
		void *data, struct buf *out);

#endif /* RBMAP_PRINT_FIELDS_BPRINT_H */

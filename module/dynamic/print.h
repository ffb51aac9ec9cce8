/* SPDX-License-Identifier: GPL-2.0-only */
/* The print format of a dynamic event. */
#ifndef RBMAP_DYNAMIC_PRINT_H
#define RBMAP_DYNAMIC_PRINT_H

#include "program.h"

int rbmap_fetch_print_fmt(const struct rbmap_fetch_program *program, char *buf,
			  size_t size);

#endif /* RBMAP_DYNAMIC_PRINT_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The option that selects the buffer of control_set_buffer(). */
#ifndef RBMAP_KERNEL_BUFFER_OPTION_H
#define RBMAP_KERNEL_BUFFER_OPTION_H

#include "command/options.h"

set_option_fn set_buffer;

#define BUFFER_OPTION {							\
	.name = "buffer", .letter = 'B', .arg = "NAME", .kind = "buffer", \
	.target = { .set = set_buffer },				\
	.help = "use the buffer NAME of 'rbmap create'" }

#endif /* RBMAP_KERNEL_BUFFER_OPTION_H */

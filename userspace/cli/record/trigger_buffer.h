/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small buffer that has the events of --trigger for which --trigger-if is true. The
 * kernel evaluates the filter, so nobody looks at all other events.
 */
#ifndef RBMAP_CLI_TRIGGER_BUFFER_H
#define RBMAP_CLI_TRIGGER_BUFFER_H

#include <stdbool.h>

#include "kernel/anonymous_buffer.h"

/*
 * Create the buffer, with the clock, the CPUs and the threads of the buffer that is
 * selected, and without the events of this process. Enable the events that match
 * @pattern, with @filter. The same buffer is selected afterwards. On failure, report the
 * error and return false.
 */
bool trigger_buffer_begin(struct anonymous_buffer *kept, const char *pattern, const char *filter);

#endif /* RBMAP_CLI_TRIGGER_BUFFER_H */

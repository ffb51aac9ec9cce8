// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's print functions allocate a copy of the format for an iterator.
 * Linux 5.11: efbbdaa22bb7 ("tracing: Show real address for trace event arguments")
 */
#include <linux/trace_events.h>

char *trace_iterator_fmt_copy(const struct trace_iterator *iter);

char *trace_iterator_fmt_copy(const struct trace_iterator *iter)
{
	return iter->fmt;
}

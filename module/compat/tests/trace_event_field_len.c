// SPDX-License-Identifier: GPL-2.0-only
/*
 * The format file shows the number of elements of an array; earlier kernels show its text.
 * Linux 6.1: b6c7abd1c28a ("tracing: Fix TASK_COMM_LEN in trace event format file")
 */
#include <linux/trace_events.h>

int trace_event_field_len_elements(const struct trace_event_fields *field);

int trace_event_field_len_elements(const struct trace_event_fields *field)
{
	return field->len;
}

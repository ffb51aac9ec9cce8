/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Printers for events that plugins of libtraceevent print: those of sched, timer and kmem
 * that are frequent. The text is the same, byte for byte.
 */
#ifndef RBMAP_PRINT_FIELDS_PLUGIN_PRINTER_H
#define RBMAP_PRINT_FIELDS_PLUGIN_PRINTER_H

#include <stdbool.h>

struct printer;
struct tep_event;

/*
 * Add what the event's plugin prints. Return false if libtraceevent has to print the
 * event. *then_format: the text of the print format follows.
 */
bool plugin_printer_compile(struct tep_event *event, struct printer *printer,
			    bool *then_format);

#endif /* RBMAP_PRINT_FIELDS_PLUGIN_PRINTER_H */

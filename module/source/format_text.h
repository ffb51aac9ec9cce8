/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats of events, as the kernel's tracefs shows them. */
#ifndef RBMAP_SOURCE_FORMAT_TEXT_H
#define RBMAP_SOURCE_FORMAT_TEXT_H

#include "event/event.h"

char *rbmap_format_text(const char *system, const char *name);
unsigned int rbmap_format_text_fields_nr(const char *text);
char *rbmap_format_text_split_print(char *text);
int rbmap_format_text_next(char **rest, struct rbmap_field *field, unsigned int *offset);

#endif /* RBMAP_SOURCE_FORMAT_TEXT_H */

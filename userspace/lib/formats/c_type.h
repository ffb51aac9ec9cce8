/* SPDX-License-Identifier: LGPL-2.1-only */
/* The declaration of a field, such as "char comm[16]" or "__data_loc char[] name". */
#ifndef RBMAP_C_TYPE_H
#define RBMAP_C_TYPE_H

#include <stddef.h>
#include <rbmap.h>

/*
 * Set the name, the type, the size of an element, and flags; the field has its size
 * already. Return 0, -EINVAL or -ENOMEM. The caller frees the name and the type, after an
 * error too.
 */
int c_type_parse(struct rbmap_format_field *field, const char *declaration, size_t size);

#endif /* RBMAP_C_TYPE_H */

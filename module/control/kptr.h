/* SPDX-License-Identifier: GPL-2.0-only */
/* The file kptr of a buffer. */
#ifndef RBMAP_CONTROL_KPTR_H
#define RBMAP_CONTROL_KPTR_H

struct rbmap_control;

int rbmap_control_kptr_init(struct rbmap_control *control);

#endif /* RBMAP_CONTROL_KPTR_H */

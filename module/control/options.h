/* SPDX-License-Identifier: GPL-2.0-only */
/* The file trace_options. */
#ifndef RBMAP_CONTROL_OPTIONS_H
#define RBMAP_CONTROL_OPTIONS_H

struct rbmap_control;

int rbmap_control_options_init(struct rbmap_control *control);

#endif /* RBMAP_CONTROL_OPTIONS_H */

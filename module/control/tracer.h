/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of tracers, and of the functions that they trace. */
#ifndef RBMAP_CONTROL_TRACER_H
#define RBMAP_CONTROL_TRACER_H

struct rbmap_control;

int rbmap_control_tracer_init(struct rbmap_control *control);

#endif /* RBMAP_CONTROL_TRACER_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The header of the tracepoints of interrupt vectors: that of x86, and none elsewhere. */
#ifndef RBMAP_COMPAT_IRQ_VECTORS_H
#define RBMAP_COMPAT_IRQ_VECTORS_H

#include <rbmap_features.h>

#ifdef RBMAP_HAVE_IRQ_VECTORS
#define RBMAP_IRQ_VECTORS_HEADER	"asm/trace/irq_vectors.h"
#else /* Quoted: linux is a macro of gcc's. */
#define RBMAP_IRQ_VECTORS_HEADER	"linux/tracepoint.h"
#endif

#endif /* RBMAP_COMPAT_IRQ_VECTORS_H */

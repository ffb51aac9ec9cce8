/* SPDX-License-Identifier: GPL-2.0-only */
/* The header of the page faults' tracepoints: the architecture's; since 6.16 one for all. */
#ifndef RBMAP_COMPAT_EXCEPTIONS_H
#define RBMAP_COMPAT_EXCEPTIONS_H

#include <rbmap_features.h>

#if defined(RBMAP_HAVE_EXCEPTIONS_OF_ARCH)
#define RBMAP_EXCEPTIONS_HEADER	"asm/trace/exceptions.h"
#elif defined(RBMAP_HAVE_EXCEPTIONS_OF_ALL)
#define RBMAP_EXCEPTIONS_HEADER	"trace/events/exceptions.h"
#else /* This architecture has none. Quoted: linux is a macro of gcc's. */
#define RBMAP_EXCEPTIONS_HEADER	"linux/tracepoint.h"
#endif

#endif /* RBMAP_COMPAT_EXCEPTIONS_H */

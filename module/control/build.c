// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#include "control.c"
#include "dir.c"
#include "sizes.c"
#include "events.c"
#include "set_event.c"
#include "tracer.c"
#include "options.c"
#include "pids.c"
#include "dynamic_events.c"
#include "access.c"
#include "kptr.c"
#include "symbols.c"

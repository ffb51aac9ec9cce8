// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#include "registry.c"
#include "validate.c"
#include "event_set.c"
#include "demand.c"
#include "hook.c"
#include "release.c"
#include "format.c"
#include "filter.c"
#include "pids.c"
#include "cgroups.c"

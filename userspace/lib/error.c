// SPDX-License-Identifier: LGPL-2.1-only
#include <string.h>

#include "internal.h"

/* One text for each cause, with its remedy. */
RBMAP_API const char *rbmap_strerror(int error)
{
	switch (error) {
	case RBMAP_ERR_NOT_LOADED:
		return "the module rbmap is not loaded (rbmap load, or modprobe rbmap)";
	case RBMAP_ERR_NO_CPU:
		return "rbmap has no ring for this CPU (see /dev/rbmap)";
	case RBMAP_ERR_PERMISSION:
		return "no permission to read the ring: only root and the group of the device file may";
	case RBMAP_ERR_NOT_RBMAP:
		return "not a ring buffer that can be mapped";
	case RBMAP_ERR_VERSION:
		return "the module has another version of the interface than this library: install both from the same version of rbmap";
	case RBMAP_ERR_GONE:
		return "the ring was retired or its device removed: open it again";
	case RBMAP_ERR_CORRUPT:
		return "the ring holds invalid bytes: its events cannot be decoded";
	}
	return strerror(error < 0 ? -error : error);
}

#ifndef RBMAP_LIB_VERSION
#error "RBMAP_LIB_VERSION is not defined: build with the Makefile"
#endif

RBMAP_API const char *rbmap_version(void)
{
	return RBMAP_LIB_VERSION;
}

// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <string.h>

#include "internal.h"

/* One text for each cause, with its remedy. */
RBMAP_API const char *rbmap_strerror(int error)
{
	switch (error) {
	case -EMFILE:
		return "too many open files: raise their limit (ulimit -n), as the ring of a CPU needs two";
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
	case RBMAP_ERR_NO_RECORDING:
		return "the file is not a recording (trace.dat) of rbmap or trace-cmd";
	case RBMAP_ERR_DAT_VERSION:
		return "the file is not a trace.dat of version 6 or 7: read it with trace-cmd report";
	case RBMAP_ERR_FOREIGN:
		return "the file was recorded on a machine with another byte order: read it with trace-cmd report";
	case RBMAP_ERR_CUT:
		return "the file is truncated, and lacks the headers: record again";
	case RBMAP_ERR_BROKEN:
		return "the file is damaged: its headers are invalid";
	case RBMAP_ERR_LATENCY:
		return "the file contains the text of a latency tracer, not events: read it with trace-cmd report";
	case RBMAP_ERR_COMPRESSION:
		return "the file is compressed, but not by zstd: compress it again with trace-cmd convert --compression zstd";
	case RBMAP_ERR_NO_ZSTD:
		return "the file is compressed by zstd, and libzstd.so.1 is not here: install libzstd1";
	case RBMAP_ERR_COMPRESSED:
		return "the file is compressed as a whole: uncompress it with gunzip, unxz, bunzip2 or unzstd";
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

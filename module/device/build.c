// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#include "chrdev.c"
#include "device.c"
#include "error_log.c"
#include "mmap.c"
#include "splice.c"
#include "marker.c"
#include "text_file.c"
#include "trace.c"
#include "trace_pipe.c"
#include "text_print.c"
#include "text_fields.c"
#include "saved_cmdlines.c"

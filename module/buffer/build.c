// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#include "buffer.c"
#include "cpu_buffer.c"
#include "generation.c"
#include "file.c"
#include "resize.c"
#include "pages.c"
#include "passed.c"
#include "expire.c"
#include "snapshot.c"
#include "consume.c"
#include "walk.c"
#include "meta_page.c"

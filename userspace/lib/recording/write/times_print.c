// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "recording/dat_times.h"
#include "times_print.h"

void dat_times_print(const struct dat_times *times, struct buf *out)
{
	struct dat_times copy = *times;
	bool titled = false;

	for (unsigned int i = 0; i < DAT_NR_MOMENTS; i++) {
		const struct rbmap_moment *m = dat_times_moment(&copy, i);

		if (!m->real)
			continue;
		if (!titled)
			buf_printf(out, DAT_TIMES_TITLE);
		titled = true;
		buf_printf(out, "%s: ring %" PRIu64 " real %" PRIu64 " boot %" PRIu64
			   " tai %" PRId64 " error %" PRIu64 "\n", dat_moment_names[i], m->ring,
			   m->real, m->boot, m->tai_offset, m->error);
	}
	if (titled && times->reason[0])
		buf_printf(out, DAT_TIMES_REASON "%s\n", times->reason);
}

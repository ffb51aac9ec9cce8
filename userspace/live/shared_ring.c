// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/complain.h"
#include "kernel/control.h"
#include "kernel/holders.h"
#include "shared_ring.h"

#define READERS	"readers"
#define MAX_GAP	1024	/* CPU numbers may have gaps, but none as large as this */

bool shared_ring_has_reader(void)
{
	uint64_t readers;
	int ret;

	for (unsigned int cpu = 0, gap = 0; gap < MAX_GAP; cpu++, gap++) {
		ret = control_cpu_stat(cpu, READERS, &readers);
		if (!ret && readers)
			return true;
		if (!ret)
			gap = 0;
	}
	return false;
}

static void tell(void)
{
	struct buf who = { 0 };

	holders_find(&who, control_devices());
	if (who.size && !who.failed)
		complain("note: %s also reads this buffer: each event goes to one reader only, so that both miss some",
			 who.data);
	else
		complain("note: another process also reads this buffer: each event goes to one reader only, so that both miss some");
	buf_free(&who);
}

void shared_ring_look(struct shared_ring *shared)
{
	uint64_t readers;

	if (shared->reported)
		return;
	/* After the last CPU the next look is at the first one. */
	if (control_cpu_stat(shared->next, READERS, &readers)) {
		shared->next = 0;
		return;
	}
	shared->next++;
	shared->reported = readers > 1;
	if (shared->reported)
		tell();
}

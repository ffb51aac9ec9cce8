// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions in place of librbmap's, for test_live_read.py: a merge that has no rings. Each
 * wait ends early, and an event comes after as many waits as RBMAP_TEST_WAITS says.
 */
#include <errno.h>
#include <stdlib.h>

#include <rbmap.h>

static int waits;

int rbmap_merge_open_path(struct rbmap_merge **merge, const char *dir, unsigned int flags)
{
	(void)dir;
	(void)flags;
	*merge = (struct rbmap_merge *)&waits;
	return 0;
}

void rbmap_merge_close(struct rbmap_merge *merge)
{
	(void)merge;
}

/* A CPU that came online, without memory for its ring */
int rbmap_merge_unopened(const struct rbmap_merge *merge, unsigned int i, int *cpu)
{
	(void)merge;
	*cpu = i ? -1 : 3;
	return i ? 0 : -ENOMEM;
}

int rbmap_merge_observe_path(struct rbmap_merge **merge, const char *dir, unsigned int flags)
{
	return rbmap_merge_open_path(merge, dir, flags);
}

int rbmap_merge_loss(struct rbmap_merge *merge, struct rbmap_loss *loss)
{
	(void)merge;
	*loss = (struct rbmap_loss){ .overrun = 100, .total = 100 };
	return 0;
}

int rbmap_merge_wait(struct rbmap_merge *merge, int timeout_ms)
{
	(void)merge;
	(void)timeout_ms;
	waits++;
	return 1;
}

int rbmap_merge_next(struct rbmap_merge *merge, struct rbmap_event *ev)
{
	static const unsigned char data[8];

	(void)merge;
	if (waits < atoi(getenv("RBMAP_TEST_WAITS")))
		return 0;
	*ev = (struct rbmap_event){ .ts = 7, .data = data, .size = sizeof(data) };
	return 1;
}

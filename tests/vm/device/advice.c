// SPDX-License-Identifier: GPL-2.0-only
/*
 * madvise() on a map of a ring, on all of it and on a part of a sub-buffer.
 * Each call must return, and the ring must stay unchanged.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

/* Advice that leaves the memory where it is. */
static const struct advice {
	int		value;
	const char	*name;
} advice[] = {
	{ MADV_NORMAL, "NORMAL" },
	{ MADV_RANDOM, "RANDOM" },
	{ MADV_SEQUENTIAL, "SEQUENTIAL" },
	{ MADV_WILLNEED, "WILLNEED" },
	{ MADV_COLD, "COLD" },
	{ MADV_PAGEOUT, "PAGEOUT" },
	{ MADV_FREE, "FREE" },
	{ MADV_HUGEPAGE, "HUGEPAGE" },
	{ MADV_NOHUGEPAGE, "NOHUGEPAGE" },
	{ MADV_MERGEABLE, "MERGEABLE" },
	{ MADV_COLLAPSE, "COLLAPSE" },
	{ MADV_POPULATE_READ, "POPULATE_READ" },
	{ MADV_POPULATE_WRITE, "POPULATE_WRITE" },
	{ MADV_DONTNEED, "DONTNEED" },
};

int main(void)
{
	size_t page = sysconf(_SC_PAGESIZE), size;
	struct client client;
	char *before;

	pin(0);
	reset();
	emit(0, 500, 60);
	if (!client_open(&client, 0, O_RDONLY | O_NONBLOCK))
		bail_out("cannot map: %s", error_name(errno));
	size = client.subbuf_size * client.nr_subbufs;
	before = malloc(size);
	if (!before)
		bail_out("no memory");
	memcpy(before, client.data, size);
	for (size_t i = 0; i < sizeof(advice) / sizeof(*advice); i++) {
		int whole = madvise(client.data, size, advice[i].value);
		int whole_error = whole ? errno : 0;
		/* From the middle of one sub-buffer to the middle of another. */
		int part = madvise(client.data + page, size - 2 * page,
				   advice[i].value);
		int part_error = part ? errno : 0;

		ok(!memcmp(before, client.data, size),
		   "%s: the ring is unchanged (%s; %s)", advice[i].name,
		   error_name(whole_error), error_name(part_error));
	}
	free(before);
	client_close(&client);
	return done_testing();
}

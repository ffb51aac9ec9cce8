// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "output.h"

bool output_end_event(struct output *o)
{
	if (o->text.failed || !array_reserve(o->end, o->room, o->nr + 1))
		return false;
	o->end[o->nr++] = o->text.size;
	return true;
}

/* An event counts as written when its last byte is. */
static void empty(struct output *o, size_t written)
{
	while (o->nr && o->end[o->nr - 1] > written) {
		o->unwritten++;
		o->nr--;
	}
	o->nr = 0;
	o->text.size = 0;
}

bool output_write(struct output *o)
{
	size_t written = 0;

	while (!o->error && written < o->text.size) {
		ssize_t size = write(STDOUT_FILENO, o->text.data + written,
				     o->text.size - written);

		if (size < 0)
			o->error = errno;
		else
			written += size;
	}
	empty(o, written);
	return !o->error;
}

void output_free(struct output *o)
{
	buf_free(&o->text);
	free(o->end);
}

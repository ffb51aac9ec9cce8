// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/files.h"
#include "output.h"
#include "print/crash_notes.h"

#define MANY	(256 * 1024)

int output_flush(struct output *out)
{
	if (out->data.failed && !out->error)
		out->error = -ENOMEM;
	if (!out->error && out->fd >= 0)
		crash_notes()->progress += out->data.size;
	if (!out->error && out->fd >= 0)
		out->error = write_all(out->fd, out->data.data, out->data.size);
	out->data.size = 0;
	return out->error;
}

int output_go_on(struct output *out)
{
	if (out->data.size < MANY && !out->data.failed)
		return 0;
	return output_flush(out);
}

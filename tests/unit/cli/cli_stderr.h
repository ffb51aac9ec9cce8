/* SPDX-License-Identifier: GPL-2.0-only */
/* A program of tests reads what a function prints to standard error. */
#ifndef CLI_STDERR_H
#define CLI_STDERR_H

#include <stdio.h>
#include <unistd.h>

struct kept_stderr {
	FILE *file;
	int before;
};

static void keep_stderr(struct kept_stderr *kept)
{
	kept->file = tmpfile();
	kept->before = dup(STDERR_FILENO);
	assert_non_null(kept->file);
	assert_true(kept->before >= 0 && dup2(fileno(kept->file), STDERR_FILENO) >= 0);
}

/* Store what was printed since keep_stderr(). */
static void end_stderr(struct kept_stderr *kept, char *text, size_t size)
{
	size_t len;

	fflush(stderr);
	assert_true(dup2(kept->before, STDERR_FILENO) >= 0);
	close(kept->before);
	rewind(kept->file);
	len = fread(text, 1, size - 1, kept->file);
	text[len] = '\0';
	fclose(kept->file);
}

#endif /* CLI_STDERR_H */

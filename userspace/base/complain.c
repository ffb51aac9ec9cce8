// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "printable.h"

void complain(const char *fmt, ...)
{
	char line[4096] = "", text[PRINTABLE_MAX * sizeof(line)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	*put_printable(text, line, strlen(line)) = '\0';
	fflush(stdout);
	/* Use one write, so that lines of several threads do not mix. */
	fprintf(stderr, "rbmap: %s\n", text);
}

int finish_stdout(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	complain("cannot write the output: %s", strerror(errno));
	return status == STATUS_OK ? STATUS_ERROR : status;
}

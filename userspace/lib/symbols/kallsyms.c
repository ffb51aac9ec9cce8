// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "kallsyms.h"

bool kallsyms_wanted(const char *format)
{
	const char *at = strstr(format, "print fmt:");

	for (; at && (at = strchr(at, '%')); at++) {
		const char *type = at + 1 + strspn(at + 1, "-+ #*0123456789.");

		if (type[0] == 'p' && type[1] && strchr("sSfFB", type[1]))
			return true;
	}
	return false;
}

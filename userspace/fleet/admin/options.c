// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>

#include "base/complain.h"
#include "options.h"

bool fleet_open_index(struct fleet_index *ix, const struct fleet_options *o, enum index_mode mode)
{
	if (index_open(ix, o->directory, mode))
		return true;
	complain("cannot open %s/" INDEX_FILE ": %s; run it where 'rbmap collect' runs, or name its directory with --directory",
		 o->directory, ix->error);
	return false;
}

int fleet_close_index(struct fleet_index *ix, const struct fleet_options *o, int status)
{
	if (ix->code) {
		complain("cannot read %s/" INDEX_FILE ": %s", o->directory, ix->error);
		status = STATUS_ERROR;
	}
	index_close(ix);
	return status;
}

bool fleet_has_host(const char *pattern, const char *host)
{
	return !fnmatch(pattern, host, 0);
}

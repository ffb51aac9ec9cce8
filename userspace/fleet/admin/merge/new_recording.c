// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <sys/resource.h>

#include "new_recording.h"

#define OTHER_FILES	32

const char new_recording_header_event[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n"
	"\ttime_delta  :   27 bits\n"
	"\tarray       :   32 bits\n"
	"\n"
	"\tpadding     : type == 29\n"
	"\ttime_extend : type == 30\n"
	"\ttime_stamp : type == 31\n"
	"\tdata max type_len  == 28\n";

unsigned int new_recording_cpus_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max > UINT_MAX)
		return UINT_MAX;
	return limit.rlim_max > OTHER_FILES ? limit.rlim_max - OTHER_FILES : 0;
}

void new_recording_allow_cpus(unsigned int nr)
{
	rlim_t files = (rlim_t)nr + OTHER_FILES;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= files)
		return;
	limit.rlim_cur = files < limit.rlim_max ? files : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

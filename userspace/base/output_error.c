// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <string.h>

#include "complain.h"

void complain_output(const struct output_words *words, const char *path, int error)
{
	switch (error) {
	case -ESPIPE:
		complain("%s is not a regular file: name a regular file with -o",
			 path);
		break;
	case -EBUSY:
		complain("cannot %s %s: another process %s it; name another file with -o",
			 words->write, path, words->writes);
		break;
	case -EFBIG:
		complain("cannot %s %s: the file system or 'ulimit -f' limits the size of files; raise the limit or name a file elsewhere with -o",
			 words->write, path);
		break;
	case -ENOSPC:
	case -EDQUOT:
		complain("cannot %s %s: no space is left; free some space or name a file elsewhere with -o",
			 words->write, path);
		break;
	case -EACCES:
	case -EPERM:
	case -EROFS:
		complain("cannot create %s or %s beside it: %s; name a file elsewhere with -o",
			 path, words->beside, strerror(-error));
		break;
	case -ENOENT:
		complain("cannot create %s: its directory does not exist; create it or name a file elsewhere with -o",
			 path);
		break;
	case -ELOOP:
		complain("%s is a symbolic link in a directory that other users can write: name another file with -o",
			 path);
		break;
	case -EEXIST:
		complain("%s belongs to another user, in a directory that other users can write: name another file with -o",
			 path);
		break;
	default:
		complain("cannot create %s: %s", path, strerror(-error));
	}
}

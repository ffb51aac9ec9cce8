// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "message/message.h"
#include "setup_hosts.h"

static bool use_name(const char *name, use_host_fn *use, void *data)
{
	if (is_host_name(name))
		return use(data, name);
	complain("invalid name of a host '%s': letters, digits, '-' and '_' are valid, and dots become '_'",
		 name);
	return false;
}

static bool each_line(FILE *file, use_host_fn *use, void *data)
{
	char line[256];
	bool ok = true;

	while (ok && fgets(line, sizeof(line), file)) {
		char *name = line + strspn(line, " \t");

		name[strcspn(name, " \t\r\n#")] = '\0';
		if (*name)
			ok = use_name(name, use, data);
	}
	return ok;
}

bool hosts_each_named(const char *list, use_host_fn *use, void *data)
{
	FILE *file = strchr(list, '/') || !access(list, F_OK) ? fopen(list, "re") : NULL;
	char *copy, *rest, *name;
	bool ok = true;

	if (file) {
		ok = each_line(file, use, data);
		fclose(file);
		return ok;
	}
	if (strchr(list, '/')) {
		complain("cannot read %s: %s", list, strerror(errno));
		return false;
	}
	copy = strdup(list);
	rest = copy;
	while (ok && (name = strsep(&rest, ",")))
		ok = use_name(name, use, data);
	free(copy);
	return ok;
}

static int is_folder_of_host(const struct dirent *entry)
{
	return is_host_name(entry->d_name);
}

bool hosts_each_folder(int dir, use_host_fn *use, void *data)
{
	struct dirent **entry;
	int nr = scandirat(dir, ".", &entry, is_folder_of_host, alphasort);
	bool ok = nr >= 0;

	if (!ok)
		complain("cannot read a folder: %s", strerror(errno));
	for (int i = 0; i < nr; i++) {
		struct stat st;

		if (ok && !fstatat(dir, entry[i]->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISDIR(st.st_mode))
			ok = use(data, entry[i]->d_name);
		free(entry[i]);
	}
	if (nr >= 0)
		free(entry);
	return ok;
}

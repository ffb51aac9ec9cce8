// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "names.h"

#define BOOT_ID_FILE	"/proc/sys/kernel/random/boot_id"
#define DIGITS		"0123456789"
#define LETTERS		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static bool consists_of(const char *name, const char *characters, size_t size)
{
	size_t len = strnlen(name, size);

	return len && len < size && strspn(name, characters) == len;
}

bool is_host_name(const char *name)
{
	return consists_of(name, LETTERS DIGITS "-_", HOST_NAME_SIZE);
}

bool is_boot_id(const char *name)
{
	return consists_of(name, DIGITS "abcdef", BOOT_ID_SIZE) &&
	       strlen(name) == BOOT_ID_SIZE - 1;
}

bool is_source_name(const char *name)
{
	return *name != '.' && consists_of(name, LETTERS DIGITS "-_.:", SOURCE_NAME_SIZE);
}

bool this_host(char name[HOST_NAME_SIZE])
{
	/* gethostname() need not end a name that it cuts. */
	name[HOST_NAME_SIZE - 1] = '\0';
	if (gethostname(name, HOST_NAME_SIZE - 1))
		return false;
	for (char *c = name; *c; c++)
		if (*c == '.')
			*c = '_';
	return is_host_name(name);
}

int this_boot(char id[BOOT_ID_SIZE])
{
	FILE *file = fopen(BOOT_ID_FILE, "re");
	size_t len = 0;
	int c;

	if (!file)
		return -errno;
	while (len + 1 < BOOT_ID_SIZE && (c = getc(file)) != EOF)
		if (c != '-')
			id[len++] = (char)c;
	id[len] = '\0';
	fclose(file);
	return is_boot_id(id) ? 0 : -EBADMSG;
}

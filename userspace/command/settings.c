// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/suggest.h"
#include "command.h"
#include "settings.h"

static char *trim(char *text)
{
	size_t size;

	while (isspace((unsigned char)*text))
		text++;
	size = strlen(text);
	while (size && isspace((unsigned char)text[size - 1]))
		text[--size] = '\0';
	return text;
}

static const struct cli_option *find(const struct command *cmd, const char *name)
{
	for (const struct cli_option *o = cmd->options; o && o->name; o++)
		/* A file does not read another one. */
		if (!strcmp(o->name, name) && o->target.set != read_settings)
			return o;
	return NULL;
}

static int complain_unknown(const struct command *cmd, const char *name)
{
	struct suggest suggest = { .wanted = name };
	char list[256];

	for (const struct cli_option *o = cmd->options; o && o->name; o++)
		suggest_offer(&suggest, o->name, o->name);
	suggest_list(&suggest, list, sizeof(list));
	return usage_error(cmd, "no setting '%s'%s%s", name, *list ? ": similar names: " : "",
			   list);
}

/* The value stays in memory, because options refer to it. */
static int set_value(const struct command *cmd, const struct cli_option *o, void *to,
		     const char *value)
{
	bool yes = !strcmp(value, "yes");
	char *copy = NULL;

	if (!o->arg && !yes && strcmp(value, "no"))
		return usage_error(cmd, "the value of '%s' must be yes or no", o->name);
	if (!o->arg && !yes)
		return STATUS_OK;
	if (o->arg) {
		copy = strdup(value);
		if (!copy) {
			complain("out of memory");
			return STATUS_ERROR;
		}
	}
	return o->target.set(cmd, (char *)to + o->target.offset, copy);
}

static int set_line(const struct command *cmd, void *to, char *line)
{
	const struct cli_option *o;
	char *name = trim(line), *value = strchr(name, '=');

	if (!*name || *name == '#')
		return STATUS_OK;
	if (!value)
		return usage_error(cmd, "invalid line '%s': use NAME = VALUE", name);
	*value++ = '\0';
	name = trim(name);
	o = find(cmd, name);
	return o ? set_value(cmd, o, to, trim(value)) : complain_unknown(cmd, name);
}

int read_settings(const struct command *cmd, void *to, char *path)
{
	unsigned int number = 0;
	int status = STATUS_OK;
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	file = fopen(path, "re");
	if (!file) {
		complain("cannot read the settings %s: %s", path, strerror(errno));
		return STATUS_ERROR;
	}
	while (!status && getline(&line, &size, file) >= 0) {
		usage_errors_at(path, ++number);
		status = set_line(cmd, to, line);
	}
	usage_errors_at(NULL, 0);
	if (!status && ferror(file)) {
		complain("cannot read the settings %s: %s", path, strerror(errno));
		status = STATUS_ERROR;
	}
	free(line);
	fclose(file);
	return status;
}

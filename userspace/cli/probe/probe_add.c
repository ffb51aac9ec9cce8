// SPDX-License-Identifier: GPL-2.0-only
/* rbmap probe add */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/complain.h"
#include "command/command.h"
#include "kernel/control.h"
#include "live/probe/auto_probes.h"
#include "live/probe/dynamic.h"
#include "live/probe/fetch.h"
#include "probe.h"

static void complain_add(const char *group, const char *name, int error,
			 const char *message)
{
	if (error == -EEXIST)
		complain("an event %s:%s exists already: choose another name with -n, or remove that event ('rbmap probe remove %s:%s')",
			 group, name, group, name);
	else if (*message)
		complain("the kernel refused the probe: %s", message);
	else
		control_complain(CONTROL_WRITE, DYNAMIC_FILE, error);
}

/* A wanted probe, and the line that adds it. */
struct request {
	const char *group;
	const char *name;
	struct buf line;
};

static bool write_line(const struct request *request)
{
	char message[1024];
	int ret;

	ret = klog_write(DYNAMIC_FILE, request->line.data, message, sizeof(message));
	if (ret)
		complain_add(request->group, request->name, ret, message);
	else
		auto_probes_forget(request->group, request->name);
	return !ret;
}

/* Make the line of a probe. */
static bool resolve(const struct probe *p, const struct btf_types *types,
		    struct request *request, char **words, size_t nr)
{
	char error[4096];

	request->group = p->group ? p->group : DEFAULT_GROUP;
	request->name = p->name ? p->name : words[0];
	if (probe_line(&request->line, types, request->group, request->name, words, nr, error,
		       sizeof(error)))
		return true;
	complain("%s", error);
	return false;
}

struct requests {
	struct request *v;
	size_t nr;
	char *text;		/* contents of a file, which the names point into */
};

static void free_requests(struct requests *requests)
{
	for (size_t i = 0; i < requests->nr; i++)
		buf_free(&requests->v[i].line);
	free(requests->v);
	free(requests->text);
}

/* Make the lines of all probes before the first one is added. */
static bool write_lines(const struct probe *p, const struct requests *requests)
{
	for (size_t i = 0; p->dry_run && i < requests->nr; i++)
		printf("%s\n", requests->v[i].line.data);
	if (p->dry_run)
		return true;
	if (!control_present())
		return false;
	for (size_t i = 0; i < requests->nr; i++)
		if (!write_line(&requests->v[i]))
			return false;
	return true;
}

static char *read_text(const char *path)
{
	struct buf text = { 0 };
	int ret = buf_read_file(&text, strcmp(path, "-") ? path : "/dev/stdin");

	buf_add(&text, "", 1);
	if (!ret && !text.failed)
		return text.data;
	complain("cannot read %s: %s", path, strerror(ret ? -ret : ENOMEM));
	buf_free(&text);
	return NULL;
}

static bool resolve_lines(const struct probe *p, const struct btf_types *types,
			  struct requests *requests)
{
	char *words[1 + FETCH_FIELDS_MAX + 1], *save = NULL;
	size_t lines = 1, nr;

	for (const char *c = requests->text; *c; c++)
		lines += *c == '\n';
	requests->v = calloc(lines, sizeof(*requests->v));
	if (!requests->v) {
		complain("out of memory");
		return false;
	}
	for (char *line = strtok_r(requests->text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		nr = probe_split_words(line, words, sizeof(words) / sizeof(words[0]));
		if (!nr || *words[0] == '#')
			continue;
		if (!resolve(p, types, &requests->v[requests->nr++], words, nr))
			return false;
	}
	return true;
}

static bool add_all(const struct probe *p, char **words, size_t nr)
{
	struct requests requests = { 0 };
	struct btf_types types;
	bool ok = true;

	if (!probe_open_types(p, &types))
		return false;
	if (p->file) {
		requests.text = read_text(p->file);
		ok = requests.text && resolve_lines(p, &types, &requests);
	} else {
		requests.v = calloc(1, sizeof(*requests.v));
		requests.nr = !!requests.v;
		ok = requests.v && resolve(p, &types, requests.v, words, nr);
	}
	ok = ok && write_lines(p, &requests);
	free_requests(&requests);
	btf_types_close(&types);
	return ok;
}

static int check_name(const char *name, const char *what)
{
	if (!name || is_identifier(name, strlen(name), EVENT_NAME_MAX))
		return STATUS_OK;
	return usage_error(&command_probe,
			   "'%s' is not a valid name for %s: use letters, digits and '_', at most %d characters, and no digit first",
			   name, what, EVENT_NAME_MAX);
}

int probe_add(struct probe *p, char **words, size_t nr)
{
	int status = check_name(p->group, "a group");

	if (!status)
		status = check_name(p->name, "an event");
	if (status)
		return status;
	if (p->file && (nr || p->name))
		return usage_error(&command_probe,
				   "add: --file excludes a TRACEPOINT and -n: the file names the tracepoints, which name the events");
	if (!p->file && !nr)
		return usage_error(&command_probe, "add: the name of a tracepoint is missing");
	return add_all(p, words, nr) ? STATUS_OK : STATUS_ERROR;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/complain.h"
#include "dynamic.h"
#include "fetch.h"
#include "kernel/control.h"

static bool parse_line(struct dynamic_probe *probe, char *line)
{
	char *slash, *save = NULL;
	char *name = strtok_r(line, " ", &save);

	if (!name || strncmp(name, "t:", 2))
		return false;
	slash = strchr(name, '/');
	probe->tracepoint = strtok_r(NULL, " ", &save);
	if (!slash || !probe->tracepoint)
		return false;
	*slash = '\0';
	probe->group = name + 2;
	probe->event = slash + 1;
	probe->fields = save + strspn(save, " ");
	return true;
}

bool dynamic_parse(struct dynamic_probes *probes, char *text)
{
	size_t lines = 1;
	char *line, *save = NULL;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	*probes = (struct dynamic_probes){
		.text = text,
		.v = calloc(lines, sizeof(*probes->v)),
	};
	if (!probes->v)
		return false;
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		probes->nr += parse_line(&probes->v[probes->nr], line);
	return true;
}

bool dynamic_read(struct dynamic_probes *probes)
{
	char *text;

	*probes = (struct dynamic_probes){ 0 };
	if (!control_present())
		return false;
	text = control_read(DYNAMIC_FILE);
	if (!text) {
		control_complain(CONTROL_READ, DYNAMIC_FILE, -errno);
		return false;
	}
	if (dynamic_parse(probes, text))
		return true;
	complain("out of memory");
	dynamic_free(probes);
	return false;
}

void dynamic_free(struct dynamic_probes *probes)
{
	free(probes->text);
	free(probes->v);
	*probes = (struct dynamic_probes){ 0 };
}

bool probe_line(struct buf *line, const struct btf_types *types, const char *group,
		const char *event, char *const *words, size_t nr, char *error, size_t size)
{
	struct tracepoint_args args;
	char reason[2048];

	if (!btf_types_tracepoint(types, words[0], &args, error, size))
		return false;
	buf_printf(line, "t:%s/%s %s", group, event, words[0]);
	if (!fetch_fields(line, &args, words + 1, nr - 1, reason, sizeof(reason))) {
		snprintf(error, size, "%s: %s", words[0], reason);
		return false;
	}
	buf_add(line, "", 1);
	if (line->failed)
		snprintf(error, size, "out of memory");
	return !line->failed;
}

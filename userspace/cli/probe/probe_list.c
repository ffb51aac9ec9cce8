// SPDX-License-Identifier: GPL-2.0-only
/* rbmap probe list, and rbmap probe remove */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "base/json.h"
#include "base/suggest.h"
#include "command/command.h"
#include "kernel/control.h"
#include "live/probe/auto_probes.h"
#include "live/probe/dynamic.h"
#include "live/probe/field_expr.h"
#include "probe.h"

/* ---- list */

static void print_text(const struct dynamic_probe *probe)
{
	char name[2 * EVENT_NAME_MAX + 2];

	snprintf(name, sizeof(name), "%s:%s", probe->group, probe->event);
	printf("%-40s %s%s%s\n", name, probe->tracepoint,
	       *probe->fields ? " " : "", probe->fields);
}

static void print_json_field(struct json *j, char *field)
{
	char *fetch = strchr(field, '='), *type = strrchr(field, ':');

	if (!fetch || !type)
		return;
	*fetch = *type = '\0';
	json_open(j, NULL, '{');
	json_string(j, "name", field);
	json_string(j, "fetch", fetch + 1);
	json_string(j, "type", type + 1);
	json_close(j, '}');
}

static void print_json(struct json *j, struct dynamic_probe *probe)
{
	char *field, *save = NULL;

	json_open(j, NULL, '{');
	json_string(j, "system", probe->group);
	json_string(j, "event", probe->event);
	json_string(j, "tracepoint", probe->tracepoint);
	json_open(j, "fields", '[');
	for (field = strtok_r(probe->fields, " ", &save); field;
	     field = strtok_r(NULL, " ", &save))
		print_json_field(j, field);
	json_close(j, ']');
	json_close(j, '}');
}

int probe_list(struct probe *p, char **words, size_t nr)
{
	struct json j = { .out = stdout };
	struct dynamic_probes probes;

	if (nr)
		return usage_error(&command_probe, "list: unexpected argument '%s'",
				   words[0]);
	if (!dynamic_read(&probes))
		return STATUS_ERROR;
	if (p->json)
		json_open(&j, NULL, '[');
	for (size_t i = 0; i < probes.nr; i++) {
		if (p->json)
			print_json(&j, &probes.v[i]);
		else
			print_text(&probes.v[i]);
	}
	if (p->json)
		json_close(&j, ']');
	dynamic_free(&probes);
	return STATUS_OK;
}

/* ---- remove */

static bool remove_one(const struct dynamic_probe *probe)
{
	char line[256], message[1024];
	int ret;

	snprintf(line, sizeof(line), "-:%s/%s", probe->group, probe->event);
	ret = klog_write(DYNAMIC_FILE, line, message, sizeof(message));
	/* -ENOENT: another process has removed it meanwhile. */
	if (!ret || ret == -ENOENT) {
		auto_probes_forget(probe->group, probe->event);
		return true;
	}
	if (*message)
		complain("the kernel refused to remove %s:%s: %s",
			 probe->group, probe->event, message);
	else
		control_complain(CONTROL_WRITE, DYNAMIC_FILE, ret);
	return false;
}

static void complain_unknown(const struct dynamic_probes *probes,
			     const char *pattern)
{
	struct suggest suggest = suggest_events(pattern);
	char list[512];

	for (size_t i = 0; i < probes->nr; i++)
		suggest_offer_event(&suggest, probes->v[i].group, probes->v[i].event);
	suggest_list(&suggest, list, sizeof(list));
	if (*list)
		complain("no probe '%s': similar names: %s", pattern, list);
	else
		complain("no probe '%s': 'rbmap probe list' lists the probes",
			 pattern);
}

/* Check all names first, so that a wrong name removes nothing. */
static bool all_known(const struct dynamic_probes *probes, char **words,
		      size_t nr)
{
	for (size_t w = 0; w < nr; w++) {
		bool found = false;

		for (size_t i = 0; i < probes->nr; i++)
			found |= control_match(words[w], probes->v[i].group,
					       probes->v[i].event);
		if (!found) {
			complain_unknown(probes, words[w]);
			return false;
		}
	}
	return true;
}

static bool named(const struct dynamic_probe *probe, char **words, size_t nr)
{
	for (size_t w = 0; w < nr; w++)
		if (control_match(words[w], probe->group, probe->event))
			return true;
	return false;
}

int probe_remove(struct probe *p, char **words, size_t nr)
{
	struct dynamic_probes probes;
	bool ok;

	if (!nr && !p->all)
		return usage_error(&command_probe,
				   "remove: the name of a probe is missing: give a name, or --all");
	if (nr && p->all)
		return usage_error(&command_probe,
				   "remove: names and --all exclude each other");
	if (!dynamic_read(&probes))
		return STATUS_ERROR;
	ok = all_known(&probes, words, nr);
	for (size_t i = 0; ok && i < probes.nr; i++)
		if (p->all || named(&probes.v[i], words, nr))
			ok = remove_one(&probes.v[i]);
	dynamic_free(&probes);
	return ok ? STATUS_OK : STATUS_ERROR;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/uplink/files.h"
#include "base/array.h"
#include "command_log.h"
#include "message/message.h"

#define FILE_NAME	"commands"
#define SIZE_MOST	(1U << 20)

static int add(struct command_log *c, const char *id, uint64_t time, bool answered)
{
	struct logged_command *more;

	if (c->nr == EXECUTED_MAX)
		return -EBUSY;
	if (!array_grow(c->v, c->nr))
		return -ENOMEM;
	more = &c->v[c->nr++];
	*more = (struct logged_command){ .time = time, .answered = answered };
	snprintf(more->id, sizeof(more->id), "%s", id);
	return 0;
}

static int save(const struct command_log *c)
{
	struct buf text = { 0 };
	int ret;

	for (size_t i = 0; i < c->nr; i++)
		buf_printf(&text, "%" PRIu64 " %s %s\n", c->v[i].time,
			   c->v[i].answered ? "answered" : "begun", c->v[i].id);
	ret = text.failed ? -ENOMEM : files_replace(c->dir, FILE_NAME, text.data, text.size, true);
	buf_free(&text);
	return ret;
}

static int load_line(struct command_log *c, const char *line)
{
	char state[16], id[SOURCE_NAME_SIZE];
	uint64_t time;

	if (sscanf(line, "%" SCNu64 " %15s %127s", &time, state, id) != 3 || !is_source_name(id))
		return 0;
	return add(c, id, time, !strcmp(state, "answered"));
}

/* Answer the commands that a killed process was executing, unless it had answered. */
static int finish_killed(struct command_log *c)
{
	int ret = 0;

	for (size_t i = 0; i < c->nr && !ret; i++) {
		struct buf text = { 0 };

		if (c->v[i].answered)
			continue;
		ret = files_read(c->answers, c->v[i].id, &text, EXECUTED_ANSWER_MAX);
		if (ret == -ENOENT) {
			text_add(&text, "state", "failed");
			text_add(&text, "error", "the agent was ended before the incident was there");
			ret = 0;
		}
		if (!ret)
			ret = text.failed ? -ENOMEM : command_log_answer(c, c->v[i].id, &text);
		buf_free(&text);
	}
	return ret;
}

int command_log_load(struct command_log *c, int dir, int answers)
{
	struct buf text = { 0 };
	char *line, *save_at;
	int ret;

	*c = (struct command_log){ .dir = dir, .answers = answers };
	ret = files_read(dir, FILE_NAME, &text, SIZE_MOST);
	if (ret == -ENOENT)
		ret = 0;
	buf_add(&text, "", 1);
	if (!ret && text.failed)
		ret = -ENOMEM;
	for (line = ret ? NULL : strtok_r(text.data, "\n", &save_at); line && !ret;
	     line = strtok_r(NULL, "\n", &save_at))
		ret = load_line(c, line);
	buf_free(&text);
	return ret ? ret : finish_killed(c);
}

void command_log_free(struct command_log *c)
{
	free(c->v);
	*c = (struct command_log){ 0 };
}

static struct logged_command *find(const struct command_log *c, const char *id)
{
	for (size_t i = 0; i < c->nr; i++)
		if (!strcmp(c->v[i].id, id))
			return &c->v[i];
	return NULL;
}

bool command_log_has(const struct command_log *c, const char *id)
{
	return find(c, id);
}

/* No transport delivers a command that is so old. */
static void forget_old(struct command_log *c, uint64_t now)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->nr; i++)
		if (!c->v[i].answered || now < c->v[i].time ||
		    now - c->v[i].time <= EXECUTED_SECONDS)
			c->v[kept++] = c->v[i];
	c->nr = kept;
}

int command_log_begin(struct command_log *c, const char *id)
{
	uint64_t now = time(NULL);
	int ret;

	forget_old(c, now);
	ret = add(c, id, now, false);
	if (ret)
		return ret;
	ret = save(c);
	if (ret)
		c->nr--;
	return ret;
}

int command_log_answer(struct command_log *c, const char *id, const struct buf *answer)
{
	struct logged_command *done = find(c, id);
	int ret = files_replace(c->answers, id, answer->data, answer->size, true);

	if (ret || !done)
		return ret;
	done->answered = true;
	return save(c);
}

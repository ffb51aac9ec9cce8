// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "agent/uplink/clocks.h"
#include "agent/uplink/files.h"
#include "base/array.h"
#include "command/service.h"
#include "commands.h"
#include "message/message.h"

#define FILE_NAME	"commands"
#define BEFORE		"before"
#define SIZE_MOST	(1U << 20)
#define SECOND		1000000000ULL
#define LOOK_MS		100

static int add(struct command_log *c, const char *id, uint64_t time, uint64_t given, bool answered)
{
	struct logged_command *more;

	if (c->nr == EXECUTED_MAX)
		return -EBUSY;
	if (!array_grow(c->v, c->nr))
		return -ENOMEM;
	more = &c->v[c->nr++];
	*more = (struct logged_command){ .time = time, .given = given, .answered = answered };
	snprintf(more->id, sizeof(more->id), "%s", id);
	return 0;
}

static int save(const struct command_log *c)
{
	struct buf text = { 0 };
	int ret;

	if (c->before)
		buf_printf(&text, BEFORE " %" PRIu64 "\n", c->before);
	for (size_t i = 0; i < c->nr; i++)
		buf_printf(&text, "%" PRIu64 " %s %s %" PRIu64 "\n", c->v[i].time,
			   c->v[i].answered ? "answered" : "begun", c->v[i].id, c->v[i].given);
	ret = text.failed ? -ENOMEM : files_replace(c->dir, FILE_NAME, text.data, text.size, true);
	buf_free(&text);
	return ret;
}

static int load_line(struct command_log *c, const char *line)
{
	char state[16], id[SOURCE_NAME_SIZE];
	uint64_t time, given = 0;

	if (sscanf(line, BEFORE " %" SCNu64, &c->before) == 1)
		return 0;
	/* An earlier version has written no time of the command. */
	if (sscanf(line, "%" SCNu64 " %15s %127s %" SCNu64, &time, state, id, &given) < 3 ||
	    !is_source_name(id))
		return 0;
	return add(c, id, time, given, !strcmp(state, "answered"));
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

bool command_log_is_old(const struct command_log *c, uint64_t given)
{
	return given <= c->before && c->before;
}

/*
 * Make room for a command. A transport delivers none that was executed so long ago, unless
 * somebody has sent it again.
 */
static void forget_oldest(struct command_log *c, uint64_t now)
{
	for (size_t i = 0; i < c->nr && c->nr == EXECUTED_MAX; i++) {
		const struct logged_command *old = &c->v[i];

		if (!old->answered || now < old->time || now - old->time <= EXECUTED_SECONDS)
			continue;
		if (old->given > c->before)
			c->before = old->given;
		memmove(&c->v[i], &c->v[i + 1], (c->nr - i - 1) * sizeof(*c->v));
		c->nr--;
	}
}

int command_log_begin(struct command_log *c, const char *id, uint64_t given)
{
	uint64_t now = time(NULL);
	int ret;

	forget_oldest(c, now);
	ret = add(c, id, now, given, false);
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

/* Cut the command into words. Return their number. */
static int split(char *text, char *words[SNAPSHOT_WORDS + 1])
{
	char *save_at;
	int nr = 0;

	for (char *word = strtok_r(text, " ", &save_at); word && nr < SNAPSHOT_WORDS;
	     word = strtok_r(NULL, " ", &save_at))
		words[nr++] = word;
	words[nr] = NULL;
	return nr;
}

extern char **environ;

/* Start the command with default signals and an empty input. Return 0 or an errno. */
static int spawn(pid_t *pid, char **words)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t all, none;
	int ret;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	ret = posix_spawnp(pid, words[0], &files, &attributes, words, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return ret;
}

/* Return whether the command has ended. If it failed, store the cause. */
static bool has_ended(pid_t *pid, char *error, size_t size)
{
	int status;

	if (*pid && waitpid(*pid, &status, WNOHANG) == *pid) {
		*pid = 0;
		if (WIFSIGNALED(status))
			snprintf(error, size, "the command of the snapshot was killed by signal %d",
				 WTERMSIG(status));
		else if (WEXITSTATUS(status))
			snprintf(error, size, "the command of the snapshot failed with status %d",
				 WEXITSTATUS(status));
	}
	return !*pid;
}

static void wait_for(struct intake *in, pid_t *pid, struct ingest_wanted *wanted, char *error,
		     size_t size)
{
	uint64_t end = clock_monotonic() + SNAPSHOT_SECONDS * SECOND;

	while (!*error) {
		struct pollfd fd = { .fd = in->inotify, .events = POLLIN };

		service_alive();
		if (intake_due(in))
			intake_run(in, wanted);
		if (has_ended(pid, error, size) && wanted->found)
			return;
		if (in->stopped())
			snprintf(error, size, "the agent was ended before the incident was there");
		else if (clock_monotonic() >= end)
			snprintf(error, size, *pid ?
				 "the command of the snapshot did not end within %d s" :
				 "no incident came within %d s", SNAPSHOT_SECONDS);
		else if (!*error)
			poll(&fd, 1, LOOK_MS);
	}
}

bool snapshot_take(const char *command, struct intake *in, struct ingest_wanted *wanted,
		   char *error, size_t size)
{
	char *words[SNAPSHOT_WORDS + 1], text[SNAPSHOT_SIZE];
	pid_t pid;
	int ret;

	*error = '\0';
	snprintf(text, sizeof(text), "%s", command);
	if (!split(text, words)) {
		snprintf(error, size, "this host has no command for a snapshot");
		return false;
	}
	wanted->since = clock_real();
	ret = spawn(&pid, words);
	if (ret) {
		snprintf(error, size, "cannot run '%s': %s", words[0], strerror(ret));
		return false;
	}
	wait_for(in, &pid, wanted, error, size);
	if (pid) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return !*error;
}

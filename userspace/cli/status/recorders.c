// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/process.h"
#include "base/terminal.h"
#include "kernel/control.h"
#include "kernel/cpustats.h"
#include "kernel/holders.h"
#include "recorders.h"

#define HELPER	"comms-"	/* buffers of names that belong to a recorder */

/* Return the process that the selected buffer ends with. */
static bool read_keeper(uint64_t *pid, struct buf *command)
{
	char text[24];

	if (control_read_u64("keeper_pid", pid))
		return false;
	snprintf(text, sizeof(text), "%" PRIu64, *pid);
	/* The file has a number of this process' namespace, which means another task elsewhere. */
	if (proc_has_own_pids())
		holders_add_comm(command, text);
	else
		buf_add(command, "?", 1);
	buf_add(command, "", 1);
	return !command->failed;
}

static uint64_t read_lost(void)
{
	struct cpustats *cpu;
	uint64_t lost = 0;
	size_t nr;

	cpu = cpustats_read(&nr);
	for (size_t i = 0; cpu && i < nr; i++)
		lost += cpu[i].value[CPUSTAT_LOST];
	free(cpu);
	return lost;
}

static bool has_snapshot(void)
{
	uint64_t exists;

	return !control_read_u64("snapshot", &exists) && exists;
}

static bool select_recorder(const char *buffer, uint64_t *pid, struct buf *command)
{
	control_set_buffer(buffer);
	return strncmp(buffer, HELPER, strlen(HELPER)) && read_keeper(pid, command);
}

static void print_recorder(const char *buffer)
{
	struct control_events events = { 0 };
	struct buf command = { 0 };
	uint64_t pid;

	if (select_recorder(buffer, &pid, &command) && !control_events_read(&events)) {
		uint64_t lost = read_lost();
		enum colour colour = colour_if(lost, COLOUR_BAD);

		printf("recorder        %s (pid %" PRIu64 "), buffer %s, %s%" PRIu64 " lost%s:",
		       command.data, pid, buffer, colour_begin(colour), lost, colour_end(colour));
		for (size_t i = 0; i < events.nr; i++)
			if (events.v[i].enabled)
				printf(" %s:%s", events.v[i].system, events.v[i].name);
		putchar('\n');
	}
	control_events_free(&events);
	buf_free(&command);
}

static void print_snapshot(const char *buffer)
{
	control_set_buffer(buffer);
	if (has_snapshot())
		printf("snapshot        of %s%s: 'rbmap snapshot%s%s --read-existing' saves it\n",
		       buffer ? "buffer " : "the default buffer",
		       buffer ? buffer : "", buffer ? " -B " : "",
		       buffer ? buffer : "");
}

void recorders_print(char *const *buffers, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		print_recorder(buffers[i]);
	print_snapshot(NULL);
	for (size_t i = 0; i < nr; i++)
		print_snapshot(buffers[i]);
	control_set_buffer(NULL);
}

static void json_recorder(struct json *j, const char *buffer)
{
	struct control_events events = { 0 };
	struct buf command = { 0 };
	char name[512];
	uint64_t pid;

	if (select_recorder(buffer, &pid, &command) && !control_events_read(&events)) {
		json_open(j, NULL, '{');
		json_string(j, "buffer", buffer);
		json_string(j, "command", command.data);
		json_unsigned(j, "pid", pid);
		json_unsigned(j, "lost", read_lost());
		json_open(j, "enabled", '[');
		for (size_t i = 0; i < events.nr; i++) {
			if (!events.v[i].enabled)
				continue;
			snprintf(name, sizeof(name), "%s:%s", events.v[i].system,
				 events.v[i].name);
			json_string(j, NULL, name);
		}
		json_close(j, ']');
		json_close(j, '}');
	}
	control_events_free(&events);
	buf_free(&command);
}

void recorders_print_json(struct json *j, char *const *buffers, size_t nr)
{
	json_open(j, "recorders", '[');
	for (size_t i = 0; i < nr; i++)
		json_recorder(j, buffers[i]);
	json_close(j, ']');
	json_open(j, "snapshots", '[');
	for (size_t i = 0; i <= nr; i++) {
		/* "" is the default buffer. */
		control_set_buffer(i ? buffers[i - 1] : NULL);
		if (has_snapshot())
			json_string(j, NULL, i ? buffers[i - 1] : "");
	}
	json_close(j, ']');
	control_set_buffer(NULL);
}

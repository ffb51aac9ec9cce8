/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run code that may crash in a process of its own, and without rights.
 *
 * The formats in a recording are programs of a kind: libtraceevent parses and executes
 * them, and trusts them. A damaged format can make it divide by 0 or recurse without end.
 * The process says which format it uses. After a crash another process does the work
 * without that format, and the events of all others are shown.
 */
#ifndef RBMAP_INPUT_CRASH_GUARD_H
#define RBMAP_INPUT_CRASH_GUARD_H

#include <stdbool.h>

struct command;

/**
 * struct crash_guard - the work
 * @run: does it in the process, and returns a status. All files were opened before.
 * @again: called before @run is called again: make the output what it was before, or let
 *	@run go on behind crash_notes()->progress. Return false if that is not possible.
 * @dies: called before the command dies of a signal that has ended @run and is no crash: remove
 *	the temporary output. NULL: there is none
 * @arg: for all three
 * @command: the command, for messages
 * @path: the recordings, for messages
 * @nr_paths: their number
 */
struct crash_guard {
	int (*run)(void *arg);
	bool (*again)(void *arg);
	void (*dies)(void *arg);
	void *arg;
	const struct command *command;
	const char *const *path;
	unsigned int nr_paths;
};

#define CRASH_GUARD_FAILED	(-1)

/*
 * Return the status that the last call of @run returns, but STATUS_CUT for STATUS_OK if a
 * format was left out. CRASH_GUARD_FAILED: it has crashed for another reason, or it cannot
 * be called again. Formats and crashes are reported.
 */
int crash_guard(const struct crash_guard *guard);

/*
 * Give up all rights that reading an open recording and writing to open files do not need.
 * Afterwards the process opens no file, starts no program, and has neither the user nor the
 * capabilities of before. Its memory never becomes code.
 *
 * Call this with one thread. Other threads can be started later.
 */
void sandbox_enter(void);

#endif /* RBMAP_INPUT_CRASH_GUARD_H */

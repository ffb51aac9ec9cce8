/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording of the kernel's events from now on, for one answer. */
#ifndef RBMAP_CLI_WHY_LIVE_H
#define RBMAP_CLI_WHY_LIVE_H

#include <stdbool.h>

/* The recording, in a folder that nobody else can read */
struct live_recording {
	char folder[4096];
	char path[4096 + 16];
};

/*
 * Run rbmap record --for why until @seconds have passed (0: no limit) or Ctrl-C is pressed.
 * Return false if that failed: the error is reported, and no file is left.
 */
bool live_record(struct live_recording *live, double seconds);

/* Remove the file and its folder. A process that has opened it can read on. */
void live_remove(const struct live_recording *live);

#endif /* RBMAP_CLI_WHY_LIVE_H */

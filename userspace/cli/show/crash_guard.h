/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run code that may crash in a process of its own.
 *
 * The formats in a recording are programs of a kind: libtraceevent parses and
 * executes them, and trusts them. A damaged format can make it divide by 0 or
 * recurse without end. All output before such a crash is kept.
 */
#ifndef RBMAP_CLI_CRASH_GUARD_H
#define RBMAP_CLI_CRASH_GUARD_H

/* Return the status that @fn returns, or -1 if it crashes. */
int crash_guard(int (*fn)(void *arg), void *arg);

#endif /* RBMAP_CLI_CRASH_GUARD_H */

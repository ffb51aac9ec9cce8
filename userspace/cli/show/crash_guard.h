/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run what may crash in a process of its own.
 *
 * The formats in a recording are programs of a kind, which libtraceevent
 * parses and executes, and it trusts them: a damaged one can make it divide by
 * 0 or recurse for ever.  What was printed until then was printed.
 */
#ifndef RBMAP_CLI_CRASH_GUARD_H
#define RBMAP_CLI_CRASH_GUARD_H

/* The status that @fn returns, or -1: it crashed. */
int crash_guard(int (*fn)(void *arg), void *arg);

#endif /* RBMAP_CLI_CRASH_GUARD_H */

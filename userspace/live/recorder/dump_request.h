/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ask a flight recorder for a file, and wait until it says whether it wrote one. The request
 * is SIGUSR1 with a number, and the answer is a datagram to an abstract socket whose name
 * has that number.
 */
#ifndef RBMAP_LIVE_RECORDER_DUMP_REQUEST_H
#define RBMAP_LIVE_RECORDER_DUMP_REQUEST_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Return whether the recorder wrote its file. Else report why not. */
bool dump_request(pid_t recorder);

/* Answer the request of a signal. Without a number, as from kill(1), nobody waits. */
void dump_request_answer(const siginfo_t *request, bool written);

#endif /* RBMAP_LIVE_RECORDER_DUMP_REQUEST_H */

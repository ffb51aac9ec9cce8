// SPDX-License-Identifier: GPL-2.0-only
/* Failing allocations, on kernels that support them (device.sh sets them up). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "device.h"

static __thread int fault_fd = -1;
static __thread pid_t fault_pid;

/**
 * faults_begin - set up failing allocations for a new thread
 * @often: any allocation of the thread may fail, by chance
 */
void faults_begin(bool often)
{
	if (!may_fail)
		return;
	fault_pid = getpid();
	fault_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (often)
		write_file("/proc/thread-self/make-it-fail", "1");
}

/* Let one of the first allocations of a step fail. Return true if one failed. */
bool do_fault(void)
{
	char text[16];
	ssize_t len;

	/*
	 * A child inherits the descriptor of its parent's thread; that one is
	 * not usable.
	 */
	if (fault_fd < 0 || fault_pid != getpid())
		return false;
	len = snprintf(text, sizeof(text), "%u", 1 + pick(pick(2) ? 5 : 60));
	if (pwrite(fault_fd, text, len, 0) != len)
		return false;
	take_step(STEP_NO_FAULT);
	len = pread(fault_fd, text, sizeof(text) - 1, 0);
	(void)!pwrite(fault_fd, "0", 1, 0);
	if (len <= 0)
		return false;
	text[len] = 0;
	return !atoi(text);
}

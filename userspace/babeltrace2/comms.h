/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of running threads. */
#ifndef RBMAP_BT2_COMMS_H
#define RBMAP_BT2_COMMS_H

#include <stdint.h>

#define COMMS_NR	4096	/* a power of 2 */
#define COMMS_SIZE	64

/**
 * struct comms - names that were read lately
 * @pid: a place has the name of this thread; 0: of none
 * @second: when the name was read
 */
struct comms {
	struct {
		int pid;
		int64_t second;
		char name[COMMS_SIZE];
	} place[COMMS_NR];
};

/*
 * Return the name that a thread has had within the last second, valid until the next call;
 * NULL: it has ended.
 */
const char *comms_find(struct comms *comms, int pid);

#endif /* RBMAP_BT2_COMMS_H */

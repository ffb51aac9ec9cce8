/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a task waited: the wait is followed along the tasks that ended it, and each part of
 * its time gets a cause.
 */
#ifndef RBMAP_INTERVALS_WHY_CAUSE_H
#define RBMAP_INTERVALS_WHY_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "history.h"

/**
 * enum cause_kind - what took the time
 * @CAUSE_RAN: a task ran, and others waited for it
 * @CAUSE_OCCUPIED: a task could run, and another one ran on its CPU
 * @CAUSE_HANDLER: the handler of an interrupt, or a timer's function, ran
 * @CAUSE_IRQS_OFF: interrupts were off
 * @CAUSE_QUOTA: a task's group had used up its CPU time
 * @CAUSE_RT_THROTTLED: real-time tasks had used up theirs
 * @CAUSE_IDLE_CPU: a task could run, and its CPU was idle
 * @CAUSE_DISK: a block device worked on a request, or had not begun
 * @CAUSE_THRASH: a task read again what its page cache had dropped
 * @CAUSE_MEMORY_HIGH: a task had to wait because its group has too much memory
 * @CAUSE_RECLAIM: a task freed memory
 * @CAUSE_LOCK: a task ran until it got a spinning lock
 * @CAUSE_TIMER: a task slept until a time that it chose
 * @CAUSE_NETWORK: a packet came from the network
 * @CAUSE_DEVICE: an interrupt ended the wait
 * @CAUSE_RCU: a grace period of RCU ended
 * @CAUSE_STOPPED: a signal or a debugger had stopped a task
 * @CAUSE_NOT_WOKEN: nothing had ended it when the recording ended
 * @CAUSE_UNKNOWN: the recording does not say
 */
enum cause_kind {
	CAUSE_RAN, CAUSE_OCCUPIED, CAUSE_HANDLER, CAUSE_IRQS_OFF, CAUSE_QUOTA,
	CAUSE_RT_THROTTLED, CAUSE_IDLE_CPU, CAUSE_DISK, CAUSE_THRASH, CAUSE_MEMORY_HIGH,
	CAUSE_RECLAIM, CAUSE_LOCK, CAUSE_TIMER, CAUSE_NETWORK, CAUSE_DEVICE, CAUSE_RCU, CAUSE_STOPPED,
	CAUSE_NOT_WOKEN, CAUSE_UNKNOWN, NR_CAUSE_KINDS
};

#define MOST_LINKS	16	/* tasks that wait for each other, one behind the other */
#define MOST_CAUSES	64	/* kept for a wait; the others are summed up */

/**
 * struct link - a task that waits for the next one
 * @wait: the sleep, or NULL: the task did not sleep
 * @lock: the address of the lock that it waits for, of a program or of the kernel; 0: none
 */
struct link {
	int pid;
	const struct piece *wait;
	uint64_t lock;
};

/**
 * struct cause - a cause
 * @time: its share of the wait
 * @parts: in how many parts
 * @actor: the task that did it, or in whose name it was done; -1: none
 * @victim: the last task of the chain: the one that directly waited
 * @cpu: where that was; -1: nowhere, or in several places
 * @handler: for CAUSE_HANDLER: the kind of interval
 * @name: a function, a handler or a device
 * @longest: the longest request
 * @requests: how many others the device had when that request came
 * @chain: from the task whose wait it is to @victim, by the longest part
 */
struct cause {
	enum cause_kind kind;
	uint64_t time;
	uint64_t longest_part;
	unsigned int parts;
	int actor, victim;
	int actor_prio, victim_prio;
	int cpu;
	enum interval_kind handler;
	const char *name;
	const struct piece *longest;
	unsigned int requests;
	struct link chain[MOST_LINKS];
	unsigned int nr_links;
};

/**
 * struct analysis - the causes of a wait
 * @cause: the largest first; their times and @others sum to @time
 * @root: the number of the cause that counts most
 * @others: time of causes that had no room
 * @steps: pieces that were looked at
 */
struct analysis {
	uint64_t time;
	struct cause cause[MOST_CAUSES];
	unsigned int nr_causes;
	unsigned int root;
	uint64_t others;
	uint64_t steps;
};

/* Find the causes of what the task did between two times. */
void analyse_task(const struct history *h, int pid, uint64_t begin, uint64_t end,
		  struct analysis *analysis);
/* The same for a time in which something ran in the name of a task, as its handler. */
void analyse_cpu(const struct history *h, int cpu, int pid, uint64_t begin, uint64_t end,
		 struct analysis *analysis);

/* Return how many tasks of the chain wait for the same lock as the first one, which counts. */
unsigned int cause_same_lock(const struct cause *cause);
/* Return true if the lock is a program's: then the task that ends the wait had the lock. */
bool piece_is_user_lock(const struct piece *wait);
/*
 * Return true if interrupts were off on another CPU, too, for most of that time. Then the host
 * of the virtual machine did not let it run.
 */
bool piece_is_of_host(const struct history *h, const struct piece *irqs_off);
/* Return true if both causes have the same kind, and the same task, handler or device. */
bool cause_is_same(const struct cause *a, const struct cause *b);

#endif /* RBMAP_INTERVALS_WHY_CAUSE_H */

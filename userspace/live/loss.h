/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Print the number of read and lost events, each cause of loss, and the setting
 * that avoids it.
 */
#ifndef RBMAP_LIVE_LOSS_H
#define RBMAP_LIVE_LOSS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <rbmap.h>

/* Add @now - @before to @loss, for each cause. */
void loss_add(struct rbmap_loss *loss, const struct rbmap_loss *now,
	      const struct rbmap_loss *before);

/*
 * Add the events of a CPU whose ring cannot be read: all of them are lost. Return how many are
 * none of the causes, and store how many of these the ring still has.
 */
uint64_t loss_add_unopened(struct rbmap_loss *loss, unsigned int cpu, uint64_t *unread);

/*
 * Print "N events read, N lost", and a line for each cause that occurred. @more: the number of
 * lost events is not known, and may be larger.
 */
void loss_print(FILE *out, uint64_t events, const struct rbmap_loss *loss, bool more);

/* Print a line about events that loss_add_unopened() has returned, if there are any. */
void loss_print_unopened(FILE *out, uint64_t unopened);

/* Print a line about events that the kernel missed, if there are any. */
void loss_print_missed(FILE *out, uint64_t missed);

/* Print a line about events of recorders that were left out, if there are any. */
void loss_print_excluded(FILE *out, uint64_t excluded);

#endif /* RBMAP_LIVE_LOSS_H */

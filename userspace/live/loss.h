/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Print the number of read and lost events, each cause of loss, and the setting
 * that avoids it.
 */
#ifndef RBMAP_LIVE_LOSS_H
#define RBMAP_LIVE_LOSS_H

#include <stdint.h>
#include <stdio.h>
#include <rbmap.h>

/* Add @now - @before to @loss, for each cause. */
void loss_add(struct rbmap_loss *loss, const struct rbmap_loss *now,
	      const struct rbmap_loss *before);

/* Print "N events read, N lost", and a line for each cause that occurred. */
void loss_print(FILE *out, uint64_t events, const struct rbmap_loss *loss);

/* Print a line about events that the kernel missed, if there are any. */
void loss_print_missed(FILE *out, uint64_t missed);

/* Print a line about events of recorders that were left out, if there are any. */
void loss_print_excluded(FILE *out, uint64_t excluded);

#endif /* RBMAP_LIVE_LOSS_H */

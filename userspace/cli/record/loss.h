/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was read and what was lost, told at the end: the number, each cause,
 * and the setting that avoids it.
 */
#ifndef RBMAP_CLI_LOSS_H
#define RBMAP_CLI_LOSS_H

#include <stdint.h>
#include <stdio.h>
#include <rbmap.h>

/* @loss += @now - @before, each cause. */
void loss_add(struct rbmap_loss *loss, const struct rbmap_loss *now,
	      const struct rbmap_loss *before);

/* "N events read, N lost", and a line for each cause that was there. */
void loss_print(FILE *out, uint64_t events, const struct rbmap_loss *loss);

#endif /* RBMAP_CLI_LOSS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The rings of a buffer, one for each CPU. */
#ifndef RBMAP_BT2_RINGS_H
#define RBMAP_BT2_RINGS_H

#include <stdbool.h>
#include <rbmap.h>

/**
 * struct rings - the rings
 * @cpu: the numbers of their CPUs, in ascending order
 * @map: the rings; NULL: the ring is gone
 */
struct rings {
	unsigned int *cpu;
	struct rbmap_map **map;
	unsigned int nr;
};

/* Open the rings of all CPUs in @dir that have one. Return 0 or an error of librbmap. */
int rings_open(struct rings *rings, const char *dir, bool observe);
void rings_close(struct rings *rings);

#endif /* RBMAP_BT2_RINGS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The rings of a buffer, one for each CPU. */
#ifndef RBMAP_BT2_RINGS_H
#define RBMAP_BT2_RINGS_H

#include <stdbool.h>
#include <rbmap.h>

/**
 * struct rings - the rings
 * @cpu: the numbers of all possible CPUs, in ascending order
 * @map: the rings; NULL: the CPU was not on line yet
 * @dir, @observe: how they are opened
 */
struct rings {
	unsigned int *cpu;
	struct rbmap_map **map;
	unsigned int nr;
	const char *dir;
	bool observe;
};

/*
 * Open the rings of all CPUs in @dir that have one. The string must live as long as the rings.
 * Return 0 or an error of librbmap.
 */
int rings_open(struct rings *rings, const char *dir, bool observe);
/* Open the ring of CPU number @i of the table, if it has one now. Return 0 or an error. */
int rings_look(struct rings *rings, unsigned int i);
/* Return the first ring of all. */
struct rbmap_map *rings_first(const struct rings *rings);
void rings_close(struct rings *rings);

#endif /* RBMAP_BT2_RINGS_H */

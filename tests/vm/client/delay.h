/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a task of high priority waits while another one makes calls: the longest window in
 * which preemption or interrupts are off. For a machine whose clock counts instructions.
 */
#ifndef DELAY_H
#define DELAY_H

#include <stdint.h>

/*
 * Return the longest delay during @act, in instructions. Several rounds are made, each after
 * @before if there is one. The result is the shortest one of them: the kernel has longer delays
 * of its own, which do not come in each round.
 */
uint64_t delay_of(void (*before)(void), void (*act)(void));

#endif /* DELAY_H */

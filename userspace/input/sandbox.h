/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Give up all rights that reading an open recording and writing to open files do not need.
 * Afterwards the process opens no file, starts no program, and has neither the user nor the
 * capabilities of before. Its memory never becomes code.
 */
#ifndef RBMAP_INPUT_SANDBOX_H
#define RBMAP_INPUT_SANDBOX_H

/* Call this with one thread. Other threads can be started later. */
void sandbox_enter(void);

#endif /* RBMAP_INPUT_SANDBOX_H */

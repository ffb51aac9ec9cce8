/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys of rbmap top. */
#ifndef RBMAP_CLI_TOP_KEYS_H
#define RBMAP_CLI_TOP_KEYS_H

#include <stdbool.h>

#include "layout.h"

/*
 * Change the view by a key of ncurses. @rows: how many rows are shown. Return false if the
 * user wants to leave.
 */
bool press_key(struct top_view *view, int key, int rows);

#endif /* RBMAP_CLI_TOP_KEYS_H */

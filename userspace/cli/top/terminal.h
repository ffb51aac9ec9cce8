/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal of rbmap top, by ncurses, which is loaded here. */
#ifndef RBMAP_CLI_TOP_TERMINAL_H
#define RBMAP_CLI_TOP_TERMINAL_H

#include <stdbool.h>

#include "layout.h"

struct terminal;

/* Return NULL if the terminal cannot be used. The reason has been reported. */
struct terminal *terminal_open(void);
/* Give the terminal back as it was. @terminal may be NULL. */
void terminal_close(struct terminal *terminal);

void terminal_show(struct terminal *terminal, const struct picture *picture);

/*
 * Change the view by the keys that were pressed. Return whether something has changed.
 * *quit: the user wants to leave.
 */
bool terminal_keys(struct terminal *terminal, struct top_view *view, bool *quit);

/*
 * Change the view by a key of ncurses. @rows: how many rows are shown. Return false if the
 * user wants to leave.
 */
bool press_key(struct top_view *view, int key, int rows);

#endif /* RBMAP_CLI_TOP_TERMINAL_H */

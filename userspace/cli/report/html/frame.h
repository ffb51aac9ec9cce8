/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the page that do not depend on the recording: page/ in this folder. */
#ifndef RBMAP_REPORT_HTML_FRAME_H
#define RBMAP_REPORT_HTML_FRAME_H

#include <stdio.h>

/* Write the text before the data, and the text behind them. */
void frame_write_begin(FILE *out);
void frame_write_end(FILE *out);

#endif /* RBMAP_REPORT_HTML_FRAME_H */

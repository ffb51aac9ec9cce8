/* SPDX-License-Identifier: LGPL-2.1-only */
/* The names of threads in a recording. */
#ifndef RBMAP_DAT_COMMS_H
#define RBMAP_DAT_COMMS_H

struct dat_reader;

typedef void dat_comm_fn(void *data, int pid, const char *comm);

/* Call @each for each line "PID NAME" of a text, which this function changes. */
void dat_parse_comms(char *text, dat_comm_fn *each, void *data);

/* Do the same with the recording's table of names. */
void dat_each_comm(const struct dat_reader *reader, dat_comm_fn *each, void *data);

#endif /* RBMAP_DAT_COMMS_H */

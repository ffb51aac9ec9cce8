/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings that are made of events that others have recorded. */
#ifndef RBMAP_FLEET_ADMIN_MERGE_NEW_RECORDING_H
#define RBMAP_FLEET_ADMIN_MERGE_NEW_RECORDING_H

/* The file events/header_event, which each kernel has with the same contents */
extern const char new_recording_header_event[];

/* Let the process open a file for each of @nr CPUs, as far as the system allows it. */
void new_recording_allow_cpus(unsigned int nr);
/* Return the largest number of CPUs for which the system allows it. */
unsigned int new_recording_cpus_max(void);

#endif /* RBMAP_FLEET_ADMIN_MERGE_NEW_RECORDING_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings that a flight recorder was writing when it was killed, or the machine stopped */
#ifndef RBMAP_CLI_INCIDENT_LEFTOVERS_H
#define RBMAP_CLI_INCIDENT_LEFTOVERS_H

#include "live/recorder/assembly.h"

/*
 * Let @assembly complete all unfinished recordings of a directory that this process has
 * locked. Tell each one, and each that cannot be completed.
 */
void incident_leftovers_complete(const char *dir, struct assembly *assembly);

#endif /* RBMAP_CLI_INCIDENT_LEFTOVERS_H */

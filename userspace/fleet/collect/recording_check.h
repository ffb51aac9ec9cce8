/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_RECORDING_CHECK_H
#define RBMAP_FLEET_RECORDING_CHECK_H

#include <stdbool.h>

/*
 * Return whether librbmap opens the file as a recording. A child process does that with
 * limits: a host made the file, and must not be able to stop the collector.
 */
bool is_recording(int fd);

#endif /* RBMAP_FLEET_RECORDING_CHECK_H */

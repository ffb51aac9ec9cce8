/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_CHECKSUM_H
#define RBMAP_FLEET_COLLECTOR_INDEX_CHECKSUM_H

#include "incidents.h"

/*
 * Store the SHA-256 of a file. @copy: descriptor that gets the same bytes, or -1. Return 0
 * or a negative errno.
 */
int checksum_file(int fd, int copy, char text[SHA256_TEXT_SIZE]);

/* Return whether the text is 64 hexadecimal digits, in lower case. */
bool is_sha256(const char *text);

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_CHECKSUM_H */

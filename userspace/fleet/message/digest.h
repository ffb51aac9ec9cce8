/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-256 of bytes and of files */
#ifndef RBMAP_FLEET_MESSAGE_DIGEST_H
#define RBMAP_FLEET_MESSAGE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGEST_TEXT_SIZE	65	/* hexadecimal digits, with the final 0 */

struct evp_md_ctx_st;

/* A sum of bytes that come one after the other */
struct digest {
	struct evp_md_ctx_st *context;
	bool failed;
};

void digest_begin(struct digest *d);
void digest_add(struct digest *d, const void *bytes, size_t size);
/* Store the sum, and free the memory. Return false if libcrypto had none. */
bool digest_end(struct digest *d, char text[DIGEST_TEXT_SIZE]);
/* Free the memory of a sum that nobody needs. */
void digest_drop(struct digest *d);

/*
 * Store the sum of a file and its size. Return 0 or a negative errno; -EINTR: @stopped
 * returned true.
 */
int digest_file(int fd, char text[DIGEST_TEXT_SIZE], uint64_t *size, bool (*stopped)(void));

/*
 * Store the SHA-256 of a file. @copy: descriptor that gets the same bytes, or -1. Return 0
 * or a negative errno.
 */
int checksum_file(int fd, int copy, char text[DIGEST_TEXT_SIZE]);

/* Return whether the text is 64 hexadecimal digits, in lower case. */
bool is_sha256(const char *text);

#endif /* RBMAP_FLEET_MESSAGE_DIGEST_H */

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checksum.h"
#include "common/service.h"
#include "common/write_all.h"

#define BLOCK_SIZE	(1U << 20)

static int read_all(int fd, int copy, EVP_MD_CTX *sum, char *block)
{
	uint64_t offset = 0;
	int ret = 0;

	while (!ret) {
		ssize_t got = pread(fd, block, BLOCK_SIZE, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		if (!EVP_DigestUpdate(sum, block, got))
			return -ENOMEM;
		if (copy >= 0)
			ret = write_all(copy, block, got);
		offset += got;
		service_busy();
	}
	return ret;
}

int checksum_file(int fd, int copy, char text[SHA256_TEXT_SIZE])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *sum = EVP_MD_CTX_new();
	char *block = malloc(BLOCK_SIZE);
	unsigned int size = 0;
	int ret = -ENOMEM;

	if (sum && block && EVP_DigestInit_ex(sum, EVP_sha256(), NULL))
		ret = read_all(fd, copy, sum, block);
	if (!ret && !EVP_DigestFinal_ex(sum, digest, &size))
		ret = -ENOMEM;
	for (unsigned int i = 0; i < size && 2 * i + 2 < SHA256_TEXT_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	EVP_MD_CTX_free(sum);
	free(block);
	return ret;
}

bool is_sha256(const char *text)
{
	return strlen(text) == SHA256_TEXT_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == SHA256_TEXT_SIZE - 1;
}

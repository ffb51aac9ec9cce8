// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "command/service.h"
#include "digest.h"

#define READ_BYTES	(64 << 10)
#define BLOCK_SIZE	(1U << 20)

void digest_begin(struct digest *d)
{
	d->context = EVP_MD_CTX_new();
	d->failed = !d->context || !EVP_DigestInit_ex(d->context, EVP_sha256(), NULL);
}

void digest_add(struct digest *d, const void *bytes, size_t size)
{
	if (!d->failed && !EVP_DigestUpdate(d->context, bytes, size))
		d->failed = true;
}

bool digest_end(struct digest *d, char text[DIGEST_TEXT_SIZE])
{
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned int size = 0;
	bool ok;

	if (!d->failed && !EVP_DigestFinal_ex(d->context, sum, &size))
		d->failed = true;
	for (unsigned int i = 0; !d->failed && i < size && i < DIGEST_TEXT_SIZE / 2; i++)
		snprintf(text + 2 * i, 3, "%02x", sum[i]);
	ok = !d->failed;
	digest_drop(d);
	return ok;
}

void digest_drop(struct digest *d)
{
	EVP_MD_CTX_free(d->context);
	d->context = NULL;
	d->failed = true;
}

int digest_file(int fd, char text[DIGEST_TEXT_SIZE], uint64_t *size, bool (*stopped)(void))
{
	char bytes[READ_BYTES];
	struct digest d;
	ssize_t got;

	*size = 0;
	digest_begin(&d);
	while (!stopped()) {
		got = pread(fd, bytes, sizeof(bytes), *size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int error = -errno;

			digest_drop(&d);
			return error;
		}
		if (!got)
			return digest_end(&d, text) ? 0 : -ENOMEM;
		digest_add(&d, bytes, got);
		*size += got;
	}
	digest_drop(&d);
	return -EINTR;
}

static int read_all(int fd, int copy, struct digest *digest, char *block)
{
	uint64_t offset = 0;
	int ret = 0;

	while (!ret) {
		ssize_t got = pread(fd, block, BLOCK_SIZE, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		digest_add(digest, block, got);
		if (copy >= 0)
			ret = write_all(copy, block, got);
		offset += got;
		service_busy();
	}
	return ret;
}

int checksum_file(int fd, int copy, char text[DIGEST_TEXT_SIZE])
{
	char *block = malloc(BLOCK_SIZE);
	struct digest digest;
	int ret = -ENOMEM;

	digest_begin(&digest);
	if (block)
		ret = read_all(fd, copy, &digest, block);
	if (ret)
		digest_drop(&digest);
	else if (!digest_end(&digest, text))
		ret = -ENOMEM;
	free(block);
	return ret;
}

bool is_sha256(const char *text)
{
	return strlen(text) == DIGEST_TEXT_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == DIGEST_TEXT_SIZE - 1;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "digest.h"

#define READ_BYTES	(64 << 10)

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

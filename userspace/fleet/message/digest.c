// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
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

static int add_file(struct digest *d, int fd, int copy, uint64_t *size, bool (*stopped)(void))
{
	char bytes[READ_BYTES];
	int ret = 0;

	while (!ret && !(stopped && stopped())) {
		ssize_t got = pread(fd, bytes, sizeof(bytes), *size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		digest_add(d, bytes, got);
		*size += got;
		if (copy >= 0)
			ret = write_all(copy, bytes, got);
	}
	return ret ? ret : -EINTR;
}

static int sum_file(int fd, int copy, char text[DIGEST_TEXT_SIZE], uint64_t *size,
		    bool (*stopped)(void))
{
	struct digest d;
	int ret;

	*size = 0;
	digest_begin(&d);
	ret = add_file(&d, fd, copy, size, stopped);
	if (ret)
		digest_drop(&d);
	else if (!digest_end(&d, text))
		ret = -ENOMEM;
	return ret;
}

int digest_file(int fd, char text[DIGEST_TEXT_SIZE], uint64_t *size, bool (*stopped)(void))
{
	return sum_file(fd, -1, text, size, stopped);
}

int checksum_file(int fd, int copy, char text[DIGEST_TEXT_SIZE])
{
	uint64_t size;

	return sum_file(fd, copy, text, &size, NULL);
}

bool is_sha256(const char *text)
{
	return strlen(text) == DIGEST_TEXT_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == DIGEST_TEXT_SIZE - 1;
}

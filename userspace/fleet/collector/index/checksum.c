// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "checksum.h"
#include "command/service.h"
#include "message/digest.h"

#define BLOCK_SIZE	(1U << 20)

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

int checksum_file(int fd, int copy, char text[SHA256_TEXT_SIZE])
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
	return strlen(text) == SHA256_TEXT_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == SHA256_TEXT_SIZE - 1;
}

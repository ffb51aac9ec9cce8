// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jetstream_credentials.h"
#include "nkey.h"

#define FILE_SIZE_MAX	(64 << 10)
#define JWT		"BEGIN NATS USER JWT"

/* Read a small file. Return 0 or a negative errno. */
static int read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t len;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size >= (off_t)size)
		len = -EINVAL;
	else
		len = read(fd, text, size - 1);
	close(fd);
	if (len < 0)
		return len == -EINVAL ? -EINVAL : -errno;
	text[len] = '\0';
	return 0;
}

int jetstream_credentials(struct transport *t, natsOptions *options, const char *path)
{
	char text[FILE_SIZE_MAX], public[NKEY_SIZE];
	natsStatus status;
	bool is_jwt, ok;
	int ret = read_text(path, text, sizeof(text));

	if (ret)
		return transport_failed(t, -EINVAL, "cannot read the credentials %s: %s", path,
					strerror(-ret));
	is_jwt = strstr(text, JWT);
	ok = is_jwt || nkey_public(text, public);
	OPENSSL_cleanse(text, sizeof(text));
	if (!ok)
		return transport_failed(t, -EINVAL, "%s has neither a JWT nor the seed of an NKEY of a user, SU...",
					path);
	if (is_jwt)
		status = natsOptions_SetUserCredentialsFromFiles(options, path, NULL);
	else
		status = natsOptions_SetNKeyFromSeed(options, public, path);
	if (status != NATS_OK)
		return transport_failed(t, -EINVAL, "cannot use the credentials %s: %s", path,
					natsStatus_GetText(status));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file with the credentials of a client: a JWT and its seed, or the seed of an NKEY. NKEYs,
 * the Ed25519 keys of NATS, are text: base32 of a prefix, a key and a CRC-16. A client names
 * its public key and signs with the seed; a file has the seed only.
 */
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jetstream.h"

#define NKEY_SIZE	57	/* with the final 0 */
#define ALPHABET	"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
#define SEED_LETTERS	58
#define SEED_SIZE	36	/* 2 of a prefix, 32 of the seed, 2 of the CRC */
#define PUBLIC_SIZE	35	/* 1 of a prefix, 32 of the key, 2 of the CRC */
#define KEY_SIZE	32
#define PREFIX_SEED	(18 << 3)	/* the letter S */
#define PREFIX_USER	(20 << 3)	/* the letter U */
#define FILE_SIZE_MAX	(64 << 10)
#define JWT		"BEGIN NATS USER JWT"

/* CRC-16/XMODEM */
static uint16_t crc16(const uint8_t *at, size_t size)
{
	uint16_t crc = 0;

	while (size--) {
		crc ^= (uint16_t)(*at++ << 8);
		for (int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
	}
	return crc;
}

static bool decode(const char *text, uint8_t raw[SEED_SIZE])
{
	unsigned int bits = 0, value = 0;
	size_t size = 0;

	for (size_t i = 0; i < SEED_LETTERS; i++) {
		const char *letter = text[i] ? strchr(ALPHABET, text[i]) : NULL;

		if (!letter)
			return false;
		value = value << 5 | (unsigned int)(letter - ALPHABET);
		bits += 5;
		if (bits >= 8) {
			bits -= 8;
			raw[size++] = (uint8_t)(value >> bits);
		}
	}
	return size == SEED_SIZE;
}

static void encode(const uint8_t raw[PUBLIC_SIZE], char key[NKEY_SIZE])
{
	unsigned int bits = 0, value = 0;
	size_t len = 0;

	for (size_t i = 0; i < PUBLIC_SIZE; i++) {
		value = value << 8 | raw[i];
		for (bits += 8; bits >= 5; bits -= 5)
			key[len++] = ALPHABET[value >> (bits - 5) & 31];
	}
	key[len] = '\0';
}

_Static_assert(PUBLIC_SIZE * 8 % 5 == 0 && PUBLIC_SIZE * 8 / 5 == NKEY_SIZE - 1,
	       "a public key ends with a whole letter");

static bool is_seed_of_user(const uint8_t raw[SEED_SIZE])
{
	uint16_t crc = (uint16_t)(raw[SEED_SIZE - 2] | raw[SEED_SIZE - 1] << 8);

	return (raw[0] & 0xf8) == PREFIX_SEED &&
	       (uint8_t)((raw[0] & 7) << 5 | raw[1] >> 3) == PREFIX_USER &&
	       crc == crc16(raw, SEED_SIZE - 2);
}

static bool derive(const uint8_t seed[KEY_SIZE], uint8_t public[KEY_SIZE])
{
	EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, KEY_SIZE);
	size_t size = KEY_SIZE;
	bool ok = key && EVP_PKEY_get_raw_public_key(key, public, &size) == 1 && size == KEY_SIZE;

	EVP_PKEY_free(key);
	return ok;
}

/* Store the public key for the first seed of a user in the text. Return false: it has none. */
static bool nkey_public(const char *text, char key[NKEY_SIZE])
{
	uint8_t raw[SEED_SIZE], public[PUBLIC_SIZE] = { PREFIX_USER };
	bool ok = false;
	uint16_t crc;

	for (const char *at = strstr(text, "SU"); at && !ok; at = strstr(at + 1, "SU"))
		ok = decode(at, raw) && is_seed_of_user(raw);
	ok = ok && derive(raw + 2, public + 1);
	OPENSSL_cleanse(raw, sizeof(raw));
	if (!ok)
		return false;
	crc = crc16(public, PUBLIC_SIZE - 2);
	public[PUBLIC_SIZE - 2] = (uint8_t)crc;
	public[PUBLIC_SIZE - 1] = (uint8_t)(crc >> 8);
	encode(public, key);
	return true;
}

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

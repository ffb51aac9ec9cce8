// SPDX-License-Identifier: GPL-2.0-only
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "nkey.h"

#define ALPHABET	"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
#define SEED_LETTERS	58
#define SEED_SIZE	36	/* 2 of a prefix, 32 of the seed, 2 of the CRC */
#define PUBLIC_SIZE	35	/* 1 of a prefix, 32 of the key, 2 of the CRC */
#define KEY_SIZE	32
#define PREFIX_SEED	(18 << 3)	/* the letter S */
#define PREFIX_USER	(20 << 3)	/* the letter U */

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

bool nkey_public(const char *text, char key[NKEY_SIZE])
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

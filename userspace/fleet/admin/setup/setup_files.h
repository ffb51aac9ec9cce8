/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a setup, and the certificates among them. A file is there as a whole or not at
 * all, also after a loss of power. Certificates have ECDSA keys on the curve P-256. Keys and
 * certificates that exist stay.
 */
#ifndef RBMAP_FLEET_ADMIN_SETUP_SETUP_FILES_H
#define RBMAP_FLEET_ADMIN_SETUP_SETUP_FILES_H

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define AUTHORITY_DAYS	7300
#define CERTIFICATE_DAYS 1825

/* Open a folder below @dir, and make it if it is not there. Return -1 after an error. */
int files_folder(int dir, const char *name);

bool files_have(int dir, const char *name);

/*
 * Write a file. Without @replace, a file that is there stays, and the result is false.
 * Errors are reported.
 */
bool files_write(int dir, const char *name, const void *data, size_t size, mode_t mode,
		 bool replace);

/* Copy a small file to another folder, over what is there. */
bool setup_file_copy(int from, const char *name, int to);

/* An authority that signs certificates */
struct authority {
	EVP_PKEY *key;
	X509 *certificate;
};

/**
 * struct holder - a party that a certificate names
 * @name: the common name
 * @unit: the organizational unit: users are "CN=NAME,OU=UNIT"
 * @address: a name or an address of a server; NULL: it is a client
 */
struct holder {
	const char *name;
	const char *unit;
	const char *address;
};

/* Read NAME.key and NAME.crt, or make them. Errors are reported. */
bool authority_open(struct authority *a, int dir, const char *name);
void authority_close(struct authority *a);

/* Make NAME.key and NAME.crt, if they are not there. Errors are reported. */
bool certificate_make(const struct authority *a, int dir, const char *name,
		      const struct holder *holder, unsigned int days);

#endif /* RBMAP_FLEET_ADMIN_SETUP_SETUP_FILES_H */

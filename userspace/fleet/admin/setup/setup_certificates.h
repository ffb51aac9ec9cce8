/* SPDX-License-Identifier: GPL-2.0-only */
/* Certificates with ECDSA keys on the curve P-256. Keys and certificates that exist stay. */
#ifndef RBMAP_FLEET_ADMIN_SETUP_SETUP_CERTIFICATES_H
#define RBMAP_FLEET_ADMIN_SETUP_SETUP_CERTIFICATES_H

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdbool.h>

#define AUTHORITY_DAYS	7300
#define CERTIFICATE_DAYS 1825

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

#endif /* RBMAP_FLEET_ADMIN_SETUP_SETUP_CERTIFICATES_H */

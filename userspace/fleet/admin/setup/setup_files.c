// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/files.h"
#include "setup_files.h"

#define COPY_MAX	(64 << 10)
#define CURVE		"P-256"
#define SKEW		3600	/* seconds that clocks of hosts may be behind */
#define SERIAL_BYTES	16
#define NAME_SIZE	64

int files_folder(int dir, const char *name)
{
	int fd;

	if (mkdirat(dir, name, 0700) && errno != EEXIST) {
		complain("cannot make the folder %s: %s", name, strerror(errno));
		return -1;
	}
	fsync(dir);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		complain("cannot open the folder %s: %s", name, strerror(errno));
	return fd;
}

bool files_have(int dir, const char *name)
{
	return !faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* Return 0 or a negative errno. */
static int write_new(int dir, const char *name, const void *data, size_t size, mode_t mode)
{
	int fd, ret;

	/* Left by a setup that was killed */
	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, data, size);
	if (!ret && fsync(fd))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

bool files_write(int dir, const char *name, const void *data, size_t size, mode_t mode,
		 bool replace)
{
	char temporary[256];
	int ret;

	snprintf(temporary, sizeof(temporary), ".new-%s", name);
	ret = write_new(dir, temporary, data, size, mode);
	if (!ret && renameat2(dir, temporary, dir, name, replace ? 0 : RENAME_NOREPLACE))
		ret = -errno;
	if (!ret && fsync(dir))
		ret = -errno;
	if (!ret)
		return true;
	unlinkat(dir, temporary, 0);
	complain("cannot write %s: %s", name, strerror(-ret));
	return false;
}

bool setup_file_copy(int from, const char *name, int to)
{
	char bytes[COPY_MAX];
	int fd = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	if (size < 0 || size == sizeof(bytes))
		complain("cannot read %s: %s", name, size < 0 ? strerror(errno) : "it is too large");
	if (fd >= 0)
		close(fd);
	return size >= 0 && size < (ssize_t)sizeof(bytes) &&
	       files_write(to, name, bytes, size, 0644, true);
}

static bool failed(const char *what, const char *name)
{
	const char *why = ERR_reason_error_string(ERR_peek_last_error());

	complain("cannot %s %s: %s", what, name, why ? why : "libcrypto gives no reason");
	ERR_clear_error();
	return false;
}

static FILE *open_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file) {
		complain("cannot read %s: %s", name, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	return file;
}

static EVP_PKEY *read_key(int dir, const char *name)
{
	FILE *file = open_file(dir, name);
	EVP_PKEY *key = file ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : NULL;

	if (file)
		fclose(file);
	if (file && !key)
		failed("read the key", name);
	return key;
}

static X509 *read_certificate(int dir, const char *name)
{
	FILE *file = open_file(dir, name);
	X509 *certificate = file ? PEM_read_X509(file, NULL, NULL, NULL) : NULL;

	if (file)
		fclose(file);
	if (file && !certificate)
		failed("read the certificate", name);
	return certificate;
}

/* Write what a BIO in memory has, and free it. */
static bool write_pem(BIO *bio, bool ok, int dir, const char *name, mode_t mode)
{
	char *text;
	long size = ok ? BIO_get_mem_data(bio, &text) : 0;

	if (size <= 0)
		failed("encode", name);
	else
		ok = files_write(dir, name, text, size, mode, false);
	BIO_free(bio);
	return ok && size > 0;
}

/* Return the key in the file, or a new one. */
static EVP_PKEY *make_key(int dir, const char *name)
{
	EVP_PKEY *key;
	BIO *bio;

	if (files_have(dir, name))
		return read_key(dir, name);
	key = EVP_EC_gen(CURVE);
	if (!key) {
		failed("make the key", name);
		return NULL;
	}
	bio = BIO_new(BIO_s_secmem());
	if (write_pem(bio, bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL),
		      dir, name, 0600))
		return key;
	EVP_PKEY_free(key);
	return NULL;
}

static bool add_extension(X509 *to, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX context;
	X509_EXTENSION *extension;
	bool ok;

	X509V3_set_ctx(&context, issuer, to, NULL, NULL, 0);
	extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
	ok = extension && X509_add_ext(to, extension, -1);
	X509_EXTENSION_free(extension);
	return ok;
}

static bool set_subject(X509 *to, const struct holder *holder)
{
	X509_NAME *name = X509_get_subject_name(to);

	return X509_NAME_add_entry_by_txt(name, "OU", MBSTRING_UTF8,
					  (const unsigned char *)holder->unit, -1, -1, 0) &&
	       X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
					  (const unsigned char *)holder->name, -1, -1, 0);
}

static bool set_serial(X509 *to)
{
	unsigned char bytes[SERIAL_BYTES];
	BIGNUM *number;
	bool ok;

	if (RAND_bytes(bytes, sizeof(bytes)) != 1)
		return false;
	bytes[0] = (bytes[0] & 0x7f) | 0x40;	/* positive, and not short */
	number = BN_bin2bn(bytes, sizeof(bytes), NULL);
	ok = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(to));
	BN_free(number);
	return ok;
}

/* Authorities sign certificates. Servers of a cluster are clients of each other, too. */
static bool add_uses(X509 *to, X509 *issuer, const struct holder *holder)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	const char *address = holder->address;
	char names[512];

	if (to == issuer)
		return add_extension(to, issuer, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
		       add_extension(to, issuer, NID_key_usage, "critical,keyCertSign,cRLSign");
	if (!add_extension(to, issuer, NID_basic_constraints, "critical,CA:FALSE") ||
	    !add_extension(to, issuer, NID_key_usage, "critical,digitalSignature") ||
	    !add_extension(to, issuer, NID_authority_key_identifier, "keyid") ||
	    !add_extension(to, issuer, NID_ext_key_usage,
			   address ? "serverAuth,clientAuth" : "clientAuth"))
		return false;
	if (!address)
		return true;
	snprintf(names, sizeof(names), "%s:%s", inet_pton(AF_INET, address, bytes) == 1 ||
		 inet_pton(AF_INET6, address, bytes) == 1 ? "IP" : "DNS", address);
	return add_extension(to, issuer, NID_subject_alt_name, names);
}

/* Return a certificate for the key, signed by the authority; NULL: by the key itself. */
static X509 *sign(const struct authority *a, EVP_PKEY *key, const struct holder *holder,
		  unsigned int days)
{
	X509 *to = X509_new(), *issuer = a ? a->certificate : to;

	if (to && X509_set_version(to, X509_VERSION_3) && set_serial(to) &&
	    X509_gmtime_adj(X509_getm_notBefore(to), -SKEW) &&
	    X509_time_adj_ex(X509_getm_notAfter(to), (int)days, 0, NULL) &&
	    set_subject(to, holder) &&
	    X509_set_issuer_name(to, X509_get_subject_name(issuer)) &&
	    X509_set_pubkey(to, key) &&
	    add_extension(to, issuer, NID_subject_key_identifier, "hash") &&
	    add_uses(to, issuer, holder) &&
	    X509_sign(to, a ? a->key : key, EVP_sha256()))
		return to;
	X509_free(to);
	return NULL;
}

static X509 *make_certificate(const struct authority *a, EVP_PKEY *key, int dir,
			      const char *name, const struct holder *holder, unsigned int days)
{
	X509 *certificate = sign(a, key, holder, days);
	BIO *bio;

	if (!certificate) {
		failed("make the certificate", name);
		return NULL;
	}
	bio = BIO_new(BIO_s_mem());
	if (write_pem(bio, bio && PEM_write_bio_X509(bio, certificate), dir, name, 0644))
		return certificate;
	X509_free(certificate);
	return NULL;
}

bool authority_open(struct authority *a, int dir, const char *name)
{
	struct holder holder = { .name = name, .unit = "rbmap" };
	char key[NAME_SIZE], certificate[NAME_SIZE];

	*a = (struct authority){ 0 };
	snprintf(key, sizeof(key), "%s.key", name);
	snprintf(certificate, sizeof(certificate), "%s.crt", name);
	a->key = make_key(dir, key);
	if (!a->key)
		return false;
	a->certificate = files_have(dir, certificate) ?
		read_certificate(dir, certificate) :
		make_certificate(NULL, a->key, dir, certificate, &holder, AUTHORITY_DAYS);
	if (a->certificate && X509_check_private_key(a->certificate, a->key) == 1)
		return true;
	if (a->certificate)
		complain("the key %s is not the one of %s: restore both from a copy", key, certificate);
	authority_close(a);
	return false;
}

void authority_close(struct authority *a)
{
	EVP_PKEY_free(a->key);
	X509_free(a->certificate);
	*a = (struct authority){ 0 };
}

bool certificate_make(const struct authority *a, int dir, const char *name,
		      const struct holder *holder, unsigned int days)
{
	char key_name[NAME_SIZE], certificate_name[NAME_SIZE];
	X509 *certificate;
	EVP_PKEY *key;

	snprintf(key_name, sizeof(key_name), "%s.key", name);
	snprintf(certificate_name, sizeof(certificate_name), "%s.crt", name);
	if (files_have(dir, certificate_name))
		return true;
	key = make_key(dir, key_name);
	if (!key)
		return false;
	certificate = make_certificate(a, key, dir, certificate_name, holder, days);
	EVP_PKEY_free(key);
	X509_free(certificate);
	return certificate;
}

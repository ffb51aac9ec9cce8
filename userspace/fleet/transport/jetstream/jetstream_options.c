// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "jetstream.h"

#define SERVERS_MAX	32
#define CONNECT_MS	5000
#define WRITE_MS	10000	/* A server that takes no bytes is away. */
#define PING_MS		20000	/* A server that answers no two of these is away. */
#define PINGS		2
#define BUFFER_SIZE	4096	/* while servers are away, nothing large is kept */
#define FIRST_DELAY_MS	100
#define DELAY_MAX_MS	10000

static int name_inbox(struct transport *t, const struct transport_options *options)
{
	struct jetstream *j = t->data;
	uint64_t number[2];

	if (getrandom(number, sizeof(number), 0) != sizeof(number))
		return transport_failed(t, -EAGAIN, "the kernel has no random numbers yet");
	if (options->role == ROLE_HOST) {
		snprintf(j->host, sizeof(j->host), "%s", options->host);
		snprintf(j->inbox, sizeof(j->inbox), INBOX_HOST "%s", j->host);
	} else {
		snprintf(j->inbox, sizeof(j->inbox), "%s", options->role == ROLE_COLLECTOR ?
			 INBOX_COLLECTOR : INBOX_ADMIN);
	}
	if (natsOptions_SetCustomInboxPrefix(j->options, j->inbox) != NATS_OK)
		return transport_failed(t, -ENOMEM, "out of memory");
	snprintf(j->inbox + strlen(j->inbox), sizeof(j->inbox) - strlen(j->inbox),
		 ".%016" PRIx64, number[0]);
	j->number = number[1];
	return 0;
}

/* Ten thousand hosts must not come back at once. */
static int64_t delay(natsConnection *nc, int attempts, void *closure)
{
	int64_t ms = FIRST_DELAY_MS;

	(void)nc;
	(void)closure;
	while (attempts-- > 1 && ms < DELAY_MAX_MS)
		ms *= 2;
	return ms / 2 + random() % ms;
}

/* Set the servers of "nats://HOST[:PORT][,nats://HOST...]". The library parses each. */
static int set_servers(struct transport *t, const char *url)
{
	struct jetstream *j = t->data;
	const char *server[SERVERS_MAX];
	char *copy = strdup(url), *rest = copy, *one;
	int nr = 0, ret = 0;

	if (!copy)
		return transport_failed(t, -ENOMEM, "out of memory");
	while (!ret && (one = strsep(&rest, ","))) {
		if (strncmp(one, JETSTREAM_SCHEME, strlen(JETSTREAM_SCHEME)) ||
		    !one[strlen(JETSTREAM_SCHEME)])
			ret = transport_failed(t, -EINVAL, "invalid server '%s': use nats://HOST:PORT",
					       one);
		else if (nr == SERVERS_MAX)
			ret = transport_failed(t, -EINVAL, "too many servers: at most %d are valid",
					       SERVERS_MAX);
		else
			server[nr++] = one;
	}
	if (!ret && natsOptions_SetServers(j->options, server, nr) != NATS_OK)
		ret = transport_failed(t, -EINVAL, "invalid servers '%s': use nats://HOST:PORT", url);
	free(copy);
	return ret;
}

static int set_certificates(struct transport *t, const struct transport_options *options)
{
	struct jetstream *j = t->data;
	natsStatus status;

	if (!options->certificate && !options->key && !options->ca)
		return 0;
	if (!options->ca || !options->certificate != !options->key)
		return transport_failed(t, -EINVAL,
			"a certificate needs its key and the servers' CA: set certificate, key and ca");
	status = natsOptions_SetSecure(j->options, true);
	if (status == NATS_OK)
		status = natsOptions_LoadCATrustedCertificates(j->options, options->ca);
	if (status != NATS_OK)
		return transport_failed(t, -EINVAL, "cannot read the CA %s: it must be a PEM file",
					options->ca);
	if (options->certificate)
		status = natsOptions_LoadCertificatesChain(j->options, options->certificate,
							   options->key);
	if (status != NATS_OK)
		return transport_failed(t, -EINVAL,
			"cannot use the certificate %s with the key %s: they must be a pair of PEM files",
			options->certificate, options->key);
	return 0;
}

/* The library never gives up. Discovered addresses need not be those of certificates. */
static natsStatus set_limits(natsOptions *o)
{
	natsStatus status = natsOptions_SetTimeout(o, CONNECT_MS);

	if (status == NATS_OK)
		status = natsOptions_SetMaxReconnect(o, -1);
	if (status == NATS_OK)
		status = natsOptions_SetCustomReconnectDelay(o, delay, NULL);
	if (status == NATS_OK)
		status = natsOptions_SetReconnectBufSize(o, BUFFER_SIZE);
	if (status == NATS_OK)
		status = natsOptions_SetWriteDeadline(o, WRITE_MS);
	if (status == NATS_OK)
		status = natsOptions_SetPingInterval(o, PING_MS);
	if (status == NATS_OK)
		status = natsOptions_SetMaxPingsOut(o, PINGS);
	if (status == NATS_OK)
		status = natsOptions_SetFailRequestsOnDisconnect(o, true);
	if (status == NATS_OK)
		status = natsOptions_SetIgnoreDiscoveredServers(o, true);
	return status;
}

int jetstream_options(struct transport *t, const struct transport_options *options)
{
	struct jetstream *j = t->data;
	int ret;

	if (natsOptions_Create(&j->options) != NATS_OK || set_limits(j->options) != NATS_OK)
		return transport_failed(t, -ENOMEM, "out of memory");
	snprintf(j->url, sizeof(j->url), "%s", options->url);
	ret = name_inbox(t, options);
	if (!ret)
		ret = set_servers(t, options->url);
	if (!ret)
		ret = set_certificates(t, options);
	if (!ret && options->credentials)
		ret = jetstream_credentials(t, j->options, options->credentials);
	return ret;
}

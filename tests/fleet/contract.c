// SPDX-License-Identifier: GPL-2.0-only
/*
 * Publishes and receives by a transport, for contract.sh. The bytes of a message follow
 * from its id, so that the receiver can check them.
 *
 *	contract URL ROLE[:HOST] FOLDER publish CHANNEL HOST PREFIX FIRST COUNT SIZE RETRY [twice]
 *	contract URL ROLE[:HOST] FOLDER receive COUNT MS [nak|slow] [least=N] [last=ID]
 *	contract URL ROLE[:HOST] FOLDER open
 *
 * FOLDER has client.crt, client.key and ca.crt; or it is a file of credentials; "-": none.
 * receive ends when no message comes for MS. It waits for the first N messages, and for the
 * one of this ID, as long as they take, but not longer than LONGEST each. slow waits
 * SLOW_SECONDS after each eighth message. RETRY is how many seconds -EAGAIN is tried again for.
 * Output is one of
 *
 *	safe ID				a message that publish() has reported as safe
 *	again				publish() is tried again
 *	got CHANNEL HOST ID good	a message, or "damaged"
 *	error EAGAIN TEXT		the last line, with exit status 1
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "message/message.h"
#include "transport/transport.h"

#define BATCH	16
#define SLOW_SECONDS	6
#define LONGEST		300	/* seconds */

static const char *const channels[] = { "collector", "host", "all" };
static const char *const roles[] = { "host", "collector", "admin" };
static struct transport transport;
static bool twice;	/* publish each batch again, as after an answer that was lost */

static int find(const char *const *names, const char *name)
{
	for (int i = 0; i < 3; i++)
		if (!strcmp(names[i], name))
			return i;
	fprintf(stderr, "contract: unknown word '%s'\n", name);
	exit(2);
}

/* The size and the id decide about all bytes. */
static void fill(unsigned char *bytes, uint32_t size, const char *id)
{
	uint64_t state = 0x9e3779b97f4a7c15ULL + size;

	for (; *id; id++)
		state = (state ^ (unsigned char)*id) * 0x100000001b3ULL;
	for (uint32_t i = 0; i < size; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		bytes[i] = (unsigned char)(state >> 56);
	}
	if (size >= sizeof(size))
		memcpy(bytes, &size, sizeof(size));
}

static bool is_good(const struct parcel *p)
{
	unsigned char *bytes = malloc(p->size + 1);
	bool same;

	fill(bytes, (uint32_t)p->size, p->id);
	same = p->size && !memcmp(bytes, p->data, p->size);
	free(bytes);
	return same;
}

static int failed(int error)
{
	const char *name = strerrorname_np(-error);

	printf("error %s %s\n", name ? name : "?", transport.error);
	return 1;
}

static void name_host(struct parcel *p, const char *host)
{
	snprintf(p->host, sizeof(p->host), "%s", strcmp(host, "-") ? host : "");
}

static int publish_batch(struct parcel *parcels, unsigned int nr, time_t end)
{
	bool said = false;
	int ret;

	while ((ret = transport.ops->publish(&transport, parcels, nr)) == -EAGAIN &&
	       time(NULL) < end) {
		if (!said)
			printf("again\n");
		said = true;
		fflush(stdout);
		nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
	}
	if (!ret && twice)
		ret = transport.ops->publish(&transport, parcels, nr);
	for (unsigned int i = 0; i < nr; i++) {
		if (!ret)
			printf("safe %s\n", parcels[i].id);
		free((void *)parcels[i].data);
	}
	fflush(stdout);
	return ret;
}

static int publish(char **a)
{
	unsigned long first = strtoul(a[3], NULL, 10), count = strtoul(a[4], NULL, 10);
	size_t size = strtoul(a[5], NULL, 10);
	time_t end = time(NULL) + atol(a[6]);
	int ret = 0;

	twice = a[7] && !strcmp(a[7], "twice");
	for (unsigned long done = 0; !ret && done < count; done += BATCH) {
		unsigned int nr = count - done < BATCH ? count - done : BATCH;
		struct parcel parcels[BATCH] = { 0 };

		for (unsigned int i = 0; i < nr; i++) {
			unsigned char *bytes = malloc(size);

			parcels[i].channel = find(channels, a[0]);
			name_host(&parcels[i], a[1]);
			snprintf(parcels[i].id, sizeof(parcels[i].id), "%s-%lu", a[2], first + done + i);
			fill(bytes, (uint32_t)size, parcels[i].id);
			parcels[i].data = bytes;
			parcels[i].size = size;
		}
		ret = publish_batch(parcels, nr, end);
	}
	return ret ? failed(ret) : 0;
}

/* Return the next message, as transport.ops->receive() does. */
static int receive_one(struct parcel *p, int ms, bool is_certain)
{
	struct timespec begin, now;
	int ret;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		ret = transport.ops->receive(&transport, p, ms);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (!ret && is_certain && now.tv_sec - begin.tv_sec < LONGEST);
	return ret;
}

static int receive(char **a)
{
	long count = atol(a[0]), least = 0;
	bool nak = false, slow = false;
	const char *last = NULL;
	struct parcel p;
	int ret = 0;

	for (char **option = a + 2; *option; option++) {
		nak |= !strcmp(*option, "nak");
		slow |= !strcmp(*option, "slow");
		if (!strncmp(*option, "least=", 6))
			least = atol(*option + 6);
		else if (!strncmp(*option, "last=", 5))
			last = *option + 5;
	}
	while (count-- > 0) {
		ret = receive_one(&p, atoi(a[1]), least-- > 0 || last);
		if (ret <= 0)
			break;
		if (last && !strcmp(last, p.id))
			last = NULL;
		printf("got %s %s %s %s\n", channels[p.channel], *p.host ? p.host : "-", p.id,
		       is_good(&p) ? "good" : "damaged");
		fflush(stdout);
		ret = transport.ops->acknowledge(&transport, &p, !nak);
		if (ret)
			break;
		if (slow && count % 8 == 0)
			sleep(SLOW_SECONDS);
	}
	return ret < 0 ? failed(ret) : 0;
}

static void certificates(struct transport_options *o, const char *folder)
{
	static char path[3][4096];
	struct stat st;

	if (!strcmp(folder, "-"))
		return;
	if (!stat(folder, &st) && S_ISREG(st.st_mode)) {
		o->credentials = folder;
		return;
	}
	snprintf(path[0], sizeof(path[0]), "%s/client.crt", folder);
	snprintf(path[1], sizeof(path[1]), "%s/client.key", folder);
	snprintf(path[2], sizeof(path[2]), "%s/ca.crt", folder);
	o->certificate = path[0];
	o->key = path[1];
	o->ca = path[2];
}

int main(int argc, char **argv)
{
	struct transport_options o = { 0 };
	int ret;

	signal(SIGPIPE, SIG_IGN);
	if (argc < 5) {
		fprintf(stderr, "usage: contract URL ROLE[:HOST] FOLDER ACTION...\n");
		return 2;
	}
	o.url = argv[1];
	o.host = strchr(argv[2], ':');
	if (o.host)
		*(char *)o.host++ = '\0';
	o.role = find(roles, argv[2]);
	certificates(&o, argv[3]);
	ret = transport_open(&transport, &o);
	if (ret)
		return failed(ret);
	if (!strcmp(argv[4], "publish") && argc >= 12)
		ret = publish(argv + 5);
	else if (!strcmp(argv[4], "receive") && argc >= 7)
		ret = receive(argv + 5);
	transport_close(&transport);
	return ret;
}

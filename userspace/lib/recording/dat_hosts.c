// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dat_hosts.h"

#define HEAD		DAT_HOSTS_HEAD
#define LINE_SIZE	256	/* with a name that is cut off */

/* In the order of their pids */
struct dat_hosts {
	size_t nr;
	struct dat_host host[];
};

void dat_hosts_free(struct dat_hosts *hosts)
{
	free(hosts);
}

size_t dat_hosts_all(const struct dat_hosts *hosts, const struct dat_host **host)
{
	*host = hosts ? hosts->host : NULL;
	return hosts ? hosts->nr : 0;
}

const struct dat_host *dat_hosts_of_cpu(const struct dat_hosts *hosts, int cpu)
{
	for (size_t i = 0; hosts && cpu >= 0 && i < hosts->nr; i++) {
		const struct dat_host *host = &hosts->host[i];

		if ((unsigned int)cpu >= host->first_cpu &&
		    (unsigned int)cpu - host->first_cpu < host->nr_cpus)
			return host;
	}
	return NULL;
}

/* The last host whose pids begin before. */
const struct dat_host *dat_hosts_of_pid(const struct dat_hosts *hosts, int pid)
{
	size_t low = 0, high = hosts ? hosts->nr : 0, middle;

	if (pid <= 0)
		return NULL;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (hosts->host[middle].first_pid <= pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &hosts->host[low - 1] : NULL;
}

const struct dat_host *dat_hosts_of_task(const struct dat_hosts *hosts, int pid, int cpu)
{
	return pid > 0 ? dat_hosts_of_pid(hosts, pid) : dat_hosts_of_cpu(hosts, cpu);
}

static int by_pid(const void *a, const void *b)
{
	const struct dat_host *x = a, *y = b;

	return (x->first_pid > y->first_pid) - (x->first_pid < y->first_pid);
}

static size_t count_lines(const char *text)
{
	size_t nr = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		nr++;
	}
	return nr < DAT_HOSTS_MAX ? nr : DAT_HOSTS_MAX;
}

/* A line that is no host is left out. */
static void parse_line(struct dat_hosts *hosts, const char *text, size_t len)
{
	struct dat_host *host = &hosts->host[hosts->nr];
	char line[LINE_SIZE];

	/* sscanf() goes to the end of its text first, for each line again. */
	len = len < sizeof(line) ? len : sizeof(line) - 1;
	memcpy(line, text, len);
	line[len] = '\0';
	*host = (struct dat_host){ 0 };
	if (sscanf(line, "%u %u %d %47[^ ]", &host->first_cpu, &host->nr_cpus,
		   &host->first_pid, host->name) != 4 || host->first_pid < 0)
		return;
	stpcpy(stpcpy(host->idle, host->name), DAT_HOST_IDLE);
	hosts->nr++;
}

int dat_hosts_parse(struct dat_hosts **hosts, const char *text)
{
	size_t most;

	*hosts = NULL;
	if (strncmp(text, HEAD, strlen(HEAD)))
		return 0;
	text += strlen(HEAD);
	most = count_lines(text);
	*hosts = calloc(1, sizeof(**hosts) + most * sizeof((*hosts)->host[0]));
	if (!*hosts)
		return -ENOMEM;
	for (size_t i = 0; i < most; i++) {
		size_t len = strcspn(text, "\n");

		parse_line(*hosts, text, len);
		text += len + 1;
	}
	qsort((*hosts)->host, (*hosts)->nr, sizeof((*hosts)->host[0]), by_pid);
	return 1;
}

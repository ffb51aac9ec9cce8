/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The hosts of a merged recording, and which CPUs and pids are theirs. A recording has them as
 * a text of DAT_OPTION_CPUSTAT, which other programs skip or show:
 *
 *	rbmap hosts
 *	0 4 0 web
 *	4 2 4194304 db
 *
 * The host db has two CPUs, of which the first one is CPU 4, and its pids begin with 4194304.
 */
#ifndef RBMAP_DAT_HOSTS_H
#define RBMAP_DAT_HOSTS_H

#include <stddef.h>

#define DAT_HOST_NAME	48	/* bytes of a name that is kept, with its 0 byte */
#define DAT_HOST_IDLE	":<idle>"
#define DAT_HOSTS_MAX	1024

/**
 * struct dat_host - a host
 * @name: its name; the end of a long one is cut off
 * @idle: the name of its idle tasks: "web:<idle>"
 */
struct dat_host {
	unsigned int first_cpu, nr_cpus;
	int first_pid;
	char name[DAT_HOST_NAME];
	char idle[DAT_HOST_NAME + sizeof(DAT_HOST_IDLE)];
};

struct dat_hosts;

void dat_hosts_free(struct dat_hosts *hosts);

/* Return the hosts, in their order. @hosts may be NULL. */
size_t dat_hosts_all(const struct dat_hosts *hosts, const struct dat_host **host);

/*
 * Return the host of a CPU, or that of a task, or NULL: it is not known, or @hosts is NULL. Idle
 * tasks all have pid 0: their host is that of their CPU.
 */
const struct dat_host *dat_hosts_of_cpu(const struct dat_hosts *hosts, int cpu);
const struct dat_host *dat_hosts_of_pid(const struct dat_hosts *hosts, int pid);
/* Return the host of a task on a CPU. */
const struct dat_host *dat_hosts_of_task(const struct dat_hosts *hosts, int pid, int cpu);

/* The first line of the text, and the others. */
#define DAT_HOSTS_HEAD	"rbmap hosts\n"
#define DAT_HOSTS_LINE	"%u %u %d %s\n"

/* Store the hosts of a text. Return 1; 0: it is another kind of text; -ENOMEM. */
int dat_hosts_parse(struct dat_hosts **hosts, const char *text);

#endif /* RBMAP_DAT_HOSTS_H */

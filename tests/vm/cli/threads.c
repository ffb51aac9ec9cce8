// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process with many threads that sleep:
 *
 *	threads NUMBER [MICROSECONDS]
 *
 * makes a thread each MICROSECONDS (0), from a thread that is not the first one. Writes
 * /tmp/threads when all are there.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

static unsigned int nr;
static useconds_t pause_us;

static void *sleeper(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *maker(void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	for (unsigned int i = 2; i < nr; i++) {
		if (pthread_create(&thread, &attr, sleeper, NULL))
			bail_out("cannot create thread %u", i);
		if (pause_us)
			usleep(pause_us);
	}
	fclose(fopen("/tmp/threads", "w"));
	return sleeper(arg);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	nr = atoi(argv[1]);
	pause_us = argc > 2 ? atoi(argv[2]) : 0;
	if (pthread_create(&thread, NULL, maker, NULL))
		bail_out("cannot create a thread");
	sleeper(NULL);
	return 0;
}

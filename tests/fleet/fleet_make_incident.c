// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a recording of a flight recorder, for scripts:
 *
 *	fleet_make_incident FILE EVENTS LOST [REASON [AGE]]
 *
 * It has the events of 2 CPUs, and LOST events were lost: a number, or "unknown". The rings
 * were frozen now, or AGE seconds ago; the last event is 1 ms older than that, and one event
 * comes each us. TAI is 37 s ahead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/cli/cli_synth.h"
#include "recording/assemble/dat_assemble.h"

#define RING	1000000000000ULL	/* the ring's clock when it was frozen */

static bool go_on(void *data, double done)
{
	(void)data;
	(void)done;
	return true;
}

static uint64_t real_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Add the events of a CPU, which has every second one. */
static int add_cpu(struct dat_writer *w, int cpu, uint64_t events, uint64_t lost)
{
	uint64_t first = RING - 1000000 - (events - 1) * 1000;
	struct synth s = { 0 };
	struct rbmap_subbuf sb;

	synth_begin(&s, first + cpu * 1000);
	for (uint64_t i = cpu; i < events; i += 2) {
		if (synth_number(&s, first + i * 1000, 100 + cpu, i))
			continue;
		sb = synth_piece(&s, lost);
		lost = 0;
		if (dat_add(w, cpu, &sb))
			return -1;
		synth_begin(&s, first + i * 1000);
		if (!synth_number(&s, first + i * 1000, 100 + cpu, i))
			return -1;
	}
	sb = synth_piece(&s, lost);
	return dat_add(w, cpu, &sb);
}

int main(int argc, char **argv)
{
	uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t lost = argc > 3 && !strcmp(argv[3], "unknown") ? RBMAP_LOST_UNKNOWN :
			argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	uint64_t age = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;
	struct dat_source source = synth_source(2);
	struct dat_assembly assembly = { .go_on = go_on };
	char *stats[2] = { NULL, NULL };
	struct buf names = { 0 };
	struct dat_writer *w;
	int fd;

	if (argc < 4 || !events)
		return 2;
	source.clocks = "[local] global";
	source.uname = "Linux host 6.1.0-test x86_64";
	source.times.trigger = (struct rbmap_moment){
		RING, real_now() - age * 1000000000, RING, 37, 5
	};
	snprintf(source.times.reason, sizeof(source.times.reason), "%s",
		 argc > 4 ? argv[4] : "test");
	buf_printf(&names, "100 a\n101 b\n");
	if (dat_create(&w, argv[1], &source) || add_cpu(w, 0, events, lost) ||
	    add_cpu(w, 1, events, 0) || dat_finish(w, &names, stats, &fd)) {
		fprintf(stderr, "%s: cannot write it\n", argv[1]);
		return 1;
	}
	assembly.fd = fd;
	if (dat_assemble(argv[1], &assembly)) {
		fprintf(stderr, "%s: cannot assemble it\n", argv[1]);
		return 1;
	}
	buf_free(&names);
	return 0;
}

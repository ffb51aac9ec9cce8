// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a large recording out of a small one: its events come again and again, each time
 * later, on the same CPUs.
 *
 *	cli_make_large SMALL LARGE MEGABYTES
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_synth.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/dat_read.h"

#define MOST_FORMATS	256
#define MOST_CPUS	64

struct large {
	struct rbmap_recording *small;
	struct dat_writer *w;
	struct synth *cpu[MOST_CPUS];
	uint64_t first, last;	/* times of the small recording */
};

static bool go_on(void *data, double done)
{
	(void)data;
	(void)done;
	return true;
}

static void fail(const char *text)
{
	fprintf(stderr, "cli_make_large: %s\n", text);
	exit(1);
}

static void flush(struct large *l, unsigned int cpu)
{
	struct rbmap_subbuf sb;

	if (!l->cpu[cpu] || !l->cpu[cpu]->header.commit)
		return;
	sb = synth_piece(l->cpu[cpu], 0);
	if (dat_add(l->w, cpu, &sb))
		fail("cannot add a sub-buffer");
}

static void add(struct large *l, const struct rbmap_event *ev, uint64_t later)
{
	struct synth *s = l->cpu[ev->cpu];

	if (s && synth_add(s, ev->ts + later, ev->data, ev->size))
		return;
	if (s)
		flush(l, ev->cpu);
	else
		s = l->cpu[ev->cpu] = calloc(1, sizeof(*s));
	if (!s)
		fail("out of memory");
	synth_begin(s, ev->ts + later);
	if (!synth_add(s, ev->ts + later, ev->data, ev->size))
		fail("an event is larger than a page");
}

/* Read the small recording once more. Return the number of its events. */
static uint64_t add_all(struct large *l, const char *path, uint64_t later)
{
	struct rbmap_event ev;
	uint64_t nr = 0;

	if (dat_open(&l->small, path) || rbmap_recording_cpus(l->small) > MOST_CPUS)
		fail("cannot read the small recording");
	while (rbmap_recording_next(l->small, &ev) == 1) {
		if (!l->first)
			l->first = ev.ts;
		if (l->w)
			add(l, &ev, later);
		l->last = ev.ts;
		nr++;
	}
	return nr;
}

static void create(struct large *l, const char *path)
{
	static struct dat_format format[MOST_FORMATS];
	const struct dat_text *formats;
	struct dat_source source = synth_source(rbmap_recording_cpus(l->small));
	size_t nr = dat_formats(l->small, &formats);

	if (nr > MOST_FORMATS)
		fail("the small recording has too many formats");
	for (size_t i = 0; i < nr; i++)
		format[i] = (struct dat_format){ formats[i].system, formats[i].text };
	source.formats = format;
	source.nr_formats = nr;
	if (dat_create(&l->w, path, &source) || dat_publish(l->w))
		fail("cannot create the large recording");
}

int main(int argc, char **argv)
{
	struct dat_assembly assembly = { .go_on = go_on, .compress = false };
	static struct large l;
	uint64_t room = argc == 4 ? strtoull(argv[3], NULL, 10) << 20 : 0, all = 0, later = 0;

	if (!room || !add_all(&l, argv[1], 0))
		fail("usage: cli_make_large SMALL LARGE MEGABYTES");
	create(&l, argv[2]);
	while (dat_bytes(l.w) < room) {
		rbmap_recording_close(l.small);
		all += add_all(&l, argv[1], later);
		later += l.last - l.first + 1000;
	}
	for (unsigned int cpu = 0; cpu < MOST_CPUS; cpu++) {
		flush(&l, cpu);
		free(l.cpu[cpu]);
	}
	if (dat_finish(l.w, NULL, (char *[MOST_CPUS]){ NULL }, &assembly.fd) ||
	    dat_assemble(argv[2], &assembly))
		fail("cannot finish the large recording");
	rbmap_recording_close(l.small);
	printf("%llu\n", (unsigned long long)all);
	return 0;
}

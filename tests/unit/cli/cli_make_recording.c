// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a recording of synthetic events, for scripts that try readers on it:
 *
 *	cli_make_recording FILE [PAGES [kill | compress | odd | print FORMAT]]
 *
 * Three CPUs, one without events, losses with and without room for a number.
 * With "kill" it ends as a recorder does that is killed. With "compress" the recording is
 * compressed. With "odd" it says when it was made, and two systems have an event "number".
 * The last CPU then has events with flags, without a format, and without the fields that
 * all events have. With "print" the events "number" have that "print fmt".
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_synth.h"
#include "recording/assemble/dat_assemble.h"

static const uint64_t calls[] = {
	0xffffffff81000000, 0xffffffff81000123, 0xffffffffc0000010,
	0xffffffffc0000000, 0x1000,
};

static bool go_on(void *data, double done)
{
	(void)data;
	(void)done;
	return true;
}

/* The ring's time of an odd event, and the wall clock at that time */
#define ODD_RING	1000000000000ULL
#define ODD_REAL	1700000000123456789ULL

/* Two systems have an event of the same name. */
static const char odd_number[] =
	"name: number\nID: 4\n" SYNTH_COMMON
	"\tfield:unsigned long long nr;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"odd=%llu\", REC->nr\n";
static const struct dat_format odd_formats[] = {
	{ "odd", odd_number },
	{ "rbmap", synth_call },
	{ "rbmap", synth_print },
	{ "sched", synth_switch },
};

static bool add_odd(struct dat_writer *w)
{
	struct synth_number_event ev = { { .type = SYNTH_PRINT, .pid = 100 }, 1 };
	struct rbmap_subbuf sb;
	struct synth s = { 0 };

	synth_begin(&s, ODD_RING);
	for (unsigned int flags = 0; flags < 256; flags += 17) {
		ev.common.flags = flags;
		synth_add(&s, ODD_RING, &ev, sizeof(ev));
	}
	ev.common.type = 4;
	synth_add(&s, ODD_RING, &ev, sizeof(ev));
	ev.common.type = 999;
	synth_add(&s, ODD_RING, &ev, sizeof(ev));
	synth_add(&s, ODD_RING, "\1\2\3\xff", 4);
	sb = synth_piece(&s, 5);
	return !dat_add(w, 2, &sb);
}

/* The formats, with another "print fmt" of the events "number" */
static bool set_print(struct dat_source *source, const char *print)
{
	static struct dat_format formats[3];
	size_t head = strstr(synth_print, "print fmt: ") - synth_print;
	char *text;

	memcpy(formats, synth_formats, sizeof(formats));
	if (asprintf(&text, "%.*sprint fmt: %s\n", (int)head, synth_print, print) < 0)
		return false;
	formats[1].text = text;
	source->formats = formats;
	return true;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 3 ? argv[3] : "";
	char *stats[3] = { "entries: 0\noverrun: 3", "entries: 0", NULL };
	struct buf kallsyms = { 0 };
	struct dat_source source = synth_source(3);
	unsigned int pages = argc > 2 ? atoi(argv[2]) : 4;
	uint64_t ts = 1000000000000ULL, nr = 0;
	struct synth s[2] = { 0 };
	struct buf cmdlines = { 0 };
	struct dat_writer *w;
	struct rbmap_subbuf sb;
	struct dat_assembly assembly = { .go_on = go_on };
	int fd;

	buf_printf(&kallsyms, "ffffffff81000000 T first\n"
		   "ffffffff81000100 t second\n"
		   "ffffffffc0000000 t in_module\t[module]\n"
		   "ffffffffc0001000 t last\t[module]\n");
	source.kallsyms = &kallsyms;
	if (!strcmp(mode, "odd")) {
		source.times.begin = (struct rbmap_moment){ ODD_RING, ODD_REAL, ODD_RING, 0, 0 };
		source.formats = odd_formats;
		source.nr_formats = 4;
	}
	if (!strcmp(mode, "print") && (argc != 5 || !set_print(&source, argv[4])))
		return 1;
	if (argc < 2 || dat_create(&w, argv[1], &source) ||
	    dat_publish(w))
		return 1;
	for (unsigned int page = 0; page < pages; page++) {
		int cpu = page & 1, full = page % 3 == 2;

		synth_begin(&s[cpu], ts);
		for (int i = 0;; i++) {
			ts += 1000;
			/* Only numbers fill a sub-buffer to its last byte. */
			if (!full && i % 7 == 3 ?
			    !synth_sched_switch(&s[cpu], ts, 100 + cpu, "task",
						102, "other") :
			    !full && i % 7 == 4 ?
			    !synth_call_of(&s[cpu], ts, 102, calls[i % 5]) :
			    !synth_number(&s[cpu], ts, 100 + cpu, ++nr))
				break;
			if (i == 50) {
				sb = synth_piece(&s[cpu], page);
				if (dat_add(w, cpu, &sb))
					return 1;
			}
		}
		sb = synth_piece(&s[cpu], 0);
		if (dat_add(w, cpu, &sb))
			return 1;
	}
	if (!strcmp(mode, "odd") && !add_odd(w))
		return 1;
	assembly.compress = !strcmp(mode, "compress");
	if (!strcmp(mode, "kill"))
		kill(getpid(), SIGKILL);
	buf_printf(&cmdlines, "100 task\n101 task\n102 other\n");
	if (dat_finish(w, &cmdlines, stats, &fd))
		return 1;
	assembly.fd = fd;
	return dat_assemble(argv[1], &assembly) || assembly.compress_error;
}

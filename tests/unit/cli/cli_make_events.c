// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a recording of the events in a script on standard input:
 *
 *	cli_make_events FILE [CLOCK [MOMENT [MOMENT]]] <SCRIPT
 *
 * A line of the script is "CPU US PID EVENT VALUE...", with the time in us, the alias of
 * an event in interval_events.c, and the values of its fields. The time may have decimals.
 * PID/FLAGS sets common_flags, too. "CPU lost N" says how many events a CPU has lost before
 * its next one, or behind its last one. "device MAJOR:MINOR NAME" names a block device, and
 * "/PATH: PID PID" the tasks of a cgroup, "quota QUOTA PERIOD /PATH" its CPU quota. Empty lines and those that begin with # are left out.
 * A MOMENT is US,REAL,OFFSET: the ring's time in us, CLOCK_REALTIME in ns and the seconds that TAI is
 * ahead. The first is the beginning of the recording, the second its end.
 *
 * The recording has the formats of all events, or with SYSTEM=NAME those of one system.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_synth.h"
#include "interval_events.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_devices.h"

#define NR_CPUS		4
#define MOST_WORDS	(INTERVAL_EVENT_FIELDS + 4)

struct cpu {
	struct synth s;
	uint64_t lost;
	bool used;
};

static bool go_on(void *data, double done)
{
	(void)data;
	(void)done;
	return true;
}

static void fail(const char *line)
{
	fprintf(stderr, "cli_make_events: %s\n", line);
	exit(1);
}

static void flush(struct dat_writer *w, struct cpu *cpu, unsigned int number)
{
	struct rbmap_subbuf sb;

	if (!cpu->used)
		return;
	sb = synth_piece(&cpu->s, cpu->lost);
	if (dat_add(w, number, &sb))
		fail("cannot add a sub-buffer");
	cpu->used = false;
	cpu->lost = 0;
}

static unsigned int find_event(const char *alias)
{
	for (unsigned int i = 0; i < nr_interval_events; i++)
		if (!strcmp(interval_events[i].alias, alias))
			return i;
	fail(alias);
	return 0;
}

static void add_event(struct dat_writer *w, struct cpu *cpu, unsigned int number, char **word,
		      unsigned int nr)
{
	unsigned char record[INTERVAL_EVENT_ROOM];
	const char *flags = strchr(word[2], '/');
	uint64_t ts = llround(strtod(word[1], NULL) * 1000);
	size_t size = interval_event_record(find_event(word[3]), atoi(word[2]),
					    flags ? strtoul(flags + 1, NULL, 0) : 0,
					    word + 4, nr - 4, record);

	if (!size)
		fail(word[3]);
	if (cpu->used && synth_add(&cpu->s, ts, record, size))
		return;
	flush(w, cpu, number);
	synth_begin(&cpu->s, ts);
	cpu->used = true;
	if (!synth_add(&cpu->s, ts, record, size))
		fail("the record is too large");
}

static void add_line(struct dat_writer *w, struct cpu *cpus, char *line)
{
	char *word[MOST_WORDS];
	unsigned int nr = 0, number;
	struct cpu *cpu;

	for (char *at = strtok(line, " \t\n"); at && nr < MOST_WORDS; at = strtok(NULL, " \t\n"))
		word[nr++] = at;
	if (!nr || *word[0] == '#')
		return;
	number = atoi(word[0]);
	if (number >= NR_CPUS || nr < 3)
		fail(word[0]);
	cpu = &cpus[number];
	if (!strcmp(word[1], "lost")) {
		flush(w, cpu, number);
		cpu->lost = strtoull(word[2], NULL, 10);
		return;
	}
	if (nr < 4)
		fail(word[0]);
	add_event(w, cpu, number, word, nr);
}

static struct rbmap_moment moment(const char *text)
{
	struct rbmap_moment m = { 0 };
	double us;

	if (sscanf(text, "%lf,%" SCNu64 ",%" SCNd64, &us, &m.real, &m.tai_offset) != 3)
		fail(text);
	m.ring = llround(us * 1000);
	return m;
}

int main(int argc, char **argv)
{
	struct dat_assembly assembly = { .go_on = go_on };
	struct dat_source source = synth_source(NR_CPUS);
	char *stats[NR_CPUS] = { NULL }, line[1024];
	static struct cpu cpus[NR_CPUS];
	struct dat_format format[64];
	struct buf cmdlines = { 0 }, cgroups = { 0 }, devices = { 0 };
	const char *system = getenv("SYSTEM");
	unsigned int nr_formats = 0;
	struct dat_writer *w;
	int fd;

	for (unsigned int i = 0; i < nr_interval_events; i++)
		if (!system || !strcmp(interval_events[i].system, system))
			format[nr_formats++] = (struct dat_format){ interval_events[i].system,
								    interval_event_format(i) };
	source.formats = format;
	source.nr_formats = nr_formats;
	if (argc > 2)
		source.clocks = argv[2];
	if (argc > 3)
		source.times.begin = moment(argv[3]);
	if (argc < 2 || dat_create(&w, argv[1], &source) || dat_publish(w))
		fail("cannot create the recording");
	while (fgets(line, sizeof(line), stdin)) {
		if (*line == '/' || !strncmp(line, "quota ", strlen("quota ")))
			buf_printf(&cgroups, "%s%s", cgroups.size ? "" : DAT_CGROUPS_HEAD, line);
		else if (!strncmp(line, "device ", strlen("device ")))
			buf_printf(&devices, "%s%s", devices.size ? "" : DAT_DEVICES_HEAD,
				   line + strlen("device "));
		else
			add_line(w, cpus, line);
	}
	for (unsigned int i = 0; i < NR_CPUS; i++) {
		struct rbmap_subbuf only_lost = { 0 };

		flush(w, &cpus[i], i);
		only_lost.lost = cpus[i].lost;
		if (dat_add(w, i, &only_lost))
			fail("cannot add a loss");
	}
	if (argc > 4) {
		struct rbmap_moment end = moment(argv[4]);

		dat_set_end(w, &end);
	}
	buf_printf(&cmdlines, "900 from_the_table\n");
	dat_add_table(w, &cgroups);
	dat_add_table(w, &devices);
	if (dat_finish(w, &cmdlines, stats, &fd))
		fail("cannot finish the recording");
	for (unsigned int i = 0; i < nr_formats; i++)
		free((char *)format[i].text);
	buf_free(&cmdlines);
	buf_free(&cgroups);
	buf_free(&devices);
	assembly.fd = fd;
	return dat_assemble(argv[1], &assembly);
}

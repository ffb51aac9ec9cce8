// SPDX-License-Identifier: MIT
/* Print a recording as `rbmap report` does: print_recording FILE [json] */
#include <err.h>
#include <stdio.h>
#include <rbmap.h>

static void check(int ret)
{
	if (ret < 0)
		errx(1, "%s", rbmap_strerror(ret));
}

int main(int argc, char **argv)
{
	struct rbmap_recording *recording;
	struct rbmap_report *report;
	struct rbmap_event event;
	unsigned int cpu;
	const char *text;
	size_t size;
	int ret;

	if (argc < 2)
		errx(2, "usage: print_recording FILE [json]");
	check(rbmap_recording_open(&recording, argv[1], 0));
	check(rbmap_report_open(&report, recording, argc > 2 ? RBMAP_REPORT_JSON : 0));
	check(rbmap_report_head(report, &text, &size));
	fwrite(text, 1, size, stdout);
	while ((ret = rbmap_recording_next(recording, &event)) == 1) {
		check(rbmap_report_event(report, &event, &text, &size));
		fwrite(text, 1, size, stdout);
	}
	check(ret);
	for (cpu = 0; cpu < rbmap_recording_cpus(recording); cpu++) {
		check(rbmap_report_lost(report, cpu, rbmap_recording_lost_last(recording, cpu),
					 &text, &size));
		fwrite(text, 1, size, stdout);
	}
	rbmap_report_close(report);
	rbmap_recording_close(recording);
	return fflush(stdout) ? 1 : 0;
}

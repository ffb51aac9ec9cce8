// SPDX-License-Identifier: GPL-2.0-only
/* rbmap stat --self-cost: print percentiles and a histogram. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/json.h"
#include "control.h"
#include "cpustats.h"
#include "selfcost.h"

#define BAR	40

const char *const selfcost_names[SELFCOST_CONTEXTS] = {
	"task", "softirq", "irq", "NMI",
};

/*
 * Each time up to 7 ns has a bucket of its own. Above that, each octave has 4
 * buckets.
 */
static uint64_t width_of(uint64_t least)
{
	uint64_t width = 1;

	while (least / width >= 8)
		width *= 2;
	return width;
}

static bool add_bucket(struct selfcost *cost, uint64_t least, uint64_t events)
{
	size_t i = 0;

	while (i < cost->nr && cost->bucket[i].least < least)
		i++;
	if (i == cost->nr || cost->bucket[i].least != least) {
		if (cost->nr == SELFCOST_BUCKETS)
			return false;
		memmove(&cost->bucket[i + 1], &cost->bucket[i],
			(cost->nr - i) * sizeof(cost->bucket[0]));
		cost->nr++;
		cost->bucket[i].least = least;
		cost->bucket[i].events = 0;
	}
	cost->bucket[i].events += events;
	return true;
}

/* Parse a number and the character after it. Signs and blanks are errors. */
static bool number(const char **at, char end, uint64_t *value)
{
	char *behind;

	if (**at < '0' || **at > '9')
		return false;
	*value = strtoull(*at, &behind, 10);
	if (end && *behind != end)
		return false;
	*at = behind + !!end;
	return true;
}

static bool add_line(struct selfcost *cost, const char *at)
{
	uint64_t events, astray, min, max, least, here, sum = 0;

	if (!number(&at, ' ', &events) || !number(&at, ' ', &astray) ||
	    !number(&at, ' ', &min) || !number(&at, 0, &max) || min > max)
		return false;
	while (*at == ' ') {
		at++;
		if (!number(&at, ':', &least) || !number(&at, 0, &here) ||
		    !add_bucket(cost, least, here))
			return false;
		sum += here;
	}
	if (*at && *at != '\n')
		return false;
	if (sum && (!cost->events || min < cost->min))
		cost->min = min;
	if (sum && max > cost->max)
		cost->max = max;
	/*
	 * Probes may run during the read: add up the buckets instead of
	 * trusting the total.
	 */
	cost->events += sum;
	cost->astray += astray;
	return true;
}

bool selfcost_add(struct selfcost *sum, const char *text)
{
	while (*text) {
		size_t line = strcspn(text, "\n");
		size_t i, len = strcspn(text, " ");

		for (i = 0; i < SELFCOST_CONTEXTS; i++)
			if (strlen(selfcost_names[i]) == len &&
			    !strncmp(selfcost_names[i], text, len))
				break;
		if (i == SELFCOST_CONTEXTS || text[len] != ' ' ||
		    !add_line(&sum[i], text + len + 1))
			return false;
		text += line + (text[line] == '\n');
	}
	return true;
}

bool selfcost_read(struct selfcost *sum, const struct cpustats *cpus, size_t nr)
{
	char file[64], *text;
	bool known;

	for (size_t i = 0; i < nr; i++) {
		snprintf(file, sizeof(file), "/per_cpu/cpu%u/self_cost", cpus[i].cpu);
		text = control_read(file);
		if (!text) {
			control_complain(CONTROL_READ, file, -errno);
			return false;
		}
		known = selfcost_add(sum, text);
		free(text);
		if (!known) {
			complain("%s has an unknown format: install the module and this command from the same source", file);
			return false;
		}
	}
	return true;
}

uint64_t selfcost_percentile(const struct selfcost *cost, unsigned int percent)
{
	uint64_t rank = cost->events / 100 * percent +
			(cost->events % 100 * percent + 99) / 100;
	uint64_t before = 0, ns = cost->max;

	for (size_t i = 0; i < cost->nr; i++) {
		uint64_t here = cost->bucket[i].events;

		if (here && before + here >= rank) {
			/*
			 * Assume that the times in a bucket are spread evenly.
			 */
			ns = cost->bucket[i].least +
			     (double)(rank - before) / here *
			     width_of(cost->bucket[i].least);
			break;
		}
		before += here;
	}
	if (ns < cost->min)
		ns = cost->min;
	return ns < cost->max ? ns : cost->max;
}

static void print_histogram(const struct selfcost *cost, FILE *out)
{
	uint64_t most = 1;

	for (size_t i = 0; i < cost->nr; i++)
		if (cost->bucket[i].events > most)
			most = cost->bucket[i].events;
	for (size_t i = 0; i < cost->nr; i++) {
		int len = (int)lround((double)cost->bucket[i].events / most * BAR);

		fprintf(out, "%10" PRIu64 " ns %10" PRIu64 " %.*s\n",
			cost->bucket[i].least, cost->bucket[i].events,
			len ? len : 1,
			"########################################");
	}
}

void selfcost_print(const struct selfcost *sum, FILE *out)
{
	fprintf(out, "%-8s %10s %8s %8s %8s %10s %8s\n", "CONTEXT", "EVENTS",
		"MIN", "P50", "P99", "MAX", "ASTRAY");
	for (int i = 0; i < SELFCOST_CONTEXTS; i++)
		fprintf(out, "%-8s %10" PRIu64 " %8" PRIu64 " %8" PRIu64
			" %8" PRIu64 " %10" PRIu64 " %8" PRIu64 "\n",
			selfcost_names[i], sum[i].events, sum[i].min,
			selfcost_percentile(&sum[i], 50),
			selfcost_percentile(&sum[i], 99), sum[i].max,
			sum[i].astray);
	for (int i = 0; i < SELFCOST_CONTEXTS; i++) {
		if (!sum[i].events)
			continue;
		fprintf(out, "\n%s (each line: first ns of the class, count):\n", selfcost_names[i]);
		print_histogram(&sum[i], out);
	}
}

void selfcost_print_json(const struct selfcost *sum, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '[');
	for (int i = 0; i < SELFCOST_CONTEXTS; i++) {
		json_open(&j, NULL, '{');
		json_string(&j, "context", selfcost_names[i]);
		json_unsigned(&j, "events", sum[i].events);
		json_unsigned(&j, "astray", sum[i].astray);
		json_unsigned(&j, "min", sum[i].min);
		json_unsigned(&j, "p50", selfcost_percentile(&sum[i], 50));
		json_unsigned(&j, "p99", selfcost_percentile(&sum[i], 99));
		json_unsigned(&j, "max", sum[i].max);
		json_open(&j, "histogram", '[');
		for (size_t b = 0; b < sum[i].nr; b++) {
			json_open(&j, NULL, '{');
			json_unsigned(&j, "ns", sum[i].bucket[b].least);
			json_unsigned(&j, "events", sum[i].bucket[b].events);
			json_close(&j, '}');
		}
		json_close(&j, ']');
		json_close(&j, '}');
	}
	json_close(&j, ']');
}

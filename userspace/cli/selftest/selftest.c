// SPDX-License-Identifier: GPL-2.0-only
/* rbmap selftest: check that the rings lose nothing uncounted on this machine. */
#include <inttypes.h>
#include <stdio.h>

#include "base/complain.h"
#include "base/json.h"
#include "command/command.h"
#include "command/options.h"
#include "live/selftest/reader.h"
#include "live/selftest/suite.h"

extern const struct command command_selftest;

/* Less time is too little for all contexts on a slow machine. */
#define MIN_SECONDS	1.0

struct selftest_options {
	double seconds;
	const char *module;
	bool as_json;
};

static const struct cli_option options[] = {
	{ .name = "seconds", .letter = 's', .arg = "SECONDS", .kind = "number",
	  .target = SECONDS(struct selftest_options, seconds),
	  .help = "time for the whole test, at least 1 (10)" },
	{ .name = "module", .letter = 'm', .arg = "FILE", .kind = "file",
	  .target = STRING(struct selftest_options, module),
	  .help = "load the module FILE; default: the\n"
		  "rbmap_selftest.ko that is installed" },
	JSON_OPTION(struct selftest_options, as_json),
	{ 0 }
};

static void print_head(void)
{
	printf("%-8s %-9s %8s %8s %7s %7s %9s %9s\n", "WAY", "MODE", "TASK", "SOFTIRQ", "IRQ",
	       "NMI", "RECEIVED", "LOST");
}

/* The rows come one by one: the test takes a while. */
static void print_row(const struct selftest *t)
{
	const struct scenario *s = &t->scenario[t->nr - 1];

	if (t->nr == 1)
		print_head();
	printf("%-8s %-9s %8" PRIu64 " %8" PRIu64 " %7" PRIu64 " %7" PRIu64 " %9" PRIu64
	       " %9" PRIu64 "  %s\n", s->way->name, scenario_mode(s),
	       (uint64_t)s->emitted[RBMAP_SELFTEST_TASK],
	       (uint64_t)s->emitted[RBMAP_SELFTEST_SOFTIRQ],
	       (uint64_t)s->emitted[RBMAP_SELFTEST_IRQ],
	       (uint64_t)s->emitted[RBMAP_SELFTEST_NMI], s->received, s->lost,
	       s->error[0] ? "FAIL" : "ok");
	fflush(stdout);
}

static void print_scenario(struct json *j, const struct scenario *s)
{
	json_open(j, NULL, '{');
	json_string(j, "way", s->way->name);
	json_string(j, "mode", scenario_mode(s));
	json_open(j, "emitted", '{');
	for (unsigned int c = 0; c < RBMAP_SELFTEST_CONTEXTS; c++)
		json_unsigned(j, context_name(c), s->emitted[c]);
	json_close(j, '}');
	json_unsigned(j, "received", s->received);
	json_unsigned(j, "lost", s->lost);
	if (s->error[0])
		json_string(j, "error", s->error);
	else
		json_null(j, "error");
	json_close(j, '}');
}

static void print_json(const struct selftest *t)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_bool(&j, "passed", !selftest_failed(t));
	json_bool(&j, "nmi", selftest_nmis(t));
	json_open(&j, "scenarios", '[');
	for (size_t i = 0; i < t->nr; i++)
		print_scenario(&j, &t->scenario[i]);
	json_close(&j, ']');
	json_close(&j, '}');
}

static int selftest(int argc, char **argv)
{
	struct selftest_options o = { .seconds = SELFTEST_SECONDS };
	struct selftest t = { 0 };
	const struct scenario *failed;
	int status;

	if (!parse_options(&command_selftest, argc, argv, &o, &status))
		return status;
	if (optind < argc)
		return usage_error(&command_selftest, "unexpected argument '%s'", argv[optind]);
	if (o.seconds < MIN_SECONDS)
		return usage_error(&command_selftest, "--seconds is less than 1");
	t.seconds = o.seconds;
	t.module = o.module;
	t.done = o.as_json ? NULL : print_row;
	if (!selftest_run(&t))
		return STATUS_ERROR;
	if (o.as_json)
		print_json(&t);
	else if (!selftest_nmis(&t))
		printf("No NMI was tested: this machine offers none to a module.\n");
	failed = selftest_failed(&t);
	if (failed)
		complain("selftest: %s in %s mode: %s", failed->way->name, scenario_mode(failed),
			 failed->error);
	return failed ? STATUS_ERROR : STATUS_OK;
}

const struct command command_selftest = {
	.name		= "selftest",
	.synopsis	= "[-s SECONDS] [-m FILE] [--json]",
	.summary	= "Test the rings on this machine: received + lost = emitted",
	.options	= options,
	.help		=
	"Writers in tasks, softirqs, interrupts and NMIs of all CPUs write to a buffer\n"
	"of the test's own. Each way of reading must get each event once and in order,\n"
	"or count it as lost. Exit status 1: a way failed, or the test did not run.\n",
	.run		= selftest,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap doctor: find what keeps rbmap from working on a machine, and print a
 * command that repairs it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/json.h"
#include "base/terminal.h"
#include "command/command.h"
#include "command/options.h"
#include "doctor.h"

extern const struct command command_doctor;

static const char *const verdicts[] = {
	[VERDICT_OK]	= "ok",
	[VERDICT_NOTE]	= "note",
	[VERDICT_FAIL]	= "fail",
};

static void add_text(struct buf *b, const char *fmt, va_list ap)
{
	char text[2048];

	vsnprintf(text, sizeof(text), fmt, ap);
	buf_printf(b, "%s", text);
}

struct finding *find(struct doctor *d, const char *check, enum verdict verdict,
		     const char *fmt, ...)
{
	struct finding *f = &d->finding[d->nr_findings];
	va_list ap;

	/* The array has room for more findings than there are checks. */
	if (d->nr_findings < MAX_FINDINGS - 1)
		d->nr_findings++;
	*f = (struct finding){ .check = check, .verdict = verdict };
	va_start(ap, fmt);
	add_text(&f->text, fmt, ap);
	va_end(ap);
	return f;
}

/* Return what is behind the first command of a list: the next one, or the end. */
static const char *next_command(const char *list)
{
	const char *on_success = strstr(list, "&& "), *always = strstr(list, "; ");

	if (always && (!on_success || always < on_success))
		return always + strlen("; ");
	return on_success ? on_success + strlen("&& ") : list + strlen(list);
}

void mend_with(struct finding *f, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* sudo is for one command. */
	for (const char *at = text, *next; *at; at = next) {
		next = next_command(at);
		buf_printf(&f->cure, "%s%.*s", geteuid() ? "sudo " : "", (int)(next - at), at);
	}
}

static size_t count(const struct doctor *d, enum verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < d->nr_findings; i++)
		n += d->finding[i].verdict == verdict;
	return n;
}

static const enum colour colours[] = {
	[VERDICT_OK] = COLOUR_NONE,
	[VERDICT_NOTE] = COLOUR_WARNING,
	[VERDICT_FAIL] = COLOUR_BAD,
};

static void print_text(const struct doctor *d)
{
	for (size_t i = 0; i < d->nr_findings; i++) {
		const struct finding *f = &d->finding[i];

		enum colour colour = colours[f->verdict];

		printf("%s%-5s%s %-12s %s%s%s\n", colour_begin(colour), verdicts[f->verdict],
		       colour_end(colour), f->check, f->text.data, f->cure.size ? ". Run: " : "",
		       f->cure.size ? f->cure.data : "");
	}
}

static void print_json(const struct doctor *d)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_bool(&j, "healthy", !count(d, VERDICT_FAIL));
	json_string(&j, "kernel", d->sysroot.release);
	json_bool(&j, "running", d->sysroot.runs);
	json_open(&j, "checks", '[');
	for (size_t i = 0; i < d->nr_findings; i++) {
		const struct finding *f = &d->finding[i];

		json_open(&j, NULL, '{');
		json_string(&j, "check", f->check);
		json_string(&j, "verdict", verdicts[f->verdict]);
		json_string(&j, "text", f->text.data);
		if (f->cure.size)
			json_string(&j, "mend", f->cure.data);
		else
			json_null(&j, "mend");
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
}

static int examine(struct doctor *d, bool as_json)
{
	bool failed = false;

	if (d->sysroot.runs)
		d->loaded = sysroot_has(&d->sysroot, "/sys/module/rbmap");
	module_file_find(&d->module, &d->sysroot, d->sysroot.release);
	doctor_check_install(d);
	if (d->sysroot.runs)
		doctor_check_use(d);
	if (d->thorough)
		doctor_check_rings(d);
	for (size_t i = 0; i < d->nr_findings; i++)
		failed |= d->finding[i].text.failed || d->finding[i].cure.failed;
	if (failed)
		complain("out of memory");
	else if (as_json)
		print_json(d);
	else
		print_text(d);
	failed |= count(d, VERDICT_FAIL);
	for (size_t i = 0; i < d->nr_findings; i++) {
		buf_free(&d->finding[i].text);
		buf_free(&d->finding[i].cure);
	}
	module_file_free(&d->module);
	return failed ? STATUS_ERROR : STATUS_OK;
}

struct doctor_options {
	const char *release;
	char *root;
	bool thorough;
	bool as_json;
};

static const struct cli_option options[] = {
	{ .name = "kernel", .letter = 'k', .arg = "RELEASE", .kind = "kernel",
	  .target = STRING(struct doctor_options, release),
	  .help = "check for this kernel (default: the running kernel)" },
	{ .name = "root", .letter = 'r', .arg = "DIR", .kind = "dir",
	  .target = STRING(struct doctor_options, root),
	  .help = "check the system whose root directory is DIR" },
	{ .name = "thorough", .letter = 't', .target = FLAG(struct doctor_options, thorough),
	  .help = "test the rings, too, as 'rbmap selftest' does" },
	JSON_OPTION(struct doctor_options, as_json),
	{ 0 }
};

static int doctor(int argc, char **argv)
{
	struct doctor_options o = { 0 };
	struct doctor d = { 0 };
	int status;

	if (!parse_options(&command_doctor, argc, argv, &o, &status))
		return status;
	if (optind < argc)
		return usage_error(&command_doctor, "unexpected argument '%s'",
				   argv[optind]);
	if (o.release && (!*o.release || strchr(o.release, '/')))
		return usage_error(&command_doctor,
				   "invalid kernel release '%s'", o.release);
	if (o.thorough && (o.release || o.root))
		return usage_error(&command_doctor,
				   "--thorough tests the running kernel: use it without -k and -r");
	while (o.root && *o.root && o.root[strlen(o.root) - 1] == '/')
		o.root[strlen(o.root) - 1] = '\0';
	if (!sysroot_open(&d.sysroot, o.root ? o.root : "", o.release))
		return STATUS_ERROR;
	d.thorough = o.thorough;
	status = examine(&d, o.as_json);
	sysroot_close(&d.sysroot);
	return status;
}

const struct command command_doctor = {
	.name		= "doctor",
	.synopsis	= "[-k RELEASE] [-r DIR] [--thorough] [--json]",
	.summary	= "Find what keeps rbmap from working, and say how to repair it",
	.options	= options,
	.help		=
	"Each check prints a line: ok, note (rbmap works, with a restriction) or fail,\n"
	"and the command that repairs it. Exit status 1: a check failed.\n",
	.run		= doctor,
};

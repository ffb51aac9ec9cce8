// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does a ring obey the interface that linux/trace_mmap.h and linux/rbmap.h
 * describe? The ring is rbmap's, or with --tracefs the kernel's own.
 *
 *	abi [--tracefs] [THEME...]
 *
 * Without THEME, all themes but "large" run. The first one needs a ring that
 * nobody has read from. Each case prints its outcome (case.h), and ./compare
 * finds the cases in which two rings differ.
 */
#include <stdio.h>
#include <string.h>

#include "abi.h"
#include "tap.h"

static const struct theme {
	const char	*name;
	void		(*run)(void);
	bool		own;	/* true for a theme that tests rbmap alone */
} themes[] = {
	{ "reader", theme_reader, false },
	{ "map", theme_map, false },
	{ "vma", theme_vma, false },
	{ "wait", theme_wait, false },
	{ "read", theme_read, false },
	{ "splice", theme_splice, false },
	{ "format", theme_format, false },
	{ "life", theme_life, false },
	{ "resize", theme_resize, false },
	{ "bugs", theme_bugs, false },
	{ "own", theme_own, true },
	{ "large", theme_large, false },
};

#define NR_THEMES	(sizeof(themes) / sizeof(*themes))

static bool asked_for(const char *theme, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++)
		if (!strcmp(argv[i], theme))
			return true;
	return !argc && strcmp(theme, "large");
}

static bool is_theme(const char *name)
{
	size_t i;

	for (i = 0; i < NR_THEMES; i++)
		if (!strcmp(themes[i].name, name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	int first = target_options(argc, argv), arg;
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (arg = first; arg < argc; arg++)
		if (!is_theme(argv[arg]))
			bail_out("no theme '%s'", argv[arg]);
	pin(CPU);
	measure();
	diag("%u sub-buffers of %zu bytes", nr_subbufs, subbuf_size);
	for (i = 0; i < NR_THEMES; i++)
		if ((target.own || !themes[i].own) &&
		    asked_for(themes[i].name, argc - first, argv + first))
			themes[i].run();
	return done_testing();
}

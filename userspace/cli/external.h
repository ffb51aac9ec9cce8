/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of the package rbmap-fleet. They need libraries that rbmap does not need, so
 * they are a program of their own.
 */
#ifndef RBMAP_CLI_EXTERNAL_H
#define RBMAP_CLI_EXTERNAL_H

#include <stdbool.h>

struct external_command {
	const char *name;
	const char *summary;	/* line in "rbmap --help" */
};

/* The list ends with { 0 }. */
extern const struct external_command external_commands[];

bool is_external_command(const char *name);

/*
 * Run the command with its arguments. argv[1] is its name, as in the arguments of rbmap.
 * Return only if that fails.
 */
int run_external_command(char **argv);

#endif /* RBMAP_CLI_EXTERNAL_H */

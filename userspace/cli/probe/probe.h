/* SPDX-License-Identifier: GPL-2.0-only */
/* rbmap probe: the options, and the actions. */
#ifndef RBMAP_CLI_PROBE_PROBE_H
#define RBMAP_CLI_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#define MAX_BTF_FILES	64

extern const struct command command_probe;

struct probe {
	const char *name;
	const char *group;
	const char *file;	/* file with a probe in each line */
	bool dry_run;
	bool json;
	bool all;
	char *btf[MAX_BTF_FILES];
	size_t nr_btf;
};

/* The actions with the words behind them. Return the exit status. */
int probe_add(struct probe *p, char **words, size_t nr);
int probe_list(struct probe *p, char **words, size_t nr);
int probe_remove(struct probe *p, char **words, size_t nr);
int probe_fields(struct probe *p, char **words, size_t nr);

/*
 * Split a text into words. Store at most @room words, and return the number of
 * all words.
 */
size_t probe_split_words(char *text, char **words, size_t room);

struct btf_types;

/* Open the types of this kernel, or of --btf. On failure, report the error and return false. */
bool probe_open_types(const struct probe *p, struct btf_types *types);

#endif /* RBMAP_CLI_PROBE_PROBE_H */

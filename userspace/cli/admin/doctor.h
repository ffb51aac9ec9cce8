/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What 'rbmap doctor' looks at, and what it finds.
 */
#ifndef RBMAP_CLI_DOCTOR_H
#define RBMAP_CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "sysroot.h"
#include "module_file.h"

enum verdict { VERDICT_OK, VERDICT_NOTE, VERDICT_FAIL };

struct finding {
	const char *check;
	enum verdict verdict;
	struct buf text;
	struct buf cure;	/* a command; empty: none */
};

#define MAX_FINDINGS	32

struct doctor {
	struct sysroot sysroot;
	struct module_file module;	/* for the kernel in question */
	bool loaded;
	struct finding finding[MAX_FINDINGS];
	size_t nr_findings;
};

/* One more finding: its text, then the command that mends it. */
struct finding *find(struct doctor *d, const char *check, enum verdict verdict,
		     const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* @fmt: as root */
void mend_with(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* What the building and finding of the module takes, and what its use takes. */
void doctor_check_install(struct doctor *d);
void doctor_check_use(struct doctor *d);

#endif /* RBMAP_CLI_DOCTOR_H */

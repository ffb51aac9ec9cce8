/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of 'rbmap doctor' and their findings. */
#ifndef RBMAP_DOCTOR_DOCTOR_H
#define RBMAP_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "sysroot.h"
#include "module_file.h"

enum verdict { VERDICT_OK, VERDICT_NOTE, VERDICT_FAIL };

struct finding {
	const char *check;
	enum verdict verdict;
	struct buf text;
	struct buf cure;	/* command that repairs it; empty: none */
};

#define MAX_FINDINGS	32

struct doctor {
	struct sysroot sysroot;
	struct module_file module;	/* module of the checked kernel */
	bool loaded;
	bool thorough;			/* run the selftest, too */
	struct finding finding[MAX_FINDINGS];
	size_t nr_findings;
};

/* Add a finding and format its text. mend_with() adds the command. */
struct finding *find(struct doctor *d, const char *check, enum verdict verdict,
		     const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Add the command that root runs to repair the finding, or several with && or ; between. */
void mend_with(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Check what it takes to build, find and use the module. */
void doctor_check_install(struct doctor *d);
void doctor_check_use(struct doctor *d);
void doctor_check_rings(struct doctor *d);

#endif /* RBMAP_DOCTOR_DOCTOR_H */

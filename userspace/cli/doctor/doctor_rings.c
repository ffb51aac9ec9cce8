// SPDX-License-Identifier: GPL-2.0-only
/* rbmap doctor --thorough: check that the rings lose no event uncounted. */
#include <inttypes.h>

#include "doctor.h"
#include "live/selftest/reader.h"
#include "live/selftest/suite.h"

static void find_passed(struct doctor *d, const struct selftest *t)
{
	uint64_t received = 0, lost = 0;

	for (size_t i = 0; i < t->nr; i++) {
		received += t->scenario[i].received;
		lost += t->scenario[i].lost;
	}
	find(d, "selftest", VERDICT_OK,
	     "%zu of %zu scenarios: %" PRIu64 " events received, %" PRIu64 " lost and counted%s",
	     t->nr, t->nr, received, lost, selftest_nmis(t) ? "" : " (without NMIs)");
}

void doctor_check_rings(struct doctor *d)
{
	struct selftest t = { .seconds = SELFTEST_SECONDS };
	const struct scenario *failed;

	if (!d->loaded)
		return;
	if (!selftest_run(&t)) {
		mend_with(find(d, "selftest", VERDICT_FAIL,
			       "the test did not run: the error message has the reason"),
			  "rbmap selftest");
		return;
	}
	failed = selftest_failed(&t);
	if (failed)
		find(d, "selftest", VERDICT_FAIL, "%s in %s mode: %s: please report this",
		     failed->way->name, scenario_mode(failed), failed->error);
	else
		find_passed(d, &t);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Permits of the collector, with a clock and an index of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/collector.h"
#include "collector/index/hosts.h"
#include "collector/index/incidents.h"

#define HOSTS		3
#define MOST		2

static struct collector collector;
static double clock_seconds;
/* Incident N belongs to host N. */
static enum incident_state state[HOSTS + 1];
static bool wants[HOSTS + 1];
static unsigned int given[HOSTS + 1], repeated;

double now(void)
{
	return clock_seconds;
}

int64_t collector_time(void)
{
	return clock_seconds * NS_PER_SEC;
}

bool index_incident_by_id(struct fleet_index *ix, int64_t id, struct index_incident *incident)
{
	(void)ix;
	*incident = (struct index_incident){ .id = id, .host = id, .state = state[id] };
	return true;
}

void index_incident_set(struct fleet_index *ix, int64_t id, enum incident_state to, int64_t time)
{
	(void)ix;
	(void)time;
	state[id] = to;
}

bool index_incident_to_send(struct fleet_index *ix, int64_t host, int64_t time,
			    struct index_incident *incident)
{
	(void)time;
	if (state[host] != INCIDENT_ANNOUNCED && state[host] != INCIDENT_INCOMING)
		return false;
	return index_incident_by_id(ix, host, incident);
}

void index_host_wants(struct fleet_index *ix, int64_t host, bool value)
{
	(void)ix;
	wants[host] = value;
}

void index_host_turn(struct fleet_index *ix, int64_t host)
{
	index_host_wants(ix, host, false);
}

bool index_host_next(struct fleet_index *ix, struct index_host *host)
{
	(void)ix;
	for (int64_t id = 1; id <= HOSTS; id++) {
		if (!wants[id])
			continue;
		*host = (struct index_host){ .id = id };
		return true;
	}
	return false;
}

uint64_t replies_add(struct replies *r, const struct index_host *host, const char *source,
		     enum message_kind kind, const struct buf *text)
{
	(void)r;
	(void)source;
	(void)text;
	assert_int_equal(kind, MESSAGE_PERMIT);
	return ++given[host->id];
}

void replies_repeat(struct replies *r, const struct index_host *host, const char *source,
		    uint64_t number)
{
	(void)r;
	(void)source;
	assert_int_equal(number, given[host->id]);
	repeated++;
}

static int begin(void **unused)
{
	(void)unused;
	memset(&collector, 0, sizeof(collector));
	memset(given, 0, sizeof(given));
	clock_seconds = 1000;
	repeated = 0;
	for (int i = 1; i <= HOSTS; i++) {
		state[i] = INCIDENT_ANNOUNCED;
		wants[i] = true;
	}
	return !permits_init(&collector.permits, MOST);
}

static int end(void **unused)
{
	(void)unused;
	permits_free(&collector.permits);
	return 0;
}

/* The collector does this in each of its rounds. */
static void round_at(double seconds)
{
	clock_seconds = seconds;
	if (!permits_are_due(&collector))
		return;
	permits_expire(&collector);
	permits_grant(&collector);
}

static void test_limit(void **unused)
{
	(void)unused;
	round_at(1000);
	assert_int_equal(collector.permits.nr, MOST);
	assert_int_equal(given[1] + given[2], 2);
	assert_int_equal(state[1], INCIDENT_PERMITTED);
	assert_int_equal(state[3], INCIDENT_ANNOUNCED);
	assert_true(wants[3]);
	round_at(1000 + PERMIT_SECONDS - 1);
	assert_int_equal(given[3], 0);
}

/* A host that died with a permit must not keep it from the others. */
static void test_expiry(void **unused)
{
	(void)unused;
	round_at(1000);
	clock_seconds = 1000 + PERMIT_SECONDS;
	assert_true(permits_are_due(&collector));
	round_at(clock_seconds);
	assert_int_equal(given[3], 1);
	assert_int_equal(collector.permits.nr, 1);
	/* The two incidents can be permitted again when their hosts are back. */
	assert_int_equal(state[1], INCIDENT_ANNOUNCED);
	assert_int_equal(state[2], INCIDENT_ANNOUNCED);
	assert_false(permits_has(&collector.permits, 1));
	wants[2] = true;
	round_at(clock_seconds + 1);
	assert_int_equal(given[2], 2);
	assert_int_equal(given[1], 1);
}

static void test_parts_renew(void **unused)
{
	(void)unused;
	round_at(1000);
	state[1] = INCIDENT_INCOMING;
	clock_seconds = 1000 + PERMIT_SECONDS - 1;
	permits_renew(&collector.permits, 1);
	round_at(1000 + PERMIT_SECONDS);
	assert_true(permits_has(&collector.permits, 1));
	assert_false(permits_has(&collector.permits, 2));
	/* Some of its parts are here, so the incident keeps its state. */
	round_at(1000 + 2 * PERMIT_SECONDS);
	assert_false(permits_has(&collector.permits, 1));
	assert_int_equal(state[1], INCIDENT_INCOMING);
}

static void test_stored(void **unused)
{
	(void)unused;
	round_at(1000);
	state[1] = INCIDENT_STORED;
	permits_end(&collector, 1, 1);
	assert_false(permits_has(&collector.permits, 1));
	assert_true(wants[1]);
	round_at(1001);
	assert_int_equal(given[3], 1);
	/* It has nothing else to send. */
	assert_int_equal(given[1], 1);
}

static void test_repeat(void **unused)
{
	const struct index_host host = { .id = 2 };
	struct index_incident incident;

	(void)unused;
	round_at(1000);
	index_incident_by_id(&collector.index, 2, &incident);
	permits_repeat(&collector, &host, &incident);
	assert_int_equal(repeated, 1);
	round_at(1000 + PERMIT_SECONDS);
	permits_repeat(&collector, &host, &incident);
	assert_int_equal(repeated, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_limit, begin, end),
		cmocka_unit_test_setup_teardown(test_expiry, begin, end),
		cmocka_unit_test_setup_teardown(test_parts_renew, begin, end),
		cmocka_unit_test_setup_teardown(test_stored, begin, end),
		cmocka_unit_test_setup_teardown(test_repeat, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

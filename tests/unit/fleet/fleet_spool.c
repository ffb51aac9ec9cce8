// SPDX-License-Identifier: GPL-2.0-only
/*
 * The spool of `rbmap ship`: its cap, each state that a kill can leave, records of losses,
 * the lists of files and commands, and the counters of the rings.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/agent.h"
#include "agent/commands/commands.h"
#include "agent/incident/intake.h"
#include "agent/incident/spool.h"
#include "agent/uplink/clocks.h"
#include "agent/uplink/files.h"
#include "kernel/control.h"
#include "message/message.h"
#include "remove_tree.h"

#define NAME	"2026-11-26T14.03.12.dat"

/* Thousands of fsync() are slow on a disk. */
static char dir[] = "/dev/shm/rbmap-fleet-spool.XXXXXX";
static struct spool spool;

static bool goes_on(void)
{
	return false;
}

static bool is_stopped(void)
{
	return true;
}

static int begin(void **state)
{
	(void)state;
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	return mkdtemp(dir) ? chdir(dir) : -1;
}

static int end(void **state)
{
	(void)state;
	return chdir("/") || remove_tree(dir);
}

static void open_spool(uint64_t most)
{
	assert_true(spool_open(&spool, "spool", most));
}

/* As a process that is killed: nothing is written, and the lock ends. */
static void reopen(uint64_t most)
{
	spool_close(&spool);
	open_spool(most);
}

static void write_file(const char *path, const char *text, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	fclose(file);
	assert_int_equal(truncate(path, size), 0);
}

static bool exists(const char *folder, const char *id)
{
	char path[512];

	snprintf(path, sizeof(path), "spool/%s/%s", folder, id);
	return !access(path, F_OK);
}

/* Take a file that is not a recording. Return the incident. */
static struct incident *take(const char *name, const char *text, size_t size)
{
	char path[512];
	size_t nr = spool.nr;

	snprintf(path, sizeof(path), "spool/taking/%s", name);
	write_file(path, text, size);
	assert_int_equal(ingest_incident(&spool, name, NULL, goes_on), 0);
	assert_int_equal(spool.nr, nr + 1);
	return &spool.v[spool.nr - 1];
}

static void test_take(void **state)
{
	struct buf manifest = { 0 };
	char id[SOURCE_NAME_SIZE];
	struct incident *i;

	(void)state;
	open_spool(10000);
	i = take(NAME, "abc", 3);
	/* SHA-256 of "abc" */
	assert_string_equal(i->id, "2026-11-26T14.03.12-ba7816bf");
	assert_int_equal(i->size, 3);
	assert_int_equal(spool_parts(i), 1);
	strcpy(id, i->id);
	assert_int_equal(spool_manifest(&spool, id, &manifest), 0);
	buf_add(&manifest, "", 1);
	assert_non_null(strstr(manifest.data, "file = " NAME "\nsize = 3\nsha256 = ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\nparts = 1\n"));
	assert_null(strstr(manifest.data, "events"));
	buf_free(&manifest);

	/* The same file again is the same incident. */
	write_file("spool/taking/" NAME, "abc", 3);
	assert_int_equal(ingest_incident(&spool, NAME, NULL, goes_on), 0);
	assert_int_equal(spool.nr, 1);
	assert_false(exists("taking", NAME));
	reopen(10000);
	assert_int_equal(spool.nr, 1);
	assert_string_equal(spool.v[0].id, id);
	spool_remove(&spool, &spool.v[0]);
	assert_int_equal(spool.bytes, 0);
	assert_false(exists("state", id) || exists("data", id));
	spool_close(&spool);
}

static void test_strange_names(void **state)
{
	char name[251];
	const char *id;

	(void)state;
	open_spool(10000);
	assert_string_equal(take("2026-11-26T14.03.12 a\\b\n\xc3.dat", "abc", 3)->id,
			    "2026-11-26T14.03.12_a_b__-ba7816bf");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, "2026-11-26T14.03.12", 19);
	id = take(name, "abc", 3)->id;
	assert_true(is_source_name(id));
	/* The longest name of a message: ID.part.4294967295.18446744073709551615 */
	assert_true(strlen(id) + strlen(".part.4294967295.18446744073709551615") < SOURCE_NAME_SIZE);
	spool_close(&spool);
}

static void test_stopped(void **state)
{
	(void)state;
	open_spool(10000);
	write_file("spool/taking/" NAME, "abc", 3);
	assert_int_equal(ingest_incident(&spool, NAME, NULL, is_stopped), -EINTR);
	assert_true(exists("taking", NAME));
	/* A file that was not taken is not lost. */
	spool_check(&spool);
	assert_int_equal(spool.losses.nr, 0);
	spool_close(&spool);
}

static void test_full(void **state)
{
	char first[SOURCE_NAME_SIZE];
	struct loss_sums sums;

	(void)state;
	open_spool(10000);
	strcpy(first, take("2026-11-26T14.03.01.dat", "1", 4000)->id);
	take("2026-11-26T14.03.02.dat", "2", 4000);
	take("2026-11-26T14.03.03.dat", "3", 100);
	assert_int_equal(spool.losses.nr, 0);
	assert_int_equal(spool.nr, 3);
	/* The first one goes, and is not on its way. */
	write_file("spool/taking/2026-11-26T14.03.04.dat", "4", 2000);
	assert_int_equal(ingest_incident(&spool, "2026-11-26T14.03.04.dat", NULL, goes_on), 0);
	assert_int_equal(spool.nr, 3);
	assert_int_equal(spool.bytes, 6100);
	assert_int_equal(spool.losses.nr, 1);
	assert_string_equal(spool.losses.v[0].id, first);
	assert_false(exists("data", first) || exists("state", first));
	assert_true(losses_read(spool.losses.dir, first, &sums));
	assert_string_equal(sums.file, "2026-11-26T14.03.01.dat");
	assert_int_equal(sums.size, 4000);
	assert_false(sums.has_events);
	assert_int_equal(sums.unknown, 1);
	reopen(10000);
	assert_int_equal(spool.losses.nr, 1);
	losses_stored(&spool.losses, first);
	assert_int_equal(spool.losses.nr, 0);
	assert_false(exists("losses", first));
	spool_close(&spool);
}

/* Those on their way stay, and the new one waits until they are there. */
static void test_busy(void **state)
{
	(void)state;
	open_spool(10000);
	take("2026-11-26T14.03.01.dat", "1", 6000)->busy_until = UINT64_MAX;
	take("2026-11-26T14.03.02.dat", "2", 1000);
	write_file("spool/taking/2026-11-26T14.03.03.dat", "3", 5000);
	assert_int_equal(ingest_incident(&spool, "2026-11-26T14.03.03.dat", NULL, goes_on), -EBUSY);
	assert_true(exists("taking", "2026-11-26T14.03.03.dat"));
	assert_int_equal(spool.nr, 1);
	spool_remove(&spool, &spool.v[0]);
	assert_true(spool.freed);
	assert_int_equal(ingest_incident(&spool, "2026-11-26T14.03.03.dat", NULL, goes_on), 0);
	write_file("spool/taking/2026-11-26T14.03.04.dat", "4", 10001);
	assert_int_equal(ingest_incident(&spool, "2026-11-26T14.03.04.dat", NULL, goes_on), 0);
	assert_int_equal(spool.nr, 1);
	assert_int_equal(spool.losses.nr, 2);
	assert_false(exists("taking", "2026-11-26T14.03.04.dat"));
	spool_close(&spool);
}

/* States that a kill between two steps leaves */
static void test_killed(void **state)
{
	char id[SOURCE_NAME_SIZE], data[512], taking[512] = "spool/taking/" NAME;
	struct intake in;

	(void)state;
	assert_int_equal(mkdir("inc", 0700), 0);
	open_spool(10000);
	strcpy(id, take(NAME, "abc", 3)->id);
	snprintf(data, sizeof(data), "spool/data/%s", id);

	/* The state is written, and the file was not renamed. */
	assert_int_equal(rename(data, taking), 0);
	reopen(10000);
	assert_int_equal(spool.nr, 0);
	assert_true(intake_begin(&in, "inc", &spool, goes_on));
	intake_end(&in);
	assert_int_equal(spool.nr, 1);
	assert_string_equal(spool.v[0].id, id);
	assert_int_equal(spool.losses.nr, 0);
	assert_true(!access(data, F_OK) && access(taking, F_OK));

	/* The collector has stored it, and the file was not removed. */
	files_remove(spool.state, id);
	reopen(10000);
	assert_int_equal(spool.nr, 0);
	assert_int_equal(access(data, F_OK), -1);

	/* The record of its loss is there, and its files, too. */
	strcpy(id, take(NAME, "abc", 3)->id);
	assert_int_equal(losses_add(&spool.losses, id, &(struct buf){ 0 }, "test"), 0);
	reopen(10000);
	assert_int_equal(spool.nr, 0);
	assert_int_equal(spool.losses.nr, 1);
	assert_false(exists("state", id) || exists("data", id));
	losses_stored(&spool.losses, id);

	/* Somebody has removed the file. */
	strcpy(id, take(NAME, "abc", 3)->id);
	assert_int_equal(unlink(data), 0);
	reopen(10000);
	/* Its data might still be on the way. */
	write_file("spool/taking/other", "", 0);
	spool_check(&spool);
	assert_int_equal(spool.losses.nr, 0);
	assert_int_equal(unlink("spool/taking/other"), 0);
	spool_check(&spool);
	assert_int_equal(spool.losses.nr, 1);
	assert_false(exists("state", id));
	spool_close(&spool);
}

static void test_permit(void **state)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct timespec ahead[2] = { { .tv_sec = 1000 } };
	char id[SOURCE_NAME_SIZE], path[512];
	struct incident *i;
	struct stat st;

	(void)state;
	open_spool(10000000);
	i = take(NAME, "abc", 2 * MESSAGE_PAYLOAD_MAX + 1);
	strcpy(id, i->id);
	assert_int_equal(spool_parts(i), 3);
	assert_int_equal(spool_request(&spool, i, 1, UINT64_MAX), 0);
	assert_int_equal(i->wanted[0], 6);
	assert_int_equal(spool_request(&spool, i, 5, 7), 0);
	assert_int_equal(spool_request(&spool, i, 2, 1), 0);
	assert_int_equal(i->wanted[0], 6);
	/* The next process goes on. */
	reopen(10000000);
	assert_true(spool.v[0].requested);
	assert_int_equal(spool.v[0].wanted[0], 7);
	snprintf(path, sizeof(path), "spool/permits/%s", id);
	/* Another request renews the permit. That of a clock that was ahead does not count. */
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	assert_int_equal(spool_request(&spool, &spool.v[0], 0, 0), 0);
	assert_false(stat(path, &st));
	assert_true(st.st_mtime > 1000);
	ahead[1].tv_sec = st.st_mtime + 1000;
	assert_int_equal(utimensat(AT_FDCWD, path, ahead, 0), 0);
	reopen(10000000);
	assert_false(spool.v[0].requested);
	assert_int_equal(spool_request(&spool, &spool.v[0], 0, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	reopen(10000000);
	assert_false(spool.v[0].requested);
	assert_false(exists("permits", id));
	assert_int_equal(spool_request(&spool, &spool.v[0], 0, 0), 0);
	spool_requested_done(&spool, &spool.v[0]);
	assert_false(exists("permits", id) || spool.v[0].requested);
	spool_close(&spool);
}

static void test_lock(void **state)
{
	struct spool other;

	(void)state;
	open_spool(10000);
	assert_false(spool_open(&other, "spool", 1));
	assert_true(spool_is_locked(spool.dir));
	spool_close(&spool);
	open_spool(1);
	spool_close(&spool);
}

/* ---- records of losses */
static void add_loss(struct losses *l, unsigned int number, const char *events, const char *lost)
{
	struct buf manifest = { 0 };
	char id[64];

	snprintf(id, sizeof(id), "2026-11-26T14.03.%u-00000000", number);
	buf_printf(&manifest, "file = %u\nsize = 10\n%slost = %s\nsha256 = x\n", number, events,
		   lost);
	assert_int_equal(losses_add(l, id, &manifest, "test"), 0);
	buf_free(&manifest);
}

static struct loss_sums sum_all(const struct losses *l)
{
	struct loss_sums sum = { 0 }, one;

	for (size_t i = 0; i < l->nr; i++) {
		assert_true(losses_read(l->dir, l->v[i].id, &one));
		sum.size += one.size;
		sum.events += one.events;
		sum.lost += one.lost;
		sum.incidents += one.incidents;
		sum.unknown += one.unknown;
		sum.lost_unknown |= one.lost_unknown;
	}
	return sum;
}

static void test_losses(void **state)
{
	static struct losses l;
	struct buf text = { 0 };
	struct loss_sums sum;
	int fd = files_open_folder(AT_FDCWD, "losses");

	(void)state;
	assert_int_equal(losses_load(&l, fd), 0);
	for (unsigned int i = 0; i < 600; i++) {
		add_loss(&l, i, i % 100 ? "events = 3\n" : "", i == 7 ? "unknown" : "2");
		/* The collector may have stored those already. */
		if (i < 5)
			losses_sent(&l, &l.v[i]);
		assert_true(l.nr <= LOSSES_MAX);
	}
	sum = sum_all(&l);
	assert_int_equal(sum.incidents, 600);
	assert_int_equal(sum.size, 6000);
	assert_int_equal(sum.events, 594 * 3);
	assert_int_equal(sum.unknown, 6);
	assert_true(sum.lost_unknown);
	for (unsigned int i = 0; i < 5; i++)
		assert_true(l.v[i].sent);
	assert_int_equal(losses_load(&l, fd), 0);
	sum = sum_all(&l);
	assert_int_equal(sum.incidents, 600);
	assert_int_equal(losses_text(&l, &l.v[0], &text), 0);
	buf_add(&text, "", 1);
	assert_null(strstr(text.data, "replaces"));
	assert_null(strstr(text.data, "sent"));
	buf_free(&text);
	close(fd);
}

/* A sum is on the disk, and what it replaces, too. */
static void test_losses_killed(void **state)
{
	static struct losses l;
	struct loss_sums sum;
	int fd = files_open_folder(AT_FDCWD, "losses");

	(void)state;
	assert_int_equal(losses_load(&l, fd), 0);
	for (unsigned int i = 0; i < LOSSES_MAX; i++)
		add_loss(&l, i, "events = 3\n", "2");
	assert_int_equal(system("cp -r losses before"), 0);
	add_loss(&l, 1000, "events = 3\n", "2");
	assert_int_equal(l.nr, 2);
	assert_int_equal(system("cp before/* losses"), 0);
	assert_int_equal(losses_load(&l, fd), 0);
	assert_int_equal(l.nr, 2);
	sum = sum_all(&l);
	assert_int_equal(sum.incidents, LOSSES_MAX + 1);
	assert_int_equal(sum.events, 3 * (LOSSES_MAX + 1));
	assert_int_equal(sum.lost, 2 * (LOSSES_MAX + 1));
	assert_false(sum.lost_unknown);
	close(fd);
}

static void test_losses_sent(void **state)
{
	static struct losses l;
	unsigned int sent = 0;
	int fd = files_open_folder(AT_FDCWD, "losses");

	(void)state;
	assert_int_equal(losses_load(&l, fd), 0);
	for (unsigned int i = 0; i < 600; i++) {
		add_loss(&l, i, "events = 3\n", "2");
		for (unsigned int k = 0; k < l.nr; k++)
			sent += !l.v[k].sent && losses_sent(&l, &l.v[k]);
	}
	/* None of them became a part of a sum. */
	assert_int_equal(sent, LOSSES_SENT_MAX);
	for (unsigned int i = 0; i < LOSSES_SENT_MAX; i++)
		assert_true(l.v[i].sent);
	losses_stored(&l, l.v[0].id);
	assert_true(losses_sent(&l, &l.v[l.nr - 1]));
	close(fd);
}

static void append_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "ae");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* ---- lists */
static void test_taken(void **state)
{
	int fd = files_open_folder(AT_FDCWD, "list");
	struct stat a = { .st_ino = 1, .st_mtim = { 5, 6 }, .st_size = 7 }, b = a;
	char name[64];
	struct ingested_log t;

	(void)state;
	b.st_ino = 2;
	assert_int_equal(ingested_log_load(&t, fd), 0);
	for (int i = 99; i >= 0; i--) {
		snprintf(name, sizeof(name), "2026 with blanks %d", i);
		assert_int_equal(ingested_log_add(&t, name, &a), 0);
	}
	/* An agent that is killed here, while it writes the last line */
	ingested_log_free(&t);
	append_file("list/taken", "7 8");
	assert_int_equal(ingested_log_load(&t, fd), 0);
	assert_int_equal(t.nr, 100);
	assert_int_equal(ingested_log_add(&t, "2026 with blanks 7", &a), 0);
	ingested_log_free(&t);
	write_file("list/more", "", 0);
	assert_int_equal(ingested_log_load(&t, fd), 0);
	assert_int_equal(t.nr, 100);
	assert_true(ingested_log_has(&t, "2026 with blanks 42", &a));
	assert_false(ingested_log_has(&t, "2026 with blanks 42", &b));
	assert_true(ingested_log_has(&t, "2026 with blanks 7", &a));
	assert_false(ingested_log_has(&t, "2026 with blanks 100", &a));
	/* The recorder has removed all others. */
	ingested_log_prune(&t);
	assert_int_equal(t.nr, 2);
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "new %d", i);
		assert_int_equal(ingested_log_add(&t, name, &a), 0);
	}
	assert_int_equal(ingested_log_save(&t), 0);
	ingested_log_free(&t);
	write_file("list/taken", "x\n1 2\n1 2 3\n-1 2 3 a\n1 2 3 good\n\n99999999999999999999 1 1 y\n", 61);
	assert_int_equal(ingested_log_load(&t, fd), 0);
	assert_true(t.nr >= 1 && ingested_log_has(&t, "good", &(struct stat){
		.st_ino = 1, .st_mtim = { 0, 2 }, .st_size = 3 }));
	ingested_log_free(&t);
	close(fd);
}

static void test_executed(void **state)
{
	int list = files_open_folder(AT_FDCWD, "list"), answers = files_open_folder(list, "answers");
	struct buf text = { 0 };
	struct command_log e;
	char id[32];

	(void)state;
	assert_int_equal(command_log_load(&e, list, answers), 0);
	assert_int_equal(command_log_begin(&e, "one", 5), 0);
	assert_int_equal(command_log_begin(&e, "two", 7), 0);
	buf_printf(&text, "state = taken\n");
	assert_int_equal(command_log_answer(&e, "two", &text), 0);
	command_log_free(&e);
	buf_free(&text);
	/* A process was killed while it executed the first one. */
	assert_int_equal(command_log_load(&e, list, answers), 0);
	assert_true(command_log_has(&e, "one") && command_log_has(&e, "two"));
	assert_false(command_log_has(&e, "three"));
	text = (struct buf){ 0 };
	assert_int_equal(files_read(answers, "one", &text, 1000), 0);
	assert_int_equal(strncmp(text.data, "state = failed\n", 15), 0);
	buf_free(&text);
	text = (struct buf){ 0 };
	assert_int_equal(files_read(answers, "two", &text, 1000), 0);
	assert_int_equal(strncmp(text.data, "state = taken\n", 14), 0);
	buf_free(&text);
	/* The answer that was sent does not come again. */
	files_remove(answers, "one");
	command_log_free(&e);
	assert_int_equal(command_log_load(&e, list, answers), 0);
	assert_int_equal(faccessat(answers, "one", F_OK, 0), -1);
	for (int i = 0; i < EXECUTED_MAX; i++) {
		snprintf(id, sizeof(id), "c%d", i);
		assert_int_equal(command_log_begin(&e, id, 100 + i),
				 i < EXECUTED_MAX - 2 ? 0 : -EBUSY);
	}
	/* The oldest is forgotten when it is answered, for another one. */
	for (size_t i = 0; i < e.nr; i++) {
		e.v[i].time -= EXECUTED_SECONDS + 1;
		e.v[i].answered = i != 1;
	}
	assert_false(command_log_is_old(&e, 5));
	assert_int_equal(command_log_begin(&e, "last", 200), 0);
	assert_int_equal(e.nr, EXECUTED_MAX);
	assert_false(command_log_has(&e, "one"));
	assert_true(command_log_has(&e, "two") && command_log_has(&e, "c0"));
	/* The forgotten one can come again: it is too old, and so are those before it. */
	assert_true(command_log_is_old(&e, 5) && command_log_is_old(&e, 0));
	assert_false(command_log_is_old(&e, 6));
	command_log_free(&e);
	assert_int_equal(command_log_load(&e, list, answers), 0);
	assert_int_equal(e.nr, EXECUTED_MAX);
	assert_int_equal(e.v[0].given, 7);
	assert_true(command_log_is_old(&e, 5) && !command_log_is_old(&e, 6));
	assert_int_equal(command_log_begin(&e, "next", 201), 0);
	assert_false(command_log_has(&e, "two"));
	assert_true(command_log_is_old(&e, 7) && !command_log_is_old(&e, 8));
	command_log_free(&e);
	/* The list of an earlier version has no times of commands. */
	write_file("list/commands", "1000 answered one\n1001 begun two\nbefore\n", 41);
	assert_int_equal(command_log_load(&e, list, answers), 0);
	assert_true(e.nr == 2 && command_log_has(&e, "one") && command_log_has(&e, "two"));
	assert_false(command_log_is_old(&e, 0));
	command_log_free(&e);
	close(answers);
	close(list);
}

/* ---- the rest */
static void test_backoff(void **state)
{
	struct backoff t = { 0 };

	(void)state;
	assert_true(backoff_due(&t));
	for (int i = 0; i < 20; i++) {
		uint64_t before = clock_monotonic();
		bool due;

		backoff_failed(&t, "it does not work");
		assert_true(t.delay <= 60000000000ULL);
		assert_true(t.retry <= clock_monotonic() + t.delay);
		assert_true(t.retry >= before + t.delay / 2);
		/* The first delays are short: this process may have waited that long. */
		due = backoff_due(&t);
		assert_true(!due || clock_monotonic() >= t.retry);
	}
	assert_false(backoff_due(&t));
	assert_true(backoff_is_long(&t));
	assert_true(backoff_over(&t, "it"));
	assert_false(backoff_over(&t, "it"));
	assert_true(backoff_due(&t));
}

static void make_cpu(const char *path, unsigned int events, unsigned int lost)
{
	char text[128], command[512];

	snprintf(command, sizeof(command), "mkdir -p %s", path);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/stats", path);
	snprintf(text, sizeof(text), "entries: 1\nemitted: %u\nmissed: %u\nlost events: %u\n",
		 events, lost / 2, lost - lost / 2);
	write_file(command, text, strlen(text));
}

static void test_rings(void **state)
{
	uint64_t events, lost;

	(void)state;
	control_set_root("missing");
	assert_false(rings_read(&events, &lost));
	control_set_root("root");
	make_cpu("root/per_cpu/cpu0", 1, 20);
	make_cpu("root/per_cpu/cpu1", 2, 30);
	assert_true(rings_read(&events, &lost));
	assert_int_equal(events, 3);
	make_cpu("root/instances/mine/per_cpu/cpu5", 400, 7);
	assert_true(rings_read(&events, &lost));
	assert_int_equal(events, 403);
	assert_int_equal(lost, 57);
	assert_null(control_buffer());
	write_file("root/per_cpu/cpu1/stats", "emitted: x\n", 11);
	assert_false(rings_read(&events, &lost));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_take, begin, end),
		cmocka_unit_test_setup_teardown(test_strange_names, begin, end),
		cmocka_unit_test_setup_teardown(test_stopped, begin, end),
		cmocka_unit_test_setup_teardown(test_full, begin, end),
		cmocka_unit_test_setup_teardown(test_busy, begin, end),
		cmocka_unit_test_setup_teardown(test_killed, begin, end),
		cmocka_unit_test_setup_teardown(test_permit, begin, end),
		cmocka_unit_test_setup_teardown(test_lock, begin, end),
		cmocka_unit_test_setup_teardown(test_losses, begin, end),
		cmocka_unit_test_setup_teardown(test_losses_killed, begin, end),
		cmocka_unit_test_setup_teardown(test_losses_sent, begin, end),
		cmocka_unit_test_setup_teardown(test_taken, begin, end),
		cmocka_unit_test_setup_teardown(test_executed, begin, end),
		cmocka_unit_test_setup_teardown(test_backoff, begin, end),
		cmocka_unit_test_setup_teardown(test_rings, begin, end),
	};

	return cmocka_run_group_tests_name("fleet_spool", tests, NULL, NULL);
}

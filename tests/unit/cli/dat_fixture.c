// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "dat_fixture.h"

char path[64];

bool brief;

uint64_t seed = 1;

uint64_t rnd(uint64_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % limit;
}

struct expected expected[MAX_EXPECTED];
size_t nr_expected;
uint64_t last_lost[NR_CPUS];

struct dat_writer *create(void)
{
	struct dat_source source = synth_source(NR_CPUS);
	struct dat_writer *w = NULL;
	struct buf names = { 0 };

	buf_printf(&names, "1 early\n");
	source.cmdlines = &names;
	assert_int_equal(dat_create(&w, path, &source), 0);
	assert_int_equal(dat_publish(w), 0);
	buf_free(&names);
	return w;
}

void leave_unfinished(struct dat_writer *w)
{
	struct buf cmdlines = { 0 };
	int fd;

	buf_printf(&cmdlines, "1 one\n2 two\n");
	assert_int_equal(dat_finish(w, &cmdlines, NULL, &fd), 0);
	buf_free(&cmdlines);
	close(fd);
}

int nr_files(void)
{
	char pattern[PATH_MAX];
	glob_t found;
	int nr;

	snprintf(pattern, sizeof(pattern), "%s*", path);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	nr = found.gl_pathc;
	globfree(&found);
	return nr;
}

double done_before;
static double stop_at, kill_at;

bool go_on(void *data, double done)
{
	assert_null(data);
	assert_true(done > done_before && done <= 1);
	done_before = done;
	if (done >= kill_at)
		kill(getpid(), SIGKILL);
	return done < stop_at;
}

void set_end(double stop, double kills)
{
	done_before = 0;
	stop_at = stop;
	kill_at = kills;
}

int lock_and_assemble(const char *name, struct dat_assembly *a)
{
	int ret = dat_lock(name);

	if (ret < 0)
		return ret;
	a->fd = ret;
	ret = dat_assemble(name, a);
	close(a->fd);
	return ret;
}

int assemble_until(bool compress, double end)
{
	struct dat_assembly a = { .compress = compress, .go_on = go_on };
	int ret;

	set_end(end, 2);
	ret = lock_and_assemble(path, &a);
	return ret ? ret : a.compress_error;
}

void assemble(bool compress)
{
	assert_int_equal(nr_files(), NR_CPUS + 1);
	assert_int_equal(assemble_until(compress, 2), 0);
	assert_int_equal(nr_files(), 1);
}

void finish(struct dat_writer *w)
{
	leave_unfinished(w);
	assemble(false);
}

bool go_on_always(void *data, double done)
{
	assert_null(data);
	return done <= 1;
}

void finish_as(struct dat_writer *w, const char *name)
{
	struct dat_assembly a = { .go_on = go_on_always };

	leave_unfinished(w);
	assert_int_equal(lock_and_assemble(name, &a), 0);
}

bool sync_fails;

int fdatasync(int fd)
{
	errno = EIO;
	return sync_fails ? -1 : (int)syscall(SYS_fdatasync, fd);
}

/* The process is killed behind so many pieces that were freed. */
int kill_at_free;

int fallocate(int fd, int mode, off_t offset, off_t size)
{
	int ret = syscall(SYS_fallocate, fd, mode, offset, size);

	if (kill_at_free && !--kill_at_free)
		kill(getpid(), SIGKILL);
	return ret;
}

/* How many bytes the file system is said to have. */
uint64_t space_left = UINT64_MAX;

int fstatvfs(int fd, struct statvfs *st)
{
	(void)fd;
	*st = (struct statvfs){ .f_blocks = 1, .f_frsize = 1, .f_bavail = space_left };
	return 0;
}

void write_random(struct dat_writer *w, unsigned int pages)
{
	static struct synth s[NR_CPUS];
	uint64_t ts = 1000, nr = 0, lost;
	struct rbmap_subbuf sb;

	nr_expected = 0;
	memset(last_lost, 0, sizeof(last_lost));
	for (unsigned int page = 0; page < pages; page++) {
		unsigned int cpu = rnd(NR_CPUS - 1);	/* one has nothing */
		size_t first = nr_expected;
		unsigned int fill = rnd(3) ? 1000 : rnd(200);

		lost = rnd(2) ? rnd(5000) : 0;
		/* Events of two CPUs have no order if their times are the same. */
		synth_begin(&s[cpu], ++ts);
		for (unsigned int i = 0; i < fill; i++) {
			uint64_t at = ts + rnd(rnd(20) ? 1000 : 1ULL << 33);

			if (!synth_number(&s[cpu], at, 1, nr))
				break;
			expected[nr_expected++] = (struct expected){
				.nr = nr++, .ts = at, .cpu = cpu,
			};
			assert_true(nr_expected < MAX_EXPECTED);
			ts = at;
			if (!rnd(50)) {
				sb = synth_piece(&s[cpu], lost);
				last_lost[cpu] += lost;
				lost = 0;
				assert_int_equal(dat_add(w, cpu, &sb), 0);
			}
		}
		sb = synth_piece(&s[cpu], lost);
		last_lost[cpu] += lost;
		assert_int_equal(dat_add(w, cpu, &sb), 0);
		if (nr_expected > first) {
			expected[first].lost = last_lost[cpu];
			last_lost[cpu] = 0;
		}
	}
}

static unsigned char payload[SYNTH_LARGEST];

const void *fill_payload(uint64_t nr, size_t size)
{
	struct synth_number_event head = { { .type = SYNTH_PRINT }, nr };

	for (size_t i = 0; i < size; i++)
		payload[i] = nr + i;
	return memcpy(payload, &head, sizeof(head));
}

static void check_payload(const struct rbmap_event *ev, uint32_t size)
{
	const unsigned char *data = ev->data;
	uint64_t nr;

	assert_int_equal(ev->size, size);
	memcpy(&nr, data + 8, sizeof(nr));
	for (size_t i = 16; i < size; i++)
		assert_int_equal(data[i], (unsigned char)(nr + i));
}

void check_random(bool finished)
{
	struct rbmap_recording *r = NULL;
	struct rbmap_damage damage;
	struct rbmap_event ev;
	uint64_t nr;
	size_t i = 0;
	int ret;

	assert_int_equal(dat_open(&r, path), 0);
	assert_int_equal(rbmap_recording_cpus(r), NR_CPUS);
	assert_string_equal(rbmap_recording_clock(r), "local");
	while ((ret = rbmap_recording_next(r, &ev)) == 1) {
		assert_true(i < nr_expected);
		memcpy(&nr, (const char *)ev.data + 8, sizeof(nr));
		assert_int_equal(nr, expected[i].nr);
		assert_int_equal(ev.ts, expected[i].ts);
		assert_int_equal(ev.cpu, expected[i].cpu);
		assert_int_equal(ev.lost, expected[i].lost);
		if (expected[i].size)
			check_payload(&ev, expected[i].size);
		i++;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(i, nr_expected);
	if (finished)
		for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++)
			assert_int_equal(rbmap_recording_lost_last(r, cpu), last_lost[cpu]);
	damage = *rbmap_recording_damage(r);
	assert_int_equal(damage.unfinished, !finished);
	assert_int_equal(damage.missing, 0);
	assert_int_equal(damage.broken, 0);
	rbmap_recording_close(r);
}

void remove_others(void)
{
	char pattern[PATH_MAX];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s.*", path);
	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
	globfree(&found);
}

size_t count_events(void)
{
	struct rbmap_recording *r = NULL;
	struct rbmap_event ev;
	size_t n = 0;

	assert_int_equal(dat_open(&r, path), 0);
	while (rbmap_recording_next(r, &ev) == 1)
		n++;
	rbmap_recording_close(r);
	return n;
}

void add(struct dat_writer *w, struct synth *s, uint64_t lost)
{
	struct rbmap_subbuf sb = synth_piece(s, lost);

	assert_int_equal(dat_add(w, 0, &sb), 0);
}

bool begin_recordings(void)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	/* In memory the many fdatasync() take no time. */
	snprintf(path, sizeof(path), "%s/rbmap-cli-dat.XXXXXX", dir && strlen(dir) < 32 ? dir : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return false;
	close(fd);
	brief = getenv("RBMAP_TEST_SHORT");
	/* For tests/mutants: the random tests take most of the time. */
	if (getenv("RBMAP_TEST_QUICK"))
		cmocka_set_skip_filter("*noise*");
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/uplink/clocks.h"
#include "base/array.h"
#include "base/complain.h"
#include "base/process.h"
#include "kernel/control.h"
#include "kernel/hidden_cpus.h"
#include "message/stream/stream.h"
#include "stream.h"

#define DEVICES		"/dev/rbmap"
#define SECOND		1000000000ULL
#define IDLE_NS		10000000	/* The kernel does not wake observers. */
#define CLOCK_PERIOD	(10 * SECOND)
#define LOOK_PERIOD	(10 * SECOND)
#define CPU_FILES	2	/* that the ring of a CPU needs */
#define OTHER_FILES	128
#define PIECES		64		/* read from one ring before the next one has its turn */
#define RIGHTS		"; the section Streams of rbmap-ship(1) says which rights a service needs"

static bool is_default(const char *buffer)
{
	return !strcmp(buffer, STREAM_DEFAULT_BUFFER);
}

static void devices_of(const char *buffer, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, DEVICES "%s%s", is_default(buffer) ? "" : "/",
		 is_default(buffer) ? "" : buffer);
}

static void control_of(const char *buffer, char path[PATH_MAX])
{
	/* control_dir() is that of the thread that sends. */
	snprintf(path, PATH_MAX, "%s%s%s", control_root(),
		 is_default(buffer) ? "" : "/instances/", is_default(buffer) ? "" : buffer);
}

/* systemd hides the devices of the module from a service with PrivateDevices=yes. */
static bool are_hidden(void)
{
	return access(DEVICES, F_OK) && !access(control_root(), F_OK);
}

/* Once: a part of /dev/rbmap lacks the same CPUs in each buffer. */
static void look_for_hidden(const char *buffer, const char *devices)
{
	static bool complained;
	char control[PATH_MAX];

	control_of(buffer, control);
	complained = complained || complain_hidden_cpus(control, devices);
}

static int list_cpus(const char *buffer, int *cpus, int most)
{
	struct dirent *entry;
	char path[PATH_MAX];
	int nr = 0, cpu, len;
	DIR *dir;

	devices_of(buffer, path);
	dir = opendir(path);
	if (!dir && errno == ENOENT && are_hidden())
		return -EPERM;
	if (!dir)
		return errno == ENOENT && is_default(buffer) ? RBMAP_ERR_NOT_LOADED : -errno;
	while (nr < most && (entry = readdir(dir))) {
		len = 0;
		if (sscanf(entry->d_name, "cpu%d%n", &cpu, &len) == 1 && !entry->d_name[len] &&
		    cpu >= 0 && cpu < STREAM_CPUS_MAX)
			cpus[nr++] = cpu;
	}
	closedir(dir);
	look_for_hidden(buffer, path);
	return nr;
}

static int observe_ring(struct rbmap_map **map, const char *buffer, int cpu)
{
	char path[PATH_MAX];
	size_t len;

	devices_of(buffer, path);
	len = strlen(path);
	snprintf(path + len, sizeof(path) - len, "/cpu%d", cpu);
	return rbmap_observe_path(map, path, 0);
}

static int read_moment(struct rbmap_moment *m, const char *buffer, int clock)
{
	char path[PATH_MAX];

	control_of(buffer, path);
	return rbmap_moment_now(m, clock, path);
}

/* A module of an earlier version does not count them. */
static int read_missed(const char *buffer, int cpu, uint64_t *missed)
{
	char file[PATH_MAX];

	snprintf(file, sizeof(file), "%s%s/per_cpu/cpu%d/stats",
		 is_default(buffer) ? "" : "/instances/", is_default(buffer) ? "" : buffer, cpu);
	return control_read_stat(file, "missed", missed);
}

static int read_format(struct buf *text, char system[SYSTEM_NAME_SIZE], const char *buffer,
		  unsigned int id)
{
	static struct rbmap_formats *formats;
	const struct rbmap_format *f;
	char path[PATH_MAX];
	size_t len;
	int ret = formats ? 0 : rbmap_formats_new(&formats);

	control_of(buffer, path);
	len = strlen(path);
	f = ret ? NULL : rbmap_formats_by_id(formats, id);
	if (!ret && !f) {
		snprintf(path + len, sizeof(path) - len, "/events");
		ret = rbmap_formats_load(formats, path);
		f = ret < 0 ? NULL : rbmap_formats_by_id(formats, id);
	}
	if (!f)
		return ret < 0 ? ret : -ENOENT;
	snprintf(system, SYSTEM_NAME_SIZE, "%.63s", f->system);
	snprintf(path + len, sizeof(path) - len, "/events/%s/%s/format", f->system, f->name);
	return buf_read_file(text, path);
}

const struct stream_access stream_access_kernel = {
	.list = list_cpus, .open = observe_ring, .moment = read_moment, .missed = read_missed,
	.format = read_format,
};

static void on_event(void *data, const struct rbmap_event *ev)
{
	struct stream_buffer *b = data;

	stream_heads_event(&b->heads, ev);
}

static void before_batch(void *data)
{
	struct stream_buffer *b = data;

	stream_heads_send(&b->heads);
}

static const char *name_of(const struct stream_buffer *b)
{
	return b->heads.source.buffer;
}

static struct stream_ring *get_ring(struct stream_buffer *b, int cpu)
{
	for (unsigned int i = 0; i < b->nr; i++)
		if (b->ring[i].cpu == cpu)
			return &b->ring[i];
	if (!array_grow(b->ring, b->nr))
		return NULL;
	b->ring[b->nr] = (struct stream_ring){ .cpu = cpu };
	return &b->ring[b->nr++];
}

static int open_ring(struct stream_buffer *b, int cpu)
{
	struct stream_ring *r = get_ring(b, cpu);
	uint64_t incarnation = b->heads.source.incarnation;
	int ret;

	if (!r || r->map)
		return r ? 0 : -ENOMEM;
	ret = b->access->open(&r->map, name_of(b), cpu);
	if (ret) {
		r->map = NULL;
		/* A CPU that was never on line has no ring. */
		return ret == -ENODEV || ret == -ENXIO ? 0 : ret;
	}
	/* The second ring of a CPU numbers its generations and events again. */
	if (r->batching.target)
		incarnation = stream_spool_incarnation(b->target.spool);
	batching_free(&r->batching);
	batching_begin(&r->batching, &b->target, name_of(b), cpu, incarnation);
	b->heads.clock = rbmap_clock(r->map);
	b->heads.page_size = rbmap_subbuf_size(r->map);
	if ((uint32_t)cpu >= b->heads.nr_cpus)
		b->heads.nr_cpus = cpu + 1;
	return 0;
}

/* Open the rings that are there now. One that cannot be opened does not hide the others. */
static void open_rings(struct stream_buffer *b)
{
	int *cpus = calloc(STREAM_CPUS_MAX, sizeof(*cpus));
	int nr = cpus ? b->access->list(name_of(b), cpus, STREAM_CPUS_MAX) : -ENOMEM, ret, error;

	ret = nr < 0 ? nr : 0;
	for (int i = 0; i < nr; i++) {
		error = open_ring(b, cpus[i]);
		ret = ret ? ret : error;
	}
	free(cpus);
	if (ret && !b->complained)
		complain("cannot read the buffer '%s' now: %s%s", name_of(b), rbmap_strerror(ret),
			 ret == -EPERM || ret == -EACCES ? RIGHTS : "");
	b->complained = ret;
	b->look = clock_monotonic() + (ret ? SECOND : LOOK_PERIOD);
}

static void close_ring(struct stream_buffer *b, struct stream_ring *r)
{
	batching_flush(&r->batching);
	rbmap_close(r->map);
	r->map = NULL;
	b->look = 0;
}

/* Return whether the ring had something. */
static bool read_ring(struct stream_buffer *b, struct stream_ring *r)
{
	struct rbmap_subbuf sb;
	int ret = 0, nr = 0;

	while (r->map && nr < PIECES) {
		uint64_t before = rbmap_events_read(r->map);

		ret = rbmap_next_subbuf(r->map, &sb);
		if (ret != 1)
			break;
		nr++;
		if (sb.size)
			batching_add(&r->batching, &sb, rbmap_events_read(r->map) - before,
				     rbmap_observer_number(r->map), rbmap_generation(r->map));
	}
	if (ret < 0 && ret != RBMAP_ERR_CORRUPT)
		close_ring(b, r);
	else if (batching_is_due(&r->batching))
		batching_flush(&r->batching);
	return nr;
}

static bool turn(struct stream_buffer *b)
{
	uint64_t now = clock_monotonic();
	bool busy = false;

	if (now >= b->look)
		open_rings(b);
	for (unsigned int i = 0; i < b->nr; i++)
		if (b->ring[i].map)
			busy |= read_ring(b, &b->ring[i]);
	if (b->nr && now >= b->moment) {
		stream_heads_clock(&b->heads, b->ring, b->nr);
		b->moment = now + CLOCK_PERIOD;
	}
	return busy;
}

static void *run(void *data)
{
	struct stream *s = data;

	while (!atomic_load(&s->stop)) {
		bool busy = false;

		for (unsigned int i = 0; i < s->nr; i++)
			busy |= turn(&s->buffer[i]);
		if (!busy)
			nanosleep(&(struct timespec){ .tv_nsec = IDLE_NS }, NULL);
	}
	return NULL;
}

static bool begin_buffer(struct stream_buffer *b, struct stream_spool *spool,
			 const struct stream_access *access, const char *name)
{
	b->access = access;
	b->target.spool = spool;
	b->target.event = on_event;
	b->target.prepare = before_batch;
	b->target.data = b;
	return stream_heads_begin(&b->heads, &b->target, access, name, spool->incarnation);
}

/* The other thread gets the signals. */
static int start_thread(struct stream *s)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = -pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	s->running = !ret;
	return ret;
}

int stream_begin(struct stream *s, struct stream_spool *spool, const struct stream_access *access,
		 const char *const *buffers, unsigned int nr, const char *host, const char *boot)
{
	bool ok = true;

	allow_open_files(CPU_FILES * nr * control_possible_cpus() + OTHER_FILES);
	s->spool = spool;
	s->nr = nr;
	for (unsigned int i = 0; i < nr; i++) {
		s->buffer[i].target.host = host;
		s->buffer[i].target.boot = boot;
		ok &= begin_buffer(&s->buffer[i], spool, access, buffers[i]);
	}
	return ok ? start_thread(s) : -ENOMEM;
}

static void free_buffer(struct stream_buffer *b)
{
	for (unsigned int i = 0; i < b->nr; i++) {
		if (b->ring[i].map)
			close_ring(b, &b->ring[i]);
		batching_free(&b->ring[i].batching);
	}
	free(b->ring);
	stream_heads_free(&b->heads);
}

void stream_end(struct stream *s)
{
	atomic_store(&s->stop, true);
	if (s->running)
		pthread_join(s->thread, NULL);
	s->running = false;
	for (unsigned int i = 0; i < s->nr; i++)
		free_buffer(&s->buffer[i]);
	s->nr = 0;
}

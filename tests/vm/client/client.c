// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define TAG		"rbmap-test "
#define TAG_LEN		(sizeof(TAG) - 1)
#define NUMBER_LEN	16

struct target target = {
	.device		= "/dev/rbmap/cpu%d",
	.marker		= "/dev/rbmap/marker",
	.control	= "/sys/kernel/rbmap",
	.own		= true,
};

static const struct target tracefs = {
	.device		= "/sys/kernel/tracing/per_cpu/cpu%d/trace_pipe_raw",
	.marker		= "/sys/kernel/tracing/trace_marker",
	.control	= "/sys/kernel/tracing",
	.own		= false,
};

int target_options(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && !strncmp(argv[i], "--", 2); i++) {
		char *to;

		if (!strcmp(argv[i], "--tracefs")) {
			target = tracefs;
			continue;
		}
		if (!strcmp(argv[i], "--device"))
			to = target.device;
		else if (!strcmp(argv[i], "--marker"))
			to = target.marker;
		else if (!strcmp(argv[i], "--control"))
			to = target.control;
		else
			break;
		if (++i == argc)
			bail_out("%s wants a value", argv[i - 1]);
		snprintf(to, sizeof(target.device), "%s", argv[i]);
	}
	return i;
}

bool set(const char *name, const char *value)
{
	char path[512];
	ssize_t len = strlen(value);
	int fd, error;
	bool good;

	snprintf(path, sizeof(path), "%s/%s", target.control, name);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = !len || write(fd, value, len) == len;
	error = errno;
	close(fd);
	errno = error;
	return good;
}

bool set_number(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return set(name, text);
}

bool set_overwrite(bool on)
{
	return set_number(target.own ? "overwrite" : "options/overwrite", on);
}

bool reset(void)
{
	return target.own ? set("reset", "1") : set("trace", "");
}

uint64_t stat_of(int cpu, const char *key)
{
	char path[512], line[256];
	uint64_t value = UINT64_MAX;
	size_t len = strlen(key);
	FILE *file;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/stats", target.control,
		 cpu);
	file = fopen(path, "re");
	if (!file)
		return value;
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, key, len) && line[len] == ':')
			value = strtoull(line + len + 1, NULL, 10);
	fclose(file);
	return value;
}

size_t meminfo_kb(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "re");
	size_t len = strlen(name), kb = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, len) && line[len] == ':') {
			kb = strtoul(line + len + 1, NULL, 10);
			break;
		}
	if (file)
		fclose(file);
	return kb;
}

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bail_out("cannot run on CPU %d: %s", cpu, error_name(errno));
}

bool set_online(int cpu, bool on)
{
	char path[64];
	int fd, error;
	bool good;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = write(fd, on ? "1" : "0", 1) == 1;
	error = errno;
	close(fd);
	errno = error;
	return good;
}

static int marker_fd(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open(target.marker, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		bail_out("%s: %s", target.marker, error_name(errno));
	return fd;
}

bool emit_one(uint64_t number, size_t len)
{
	char text[4096];

	if (len < TAG_LEN + NUMBER_LEN + 1)
		len = TAG_LEN + NUMBER_LEN + 1;
	if (len > sizeof(text))
		bail_out("an event of %zu bytes", len);
	memset(text, '.', len);
	snprintf(text, sizeof(text), TAG "%0*llx", NUMBER_LEN,
		 (unsigned long long)number);
	text[TAG_LEN + NUMBER_LEN] = ' ';
	text[len - 1] = '\n';
	return write(marker_fd(), text, len) == (ssize_t)len;
}

/* Return how many of the events were accepted. */
uint64_t emit(uint64_t first, uint64_t count, size_t len)
{
	uint64_t i, taken = 0;

	for (i = 0; i < count; i++)
		taken += emit_one(first + i, len);
	return taken;
}

int device_open(int cpu, int flags)
{
	char path[300];
	int fd;

	/* The format is ours, or comes from a caller that is root anyway. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(path, sizeof(path), target.device, cpu);
#pragma GCC diagnostic pop
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		bail_out("%s: %s", path, error_name(errno));
	return fd;
}

bool client_map(struct client *client)
{
	size_t page = sysconf(_SC_PAGESIZE);
	volatile struct rbmap_meta *meta;
	size_t size;
	void *map;

	map = mmap(NULL, page, PROT_READ, MAP_SHARED, client->fd, 0);
	if (map == MAP_FAILED)
		return false;
	meta = map;
	client->meta = meta;
	client->meta_size = page;
	client->subbuf_size = meta->subbuf_size;
	client->nr_subbufs = meta->nr_subbufs;
	size = client->subbuf_size * client->nr_subbufs;
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, client->fd,
		   meta->meta_page_size);
	if (map == MAP_FAILED) {
		int error = errno;

		munmap((void *)meta, page);
		client->meta = NULL;
		errno = error;
		return false;
	}
	client->data = map;
	client->seen = 0;
	client->any = false;
	client->reported = false;
	return true;
}

bool client_open(struct client *client, int cpu, int flags)
{
	memset(client, 0, sizeof(*client));
	client->fd = device_open(cpu, flags);
	return client_map(client);
}

void client_unmap(struct client *client)
{
	if (client->meta)
		munmap((void *)client->meta, client->meta_size);
	if (client->data)
		munmap(client->data, client->subbuf_size * client->nr_subbufs);
	client->meta = NULL;
	client->data = NULL;
}

void client_close(struct client *client)
{
	client_unmap(client);
	close(client->fd);
}

int get_reader(int fd)
{
	return ioctl(fd, RBMAP_IOCTL_GET_READER) < 0 ? errno : 0;
}

const void *client_subbuf(const struct client *client)
{
	return client->data + client->subbuf_size * client->meta->reader.id;
}

static uint64_t raw_commit(const void *subbuf)
{
	const struct rbmap_subbuf_header *header = subbuf;

	return __atomic_load_n(&header->commit, __ATOMIC_ACQUIRE);
}

size_t subbuf_commit(const void *subbuf)
{
	return raw_commit(subbuf) & RBMAP_COMMIT_MASK;
}

bool subbuf_lost(const void *subbuf, size_t subbuf_size, uint64_t *lost)
{
	uint64_t commit = raw_commit(subbuf);
	size_t at = RBMAP_SUBBUF_HEADER_SIZE + (commit & RBMAP_COMMIT_MASK);
	uint64_t stored;

	*lost = 0;
	if (!(commit & RBMAP_MISSED_EVENTS))
		return true;
	if (!(commit & RBMAP_MISSED_STORED) ||
	    at + sizeof(stored) > subbuf_size)
		return false;
	memcpy(&stored, (const char *)subbuf + at, sizeof(stored));
	*lost = stored;
	return true;
}

void cursor_begin(struct cursor *cursor, const void *subbuf)
{
	const struct rbmap_subbuf_header *header = subbuf;

	cursor->subbuf = (const char *)subbuf + RBMAP_SUBBUF_HEADER_SIZE;
	cursor->at = 0;
	cursor->end = subbuf_commit(subbuf);
	cursor->time = header->time_stamp;
	cursor->bad = NULL;
}

static uint32_t word_at(const struct cursor *cursor, size_t at)
{
	uint32_t word;

	memcpy(&word, cursor->subbuf + at, sizeof(word));
	return word;
}

static bool is_bad(struct cursor *cursor, const char *why)
{
	cursor->bad = why;
	return false;
}

bool cursor_next(struct cursor *cursor, struct record *record)
{
	while (cursor->at < cursor->end) {
		size_t left = cursor->end - cursor->at;
		uint32_t word = word_at(cursor, cursor->at);
		uint32_t type = word & 31, delta = word >> 5, more = 0;
		size_t head = 4, size;

		if (type == 0 || type > RBMAP_TYPE_LEN_MAX) {
			if (left < 8)
				return is_bad(cursor, "cut off");
			more = word_at(cursor, cursor->at + 4);
			head = 8;
		}
		if (type == RBMAP_TYPE_TIME_EXTEND) {
			cursor->time += delta +
					((uint64_t)more << RBMAP_TS_SHIFT);
			cursor->at += 8;
			continue;
		}
		if (type == RBMAP_TYPE_TIME_STAMP) {
			const uint64_t top = 31ULL << 59;

			cursor->time = (delta |
					(uint64_t)more << RBMAP_TS_SHIFT) |
				       (cursor->time & top);
			cursor->at += 8;
			continue;
		}
		if (type == RBMAP_TYPE_PADDING && !delta) {
			cursor->at = cursor->end;
			break;
		}
		if (type == 0 || type == RBMAP_TYPE_PADDING) {
			if (more < 4)
				return is_bad(cursor, "length of nothing");
			size = more - 4;
		} else {
			size = 4 * type;
		}
		if (head + size > left)
			return is_bad(cursor, "longer than what there is");
		cursor->time += delta;
		record->time = cursor->time;
		record->payload = cursor->subbuf + cursor->at + head;
		record->size = size;
		cursor->at += head + ((size + 3) & ~(size_t)3);
		if (type != RBMAP_TYPE_PADDING)
			return true;
	}
	return false;
}

bool record_number(const struct record *record, uint64_t *number)
{
	const char *tag = memmem(record->payload, record->size, TAG, TAG_LEN);
	char digits[NUMBER_LEN + 1] = "", *end;

	if (!tag || tag + TAG_LEN + NUMBER_LEN > record->payload + record->size)
		return false;
	memcpy(digits, tag + TAG_LEN, NUMBER_LEN);
	*number = strtoull(digits, &end, 16);
	return end == digits + NUMBER_LEN;
}

/* As subbuf_events(). Store the end of the events that were read in *end. */
static size_t events_to(const void *subbuf, size_t from, size_t *end,
			uint64_t *first, uint64_t *last)
{
	struct cursor cursor;
	struct record record;
	size_t events = 0;

	cursor_begin(&cursor, subbuf);
	while (cursor_next(&cursor, &record)) {
		uint64_t number;

		if (cursor.at <= from || !record_number(&record, &number))
			continue;
		if (!events && first)
			*first = number;
		if (last)
			*last = number;
		events++;
	}
	if (cursor.bad)
		diag("sub-buffer of %zu bytes, at %zu: %s", cursor.end,
		     cursor.at, cursor.bad);
	*end = cursor.end;
	return events;
}

size_t subbuf_events(const void *subbuf, size_t from, uint64_t *first,
		     uint64_t *last)
{
	size_t end;

	return events_to(subbuf, from, &end, first, last);
}

size_t client_new_events(struct client *client, uint64_t *first, uint64_t *last)
{
	uint32_t id = client->meta->reader.id;

	if (!client->any || client->id != id)
		client->seen = 0;
	client->any = true;
	client->id = id;
	return events_to(client_subbuf(client), client->seen, &client->seen,
			 first, last);
}

uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void nap(unsigned int milliseconds)
{
	usleep(milliseconds * 1000);
}

unsigned int slowness(void)
{
	const char *given = getenv("RBMAP_TEST_SLOW");
	unsigned int factor = given ? strtoul(given, NULL, 0) : 1;
	FILE *file = fopen("/run/vm/slow", "re");

	if (file) {
		if (fscanf(file, "%u", &factor) != 1)
			factor = 1;
		fclose(file);
	}
	return factor ? factor : 1;
}

/* Return the state of a process as ps prints it, or 'X' for a process that is gone. */
static char state_of(pid_t pid)
{
	char path[64], state = 'X';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return state;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'X';
	fclose(file);
	return state;
}

bool await_sleep(pid_t pid)
{
	unsigned int tries = 3000 * slowness(), asleep = 0;
	char state = 'S';

	/* A process may also sleep for a moment on its way to the call. */
	while (asleep < 3 && tries-- > 0 && state != 'Z' && state != 'X') {
		state = state_of(pid);
		asleep = state == 'S' ? asleep + 1 : 0;
		nap(10);
	}
	return asleep == 3;
}

void alarm_each_second(bool on)
{
	struct itimerval timer = { .it_value.tv_sec = on, .it_interval.tv_sec = on };

	setitimer(ITIMER_REAL, &timer, NULL);
}

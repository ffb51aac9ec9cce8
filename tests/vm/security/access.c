// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of the kernel's memory that a process can read through a ring.
 *
 *	access pattern		fills the free memory with a pattern and exits
 *	access zeroed		maps all rings: their memory must be zeroed
 *	access addresses	reads all rings and prints for each event how many
 *				records there were, and how many had addresses of
 *				the kernel
 *	access console		reads all rings: no text of printk:console has
 *				other bytes behind it
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define PATTERN		0xa5
#define MAX_IDS		1024

/* The range of the kernel's addresses, without small negative numbers. */
#ifdef __aarch64__
#define KERNEL_FIRST	0xfff0000000000000ULL
#define KERNEL_LAST	0xffffffffff800000ULL
#else
#define KERNEL_FIRST	0xffff800000000000ULL
#define KERNEL_LAST	0xfffffffffffff000ULL
#endif

static int nr_cpus;

static int fill_pattern(void)
{
	size_t size = meminfo_kb("MemAvailable") * 1024 / 10 * 9;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		bail_out("no %zu bytes to fill", size);
	memset(memory, PATTERN, size);
	printf("%zu\n", size >> 20);
	return 0;
}

/* Return the offset of the first byte that is not 0, or size. */
static size_t first_used(const char *data, size_t size)
{
	size_t at;

	for (at = 0; at < size && !data[at]; at++)
		;
	return at;
}

static void check_zeroed(int cpu)
{
	struct client client;
	char *meta;
	size_t size, used, len;

	if (!ok(client_open(&client, cpu, O_RDONLY | O_NONBLOCK),
		"cpu%d: map", cpu))
		return;
	/* Map the whole meta-page, which is as large as a sub-buffer. */
	size = client.meta->meta_page_size;
	meta = mmap(NULL, size, PROT_READ, MAP_SHARED, client.fd, 0);
	if (meta == MAP_FAILED)
		bail_out("cpu%d: %s", cpu, error_name(errno));
	len = client.meta->meta_struct_len;
	is(first_used(meta + len, size - len), size - len,
	   "cpu%d: all bytes behind the meta-page's %zu bytes are 0", cpu, len);
	munmap(meta, size);
	size = client.subbuf_size * client.nr_subbufs;
	used = first_used(client.data, size);
	is(used, size, "cpu%d: all %zu bytes of its ring are 0", cpu, size);
	if (used != size)
		diag("at %zu: %02x", used, (unsigned char)client.data[used]);
	client_close(&client);
}

static int zeroed(void)
{
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		check_zeroed(cpu);
	return done_testing();
}

/* ---- addresses */

static struct kind {
	char		name[128];
	unsigned int	events;
	unsigned int	addresses;
	uint64_t	example;
} kinds[MAX_IDS];

static unsigned int read_id(const char *system, const char *name)
{
	char path[800];
	unsigned int id = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", target.control,
		 system, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%u", &id) != 1 || id >= MAX_IDS)
		id = 0;
	fclose(file);
	return id;
}

static void read_ids(void)
{
	struct dirent *system, *event;
	char path[600];
	DIR *events, *dir;

	snprintf(path, sizeof(path), "%s/events", target.control);
	events = opendir(path);
	while (events && (system = readdir(events))) {
		snprintf(path, sizeof(path), "%s/events/%s", target.control,
			 system->d_name);
		dir = system->d_name[0] == '.' ? NULL : opendir(path);
		while (dir && (event = readdir(dir))) {
			unsigned int id = read_id(system->d_name,
						  event->d_name);

			if (event->d_name[0] != '.' && id)
				snprintf(kinds[id].name, sizeof(kinds[id].name),
					 "%.60s:%.60s", system->d_name,
					 event->d_name);
		}
		if (dir)
			closedir(dir);
	}
	if (events)
		closedir(events);
}

/* The offset of the first field of a size, behind the common fields. */
static size_t first_field(size_t size)
{
	char path[300], line[200];
	size_t at = sizeof(struct rbmap_event_common);
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/rbmap/marker/format",
		 target.control);
	file = fopen(path, "re");
	if (!file)
		bail_out("%s: %s", path, error_name(errno));
	while (fgets(line, sizeof(line), file))
		if (strstr(line, "common_preempt_lazy_count"))
			at += size;
	fclose(file);
	return at;
}

/* Fields are aligned relative to the beginning of the record. */
static void look_for_addresses(const struct record *record, void *data)
{
	const struct rbmap_event_common *common = (const void *)record->payload;
	static size_t first;
	struct kind *kind;
	uint64_t value;

	(void)data;
	if (!first)
		first = first_field(sizeof(value));
	if (record->size < sizeof(*common) || common->type >= MAX_IDS)
		bail_out("an event of %zu bytes", record->size);
	kind = &kinds[common->type];
	kind->events++;
	for (size_t at = first; at + sizeof(value) <= record->size;
	     at += sizeof(value)) {
		memcpy(&value, record->payload + at, sizeof(value));
		if (value < KERNEL_FIRST || value >= KERNEL_LAST)
			continue;
		kind->addresses++;
		kind->example = value;
	}
}

static void read_cpu(int cpu, void (*look)(const struct record *record, void *data),
		     void *data)
{
	static char subbuf[1 << 22];
	struct cursor cursor;
	struct record record;
	int fd = device_open(cpu, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		bail_out("cpu%d: %s", cpu, error_name(errno));
	while (read(fd, subbuf, sizeof(subbuf)) > 0) {
		cursor_begin(&cursor, subbuf);
		while (cursor_next(&cursor, &record))
			look(&record, data);
		if (cursor.bad)
			bail_out("cpu%d: %s", cpu, cursor.bad);
	}
	close(fd);
}

/* Print a line for each event: NAME EVENTS ADDRESSES [EXAMPLE] */
static int addresses(void)
{
	read_ids();
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		read_cpu(cpu, look_for_addresses, NULL);
	for (int id = 0; id < MAX_IDS; id++) {
		const struct kind *kind = &kinds[id];

		if (!kind->events && !*kind->name)
			continue;
		printf("%s %u %u", *kind->name ? kind->name : "?", kind->events,
		       kind->addresses);
		if (kind->addresses)
			printf(" %llx", (unsigned long long)kind->example);
		putchar('\n');
	}
	return 0;
}

/* ---- bytes behind a text */

struct behind {
	unsigned int	id;
	size_t		at;	/* offset of the text's place */
	unsigned int	events, longest, dirty;
};

/* The event reserves one byte more for a text than it fills. */
static void look_behind(const struct record *record, void *data)
{
	const struct rbmap_event_common *common = (const void *)record->payload;
	struct behind *behind = data;
	uint32_t loc, at, len;

	if (common->type != behind->id)
		return;
	memcpy(&loc, record->payload + behind->at, sizeof(loc));
	at = loc & 0xffff;
	len = loc >> 16;
	if (at + len > record->size)
		bail_out("a text of %u bytes at %u in %zu", len, at,
			 record->size);
	behind->events++;
	if (len > behind->longest)
		behind->longest = len;
	for (uint32_t i = strnlen(record->payload + at, len); i < len; i++) {
		if (!record->payload[at + i])
			continue;
		behind->dirty++;
		diag("%u bytes: %02x behind the text", len,
		     (unsigned char)record->payload[at + i]);
		break;
	}
}

static int console(void)
{
	struct behind behind = {
		.id = read_id("printk", "console"),
		.at = first_field(sizeof(uint32_t)),
	};

	for (int cpu = 0; cpu < nr_cpus; cpu++)
		read_cpu(cpu, look_behind, &behind);
	ok(behind.events >= 100,
	   "%u texts of up to %u bytes were recorded", behind.events,
	   behind.longest);
	ok(behind.longest > 256,
	   "some texts are longer than 256 bytes, and not assembled on the stack");
	is(behind.dirty, 0, "no text has other bytes behind it");
	return done_testing();
}

int main(int argc, char **argv)
{
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (argc == 2 && !strcmp(argv[1], "pattern"))
		return fill_pattern();
	if (argc == 2 && !strcmp(argv[1], "zeroed"))
		return zeroed();
	if (argc == 2 && !strcmp(argv[1], "addresses"))
		return addresses();
	if (argc == 2 && !strcmp(argv[1], "console"))
		return console();
	bail_out("usage: access pattern|zeroed|addresses|console");
}

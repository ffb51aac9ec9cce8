// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads recordings of versions 6 and 7 in which the input has overwritten some bytes, or
 * cut off the end. Reading must end, and no event may lie outside of its page. Time and memory
 * have a limit that depends on the size of the file.
 *
 * The first byte chooses the recording. Each piece that follows has a place (two bytes, and
 * one that says whether to count from the beginning or from the end), a length and bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <sanitizer/allocator_interface.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../userspace/lib/recording/dat_limits.h"
#include "../unit/cli/cli_synth.h"
#include "recording/assemble/dat_assemble.h"

#define NR_RECORDINGS	2
#define NR_CPUS		2
#define EVENTS		20
#define CUT		0x80	/* in the third byte of a piece: cut off the rest */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	unsigned char *data;
	size_t size;
} recording[NR_RECORDINGS];

static bool go_on(void *data, double done)
{
	(void)data;
	(void)done;
	return true;
}

static void add_events(struct dat_writer *w, unsigned int cpu)
{
	uint64_t ts = 1000000 + cpu;
	struct synth s = { 0 };
	struct rbmap_subbuf sb;

	for (int page = 0; page < 2; page++) {
		synth_begin(&s, ts);
		for (int i = 0; i < EVENTS; i++, ts += 1000)
			if (i % 3)
				synth_number(&s, ts, 10 + cpu, i);
			else
				synth_sched_switch(&s, ts, 10, "ten", 11, "eleven");
		sb = synth_piece(&s, page * cpu);
		if (dat_add(w, cpu, &sb))
			abort();
	}
}

static void load(const char *path, int i)
{
	FILE *file = fopen(path, "r");
	struct stat st;

	if (!file || fstat(fileno(file), &st))
		abort();
	recording[i].size = st.st_size;
	recording[i].data = malloc(st.st_size);
	if (fread(recording[i].data, 1, st.st_size, file) != (size_t)st.st_size)
		abort();
	fclose(file);
}

static void make(const char *path, int i)
{
	char *stats[NR_CPUS] = { "entries: 1", "entries: 2\noverrun: 3" };
	struct dat_assembly assembly = { .compress = i, .go_on = go_on };
	struct dat_source source = synth_source(NR_CPUS);
	struct buf names = { 0 };
	struct dat_writer *w;

	source.times = (struct dat_times){
		.begin = { 1, 2, 3, 37, 4 }, .trigger = { 5, 6, 7, 37, 8 }, .reason = "fuzz",
	};
	buf_printf(&names, "10 ten\n11 eleven\n");
	if (dat_create(&w, path, &source))
		abort();
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++)
		add_events(w, cpu);
	if (dat_finish(w, &names, stats, &assembly.fd) || dat_assemble(path, &assembly))
		abort();
	close(assembly.fd);
	buf_free(&names);
	load(path, i);
	unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char dir[] = "/tmp/rbmap-fuzz.XXXXXX", path[64];

	(void)argc;
	(void)argv;
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/trace.dat", dir);
	for (int i = 0; i < NR_RECORDINGS; i++)
		make(path, i);
	rmdir(dir);
	return 0;
}

/* Change the recording in memory; return its new size. */
static size_t change(unsigned char *file, size_t all, const uint8_t *data, size_t size)
{
	while (size >= 4) {
		size_t at = (data[0] | data[1] << 8) % all, len = data[3] % 32;
		bool cut = data[2] & CUT;

		if (data[2] & 1)
			at = all - 1 - at;
		data += 4;
		size -= 4;
		if (cut)
			return at;
		if (len > size)
			len = size;
		memcpy(file + at, data, len < all - at ? len : all - at);
		data += len;
		size -= len;
	}
	return all;
}

static void read_values(const struct rbmap_format *format, const struct rbmap_event *ev)
{
	const unsigned char *begin = ev->data, *at;
	const void *data;
	size_t size;

	for (uint32_t i = 0; format && i < format->nr_fields; i++) {
		if (rbmap_field_data(rbmap_format_field(format, i), ev, &data, &size))
			continue;
		at = data;
		if (at < begin || at + size > begin + ev->size)
			abort();
	}
}

static void read_heads(struct rbmap_recording *r)
{
	(void)rbmap_recording_clock(r);
	(void)rbmap_recording_uname(r);
	(void)rbmap_recording_reason(r);
	(void)rbmap_recording_moment(r, RBMAP_MOMENT_BEGIN);
	(void)rbmap_recording_comm(r, 10);
	(void)rbmap_recording_cgroup(r, 10);
	(void)rbmap_recording_device(r, 10);
	(void)rbmap_recording_host(r, 1);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* The headers are there packed, unpacked and parsed. */
static void check_cost(double begin, size_t before, size_t file)
{
	size_t most = 8 * DAT_HEADERS_MAX + DAT_MEMORY_BASE + DAT_MEMORY_RATIO * file;

	if (cpu_seconds() - begin > 10 + file / 1e4 ||
	    __sanitizer_get_current_allocated_bytes() > before + most)
		abort();
}

static void read_all(int fd, size_t file)
{
	size_t before = __sanitizer_get_current_allocated_bytes();
	double begin = cpu_seconds();
	struct rbmap_recording *r;
	struct rbmap_event ev;

	if (rbmap_recording_open_fd(&r, fd, 0))
		return;
	check_cost(begin, before, file);
	read_heads(r);
	while (rbmap_recording_next(r, &ev) == 1) {
		const uint8_t *payload = ev.data;
		volatile uint8_t sum = 0;

		if (ev.cpu < 0 || (unsigned int)ev.cpu >= rbmap_recording_cpus(r))
			abort();
		for (uint32_t i = 0; i < ev.size; i++)
			sum ^= payload[i];
		(void)sum;
		read_values(rbmap_formats_of(rbmap_recording_formats(r), &ev), &ev);
	}
	for (unsigned int cpu = 0; cpu < rbmap_recording_cpus(r); cpu++)
		(void)rbmap_recording_lost_last(r, cpu);
	(void)rbmap_recording_damage(r);
	check_cost(begin, before, file);
	rbmap_recording_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *file;
	size_t all;
	int fd, i;

	if (!size)
		return 0;
	i = *data % NR_RECORDINGS;
	all = recording[i].size;
	fd = memfd_create("trace.dat", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, all))
		abort();
	file = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		abort();
	memcpy(file, recording[i].data, all);
	all = change(file, all, data + 1, size - 1);
	munmap(file, recording[i].size);
	if (ftruncate(fd, all))
		abort();
	read_all(fd, all);
	return 0;
}

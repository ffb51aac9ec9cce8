/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps that a thread of fuzz_device can take, and the data that the steps
 * share.
 */
#ifndef FUZZ_DEVICE_H
#define FUZZ_DEVICE_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NR_FILES	24
#define NR_MAPS		8
#define CHUNK		4096UL	/* most bytes of one read or write */

/*
 * Data shared by the threads of a process. A thread that changes a map takes
 * the map out of its slot and puts it back afterwards. Otherwise two threads
 * could unmap the same address, and with it a map that a third thread has
 * created there in between.
 */
struct fuzz_map {
	char	*addr;
	size_t	len;
};

extern int files[NR_FILES];
extern int pipes[2], epoll_fd, marker, scratch;

/* Data shared by all processes */
extern int nr_cpus;
extern size_t page;
extern const char *module_path, *modules_dir;
extern bool may_hotplug, may_fail;

/*
 * Data of each thread: the state of its random numbers, and the place to jump
 * to after a fault.
 */
extern __thread uint64_t random_state;
extern __thread sigjmp_buf fault;
extern __thread volatile sig_atomic_t may_fault;

uint64_t next_random(void);
unsigned int pick(unsigned int n);
#define pick_of(array)	((array)[pick(sizeof(array) / sizeof(*(array)))])
size_t pick_size(void);

int a_file(void);
void keep_file(int fd);
int open_high(const char *path, int flags);
struct fuzz_map *take_map(void);
void put_map(struct fuzz_map *map);
bool write_file(const char *path, const char *text);
bool read_file(const char *path, off_t offset);

/* Report a finding: the run fails, and the text is written to the kernel's log. */
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The name of a buffer, which may not exist, and the paths of its files. A
 * "cpu" in @name becomes one of the CPUs.
 */
const char *a_buffer(void);
void device_path(char *path, size_t size, const char *buffer, const char *name);
void control_path(char *path, size_t size, const char *buffer, const char *name);

void replace_rings(void);
bool read_stats(void);
void faults_begin(bool often);
void unload_all(void);

/* Steps that a nested step must not be. */
#define STEP_NO_FORK	1u
#define STEP_NO_FAULT	2u
void take_step(unsigned int without);

/* Each step returns true if the kernel did what the step asked for. */
#define STEP(name)	bool do_##name(void)

/* device_calls.c */
STEP(open);
STEP(close);
STEP(dup);
STEP(fcntl);
STEP(seek);
STEP(ioctl);
STEP(read);
STEP(splice);
STEP(poll);
STEP(marker);
STEP(proc);
STEP(pin);
STEP(hotplug);

/* device_maps.c */
STEP(mmap);
STEP(munmap);
STEP(mremap);
STEP(mprotect);
STEP(madvise);
STEP(mlock);
STEP(touch);
STEP(peek);
STEP(map_over);

/* device_observe.c, device_snapshot.c */
STEP(observe);
STEP(turn_observer);
STEP(snapshot);
STEP(snapshot_fd);

/* device_control.c */
STEP(control);
STEP(reset);
STEP(text);
STEP(resize);
STEP(resize_cpu);
STEP(snapshot_file);
STEP(stats);
STEP(open_control);
STEP(write);

/* device_dynamic.c, device_filters.c */
STEP(dynamic);
STEP(filter);
STEP(pids);
STEP(notrace_pids);
STEP(cgroups);
STEP(event_fork);

/* device_instances.c */
STEP(instance_create);
STEP(instance_kept);
STEP(instance_destroy);
STEP(instance_open);
STEP(instance_mount);

/* device_modules.c */
STEP(load);
STEP(probes_in);
STEP(probes_out);
STEP(producer_in);
STEP(producer_out);
STEP(hit);

/* device_faults.c */
STEP(fault);

#endif /* FUZZ_DEVICE_H */

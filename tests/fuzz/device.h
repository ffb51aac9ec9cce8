/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps that a thread of fuzz_device can take, and what they share. */
#ifndef FUZZ_DEVICE_H
#define FUZZ_DEVICE_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NR_FILES	8
#define NR_MAPS		8
#define CHUNK		4096UL	/* of what is read and written */

/*
 * What the threads of a process share.  Who uses a map for a change takes it out
 * of its place and puts it back, so that no two threads unmap the same, and with
 * it what a third one has mapped there meanwhile.
 */
struct fuzz_map {
	char	*addr;
	size_t	len;
};

extern int files[NR_FILES];
extern int pipes[2], epoll_fd, marker, scratch;

/* Of all processes */
extern char **devices;
extern size_t nr_devices;
extern int nr_cpus;
extern size_t page;
extern const char *module_path;
extern bool may_hotplug;

/* Of each thread: where chance is at, and where to go from a fault. */
extern __thread uint64_t random_state;
extern __thread sigjmp_buf fault;
extern __thread volatile sig_atomic_t may_fault;

uint64_t next_random(void);
unsigned int pick(unsigned int n);
#define pick_of(array)	((array)[pick(sizeof(array) / sizeof(*(array)))])
size_t pick_size(void);

int a_file(void);
struct fuzz_map *take_map(void);
void put_map(struct fuzz_map *map);
bool write_file(const char *path, const char *text);
bool read_file(const char *path, off_t offset);

/* Each returns whether the kernel did what it was asked for. */
bool do_open(void);
bool do_close(void);
bool do_dup(void);
bool do_fcntl(void);
bool do_seek(void);
bool do_ioctl(void);
bool do_mmap(void);
bool do_munmap(void);
bool do_mremap(void);
bool do_mprotect(void);
bool do_madvise(void);
bool do_mlock(void);
bool do_touch(void);
bool do_peek(void);
bool do_map_over(void);
bool do_read(void);
bool do_splice(void);
bool do_poll(void);
bool do_marker(void);
bool do_control(void);
bool do_dynamic(void);
bool do_filter(void);
bool do_proc(void);
bool do_pin(void);
bool do_load(void);
bool do_hotplug(void);

#endif /* FUZZ_DEVICE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets of a trace beside the events. */
#ifndef RBMAP_CLI_CONVERT_PERFETTO_HEAD_H
#define RBMAP_CLI_CONVERT_PERFETTO_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "recording/dat_times.h"

struct print_session;

/* Append the known moments of the recording. @is_mono: the ring's clock is CLOCK_MONOTONIC. */
void perfetto_add_clocks(struct buf *out, const struct dat_times *times, bool is_mono);

/* Append the kernel that was recorded; @uname is that of rbmap_recording_uname(), or NULL. */
void perfetto_add_system(struct buf *out, const char *uname);

/*
 * Append the hosts of all @nr CPUs of a merged recording. Return 0 or -ENOMEM.
 */
struct dat_hosts;
int perfetto_add_cpus(struct buf *out, const struct dat_hosts *hosts, unsigned int nr);

/*
 * Append the names of threads. A recording does not say which threads a process has, so
 * each thread is a process of its own until an event says more.
 */
int perfetto_add_threads(struct buf *out, const struct print_session *s);

/**
 * struct perfetto_cpu_sums - the sums of a CPU
 */
struct perfetto_cpu_sums {
	uint64_t events;
	uint64_t lost;
};

/*
 * Append the sums of each CPU. At the beginning they are 0: Perfetto shows how much they
 * have grown until the end. Return 0 or -ENOMEM.
 */
int perfetto_add_stats(struct buf *out, const struct perfetto_cpu_sums *sums, unsigned int nr,
		       bool at_end);

#endif /* RBMAP_CLI_CONVERT_PERFETTO_HEAD_H */

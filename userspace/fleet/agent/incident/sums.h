/* SPDX-License-Identifier: GPL-2.0-only */
/* The sums of a recording: its events, its losses, and when it was made. */
#ifndef RBMAP_FLEET_AGENT_INCIDENT_SUMS_H
#define RBMAP_FLEET_AGENT_INCIDENT_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include <rbmap.h>

#include "base/buf.h"

#define SUMS_MOMENTS	(RBMAP_MOMENT_END + 1)

/**
 * struct sums - about a recording
 * @readable: librbmap can open it, and events and lost are known
 * @events: number of its events
 * @lost: number of lost ones, or RBMAP_LOST_UNKNOWN
 * @first, @last: times of its first and its last event, by the ring's clock
 * @clock: name of the ring's clock, or ""
 * @kernel: release of the recorded kernel, or ""
 * @reason: why the rings were frozen, or ""
 * @moment: moments, whose real time is 0 if they are unknown
 */
struct sums {
	bool readable;
	uint64_t events;
	uint64_t lost;
	uint64_t first;
	uint64_t last;
	char clock[32];
	char kernel[128];
	char reason[256];
	struct rbmap_moment moment[SUMS_MOMENTS];
};

enum sums_state {
	SUMS_COMPLETE,		/* a complete recording */
	SUMS_UNFINISHED,	/* its recorder did not finish it yet */
	SUMS_DAMAGED,		/* bytes are missing, or it is not a recording */
};

/* Return the state of a file, without reading its events. */
enum sums_state sums_state(int fd);

/* Read the file. Return 0, or -EINTR: @stopped returned true. */
int sums_read(struct sums *sums, int fd, bool (*stopped)(void));

/*
 * Store the time of CLOCK_REALTIME or CLOCK_TAI at @ts of the ring's clock. Return false
 * if the recording does not tell it. Many kernels do not know TAI.
 */
bool sums_real(const struct sums *sums, uint64_t ts, uint64_t *real);
bool sums_tai(const struct sums *sums, uint64_t ts, uint64_t *tai);

/* Append the lines of a manifest that these sums are. */
void sums_add(struct buf *out, const struct sums *sums);

#endif /* RBMAP_FLEET_AGENT_INCIDENT_SUMS_H */

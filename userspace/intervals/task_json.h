/* SPDX-License-Identifier: GPL-2.0-only */
/* A task in JSON, with the same keys in all views of intervals. */
#ifndef RBMAP_INTERVALS_TASK_JSON_H
#define RBMAP_INTERVALS_TASK_JSON_H

struct intervals;
struct json;

/*
 * Add "pid", "comm", and, if they are known, "host", "ns_pid" and "cgroup". @comm: "" becomes
 * null. @cpu has the task, if that is an idle one; -1: not known. @intervals: NULL: only the
 * first two are known.
 */
void task_json_add(struct json *j, const struct intervals *intervals, const char *comm, int pid,
		   int cpu);

/* Add the "host" of a task, or of a CPU if @pid is not positive, in a merged recording. */
void task_json_add_host(struct json *j, const struct intervals *intervals, int pid, int cpu);

#endif /* RBMAP_INTERVALS_TASK_JSON_H */

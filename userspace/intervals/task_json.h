/* SPDX-License-Identifier: GPL-2.0-only */
/* A task in JSON, with the same keys in all views of intervals. */
#ifndef RBMAP_INTERVALS_TASK_JSON_H
#define RBMAP_INTERVALS_TASK_JSON_H

struct intervals;
struct json;

/*
 * Add "pid", "comm", and, if they are known, "ns_pid" and "cgroup". @comm: "" becomes null.
 * @intervals: NULL: only the first two are known.
 */
void task_json_add(struct json *j, const struct intervals *intervals, const char *comm, int pid);

#endif /* RBMAP_INTERVALS_TASK_JSON_H */

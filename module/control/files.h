/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of the control directories.  Each has a source of its own, or shares that of its
 * neighbours, and makes its files when the directory is made.
 */
#ifndef RBMAP_CONTROL_FILES_H
#define RBMAP_CONTROL_FILES_H

#include <linux/kobject.h>
#include <linux/types.h>

struct rbmap_buffer;
struct rbmap_control;

/* The directory events of a buffer.  rbmap_control_exit() undoes these. */
int rbmap_control_events_init(struct rbmap_control *control);
void rbmap_control_events_exit(struct rbmap_control *control);

/* The files set_event and available_events. */
int rbmap_control_set_event_init(struct rbmap_control *control);
int rbmap_control_kernel_events_init(struct kobject *root);

/*
 * The file dynamic_events.  It is removed with its directory, and the exit function is called
 * after that.
 */
int rbmap_control_dynamic_init(struct kobject *root);
void rbmap_control_dynamic_exit(void);

/* The files set_event_pid and set_event_notrace_pid. */
int rbmap_control_pids_init(struct rbmap_control *control);
void rbmap_control_pids_exit(struct rbmap_control *control);

/* The file set_event_cgroup. */
int rbmap_control_cgroups_init(struct rbmap_control *control);

/* The file trace_options. */
int rbmap_control_options_init(struct rbmap_control *control);

/* The files of tracers, and of the functions that they trace. */
int rbmap_control_tracer_init(struct rbmap_control *control);

/* The directory per_cpu of a buffer. */
int rbmap_control_add_cpu(struct rbmap_control *control, int cpu);
int rbmap_control_cpus_init(struct rbmap_control *control);
void rbmap_control_cpus_exit(struct rbmap_control *control);

/* The files for sizes and snapshots, of a buffer or of one CPU. */
ssize_t rbmap_control_snapshot_show(struct rbmap_buffer *buf, int which,
				    char *page);
ssize_t rbmap_control_snapshot_store(struct rbmap_buffer *buf, int which,
				     const char *name, const char *page,
				     size_t len);
ssize_t rbmap_control_size_show(struct rbmap_buffer *buf, int which,
				bool subbuf, char *page);
ssize_t rbmap_control_size_store(struct rbmap_buffer *buf, int which,
				 bool subbuf, const char *name,
				 const char *page, size_t len);

/* The file kptr of a buffer. */
int rbmap_control_kptr_init(struct rbmap_control *control);

/* The file lockdown. */
int rbmap_control_access_init(struct kobject *root);

/* The file self_cost. */
int rbmap_control_self_cost_init(struct kobject *root);

#endif /* RBMAP_CONTROL_FILES_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The built-in probes, a set per kernel subsystem. */
#ifndef RBMAP_PROBES_H
#define RBMAP_PROBES_H

#include "event/event.h"

/**
 * struct rbmap_probe - one that is wanted, on whatever kernel
 * @name: the tracepoint
 * @event: has no @probe unless this kernel's headers have the tracepoint
 * @fits: the probe could be compiled for this kernel
 */
struct rbmap_probe {
	const char		*name;
	struct rbmap_event_type	*event;
	bool			fits;
};

/**
 * struct rbmap_probe_set - the probes of a subsystem
 * @system: its name
 * @probes: ended by an empty one
 * @enum_value: as in struct rbmap_event_type
 */
struct rbmap_probe_set {
	const char			*system;
	const struct rbmap_probe	*probes;
	bool				(*enum_value)(const char *name,
						      size_t len, long *value);
};

extern const struct rbmap_probe_set rbmap_sched_probes;
extern const struct rbmap_probe_set rbmap_irq_probes;
extern const struct rbmap_probe_set rbmap_raw_syscalls_probes;
extern const struct rbmap_probe_set rbmap_timer_probes;
extern const struct rbmap_probe_set rbmap_workqueue_probes;
extern const struct rbmap_probe_set rbmap_power_probes;
extern const struct rbmap_probe_set rbmap_signal_probes;
extern const struct rbmap_probe_set rbmap_block_probes;
extern const struct rbmap_probe_set rbmap_net_probes;
extern const struct rbmap_probe_set rbmap_exceptions_probes;
extern const struct rbmap_probe_set rbmap_kmem_probes;
extern const struct rbmap_probe_set rbmap_module_probes;
extern const struct rbmap_probe_set rbmap_printk_probes;
extern const struct rbmap_probe_set rbmap_task_probes;
extern const struct rbmap_probe_set rbmap_ipi_probes;
extern const struct rbmap_probe_set rbmap_irq_vectors_probes;
extern const struct rbmap_probe_set rbmap_tcp_probes;
extern const struct rbmap_probe_set rbmap_sock_probes;
extern const struct rbmap_probe_set rbmap_skb_probes;
extern const struct rbmap_probe_set rbmap_napi_probes;
extern const struct rbmap_probe_set rbmap_filemap_probes;
extern const struct rbmap_probe_set rbmap_writeback_probes;

int rbmap_probes_register(void);

#endif /* RBMAP_PROBES_H */

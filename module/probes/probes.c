// SPDX-License-Identifier: GPL-2.0-only
/* The table of the built-in probe sets. */
#include "cgroup.h"
#include "probes.h"

static const struct rbmap_probe_set *const rbmap_probe_sets[] = {
	&rbmap_sched_probes,
	&rbmap_irq_probes,
	&rbmap_raw_syscalls_probes,
	&rbmap_timer_probes,
	&rbmap_workqueue_probes,
	&rbmap_power_probes,
	&rbmap_signal_probes,
	&rbmap_block_probes,
	&rbmap_net_probes,
	&rbmap_exceptions_probes,
	&rbmap_kmem_probes,
	&rbmap_module_probes,
	&rbmap_printk_probes,
	&rbmap_task_probes,
	&rbmap_ipi_probes,
	&rbmap_irq_vectors_probes,
	&rbmap_tcp_probes,
	&rbmap_sock_probes,
	&rbmap_skb_probes,
	&rbmap_napi_probes,
	&rbmap_filemap_probes,
	&rbmap_writeback_probes,
};

/* An event that this kernel can't have is there too, and says why. */
static int rbmap_probe_set_register(const struct rbmap_probe_set *set)
{
	const struct rbmap_probe *probe;
	int err = 0;

	for (probe = set->probes; !err && probe->name; probe++) {
		struct rbmap_event_type *event = probe->event;

		event->system = set->system;
		event->name = probe->name;
		event->enum_value = set->enum_value;
		event->replaceable = true;
		if (!probe->fits)
			event->unavailable = "its probe does not fit this kernel: the build has said why";
		else if (!event->probe)
			event->unavailable = "this kernel has no such tracepoint";
		err = rbmap_event_register(event);
	}
	return err;
}

/**
 * rbmap_probes_register - register the events of all built-in probe sets
 *
 * Context: may sleep.
 * Return: 0 or a negative error; rbmap_events_exit() undoes what was done.
 */
int rbmap_probes_register(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(rbmap_probe_sets); i++)
		err = rbmap_probe_set_register(rbmap_probe_sets[i]);
	return err ?: rbmap_cgroup_probes_register();
}

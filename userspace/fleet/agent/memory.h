/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of an agent that waits. */
#ifndef RBMAP_FLEET_AGENT_MEMORY_H
#define RBMAP_FLEET_AGENT_MEMORY_H

/*
 * Give free memory back to the kernel, and unmap the pages of programs and libraries that
 * nothing has changed. A page that is used again is mapped again from the page cache.
 */
void memory_trim(void);

#endif /* RBMAP_FLEET_AGENT_MEMORY_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_SELFTEST_NMI_H
#define RBMAP_SELFTEST_NMI_H

struct rbmap_selftest_cpu;

int rbmap_selftest_nmi_start(void);
void rbmap_selftest_nmi_stop(void);
void rbmap_selftest_nmi_send(struct rbmap_selftest_cpu *cpu);

#endif /* RBMAP_SELFTEST_NMI_H */

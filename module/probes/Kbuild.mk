# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/probes/,\
	probes.o sched.o irq.o raw_syscalls.o timer.o workqueue.o power.o signal.o \
	block.o net.o exceptions.o kmem.o module.o printk.o task.o \
	cgroup.o)

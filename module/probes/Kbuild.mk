# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/probes/,\
	probes.o sched.o irq.o raw_syscalls.o timer.o workqueue.o power.o signal.o \
	block.o net.o exceptions.o kmem.o module.o printk.o task.o \
	ipi.o irq_vectors.o tcp.o sock.o skb.o napi.o filemap.o writeback.o \
	cgroup.o)

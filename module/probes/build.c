// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiled together, see Kbuild.  compat/probe.sh compiles this file, too, and tries the
 * files alone that do not compile in it.
 */
#include "block.c"
#include "cgroup.c"
#include "exceptions.c"
#include "filemap.c"
#include "ipi.c"
#include "irq.c"
#include "irq_vectors.c"
#include "kmem.c"
#include "module.c"
#include "napi.c"
#include "net.c"
#include "power.c"
#include "printk.c"
#include "raw_syscalls.c"
#include "sched.c"
#include "signal.c"
#include "skb.c"
#include "sock.c"
#include "task.c"
#include "tcp.c"
#include "timer.c"
#include "workqueue.c"
#include "writeback.c"
#include "probes.c"

# SPDX-License-Identifier: GPL-2.0-only
#
# usage: awk -v EVENTS=N -f tests/html/workload.awk
#
# Prints N events of four CPUs for cli_make_events: system calls, switches, interrupts with
# wake-ups, and softirqs, at random times and always the same.

function later(most)
{
	now += int(rand() * rand() * most * 1000 + 150) / 1000
	return sprintf("%d %.3f", cpu, now)
}

function system_call(pid, call)
{
	print later(4), pid, "enter", call
	print later(30), pid, "exit", call
	return 2
}

function interrupt(pid, task)
{
	print later(3), pid, "irq", 24 + cpu, "eth" cpu
	print later(5), pid "/8", "waking", "task" task, task
	print later(8), pid, "irq_exit", 24 + cpu
	print later(1), pid, "softirq", 3
	print later(9), pid, "softirq_exit", 3
	return 5
}

function comm(pid)
{
	return pid ? "task" pid : "swapper"
}

function sched_switch(pid, next_pid, state)
{
	print later(9), pid, "switch", comm(pid), pid, state, comm(next_pid), next_pid
	running[cpu] = next_pid
	return 1
}

function some_task()
{
	return 100 + int(rand() * 40)
}

BEGIN {
	srand(7)
	for (cpu = 0; cpu < 4; cpu++) {
		time[cpu] = 1000
		running[cpu] = 100 + cpu
	}
	while (events < EVENTS) {
		cpu = 0
		for (other = 1; other < 4; other++)
			if (time[other] < time[cpu])
				cpu = other
		now = time[cpu]
		kind = rand()
		if (kind < 0.45)
			events += system_call(running[cpu], int(rand() * 9))
		else if (kind < 0.6)
			events += interrupt(running[cpu], some_task())
		else
			events += sched_switch(running[cpu], rand() < 0.3 ? 0 : some_task(),
					       rand() < 0.3 ? 0 : rand() < 0.2 ? 2 : 1)
		time[cpu] = now
	}
}

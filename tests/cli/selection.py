#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the events that rbmap selects with those that this program selects.

usage: tests/cli/selection.py make SEED | expect FILE NAME | list

make prints a script for cli_make_events with random events. expect reads the whole
output of `rbmap report --json`, and prints the lines that options must leave, with the line
of the sum. The predicates below say the meaning of each option once more. list prints the
name of each choice, and its options.
"""
import json
import random
import sys

# By their tasks; 5 is in none.
CGROUPS = {"/a.slice/web.service": [1], "/a.slice/web.service/worker": [2],
           "/a.slice/web.service2": [3], "/b.slice/db": [4]}
COMMS = ["bash", "bash-worker", "kworker/0:1", "cc1", "a,b"]
EVENTS = 3000


def make(seed):
    dice = random.Random(seed)
    for cgroup, pids in CGROUPS.items():
        print(f"{cgroup}:", *pids)
    time = {cpu: 0 for cpu in range(3)}
    now = 1000
    for _ in range(EVENTS):
        cpu, pid, other = dice.randrange(3), dice.randrange(6), dice.randrange(6)
        now += dice.randrange(1, 40)
        time[cpu] = now
        comm = [*COMMS, "swapper/0"]
        if dice.randrange(50) == 0:
            print(cpu, "lost", dice.randrange(1, 9))
        kind = dice.randrange(5)
        if kind == 0:
            print(cpu, now, pid, "switch", comm[pid - 1], pid, dice.randrange(3), comm[other - 1],
                  other, dice.randrange(50, 140), dice.randrange(140))
        elif kind == 1:
            print(cpu, now, pid, dice.choice(["waking", "wakeup", "new"]), comm[other - 1], other)
        elif kind == 2:
            print(cpu, now, pid, dice.choice(["enter", "exit"]), dice.randrange(4))
        elif kind == 3:
            print(cpu, now, pid, "irq", dice.randrange(9), dice.choice(["disk-queue", "net"]))
        else:
            print(cpu, now, pid, "complete", 1, dice.randrange(99), dice.randrange(20), "WS")


def subjects(event):
    """Return the tasks that an event belongs to: (pid, name)."""
    found = [(event["pid"], event["comm"])]
    fields = event["fields"]
    if event["event"] == "sched_switch":
        found.append((fields["next_pid"], fields["next_comm"]))
    elif event["event"] in ("sched_waking", "sched_wakeup", "sched_wakeup_new"):
        found.append((fields["pid"], fields["comm"]))
    return [(pid, comm if pid else "<idle>") for pid, comm in found]


def task(test):
    return lambda event: any(test(pid, comm) for pid, comm in subjects(event))


def field(name, test):
    return lambda event: name in event["fields"] and test(event["fields"][name])


def comm_of(event):
    return event["comm"] if event["pid"] else f"swapper/{event['cpu']}"


# name: (options, predicate)
CHOICES = {
    "pid": (["--pid", "2"], task(lambda pid, comm: pid == 2)),
    "pids": (["-p", "2,3", "-p", "0"], task(lambda pid, comm: pid in (0, 2, 3))),
    "named": (["-p", "bash*,5"], task(lambda pid, comm: comm.startswith("bash") or pid == 5)),
    "comm": (["--comm", "bash"], task(lambda pid, comm: comm == "bash")),
    "comma": (["--comm", "a,b"], task(lambda pid, comm: comm == "a,b")),
    "comms": (["--comm", "kworker*", "--comm", "c?1"],
              task(lambda pid, comm: comm.startswith("kworker") or comm == "cc1")),
    "path": (["--cgroup", "/a.slice/web.service"], task(lambda pid, comm: pid in (1, 2))),
    "name": (["--cgroup", "web.service"], task(lambda pid, comm: pid in (1, 2))),
    "below": (["--cgroup", "w*k*r"], task(lambda pid, comm: pid == 2)),
    "slice": (["--cgroup", "/a*e/"], task(lambda pid, comm: pid in (1, 2, 3))),
    "wild": (["--cgroup", "/*/web*", "--comm", "bash"],
             task(lambda pid, comm: pid in (1, 2, 3) and comm == "bash")),
    "groups": (["--cgroup", "db", "--cgroup", "worker"], task(lambda pid, comm: pid in (2, 4))),
    "idle": (["--comm", "<idle>"], task(lambda pid, comm: pid == 0)),
    "both": (["--comm", "bash*", "-p", "1,4"],
             task(lambda pid, comm: comm.startswith("bash") and pid in (1, 4))),
    "cpu": (["-c", "1"], lambda event: event["cpu"] == 1),
    "cpus": (["--cpus", "0,2-2"], lambda event: event["cpu"] != 1),
    "twice": (["--cpu", "0", "-c", "1"], lambda event: event["cpu"] < 2),
    "event": (["-e", "sched_switch"], lambda event: event["event"] == "sched_switch"),
    "events": (["-e", "sched:sched_wak*,irq", "-e", "block:*"],
               lambda event: event["system"] in ("irq", "block") or
               event["event"].startswith("sched_wak")),
    "less": (["--filter", "prev_prio < 100"], field("prev_prio", lambda value: value < 100)),
    "signed": (["--filter", "prev_state > -1 && next_prio & 4"],
               lambda event: event["event"] == "sched_switch" and
               event["fields"]["next_prio"] & 4),
    "or": (["--filter", "nr_sector == 8 || sector >= 0x40"],
           lambda event: event["event"] == "block_rq_complete" and
           (event["fields"]["nr_sector"] == 8 or event["fields"]["sector"] >= 64)),
    "dynamic": (["--filter", 'name ~ "*queue"'], field("name", lambda value: value[-5:] == "queue")),
    "array": (["--filter", "next_comm == 'cc1'"], field("next_comm", lambda value: value == "cc1")),
    "task": (["--filter", 'COMM ~ "bash*"'], lambda event: comm_of(event).startswith("bash")),
    "own": (["--filter", 'comm == "bash"', "-e", "sched_waking"],
            lambda event: event["event"] == "sched_waking" and event["fields"]["comm"] == "bash"),
    "swapper": (["--filter", 'COMM == "swapper/1"'],
                lambda event: event["pid"] == 0 and event["cpu"] == 1),
    "generic": (["--filter", "CPU == 2 && common_pid != 3"],
                lambda event: event["cpu"] == 2 and event["pid"] != 3),
    "all": (["-e", "sched_switch", "--filter", "prev_prio > 120", "-c", "0-1", "-p", "1-x,2,4"],
            lambda event: event["event"] == "sched_switch" and event["cpu"] < 2 and
            event["fields"]["prev_prio"] > 120 and
            any(pid in (2, 4) for pid, _ in subjects(event))),
    "none": (["-p", "4711"], lambda event: False),
}
# CPUs whose losses are left out
LOSSES = {"cpu": [0, 2], "cpus": [1], "twice": [2], "all": [2]}


def expect(path, name):
    left_out = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            value = json.loads(line)
            if "event" in value and not CHOICES[name][1](value):
                left_out += 1
            elif "lost" not in value or value["cpu"] not in LOSSES.get(name, []):
                print(line, end="")
    print(json.dumps({"not_selected": left_out}))


if sys.argv[1] == "make":
    make(int(sys.argv[2]))
elif sys.argv[1] == "expect":
    expect(*sys.argv[2:])
else:
    for key, (options, _) in CHOICES.items():
        print(key, *options, sep="\t")

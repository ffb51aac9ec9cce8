#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests rbmap why with recordings whose events are written below, one on a line: CPU, time in
# us, pid, event and its values. cli_make_events.c explains them.
. "$(dirname "$0")/lib.sh"

# recording NAME <SCRIPT
recording()
{
	ok "make the recording $1" "$MAKE_EVENTS" "$dir/$1"
}

# why NAME OPTION...: output and errors are in files of that name
why()
{
	file=$dir/$1
	shift
	"$RBMAP" why "$@" "$file" >"$dir/output" 2>"$dir/errors"
}

# says TEXT WHAT: the sentence
says()
{
	is "$(head -n 1 "$dir/output")" "$1" "$2"
}

# shares: the time of each cause, and their sum in us
shares()
{
	sed -n 's/^ *"time": \([0-9]*\),/\1/p' "$dir/output" | tail -n +2 | awk '{ sum += $1 } END { print sum / 1000 }'
}

# --- the victim may have run on CPU 0 while that lost events
recording gap <<'END'
0 1000 0 switch swapper/0 0 0 other 200 120 120
1 1000 0 switch swapper/1 0 0 victim 100 120 120
0 1001 200 switch other 200 1 swapper/0 0 120 120
1 1001 100 switch victim 100 1 swapper/1 0 120 120
1 900000 0 switch swapper/1 0 0 victim 100 120 120
1 900001 100 switch victim 100 1 swapper/1 0 120 120
0 lost 5000
0 1000000 0 switch swapper/0 0 0 other 200 120 120
0 1000001 200 switch other 200 1 swapper/0 0 120 120
END
why gap -p victim
says "No such wait is in the recording." "a wait in which another CPU lost events is no answer"

# --- names at the time: the victim, who waits for the holder, executes a program later, and so
# does the holder
recording renamed <<'END'
0 900 20 enter 202 4096:128:2
0 1000 20 switch before 20 1 swapper/0 0 120 120
1 2000 10 switch holder 10 1 swapper/1 0 120 120
1 50000 0 switch swapper/1 0 0 holder 10 120 120
1 53000 10 waking before 20
0 53100 0 switch swapper/0 0 0 before 20 120 120
0 53200 20 exit 202
0 60000 20 switch behind 20 1 swapper/0 0 120 120
1 60100 10 switch another 10 1 swapper/1 0 120 120
0 60200 0 switch swapper/0 0 0 behind 20 120 120
END
for choice in "" "-p before" "--comm before"; do
	# shellcheck disable=SC2086 # words
	why renamed $choice
	like "$(head -n 1 "$dir/output")" "^before-20 waited 52.1 ms in futex for holder-10, " \
		"names at the time of the wait: why $choice"
done
why renamed --json
like "$(tr -d '\n ' <"$dir/output")" '"pid":20,"comm":"before".*"chain":\[{"pid":20,"comm":"before"' \
	"and in JSON"
why renamed -p behind
like "$(head -n 1 "$dir/output")" "^behind-20 " "the other name has the later wait"

# --- a priority inversion: the victim (real-time 50) waits for the holder, which codec
# (real-time 20) keeps from its CPU
recording inversion <<'END'
0 900 20 enter 202 4096:128:2
0 1000 20 switch victim 20 1 swapper/0 0 49 120
1 2000 10 switch holder 10 0 codec 30 120 79
1 50000 30 switch codec 30 1 holder 10 79 120
1 53000 10 waking victim 20
0 53100 0 switch swapper/0 0 0 victim 20 120 49
0 53200 20 exit 202
1 53300 10 switch holder 10 0 codec 30 120 79
END
why inversion
is $? 0 "status 0"
says "victim-20 waited 52.1 ms in futex for holder-10, which was runnable 48.0 ms on CPU 1, where codec-30 (priority 20, above its 0) ran: a priority inversion." \
	"a priority inversion"
is "$(cat "$dir/errors")" "8 events, 0 lost" "the sums"
is "$(grep -c 'ran 4.00 ms\|ran 3.00 ms' "$dir/output")" 1 "the holder's own time is a share"
why inversion --json
is "$(shares)" 52100 "the shares sum to the wait"
why inversion -p holder
says "holder-10 was runnable 48.0 ms on CPU 1, where codec-30 (priority 20, above its 0) ran." "the holder by its name"
why inversion -p 10 --at 0.01
says "holder-10 was runnable 48.0 ms on CPU 1, where codec-30 (priority 20, above its 0) ran." "by its pid, and a time"
why inversion -p 10 --at 0.052
is "$(head -n 1 "$dir/output")" "No such wait is in the recording." "at another time it did not wait"
why inversion -p nobody
like "$(cat "$dir/output")" 'The recording lacks .*timers \(-e timer\)' "what it lacks is said"
is "$(head -n 1 "$dir/output")" "No such wait is in the recording." "nor does a task that is not there"

# --- a quota: the task leaves its CPU to an idle one
recording quota <<'END'
0 1000 10 switch busy 10 0 swapper/0 0
0 81000 0 switch swapper/0 0 0 busy 10
0 90000 10 switch busy 10 0 swapper/0 0
0 171000 0 switch swapper/0 0 0 busy 10
0 171500 10 other 1
END
why quota
says "busy-10 was throttled 81.0 ms by the CPU quota of its cgroup (the longest of 2 such waits, 161 ms in all)." \
	"a quota, twice"

# --- waits of one cause count together, also with another one between them
recording between <<'END'
0 1000 30 switch task 10 1 a 30 120 79
0 2000 30 waking task 10
0 12000 30 switch a 30 1 task 10 79 120
0 12100 31 switch task 10 1 b 31 120 79
0 13000 31 waking task 10
0 26000 31 switch b 31 1 task 10 79 120
0 26100 30 switch task 10 1 a 30 120 79
0 27000 30 waking task 10
0 37000 30 switch a 30 1 task 10 79 120
0 37500 10 other 1
END
why between -p task
says "task-10 was runnable 10.0 ms on CPU 0, where a-30 (priority 20, above its 0) ran (the longest of 2 such waits, 21.9 ms in all)." \
	"two waits of one cause"

# --- an idle CPU alone is no quota, but where a task has left its CPU as only those do
recording idle <<'END'
/: 10
0 1000 10 switch sleeper 10 1 swapper/0 0
0 2000 0 waking sleeper 10
0 62000 0 switch swapper/0 0 0 sleeper 10
1 1000 11 switch busy 11 0 swapper/1 0
1 71000 0 switch swapper/1 0 0 busy 11
1 71500 11 switch busy 11 1 swapper/1 0
1 72000 0 waking busy 11
1 152000 0 switch swapper/1 0 0 busy 11
END
why idle -p sleeper
says "sleeper-10 was runnable 60.0 ms and its CPU idle." "a host that lets the CPU wait is no quota"
why idle -p busy
says "busy-11 was throttled 80.0 ms by the CPU quota of its cgroup (the longest of 2 such waits, 150 ms in all)." \
	"a task that has used up its time waits for more"

# --- the recording has the quotas: that of a cgroup above, none, and one that has gone
recording quotas <<'END'
quota 10000 100000 /shop.slice
quota max 100000 /shop.slice/web
quota max 100000 /other
/gone: 12
/other: 11
/shop.slice/web: 10
0 1000 10 switch busy 10 0 swapper/0 0
0 81000 0 switch swapper/0 0 0 busy 10
1 1000 11 switch other 11 0 swapper/1 0
1 71000 0 switch swapper/1 0 0 other 11
2 1000 12 switch gone 12 0 swapper/2 0
2 61000 0 switch swapper/2 0 0 gone 12
END
why quotas
says "busy-10 was throttled 80.0 ms by the CPU quota of /shop.slice (10 ms of each 100 ms)." "the quota of a cgroup above"
why quotas -p other
says "other-11 was runnable 70.0 ms and its CPU idle." "a task without a quota was not throttled"
why quotas -p gone
says "gone-12 was throttled 60.0 ms by the CPU quota of its cgroup /gone." "the cgroup has gone"
why quotas --json
like "$(tr -d '\n ' <"$dir/output")" '"cause":"quota".*"cgroup":"/shop.slice","chain"' "JSON has the cgroup"

why quotas --by cgroup
is "$(grep -v '^ ' "$dir/output" | grep -c waits)" 3 "a part for each cgroup"
is "$(head -n 2 "$dir/output" | xargs)" "/shop.slice/web: 1 waits, 80.0ms 80.0ms 100 % quota" "its causes and their shares"
like "$(cat "$dir/output")" '^/other: 1 waits, 70.0ms' "another cgroup"
why quotas --by cgroup --json
cp "$dir/output" "$dir/cgroups.json"
is "$(tr -d '\n ' <"$dir/output" | grep -o '"cgroups":.*')" \
	'"cgroups":[{"cgroup":"/shop.slice/web","waits":1,"time":80000000,"causes":[{"cause":"quota","time":80000000}],"others":0},{"cgroup":"/other","waits":1,"time":70000000,"causes":[{"cause":"idle-cpu","time":70000000}],"others":0},{"cgroup":"/gone","waits":1,"time":60000000,"causes":[{"cause":"quota","time":60000000}],"others":0}]}' \
	"JSON has them"
# Causes of less than 1 % share a line, and tasks of an unknown cgroup have a part of their own.
recording shares <<'END'
/web: 10
/batch: 20
0 1000 30 switch a 30 1 swapper/0 0
0 1100 0 waking task 10
0 61100 0 switch swapper/0 0 0 task 10
0 62000 10 switch task 10 1 a 30 120 79
0 63000 30 waking task 10
0 263000 30 switch a 30 1 task 10 79 120
0 264000 10 switch task 10 1 b 40 120 120
0 264100 40 waking task 10
0 264600 40 switch b 40 0 task 10
0 270000 10 switch task 10 1 c 50
1 1000 20 switch batch 20 1 d 60
1 1100 60 waking batch 20
1 2100 60 switch d 60 0 batch 20
1 7100 20 switch batch 20 1 d 60
1 7200 60 waking batch 20
1 8200 60 switch d 60 0 batch 20
1 9000 20 switch batch 20 1 e 70
1 9100 70 waking f 80
1 10000 70 switch e 70 1 f 80
END
why shares --by cgroup
is "$(sed '/^The recording lacks/d' "$dir/output" | tr -s ' ')" "(unknown): 3 waits, 272ms
 272ms 100 % occupied

/web: 2 waits, 201ms
 200ms 99 % occupied
 1.10ms 1 % causes of less than 1 % each

/batch: 2 waits, 2.20ms
 2.00ms 91 % occupied
 200us 9 % ran" "each part has its causes by their sizes"
why shares --by cgroup --json
is "$(tr -d '\n ' <"$dir/output" | grep -o '"cgroups":.*')" \
	'"cgroups":[{"cgroup":null,"waits":3,"time":272200000,"causes":[{"cause":"occupied","time":272200000}],"others":0},{"cgroup":"/web","waits":2,"time":201600000,"causes":[{"cause":"occupied","time":200500000},{"cause":"ran","time":1100000}],"others":0},{"cgroup":"/batch","waits":2,"time":2200000,"causes":[{"cause":"occupied","time":2000000},{"cause":"ran","time":200000}],"others":0}]}' \
	"and so has JSON"

why inversion --by cgroup
is $? 1 "a recording without cgroups"
like "$(cat "$dir/errors")" '--by cgroup: .* does not have the cgroups of its tasks' "the reason is told"
why quotas --by task
is $? 2 "no other key"
"$RBMAP" report --json "$dir/quotas" >"$dir/output" 2>/dev/null
is "$(grep -c '"pid": 10, "comm": "busy", "cgroup": "/shop.slice/web"' "$dir/output")" 1 "rbmap report --json has the cgroup of an event's task"
is "$(grep '"pid": 0' "$dir/output" | grep -c cgroup)" 0 "the idle task has none"

# --- real-time tasks have no time left: an ordinary one runs instead
recording throttled <<'END'
1 1000 10 switch control 10 0 shell 20 49 120
1 51000 20 switch shell 20 0 control 10 120 49
END
why throttled
says "control-10 was runnable 50.0 ms on CPU 1, because real-time tasks had used up their time (sched_rt_runtime_us)." \
	"real-time tasks are throttled"

# --- a disk, with others before it
recording disk <<'END'
0 1000 10 enter 74
0 1100 10 issue 266338305 8 8 W
0 1200 10 issue 266338305 64 16 WS
0 1300 10 switch db 10 2 swapper/0 0
1 900000 0 irq 24 virtio
1 900010 0 complete 266338305 8 8 W
1 900020 0/8 complete 266338305 64 16 WS
1 900030 0/8 waking db 10
1 900040 0 irq_exit 24
0 900100 0 switch swapper/0 0 0 db 10
0 900200 10 exit 74
END
why disk
says "db-10 waited 898 ms in fsync for disk 254:1, which took 898 ms for a write of 8 KiB; 1 request was before it." \
	"a disk"

# --- the recording has the name of the disk
recording named <<'END'
device 254:1 vda1
0 1000 10 enter 74
0 1200 10 issue 266338305 64 16 WS
0 1300 10 switch db 10 2 swapper/0 0
1 900010 0/8 complete 266338305 64 16 WS
1 900030 0/8 waking db 10
0 900100 0 switch swapper/0 0 0 db 10
0 900200 10 exit 74
END
why named
says "db-10 waited 898 ms in fsync for disk 254:1 (vda1), which took 898 ms for a write of 8 KiB." \
	"a disk with a name"
why named --json
like "$(cat "$dir/output")" '"device": *"vda1"' "JSON has the name of the disk"
ok "a part of the recording" "$RBMAP" cut -o "$dir/part" -e '*' "$dir/named"
why part
like "$(head -n 1 "$dir/output")" 'disk 254:1 \(vda1\)' "has the names of disks"
if command -v trace-cmd >/dev/null; then
	is "$(trace-cmd report "$dir/part" 2>&1 | grep -c vda1)" 0 "trace-cmd passes over them"
	is "$(trace-cmd report "$dir/named" 2>&1 >"$dir/output")" "" "and says nothing"
	is "$(wc -l <"$dir/output")" "$("$RBMAP" report "$dir/named" 2>/dev/null | wc -l)" "and prints all events"
else
	skip "trace-cmd is not installed" "trace-cmd reads a recording with names"
fi

# --- a task reads again what it had read, and freed memory between: its page cache thrashes
thrash()
{
	cat <<END
device 254:1 vda1
0 1000 10 issue 266338305 64 16 R
0 1100 10 switch db 10 2 swapper/0 0
1 30010 0/8 complete 266338305 64 16 R
1 30030 0/8 waking db 10
0 30100 0 switch swapper/0 0 0 db 10
$1
0 40000 10 issue 266338305 $2 $3
0 40100 10 switch db 10 2 swapper/0 0
1 90010 0/8 complete 266338305 $2 $3
1 90030 0/8 waking db 10
0 90100 0 switch swapper/0 0 0 db 10
END
}
# only_slow WHAT EVENT... : the same with this second request, and events before it
only_slow()
{
	thrash "$2" "$3" "$4" >"$dir/script"
	recording part <"$dir/script"
	why part
	like "$(head -n 1 "$dir/output")" 'disk 254:1 .* (KiB|bytes)( \(the longest of .*)?\.$' "$1: the disk is slow, and no more is said"
}
reclaim=$(printf '0 31000 10 memcg 0\n0 32000 10 memcg_end 32')
thrash "$reclaim" 72 "8 R" >"$dir/script"
recording thrash <"$dir/script"
why thrash
says "db-10 waited 50.0 ms for disk 254:1 (vda1), which took 50.0 ms for a read of 4 KiB that had been read before: its page cache thrashes." \
	"a page cache that thrashes"
why thrash --json
like "$(cat "$dir/output")" '"cause": "thrash"' "JSON has the cause"
for request in "64 16 R" "65 1 R" "79 1 R"; do
	thrash "$reclaim" "${request%% *}" "${request#* }" >"$dir/script"
	recording part <"$dir/script"
	why part
	like "$(head -n 1 "$dir/output")" 'its page cache thrashes' "and with other parts of it: $request"
done
only_slow "it freed no memory" "" 72 "8 R"
only_slow "another place" "$reclaim" 80 "8 R"
only_slow "more than that" "$reclaim" 72 "16 R"
only_slow "a sector more" "$reclaim" 73 "8 R"
only_slow "a sector before" "$reclaim" 63 "8 R"
only_slow "a write" "$reclaim" 72 "8 W"
only_slow "a request that the driver gave back" "$reclaim
0 39000 10 issue 266338305 400 8 R
0 39500 99 requeue 266338305 400 8 R" 400 "8 R"

# --- an hrtimer runs in the name of a task that has nothing to do with it
recording hrtimer <<'END'
0 1000 0 switch swapper/0 0 0 other 10
0 2000 10/8 hrtimer 4660 22136 0
0 502000 10/8 hrtimer_exit 4660
0 503000 10 switch other 10 1 swapper/0 0
END
why hrtimer
says "an hrtimer handler (0000000000005678) ran 500 ms on CPU 0 in the name of other-10." "an hrtimer"

# --- interrupts were off: a timer came 40 ms late
recording off <<'END'
1 900 5 hrtimer_start 64 10000000
1 1000 5 switch sleeper 5 1 driver 77
1 50000 77/8 hrtimer 64 128 50000000
1 50010 77/8 waking sleeper 5
1 50020 77/8 hrtimer_exit 64
1 50100 77 switch driver 77 0 sleeper 5
END
why off -p sleeper
says "sleeper-5 waited 49.1 ms: it was held up 40.0 ms on CPU 1, where interrupts were off in driver-77." "interrupts were off" ||
	diag "$(cat "$dir/output")"

# --- interrupts were off on both CPUs at once: the host did not let the machine run
recording host <<'END'
0 800 6 hrtimer_start 32 10000000
1 900 5 hrtimer_start 64 10000000
1 1000 5 switch sleeper 5 1 driver 77
0 50000 6/8 hrtimer 32 128 50000000
0 50010 6/8 hrtimer_exit 32
1 50000 77/8 hrtimer 64 128 50000000
1 50010 77/8 waking sleeper 5
1 50020 77/8 hrtimer_exit 64
1 50100 77 switch driver 77 0 sleeper 5
END
why host -p sleeper --worst 9
is "$(grep -c 'interrupts were off' "$dir/output")" 0 "a host that stops all CPUs is no task's fault" ||
	diag "$(cat "$dir/output")"

# --- a convoy: three tasks have the lock, one after the other
recording convoy <<'END'
0 900 20 enter 202 4096:128:2
0 1000 20 switch victim 20 1 swapper/0 0
1 1000 0 switch swapper/0 0 0 a 1
1 1100 2 enter 202 4096:128:2
1 1200 1 other 1
2 1000 0 switch swapper/2 0 0 b 2
2 1150 2 enter 202 4096:128:2
2 1200 2 switch b 2 1 swapper/2 0
3 1000 0 switch swapper/3 0 0 c 3
3 1150 3 enter 202 4096:128:2
3 1200 3 switch c 3 1 swapper/3 0
1 10000 1 waking b 2
2 10010 0 switch swapper/2 0 0 b 2
2 20000 2 waking c 3
3 20010 0 switch swapper/3 0 0 c 3
3 30000 3 waking victim 20
0 30010 0 switch swapper/0 0 0 victim 20
END
why convoy -p victim
says "victim-20 waited 29.0 ms in futex behind 2 other tasks, which had the lock one after the other: a lock convoy." \
	"a convoy"

# --- a task that has nothing to do is not a stall
recording idle <<'END'
0 1000 10 enter 35
0 1010 10 switch daemon 10 1 swapper/0 0
0 900000 0/8 waking daemon 10
0 900010 0 switch swapper/0 0 0 daemon 10
0 900020 10 exit 35
END
why idle
says "No task waited for anything but work." "sleep in nanosleep is no stall"
why idle -p daemon
says "daemon-10 waited 899 ms in nanosleep: it slept 898 ms in nanosleep until a timer ended that." "unless it is asked for"

# --- a long sleep of such a task hides no stall
recording sleeper <<'END'
1 500 40 enter 35
1 510 40 switch sleeper 40 1 swapper/1 0 120 120
0 900 20 enter 202 4096:128:2
0 1000 20 switch victim 20 1 swapper/0 0 120 120
1 2000 0 switch swapper/1 0 0 holder 10 120 120
1 53000 10 waking victim 20
0 53100 0 switch swapper/0 0 0 victim 20 120 120
0 53200 20 exit 202
1 53300 10 switch holder 10 1 swapper/1 0 120 120
0 200000000 20 switch victim 20 0 swapper/0 0 120 120
1 200000000 0/8 waking sleeper 40
1 200000010 0 switch swapper/1 0 0 sleeper 40 120 120
1 200000020 40 exit 35
END
why sleeper
like "$(head -n 1 "$dir/output")" "^victim-20 waited 52.1 ms in futex " "a stall is shown behind 200 s of sleep"
why sleeper --worst 1
like "$(head -n 1 "$dir/output")" "^victim-20 waited 52.1 ms in futex " "which do not count as a stall"
is "$(grep -c ' more: ' "$dir/output")" 0 "and there is no other one"

# --- rbmap's own threads are left out, unless they are asked for
recording own <<'END'
0 900 10 enter 202 4096:128:2
0 1000 10 switch rbmap-cpu0 10 1 holder 20
0 90000 20 waking rbmap-cpu0 10
0 90010 20 switch holder 20 0 rbmap-cpu0 10
END
for options in "" --all "-p 10"; do
	# shellcheck disable=SC2086
	why own $options
	is "$(grep -c '^rbmap-cpu0-10 waited' "$dir/output")" $((${#options} > 0)) "rbmap's own waits: ${options:-left out}"
done

# --- the schema
python=$(python_with jsonschema)
if [ "$python" ]; then
	for name in inversion quota quotas disk named thrash hrtimer off convoy idle; do
		why "$name" --json --worst 100
		$python tests/cli/json_object.py docs/rbmap-why.schema.json "$dir/output" 2>"$dir/errors"
		is $? 0 "the JSON of $name is as the schema says" || diag "$(cat "$dir/errors")"
	done
	$python tests/cli/json_object.py docs/rbmap-why.schema.json "$dir/cgroups.json" 2>"$dir/errors"
	is $? 0 "so are the sums of cgroups" || diag "$(cat "$dir/errors")"
else
	skip "python3-jsonschema is not installed" "JSON is as the schema says"
fi

# --- errors
recording plain <<'END'
0 1000 10 other 1
END
why plain
is $? 1 "without sched_switch nobody can tell"
like "$(cat "$dir/errors")" 'no sched_switch.*record --for why' "the error says what would"
why idle --at yesterday
is $? 1 "--at needs a time"
why idle --worst 0
is $? 2 "--worst needs a number"
done_testing

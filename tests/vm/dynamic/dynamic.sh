#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Dynamic events: the fields that they fetch, also through bad pointers; a comparison
# with the built-in events; events that are created and removed while they fire. LONG=1
# removes events 10,000 times instead of 20 to 200. SHORT=1: ten times, fewer events at
# once, and not the limit of 1024 events.
# shellcheck disable=SC2016,SC2086,SC2317 # $arg1 is literal; split into words; functions that "ok" calls
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

root=/sys/kernel/rbmap
file=$root/dynamic_events
fetch=/sys/module/emit/parameters/fetch
cpus=$(grep -c '^processor' /proc/cpuinfo)

add()
{
	echo "t:$*" >$file
}

remove()
{
	echo "-:$1" >$file
}

# error TEXT: writes TEXT and prints the error
error()
{
	printf %b "$1" >/tmp/line
	dd if=/tmp/line of=$file bs=64k conv=notrunc 2>&1 | sed -n '/^dd/s/.*: //p'
}

# refused TEXT ERROR [LOG]: TEXT must fail with ERROR, and the kernel's log must match
# LOG
refused()
{
	is "$(error "$1")" "$2" "'$(echo "$1" | cut -c 1-60)' gives '$2'"
	[ -z "$3" ] || like "$(dmesg | grep 'rbmap: dynamic_events' | tail -n 1)" \
		"$3" "the log has the reason"
}

# events EVENT: prints the text of all recorded events and empties the buffer
events()
{
	rbmap stream --no-follow 2>/tmp/lost | grep " $1: " | sed "s/.* $1: //"
}

ok "module loads" load_module rbmap buffer_size_kb=2048 || done_testing
is "$(stat -c '%a %u' $file)" "600 0" "the file is root's alone"
is "$(cat $file)" "" "there are no dynamic events"

# --- what is refused
invalid="Invalid argument"
refused 'x' "$invalid" 'character 1, at "x": t:GROUP/EVENT TRACEPOINT'
refused 't:g/e tp f=$arg13:u8' "$invalid" 'character 16, at "13:u8": .* 1 to 12'
refused 't:g/e tp f=+8($arg1:u8\n' "$invalid" 'character 20, at ":u8": .*\)'
refused 't:g/e tp f=$arg1:int' "$invalid" 'character 18, at "int": no such type'
refused 't:sched/sched_switch sched_switch' "File exists" 'sched/sched_switch already'
refused '-:sched/sched_switch' "No such file or directory" 'no dynamic event sched/sched_switch'
refused "t:g/e tp$(printf '%4090s' ' ')" "Argument list too long" 'too long: at most 4000'
refused '' ""
refused '\n' "$invalid"
refused 't:g/e tp\0' ""
refused 't:g/e2 tp\n\0' ""
refused 't:g/e3 tp\0x' "$invalid"
refused 't:enable/e tp' "$invalid"
refused 't:g/enable tp' "$invalid"
refused 't:g/e tp' "File exists"
is "$(cat $file)" "t:g/e tp
t:g/e2 tp" "and nothing else was made"
is "$(cat $root/events/g/e/status)" "waiting: for a module that has the tracepoint tp" \
	"an event without a tracepoint waits"
printf '%s\n' '-:g/e' '-:g/e2' '' | grep . >/tmp/lines
ok "several lines, as cat writes them" sh -c "cat /tmp/lines >$file"
is "$(cat $file)" "" "no dynamic event is left"
fails "the event's group has no directory" test -e $root/events/g

# --- each type, with the tracepoint of a module that is not loaded yet
add 'emit/args emit_fetch a=$arg1:u8 b=$arg2:s16 c=$arg3:u32 d=$arg5:string e=$arg7:s32 f=$arg8:x64 g=$arg9:u8 h=$arg10:u16 i=$arg12:s8 j=$arg1:b4@4/8 k=$arg12:sb4@0/8'
add 'emit/memory emit_fetch a=+0($arg6):s8 b=+1($arg6):u8 c=+2($arg6):s16 d=+0x4($arg6):s32 e=+8($arg6):s64 f=+16($arg6):b12@12/32 g=+16($arg6):sb4@28/32 h=+20($arg6):u16[4] i=+28($arg6):s32[2] j=+0(+48($arg6)):string k=+56($arg6):string l=-10(+66($arg6)):u8 m=+4(+40($arg6)):s32 n=+0(+48(+40($arg6))):string o=+8($arg6):x32[2]'
add 'emit/bad emit_fetch a=+0($arg11):u64 b=$arg11:string c=+0(+0($arg11)):u8 d=+0($arg11):x32[4] e=+0(+72($arg6)):string f=+0(+0(+40(+40($arg6)))):u8 g=+0($arg3):s8 h=$arg1:string number=$arg4:u32'
is "$(cat $root/events/emit/args/status)" "waiting: for a module that has the tracepoint emit_fetch" \
	"the event waits for a module"
is "$(grep -o 'field:.*;' $root/events/emit/bad/format | tail -n 9 | tr -d '\t' |
	sed '/char/s/signed.*//' | tr '\n' ' ')" \
	"field:u64 a;offset:16;size:8;signed:0; field:__data_loc char[] b;offset:24;size:4; field:u8 c;offset:28;size:1;signed:0; field:u32 d[4];offset:32;size:16;signed:0; field:__data_loc char[] e;offset:48;size:4; field:u8 f;offset:52;size:1;signed:0; field:s8 g;offset:53;size:1;signed:1; field:__data_loc char[] h;offset:56;size:4; field:u32 number;offset:60;size:4;signed:0; " \
	"the format"
echo 1 >$root/events/emit/enable
ok "the module with the tracepoint loads" load_module emit
is "$(cat $root/events/emit/args/status)" available "the event has found its tracepoint"
echo 2 >$fetch
is "$(events args)" "$(yes "a=200 b=-300 c=4000000000 d=an argument's text e=-7 f=0x123456789abcdef0 g=1 h=65000 i=-12 j=12 k=4" | head -n 2)" \
	"the event with arguments has the right fields"
echo 2 >$fetch
is "$(events memory)" "$(yes 'a=-1 b=201 c=-1002 d=-1000000003 e=-5000000000000000004 f=3087 g=-5 h={1,22,333,65535} i={-1,2147483647} j=the first text k=inside l=0(fault) m=222222 n=the second text o={0xbb0bfffc,0xba9c6e7d}' | head -n 2)" \
	"the event with fetched memory has the right fields"
bads=15
echo $bads >$fetch
n=0
while [ $n -lt $bads ]; do
	echo "a=0(fault) b=(fault) c=0(fault) d={0x0,0x0,0x0,0x0}(fault) e=(fault) f=0(fault) g=0(fault) h=(fault) number=$n"
	n=$((n + 1))
done >/tmp/wanted
is "$(events bad)" "$(cat /tmp/wanted)" "bad pointers of $bads kinds"
is "$(grep -c . /tmp/lost)" 1 "no event was lost"
is "$(dmesg | grep -E 'BUG|Oops|WARNING|general protection' | grep -vc KCSAN:)" 0 \
	"no fault in the kernel's log"

# --- a tracepoint reports page faults: events whose fetches fault cause each other
if [ "$(uname -m)" = x86_64 ]; then
	fields=
	n=0
	while [ $n -lt 12 ]; do
		fields="$fields s$n=\$arg1:string a$n=+0(\$arg1):u64"
		n=$((n + 1))
	done
	add "fault/kernel page_fault_kernel address=\$arg1:x64$fields"
	like "$(cat $root/events/fault/kernel/status)" 'available' "page faults have a tracepoint"
	echo 1 >$root/events/fault/enable
	echo 0 >$root/events/emit/enable
	echo 1 >$root/events/emit/bad/enable
	echo 45 >$fetch
	echo 0 >$root/events/enable
	rbmap stream --no-follow >/tmp/faults 2>&1
	is "$(grep -c ' bad: .*a=0(fault)' /tmp/faults)" 45 "faults inside of faults: each event is there"
	count=$(grep -c ' kernel: ' /tmp/faults)
	ok "events of nested page faults are recorded ($count)" test "$count" -ge 45
	is "$(grep ' kernel: ' /tmp/faults | grep -v 's11=(fault) a11=0(fault)' | head -n 3)" "" \
		"events of nested page faults fetch nothing"
	remove fault/kernel
else
	skip "not x86" "page faults have a tracepoint"
fi
echo 0 >$root/events/enable

# --- dynamic events compared with built-in ones
#
# same BUILTIN FIELD EVENT: both must record the same value for each hit of the
# tracepoint
same()
{
	awk -v first="$1:" -v field="$2=" -v second="$3:" '
		function value(text) {
			sub(".*" field, "", text)
			sub("[ ).].*", "", text)
			return text
		}
		{
			for (i = 1; i <= NF && $i !~ /^\[[0-9]+\]$/; i++)
				;
			cpu = $i
		}
		$0 ~ " " first " " { last[cpu] = value($0) }
		$0 ~ " " second " " {
			if (cpu in last) {
				pairs++
				bad += last[cpu] != value($0)
			}
			delete last[cpu]
		}
		END { print (pairs >= 20 ? "many" : 0 + pairs), bad + 0 }' /tmp/events
}
echo 0 >$root/tracing_on
echo 1 >$root/events/irq/softirq_entry/enable
echo 1 >$root/events/irq/softirq_raise/enable
echo 1 >$root/events/irq/irq_handler_entry/enable
echo 1 >$root/events/irq/irq_handler_exit/enable
echo 1 >$root/events/sched/sched_migrate_task/enable
add 'same/my_entry softirq_entry vec=$arg1:u32'
add 'same/my_raise softirq_raise vec=$arg1:u32'
add 'same/my_irq irq_handler_entry irq=$arg1:s32'
add 'same/my_exit irq_handler_exit irq=$arg1:s32 ret=$arg3:s32'
add 'same/my_migrate sched_migrate_task dest_cpu=$arg2:s32'
echo 1 >$root/events/same/enable
echo 1 >$root/tracing_on
n=0
turns=60
[ -z "${SHORT:-}" ] || turns=15
while [ $n -lt $turns ]; do
	taskset $((1 << (n % cpus))) /bin/busybox true
	dd if=/dev/vda of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null
	echo >/dev/console
	n=$((n + 1))
done
echo 0 >$root/tracing_on
echo 0 >$root/events/enable
rbmap stream --no-follow >/tmp/events 2>&1
is "$(same softirq_entry vec my_entry)" "many 0" "softirq_entry"
is "$(same softirq_raise vec my_raise)" "many 0" "softirq_raise"
like "$(same irq_handler_entry irq my_irq)" '^(many|[1-9][0-9]*) 0$' "irq_handler_entry"
like "$(same irq_handler_exit irq my_exit)" '^(many|[1-9][0-9]*) 0$' "irq_handler_exit"
if [ "$cpus" -gt 1 ]; then
	like "$(same sched_migrate_task dest_cpu my_migrate)" '^(many|[1-9][0-9]*) 0$' "sched_migrate_task"
else
	skip "one processor" "sched_migrate_task"
fi
sed -n 's/^t:\(same[^ ]*\).*/-:\1/p' $file >/tmp/lines
cat /tmp/lines >$file
echo 1 >$root/tracing_on

# --- addresses
like "$(cat $root/kptr)" 0 "addresses are hashed"
add 'emit/address emit_fetch a=$arg6:x64 b=+40($arg6):x64[1] c=$arg6:u64'
echo 1 >$root/events/emit/address/enable
echo 1 >$fetch
echo 0 >$root/events/emit/address/enable
like "$(events address)" '^a=0x[0-9a-f]{1,8} b=\{0x[0-9a-f]{1,8}\} c=18446[0-9]+$' \
	"x64 has a hash, u64 the number"

# --- an event is removed while it fires
firing()
{
	while :; do
		echo 100 >$fetch
	done 2>/dev/null
}
firers=
n=0
while [ $n -lt "$cpus" ]; do
	firing &
	# The firing processes get the processor time that the command leaves.
	renice -n 19 -p $! >/dev/null
	firers="$firers $!"
	n=$((n + 1))
done
rounds=200
[ -z "$LONG" ] || rounds=10000
[ -z "$SHORT" ] || rounds=10
begin=$(date +%s)
n=0
bad=0
# As many rounds as fit into 6 s, at least 20; with LONG and SHORT, all rounds.
while [ $n -lt $rounds ] && { [ -n "$LONG$SHORT" ] || [ $n -lt 20 ] || [ $(($(date +%s) - begin)) -lt 6 ]; }; do
	add 'fire/hot emit_fetch a=$arg4:u64 b=$arg5:string c=+0($arg11):u32' || bad=$((bad + 1))
	echo 1 >$root/events/fire/hot/enable || bad=$((bad + 1))
	remove fire/hot || bad=$((bad + 1))
	n=$((n + 1))
done
diag "$(($(date +%s) - begin)) s"
is "$bad" 0 "an event is created, enabled and removed $n times while it fires on $cpus CPUs"
add 'fire/hot emit_fetch a=$arg4:u64'
echo 1 >$root/reset
echo 1 >$root/events/fire/hot/enable
fired()
{
	[ "$(summed emitted)" -gt 0 ]
}
retry_until 20 fired
like "$(events hot | head -n 1)" '^a=[0-9]+$' "the event of the last round is recorded"
kill $firers
wait $firers 2>/dev/null
remove fire/hot
for event in args memory bad address; do
	remove emit/$event
done

# --- many at once
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
# Most tracepoints have the name of their event.
(cd /sys/kernel/tracing/events && echo */*/) | tr ' ' '\n' |
	grep -vE '^(ftrace|syscalls|emit)/' | sed 's|.*/\(.*\)/|\1|' |
	awk '!seen[$0]++' >/tmp/tracepoints
total=$(grep -c . /tmp/tracepoints)
ok "tracepoints ($total)" test "$total" -ge 300
some=150
[ -z "$LONG" ] || some=300
[ -z "$SHORT" ] || some=36
# The work below passes these; the others are chosen at random, with
# SHORT always the same ones.
passed="sched_switch sched_waking sched_wakeup sched_wakeup_new sched_process_fork sched_process_exec
	sched_process_exit sched_process_wait task_newtask task_rename sys_enter sys_exit softirq_entry
	softirq_exit softirq_raise hrtimer_start hrtimer_expire_entry kmalloc kfree kmem_cache_alloc
	kmem_cache_free mm_page_alloc mm_page_free rcu_utilization signal_generate signal_deliver
	block_rq_issue block_rq_complete"
echo $passed | tr ' ' '\n' | grep -Fxf /tmp/tracepoints >/tmp/passed
seed=${RBMAP_TEST_SEED:-${SHORT:-$(date +%s)}}
diag "RBMAP_TEST_SEED=$seed"
grep -vFxf /tmp/passed /tmp/tracepoints | awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand(), $0 }' | sort -n |
	sed 's/.* //' | cat /tmp/passed - | head -n $some >/tmp/some
bad=0
n=0
while read -r tracepoint; do
	n=$((n + 1))
	add "many/t$n $tracepoint"' a=$arg1:x64 b=$arg2:s32 c=+8($arg1):x64 d=+0(+16($arg2)):u8 e=$arg3:string f=$arg6:x64 g=+0(+0($arg3)):string' ||
		bad=$((bad + 1))
done </tmp/some
is "$bad" 0 "$some tracepoints get an event"
is "$(cat $root/events/many/*/status | sort | uniq -c | xargs)" "$some available" "all $some events have found their tracepoint"
ok "all $some events are enabled" sh -c "echo 1 >$root/events/many/enable"
n=0
turns=8
[ -z "$SHORT" ] || turns=1
while [ $n -lt $turns ]; do
	/bin/busybox true
	dd if=/dev/vda of=/dev/null bs=64k count=4 2>/dev/null
	n=$((n + 1))
done
ok "all $some events are disabled" sh -c "echo 0 >$root/events/many/enable"
rbmap stream --no-follow 2>/dev/null | grep -oE ' t[0-9]+: a=' | sort -u >/tmp/kinds
echo "# $(grep -c . /tmp/passed) of the tracepoints are passed for certain"
ok "events of many kinds are recorded ($(grep -c . /tmp/kinds) kinds)" test "$(grep -c . /tmp/kinds)" -ge 20
if [ -z "$SHORT" ]; then
	bad=0
	n=$some
	while [ $n -lt 1024 ]; do
		add "most/e$n softirq_entry" || bad=$((bad + 1))
		n=$((n + 1))
	done
	is "$bad" 0 "1024 events are created"
	refused 't:most/more softirq_entry' "No space left on device" 'there are 1024 already'
	is "$(grep -c . $file) $(tail -n 1 $file)" "1024 t:most/e1023 softirq_entry" \
		"dynamic_events lists 1024 events"
fi
ok "a line that was read can be written" sh -c "head -n 1 $file >/tmp/line; sed 's/^t:\([^ ]*\).*/-:\1/' /tmp/line >$file && cat /tmp/line >$file"
ok "the emitter unloads" rmmod emit
ok "module unloads with all of them" rmmod rbmap

# --- memory
many()
{
	load_module rbmap buffer_size_kb=64 || return 1
	n=0
	while [ $n -lt $events ]; do
		add "g/e$n softirq_entry"' s=$arg1:string a=+0($arg1):u8[64]' || return 1
		n=$((n + 1))
	done
	echo 1 >$root/events/g/enable
	remove g/e7 && rmmod rbmap
}
events=50
[ -z "$SHORT" ] || events=20
gives_back "$events events" 2048 1024 many
done_testing

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The file system rbmap: mkdir and rmdir in instances create and destroy buffers, names
# come and go with what they stand for, and nobody but root changes anything. Processes
# that race see no error but that of a lost race. RACE_SECONDS=10,
# with SHORT=1 it is 2.
# shellcheck disable=SC2217,SC2317 # files that are only held open; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
dir=/tmp/mounted
there=$dir/instances

# error COMMAND...: prints the error of COMMAND
error()
{
	"$@" 2>&1 | sed 's/.*: //'
}

# names DIR: lists all that is in DIR
names()
{
	(cd "$1" && find . ! -path './events/?*' | sort)
}

fails "no alias lets users load the module" grep -q 'alias=' /modules/rbmap.ko
ok "load" load_module rbmap buffer_size_kb=64 || done_testing
mkdir -p $dir
ok "mount" mount -t rbmap rbmap $dir || done_testing
is "$(error rmmod rbmap)" "Resource temporarily unavailable" "a mount holds the module"

# --- mkdir and rmdir
is "$(ls $there)" "" "no buffers at first"
ok "mkdir" mkdir $there/a
ok "the buffer exists" test -e $root/instances/a/tracing_on -a -e /dev/rbmap/a/cpu0
is "$(cat $there/a/buffer_size_kb)" 64 "its size is that of the load"
is "$(names $there/a)" "$(names $dir | grep -vE '^\./(instances|version|lockdown|dynamic_events|kernel_events|self_cost)')" \
	"it has the files of the default buffer"
find $dir -type l | while read -r link; do
	[ -e "$link" ] || echo "$link"
done >/tmp/dangling
is "$(grep -v snapshot_raw /tmp/dangling)" "" "each link has a target"
is "$(error mkdir $there/a)" "File exists" "a name that is in use is refused"
for name in .x cpu0 marker trace snapshot control create destroy 'x y' 'x buffer_size_kb=8' x=1 \
	"$(printf '%033d' 0)"; do
	is "$(error mkdir "$there/$name")" "Invalid argument" "mkdir refuses '$name'"
done
is "$(error mkdir "$there/$(printf '%0300d' 0)")" "File name too long" "a long name is refused"
is "$(ls $there)" "a" "a refused name leaves nothing"
is "$(error rmdir $there/b)" "No such file or directory" "an unknown buffer is refused"
for name in instances events per_cpu per_cpu/cpu0 events/ftrace instances/a/events; do
	is "$(error rmdir $dir/$name)" "Operation not permitted" "rmdir $name is refused"
done
is "$(error mkdir $dir/x)" "Operation not permitted" "only instances takes directories"
exec 3<$there/a/per_cpu/cpu0/trace_pipe_raw
is "$(error rmdir $there/a)" "Device or resource busy" "a buffer in use is refused"
exec 3<&-
ok "rmdir" rmdir $there/a
fails "the buffer is gone" test -e $root/instances/a

rbmap record -q -e sched_switch -o /tmp/a.dat -- sleep 1000 &
recorder=$!
ok "a recorder has a buffer" retry_until 10 sh -c "ls $there | grep -q ."
is "$(error rmdir $there/* | sort -u)" "Operation not permitted" "a recorder's buffer is refused"
kill $recorder
wait $recorder
ok "it is gone with the recorder" retry_until 10 sh -c "! ls $there | grep -q ."

# --- names that come and go
echo b >$root/instances/create
is "$(ls $there)" "b" "a buffer that is created elsewhere is there"
(
	cd $there/b/per_cpu/cpu0 || exit 1
	echo b >$root/instances/destroy
	ls stats ../../events .
) >/tmp/inside 2>&1
is "$(grep -c 'No such file or directory' /tmp/inside) $(grep -vc 'No such' /tmp/inside)" "2 1" "a directory of a buffer that is gone is empty"
is "$(ls $there)" "" "a buffer that is destroyed elsewhere is gone"
echo "t:mine/event sched_switch" >$root/dynamic_events
ok "a new event is there" test -e $dir/events/mine/event/format
echo "-:mine/event" >$root/dynamic_events
fails "an event that is removed is gone" test -e $dir/events/mine

# --- options
mkdir $there/b /tmp/mounted-b
ok "a mount of a buffer" mount -t rbmap -o buffer=b rbmap /tmp/mounted-b
like "$(grep ' /tmp/mounted-b ' /proc/mounts)" 'buffer=b' "/proc/mounts shows the buffer"
echo 0 >/tmp/mounted-b/tracing_on
is "$(cat $dir/tracing_on $there/b/tracing_on | xargs)" "1 0" "it is that buffer"
fails "it has no instances" test -e /tmp/mounted-b/instances
like "$(error mount -o remount,buffer=a /tmp/mounted-b)" "Invalid argument|bad" "the buffer of a mount cannot change"
ok "a mount can become read-only" mount -o remount,ro /tmp/mounted-b
ok "rmdir of a mounted buffer" rmdir $there/b
is "$(ls -a /tmp/mounted-b)" "" "the mount is empty then"
ok "umount" umount /tmp/mounted-b
for buffer in zz a/events . ..; do
	like "$(error mount -t rbmap -o buffer=$buffer rbmap /tmp/mounted-b)" "No such file" "a mount of '$buffer' is refused"
done
like "$(error mount -t rbmap -o other=1 rbmap /tmp/mounted-b)" "Invalid argument" "an unknown option is refused"
ok "a mount becomes read-only" mount -o remount,ro $dir
is "$(error mkdir $there/c)" "Read-only file system" "a mount that is read-only creates nothing"
mount -o remount,rw $dir

# --- error_log
log=$dir/error_log
# without_times FILE: prints an error_log without its times
without_times()
{
	sed 's/^\[ *[0-9]*\.[0-9]\{6\}\]/[time]/' "$1"
}

: >$log
(echo 2 >$dir/tracing_on) 2>/dev/null
is "$(without_times $log)" "$(printf '[time] tracing_on: error: write 0 or 1\n  Command: 2\n           ^')" \
	"error_log has a refusal"
: >$log
is "$(cat $log)" "" "an open that truncates clears it"
mkdir $there/log
for i in 1 2 3 4 5 6 7 8 9 10; do
	(echo "x$i" >$there/log/buffer_percent) 2>/dev/null
done
is "$(grep -c 'buffer_percent: error:' $there/log/error_log) $(cat $log)" "8 " "the last 8 of each buffer are kept"
is "$(grep Command: $there/log/error_log | head -n 1)" "  Command: x3" "the oldest one comes first"
printf x 1<>$there/log/error_log
is "$(grep -c 'error:' $there/log/error_log)" 8 "a write changes nothing"
: >$there/log/error_log
is "$(cat $there/log/error_log)" "" "O_TRUNC clears it"
rmdir $there/log
(echo 'wrong line' >$root/dynamic_events) 2>/dev/null
like "$(cat $log)" 'dynamic_events: error: ' "a line of dynamic_events has its error"
: >$log
theirs=/sys/kernel/tracing
mount -t tracefs none $theirs 2>/dev/null
if [ -e $theirs/error_log ]; then
	: >$theirs/error_log
	for text in 'prev_pidx > 0' '(prev_pid > 0' 'prev_pid == "x"'; do
		for each in $dir $theirs; do
			(echo "$text" >"$each"/events/sched/sched_switch/filter) 2>/dev/null
		done
	done
	is "$(without_times $log)" "$(without_times $theirs/error_log)" "errors of filters are those of tracefs"
	for each in $dir $theirs; do
		echo 0 >"$each"/events/sched/sched_switch/filter
	done
else
	skip "this kernel has no error_log" "errors of filters are those of tracefs"
fi

# --- others, and races
mkdir $there/kept
results "rights: " /tests/tracefs_mount rights $dir
ok "rmdir" rmdir $there/kept
seconds=${RACE_SECONDS:-${SHORT:+2}}
results "race: " /tests/tracefs_mount race $dir "${seconds:-10}"
is "$(ls $there; ls $root/instances)" "$(printf 'create\ndestroy')" "no buffer is left"

ok "umount" umount $dir
ok "unload" retry_until 5 rmmod rbmap
done_testing

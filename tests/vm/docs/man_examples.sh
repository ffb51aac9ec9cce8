#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the examples of the manual pages, unchanged and in their order. Each command must
# succeed. A command without an end gets a SIGINT, and must then succeed.
#
# SHORT=1 reads the pages of the commands that are used most.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

tools=/tmp/man-tools
at=/tmp/man
commands=/tmp/man-commands
# One for each kind of example: load, record and report, a flight recorder, filters, text
# and JSON
chosen=" rbmap.1 rbmap-enable.1 rbmap-stream.1 rbmap-filter.5 "

# examples PAGE: prints the commands of a page without their prompts. The lines that a
# command prints have no prompt.
examples()
{
	sed -n '/^\.SH EXAMPLES$/,/^\.SH SEE/{/^\.EX$/,/^\.EE$/s/^[#$] //p}' "$1" |
		sed "s/\\\\-/-/g; s/\\\\(aq/'/g"
}

# prepare COMMAND: does what the page expects of its reader before this command
prepare()
{
	case $1 in
	*' ./rbmap.ko '*) rbmap unload && cp /modules/rbmap.ko . ;;
	'rbmap load'*) rbmap unload ;;
	# tests/vm/lib/probes has run the two commands before this one.
	'insmod my_switch/'*) mkdir my_switch && cp /modules/my_switch.ko my_switch/ ;;
	'rbmap status | grep recorder')
		rbmap record -q -e sched -o running.dat &
		running=$!
		retry_until 30 test -s running.dat.cpu0
		;;
	*' make.dat | '*) rbmap record -q -e sched -e raw_syscalls -o make.dat -- make ;;
	'rbmap recover')
		rbmap record -q -e sched &
		retry_until 30 test -s trace.dat.cpu0
		kill -9 $!
		wait $! 2>/dev/null
		;;
	'trace-cmd restore -c '*) rbmap enable sched && sleep 0.2 ;;
	'trace-cmd restore -i '*)
		rbmap disable sched
		cat /dev/rbmap/cpu0 >cpu0.raw &
		retry_until 30 grep -qx 'entries: 0' /sys/kernel/rbmap/per_cpu/cpu0/stats
		retry_until 30 sleeps $!
		kill $!
		;;
	esac
}

# takes_interrupts: the command that is interrupted has come to where a SIGINT ends it well
takes_interrupts()
{
	read -r pid 2>/dev/null </tmp/man-pid && runs "$pid" rbmap &&
		grep -qE '^Sig(Blk|Cgt):.*[2367abef]$' "/proc/$pid/status"
}

# interrupted COMMAND: runs it until a SIGINT, a second later
interrupted()
{
	rm -f /tmp/man-pid
	(
		retry_until 30 takes_interrupts
		sleep 1
		kill -INT "$(cat /tmp/man-pid)"
	) &
	# In the background it would ignore the signal.
	sh -c "echo \$\$ >/tmp/man-pid; exec $1"
}

# run COMMAND: runs it in the shell of its page
run()
{
	case $1 in
	'rbmap new-probe '*) ;;
	'rbmap top '*' --batch '* | 'rbmap top --json '*) eval "$1" ;;
	'rbmap top '*) eval "TERM=linux ctrl_c -w quit $1" ;;
	'rbmap stream -B calls' | 'rbmap stream -e tracepoints' | 'rbmap stream -e probes:'* | \
		*' -d 10' | *' --trigger '* | 'timeout 10 '*)
		interrupted "${1#timeout 10 }"
		;;
	*) eval "$1" ;;
	esac
}

mkdir -p $tools $at /full/disk
install_module || done_testing
tool make <<'TOOL'
#!/bin/sh
sleep 0.5
TOOL
tool less <<'TOOL'
#!/bin/sh
exec cat
TOOL
tool pkill <<'TOOL'
#!/bin/sh
exec killall "$@"
TOOL
cp $tools/make $at/server
PATH=$tools:$PATH

# The guest has no package rbmap-fleet. tests/fleet runs the commands of its pages.
for page in /tests/man/*.1 /tests/man/*.5; do
	case $page in
	*/rbmap-ship.1 | */rbmap-collect.1 | */rbmap-fleet.1) continue ;;
	esac
	name=${page##*/}
	case ${SHORT:+$chosen} in
	'' | *" $name "*) ;;
	*) continue ;;
	esac
	cd $at || exit
	running=
	rbmap load || done_testing
	examples "$page" >$commands
	ok "$name has examples" test -s $commands
	while read -r command <&4; do
		prepare "$command" >/tmp/man-out 2>&1
		if run "$command" >>/tmp/man-out 2>&1; then
			pass "$name: $command"
		else
			fail "$name: $command"
			diag "$(cat /tmp/man-out)"
		fi
	done 4<$commands
	[ -z "$running" ] || kill "$running"
	wait
	cd /
	! is_loaded my_switch || rmmod my_switch
	! is_loaded rbmap || ok "$name: the module unloads" rmmod rbmap
done
done_testing

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the variables are those of tests/vm/run
#
# Starts guests and reads their output, which report.bash judges. Another guest
# runs the tests that are left if a guest has died, or if a test has left in it what cannot
# be removed.

# shellcheck source=tests/vm/lib/clock.bash
. "$here/lib/clock.bash"

# Boots that fail for reasons of the emulator, and for other reasons
known_boot_failures=9
boot_failures=2

guests=0   # number of guests that have booted
next=0     # first test that has not begun
lost=''    # reason why the guest can run no further test
over=''    # set when the time of everything is over
overall='' # the end of that time
told=''    # the slowness that the guest knows
deadline=0 # when guest_us reaches it, the guest is asked to end the test, or hangs
expired='' # set when the guest was asked to end the test

# another_guest: succeeds if tests are left and another guest may be started for them
another_guest()
{
	[ -z "$over" ] && [ "$next" -lt ${#tests[@]} ] && [ "$guests" -lt "$most_guests" ]
}

# start_guest: starts a guest for the tests from number $next on
start_guest()
{
	local number=$((guests + 1))

	kernel_log=$dir/kernel.log
	[ $number = 1 ] || kernel_log=$dir/kernel-$number.log
	: >"$kernel_log"
	booted='' current='' name=boot done='' lost='' boot_again='' log_read=0 race=''
	taint=0 allowed_taint=0
	# Pipes could still have what was meant for the last guest.
	[ -z "$monitor" ] || exec {monitor}>&- {orders}>&-
	rm -f "$dir"/{monitor.in,orders}
	mkfifo "$dir"/{monitor.in,orders}
	exec {monitor}<>"$dir/monitor.in" {orders}<>"$dir/orders"
	told=$slowness
	guest_args="VM_FIRST=$next VM_SLOW=$slowness"
	qemu_command stdio "pipe:$dir/monitor"
	# The emulator dies with a runner that is killed before it can clean up.
	exec {guest}< <(exec setpriv --pdeathsig KILL "${qemu[@]}" <"$dir/orders" 2>"$dir/qemu.log")
	qemu_pid=$!
	started=$SECONDS started_us=$guest_us
	start_clock
}

# tell_slowness: tells the guest how slow it is, if it is slower than it knows, or much faster
tell_slowness()
{
	[ "$slowness" -gt "$told" ] || [ $((2 * slowness)) -le "$told" ] || return 0
	echo "slow $slowness" >&"$orders"
	told=$slowness
}

# show_log: prints the end of the kernel log. The first report of the kernel comes before
# that: it names the code that hangs, and may be minutes old.
show_log()
{
	local first

	first=$(log_since | grep -E -m 1 -B 2 -A 60 "$bad_news")
	[ -z "$first" ] || diag <<<"$first"
	log_since | tail -n 100 | diag
	log_read=1000000000
}

# show_hang: sends an NMI, which reaches processors that nothing else reaches. The guest
# panics and logs where its processors were.
show_hang()
{
	stop_nmis
	echo nmi >&"$monitor"
	IFS= read -r -d '' -t $((5 * slowness)) <&"$guest"
	show_log
}

# machine_failed: has the emulated machine failed to boot the guest? None of our code has
# run by then.
#
# Without ACPI a kernel calibrates its timer with another one. On a busy machine the two
# disagree, and such a boot never ends.
#
# QEMU 7.2 with a thread for each processor: while a guest patches its code at boot, one
# processor may execute a breakpoint that another one has just removed.
machine_failed()
{
	[ "$known_boot_failures" -gt 0 ] || return
	if grep -qE "APIC timer disabled due|timer doesn't work" "$kernel_log"; then
		boot_again="the machine was too busy for the guest to find its timer"
	elif grep -qE 'Oops: int3|int3: 0000' "$kernel_log"; then
		boot_again="the machine executed a breakpoint that was gone"
	else
		return 1
	fi
	known_boot_failures=$((known_boot_failures - 1))
}

# follow_guest: reads the guest's lines until it ends or is of no further use
follow_guest()
{
	local line part='' status ticked=$SECONDS

	allow "$boot_timeout"
	while :; do
		IFS= read -r -t 1 line <&"$guest"
		status=$?
		part+=$line
		if [ $status -gt 128 ] || [ "$SECONDS" -ne "$ticked" ]; then
			ticked=$SECONDS
			watch_guest || return
			[ $status -le 128 ] || continue
		fi
		if [ $status -ne 0 ] && [ -z "$part" ]; then
			[ -n "$booted" ] || machine_failed
			return
		fi
		printf '%s\n' "$part" >>"$tap_log"
		line=${part%$'\r'} part=''
		guest_line "$line" || return
	done
}

# watch_guest: looks at the clock; fails if the guest is of no further use
watch_guest()
{
	tick
	tell_slowness
	if [ -z "$booted" ] && [ $((SECONDS % 5)) = 0 ] && machine_failed; then
		return 1
	fi
	[ "$guest_us" -ge "$deadline" ] || return 0
	if [ -n "$current" ] && [ -z "$expired" ] && [ "$guest_us" -lt "$overall" ]; then
		echo "expire $current" >&"$orders"
		expired=1
		# A guest that answers needs time to print where its tasks wait.
		allow 10
		return 0
	fi
	guest_hangs
	return 1
}

guest_hangs()
{
	[ "$guest_us" -lt "$overall" ] || over=1
	if [ -z "$booted$over" ] && [ "$boot_failures" -gt 0 ]; then
		boot_failures=$((boot_failures - 1))
		boot_again="no end of the boot in sight after $((SECONDS - started)) s"
	else
		failure "no end in sight $((SECONDS - started)) s after the start"
	fi
	done='' lost="it hung"
	show_hang
}

# judge_guest_end: the guest has ended. If nobody has ended it, the test that ran has failed,
# for the reason in the kernel log if there is one.
judge_guest_end()
{
	local failed=$tap_failed

	[ -z "$lost$boot_again" ] || return 0
	if [ -z "$booted" ] && [ "$boot_failures" -gt 0 ]; then
		boot_failures=$((boot_failures - 1))
		boot_again="the guest ended while it booted"
		show_log
		diag <"$dir/qemu.log"
		return
	fi
	judge_log "$(log_since)"
	[ -z "$race" ] || judge_log "$rule"
	[ -z "$done" ] || return 0
	lost="it ended"
	if [ "$tap_failed" -eq "$failed" ]; then
		failure "the guest ended, and the emulator with status $qemu_status"
		log_since | tail -n 100 | diag
	fi
	diag <"$dir/qemu.log"
}

# run_guests: runs the tests, in as many guests as they need
run_guests()
{
	measure_speed
	overall=$((guest_us + timeout * 10000 * speed))
	while :; do
		start_guest
		follow_guest
		stop_nmis
		end_qemu
		exec {guest}<&-
		guest=''
		judge_guest_end
		if [ -n "$boot_again" ]; then
			echo "# booting again: $boot_again"
			continue
		fi
		if [ -n "$done" ] || [ -z "$booted" ] || ! another_guest; then
			return
		fi
		echo "# a new guest runs the tests from ${tests[next]##*/} on: $lost"
		overall=$((overall + boot_timeout * 10000 * speed))
	done
}

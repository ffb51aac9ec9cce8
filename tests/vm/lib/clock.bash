# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # qemu_pid is that of tests/vm/run
#
# The clock of the limits. On a busy machine everything takes longer, and no test may fail
# for that. So limits count the seconds of the guest: those of the wall, without those in
# which a thread of the emulator was ready to run and waited for a processor. A guest that
# hangs, whether it burns time or sleeps, still reaches its limit soon.
#
# - At least a twentieth of each second counts, so that every limit is reached. All of it
#   counts on a kernel that does not measure how long threads wait (no CONFIG_SCHED_INFO).
# - On a machine that is slower than usual, even if it is not busy, all limits are longer.
# - The guest has no such clock. It is told how many times longer things take at present,
#   and multiplies its own limits by that number.

proc=${proc:-/proc}
usual_ms=190     # milliseconds of the work of measure_speed on an idle machine of 2.8 GHz
speed=100        # percentage of the usual time that this machine takes
guest_us=0       # microseconds that count, of all guests
tick_us=0        # time of the last tick
slowness=1       # how many times longer things take at present, at least 1
ran_ns=()        # time that each thread of the emulator has run
waited_ns=()     # time that each thread has waited for a processor
window_ran=0     # the same, summed since the last estimate of slowness
window_waited=0
last_load=100    # percentage of the last estimate

# measure_speed: measures a fixed amount of work, in CPU time, so that other programs hardly
# matter. The first estimate of slowness comes from the processes that want to run.
measure_speed()
{
	local TIMEFORMAT=%3U time i load

	time=$({ time for ((i = 0; i < 100000; i++)); do :; done; } 2>&1)
	speed=$((10#${time/[^0-9]/} * 100 / usual_ms))
	[ "$speed" -ge 100 ] || speed=100
	read -r load _ <"$proc/loadavg"
	last_load=$((10#${load/./} / $(nproc)))
	[ "$last_load" -ge 100 ] || last_load=100
	set_slowness "$last_load"
}

# set_slowness PERCENT: sets slowness to the next whole number. RBMAP_TEST_SLOW=N sets the
# smallest value.
set_slowness()
{
	local least=${RBMAP_TEST_SLOW:-1}

	slowness=$((($1 * speed + 9999) / 10000))
	[ "$slowness" -ge "$least" ] || slowness=$least
}

# start_clock: another emulator has been started
start_clock()
{
	ran_ns=() waited_ns=()
	tick_us=${EPOCHREALTIME/[^0-9]/}
}

# tick [MICROSECONDS]: advances guest_us. MICROSECONDS is the time of the wall, for tests.
tick()
{
	local now=${1:-${EPOCHREALTIME/[^0-9]/}} file thread ran waited longest=0 counts

	for file in "$proc/$qemu_pid"/task/*/schedstat; do
		# A thread may have ended.
		{ read -r ran waited _ <"$file"; } 2>/dev/null || continue
		thread=${file%/*}
		thread=${thread##*/}
		window_ran=$((window_ran + ran - ${ran_ns[thread]:-0}))
		window_waited=$((window_waited + waited - ${waited_ns[thread]:-0}))
		counts=$((waited - ${waited_ns[thread]:-0}))
		[ "$counts" -le "$longest" ] || longest=$counts
		ran_ns[thread]=$ran
		waited_ns[thread]=$waited
	done
	counts=$((now - tick_us - longest / 1000))
	[ "$counts" -ge $(((now - tick_us) / 20)) ] || counts=$(((now - tick_us) / 20))
	guest_us=$((guest_us + counts))
	tick_us=$now
	estimate_slowness
}

# The estimate comes from the last seconds in which the emulator wanted to run. The one
# before it counts, too: things that begin now may take as long as those that just ended.
estimate_slowness()
{
	local load

	[ $((window_ran + window_waited)) -ge 1000000000 ] || return 0
	load=$((100 * (window_ran + window_waited) / (window_ran + 1)))
	set_slowness $((load > last_load ? load : last_load))
	last_load=$load window_ran=0 window_waited=0
}

# guest_seconds SINCE: prints the whole seconds that count since guest_us was SINCE
guest_seconds()
{
	echo $(((guest_us - $1) / 1000000))
}

# allow SECONDS: sets the deadline to so many seconds of a usual machine from now, but not
# beyond the end of everything
allow()
{
	deadline=$((guest_us + $1 * 10000 * speed))
	[ "$deadline" -lt "$overall" ] || deadline=$overall
}

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the variables are those of tests/vm/run
#
# Judges what a guest prints, and reports. guests.bash reads the output.

# shellcheck source=/dev/null
. "$here/../tap/tap.sh"
# The guest has said it.
tap_time()
{
	:
}

# Lines of the kernel's log that are failures. Lockdep's reports all contain WARNING or
# BUG.
bad_news='\bBUG[: ]|WARNING:|Oops|Kernel panic|general protection|nable to handle'
bad_news+='|KASAN|KCSAN|UBSAN|KMSAN|KFENCE|unreferenced object|suspected memory leak'
bad_news+='|rcu.*(detected stall|self-detected|stalls? on)|soft lockup|hard LOCKUP'
bad_news+='|blocked for more than|hung task|scheduling while atomic|lockdep is turned off'
bad_news+='|page allocation failure|still has objects|Objects remaining|cannot create duplicate'
bad_news+='|refcount_t:|list_(add|del) corruption|nobody cared|stack guard|Internal error'
# Messages of detectors that stop working.
bad_news+='|leak detector disabled|ODEBUG: [Oo]ut of memory|turning off the locking'
bad_news+='|non-static key'

# A data race belongs to rbmap if a function of one of these modules is on either stack,
# above the point of interruption. KCSAN also reports races of the kernel itself.
our_modules='rbmap|emit|faulty|kinds|copied|source|refused|my_fork|driver_ring'
# Exceptions: races of the kernel, no matter which function calls it. 6.12 does not mark
# these accesses.
# - ktime_get*(), the clock that NMIs also read: it reads again if the time has changed
#   meanwhile.
# - pollwake(): poll() tests the flag that a wake-up sets before it sleeps.
# - hrtimer_wakeup(): the same holds for the task that a timer wakes and
#   schedule_hrtimeout().
# - compact_zone(): a task that allocates memory may set the place where compaction
#   continues while kcompactd reads it.
# - init_file(): each task that opens a file notes in its credentials that RCU alone
#   does not free them.
# - kernfs_refresh_inode(): each task that looks up a file of sysfs copies the mode into
#   its inode.
# - queue_rcu_work(): a worker reads the flags of a work item that is being queued
#   again, and may also be running.
# - ep_poll_callback(): epoll_wait() tests for ready files without the lock, and tests
#   again with it.
# - mem_cgroup_flush_stats_ratelimited(): it compares jiffies, which the timer's
#   interrupt advances, with the time of the next flush.
# - rcu_core(): an interrupt reads the flags of the task that it has interrupted, which
#   only that task changes.
# - wq_worker_running(): a worker reads the CPU time that it has used, which the timer's
#   interrupt advances.
kernel_races='KCSAN: data-race in [^][]*(ktime_get[a-z_]*|pollwake|hrtimer_wakeup|compact_zone|init_file|kernfs_refresh_inode|queue_rcu_work|ep_poll_callback|mem_cgroup_flush_stats_ratelimited|rcu_core|wq_worker_running)[^][]*$'
rule=$(printf '=%.0s' {1..66})

booted=''
current='' # index of the running test
name=boot  # name of the current test, or of the phase outside of tests
plan='' ran=0 failed_before=0
left='' unclean='' kept='' # lines that say what a test has left
log_read=0             # lines of the kernel log that were searched
race='' other_races=''  # report that has not ended; titles of the kernel's own races
taint=0 allowed_taint=0

# failure TEXT: prints a failed result of the current test or phase
failure()
{
	fail "$name: $1" || :
}

start_test()
{
	current=$1
	next=$(($1 + 1))
	name=${tests[$1]##*/}
	plan='' ran=0 failed_before=$tap_failed
	left='' unclean='' kept='' expired=''
	tick
	allow "${limits[$1]}"
	began=$SECONDS began_us=$guest_us
	echo "# $name"
}

# end_test STATUS TAINT: judges the test that has ended; fails if a new guest must run the
# next one
end_test()
{
	stop_nmis
	lost=''
	if [ "$1" = timeout ]; then
		failure "took longer than ${limits[$current]} s"
		log_since | tail -n 100 | diag
	else
		judge_end "$1"
	fi
	search_log "@@end $current" || lost="the kernel has reported a fault"
	check_taint "$2"
	report_left
	print_time
	current=''
	name='after the tests'
	allow 60
	[ -n "$lost" ] || return 0
	! another_guest || return 1
	lost=''
}

# Prints how long the test took, and how long in a guest that always has a processor.
print_time()
{
	local counted

	tick
	counted=$(guest_seconds "$began_us")
	if [ $((4 * (SECONDS - began))) -gt $((5 * counted + 8)) ]; then
		echo "# $name: $((SECONDS - began)) s; $counted s without waiting for a processor"
	else
		echo "# $name: $((SECONDS - began)) s"
	fi
}

# judge_end STATUS: reports a failure status, unless the test has already reported a
# failed result
judge_end()
{
	if [ "$1" != 0 ] && [ "$tap_failed" -eq "$failed_before" ]; then
		failure "exit status $1"
	fi
	if [ -z "$plan" ]; then
		failure "ended without a plan, after $ran results"
	elif [ "$plan" != "$ran" ]; then
		failure "planned $plan results, gave $ran"
	fi
}

# The guest has removed what a test has left. It could not if the kernel keeps that
# although all processes are gone, which is a failure of the test if it has no other. Other things last until
# the next boot by design, such as the lockdown of the kernel.
report_left()
{
	local wrong=''

	[ -z "$left$unclean$kept" ] || printf %s "$left$unclean$kept" | sed "s/^/# $name: left /"
	[ -z "$kept" ] || lost="$(head -n 1 <<<"$kept")"
	# A test that passes has tested that its modules unload.
	wrong=$(grep '^the modules' <<<"$left")
	if [ -n "$unclean" ]; then
		lost="it cannot be cleaned"
		wrong="what cannot be removed: $(head -n 1 <<<"$unclean")"
	fi
	[ -z "$wrong" ] || [ "$tap_failed" -gt "$failed_before" ] || failure "left $wrong"
}

# A test can clear the log, but not these taint flags: forced load, forced unload,
# machine check, bad page, oops, warning, soft lockup.
check_taint()
{
	local new=$((($1 & ~taint & ~allowed_taint) & (2 | 8 | 16 | 32 | 128 | 512 | 16384)))

	taint=$1
	[ "$new" -ne 0 ] || return 0
	failure "has tainted the kernel (flags $new)"
	lost="its kernel is tainted"
}

log_since()
{
	tr -d '\r' <"$kernel_log" | tail -n +$((log_read + 1))
}

# search_log MARK: judges all lines since the last search, up to the line MARK that the
# guest has written into the log. That line may arrive late. Fails if there is a failure.
search_log()
{
	local part until_us=$((guest_us + 10000000))

	until part=$(log_since) && grep -q "$1\$" <<<"$part"; do
		tick
		if [ "$guest_us" -ge $until_us ]; then
			failure "the kernel log stops"
			return 1
		fi
		sleep 0.05
	done
	part=$(sed "/$1\$/q" <<<"$part")
	log_read=$((log_read + $(wc -l <<<"$part")))
	judge_log "$part"
}

# sort_races TEXT: sets text to TEXT without the data races of the kernel itself, whose
# titles are added to other_races. KCSAN puts each report between two lines of "=". The
# second line may come with the next TEXT.
sort_races()
{
	local line

	text=''
	while IFS= read -r line; do
		if [[ $line == *"$rule" ]]; then
			end_race "$line"
		elif [ -n "$race" ]; then
			race+=$line$'\n'
		else
			text+=$line$'\n'
		fi
	done <<<"$1"
	# A report of another detector is kept.
	if [[ $race == *$'\n'*$'\n'* && $race != *'BUG: KCSAN'* ]]; then
		text+=$race race=''
	fi
}

# our_race: succeeds if the report concerns one of these modules
our_race()
{
	local stacks

	! grep -qE "$kernel_races" <<<"$race" || return 1
	# Remove the frames that an interrupt has interrupted, which are unrelated to
	# the access, and the work item of a kworker.
	stacks=$(sed -E '/ asm_[a-z0-9_]+\+0x/,/^\[[ 0-9.]+\] *$/d
		/\] Workqueue: /d' <<<"$race")
	[[ $stacks =~ \[($our_modules)\] ]]
}

# end_race LINE: LINE is the line of "=" that ends a report or begins one
end_race()
{
	if [ -z "$race" ]; then
		race=$1$'\n'
	elif [[ $race == *'BUG: KCSAN'* ]] && ! our_race; then
		other_races+=$(grep -o -m 1 'KCSAN: .*' <<<"$race")$'\n' race=''
	else
		text+=$race$1$'\n' race=''
	fi
}

# Removes the lines that match --known from text, and prints them.
forget_known()
{
	local lines

	lines=$(grep -E "$known" <<<"$text") || return 0
	allowed_taint=512
	echo "# known, and no failure:"
	diag <<<"$lines"
	text=$(grep -vE "$known" <<<"$text")
}

# judge_log TEXT: reports each failure in TEXT; fails if there is one
judge_log()
{
	local text=$1

	[[ -z $race && $1 != *'BUG: KCSAN'* ]] || sort_races "$1"
	[ -z "$known" ] || forget_known
	grep -qE "$bad_news" <<<"$text" || return 0
	failure "kernel log: $(grep -m 1 -oE "($bad_news).*" <<<"$text")"
	grep -E -m 3 -A 40 -B 2 "$bad_news" <<<"$text" | diag
	return 1
}

tap_line()
{
	if [[ $1 =~ ^((not\ )?ok)(\ .*)?$ ]]; then
		tap_result "${BASH_REMATCH[1]}" "${BASH_REMATCH[3]}"
	elif [[ $1 =~ ^1\.\.([0-9]+)(\ *#.*)?$ ]]; then
		tap_plan "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
	elif [[ $1 == 'Bail out!'* ]]; then
		failure "$1"
	elif [ -n "$1" ] && [[ $1 != 'TAP version'* ]]; then
		echo "# $name: ${1#\# }"
	fi
}

skip_pattern='^(.*[^ ])? *# *[Ss][Kk][Ii][Pp][^ ]* *(.*)$'

tap_result()
{
	local text=$2

	ran=$((ran + 1))
	[[ ! $text =~ ^\ *[0-9]*\ *-?\ *(.*)$ ]] || text=${BASH_REMATCH[1]}
	if [ "$1" != ok ]; then
		failure "$text"
	elif [[ $text =~ $skip_pattern ]]; then
		skip "${BASH_REMATCH[2]}" "$name: ${BASH_REMATCH[1]}"
	else
		pass "$name: $text"
	fi
}

tap_plan()
{
	[ -z "$plan" ] || failure "a second plan"
	plan=$1
	[ "$plan" -eq 0 ] || return 0
	if [[ $2 =~ $skip_pattern ]]; then
		skip "${BASH_REMATCH[2]}" "$name: everything"
	else
		failure "an empty plan"
	fi
}

# inject_nmis COUNT MILLISECONDS: sends NMIs; the emulated machine has no other source
# of them
inject_nmis()
{
	local pause

	stop_nmis
	printf -v pause '0.%03d' "$2"
	{
		for ((i = 0; i < $1; i++)); do
			echo nmi >&"$monitor"
			sleep "$pause"
		done
	} &
	nmi_pid=$!
}

stop_nmis()
{
	[ -z "$nmi_pid" ] || {
		kill "$nmi_pid"
		wait "$nmi_pid"
	} 2>/dev/null
	nmi_pid=''
}

# let_clean_up: the test is over, and the guest may restore its state when no NMI follows.
# The emulator still has to read what the pipe of its monitor holds.
let_clean_up()
{
	local tries=$((100 * slowness))

	if [ -n "$nmi_pid" ]; then
		stop_nmis
		: >"$dir/monitor.out"
		echo 'print /d 40 + 2' >&"$monitor"
		until grep -q '^42' "$dir/monitor.out" || [ "$tries" = 0 ]; do
			tries=$((tries - 1))
			sleep 0.05
		done
	fi
	echo quiet >&"$orders"
}

# guest_line LINE: handles a line of the guest; fails if no further line of this guest
# counts
guest_line()
{
	local words

	if [[ $1 != @@* ]]; then
		tap_line "$1"
		return 0
	fi
	read -ra words <<<"${1#@@}"
	case ${words[0]} in
	boot)
		booted=1 guests=$((guests + 1))
		echo "# Linux ${words[1]}, up in $((SECONDS - started)) s"
		search_log "@@boot"
		allow 60
		taint=${words[2]}
		;;
	begin) start_test "${words[1]}" ;;
	expiring)
		tick
		allow 60
		;;
	over)
		# The guest restores its state.
		let_clean_up
		tick
		allow 120
		;;
	end) end_test "${words[2]}" "${words[3]}" ;;
	stuck)
		failure "left processes that cannot be killed: ${words[*]:1}"
		lost="processes cannot be killed"
		show_log
		return 1
		;;
	left) left+="${words[*]:1}"$'\n' ;;
	unclean) unclean+="${words[*]:1}"$'\n' ;;
	kept) kept+="${words[*]:1}"$'\n' ;;
	nmi) inject_nmis "${words[1]}" "${words[2]}" ;;
	done) done=1 ;;
	*) failure "unknown word from the guest: $1" ;;
	esac
}

# summary: reports the tests that did not run, and prints the sums
summary()
{
	[ -z "$other_races" ] || show_other_races
	for ((; next < ${#tests[@]}; next++)); do
		name=${tests[next]##*/}
		failure "did not run"
	done
	plan
	[ "$tap_failed" -eq 0 ] || keep=1
	[ -z "$keep" ] || echo "# logs: $dir"
	echo "$((tap_count - tap_failed - tap_skipped)) passed, $tap_failed failed, $tap_skipped skipped"
	[ "$tap_failed" -eq 0 ] && [ "$tap_count" -gt 0 ]
}

show_other_races()
{
	echo "# data races of the kernel itself, which fail nothing: $(wc -l <<<"${other_races%$'\n'}")"
	sort <<<"${other_races%$'\n'}" | uniq -c | sort -rn | head -n 20 | diag
}

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the variables are those of tests/vm/run
#
# Reads what the guest says, judges it, and reports.

passed=0 failed=0 skipped=0 number=0
current='' # index of the running test
name=boot  # its name, or what the guest does outside of tests
done=''    # the guest came to its end
log_read=0 # lines of the kernel log that were searched
taint=0

# result ok|"not ok" TEXT [SKIP-REASON]
result()
{
	number=$((number + 1))
	if [ "$1" != ok ]; then
		failed=$((failed + 1))
	elif [ $# -gt 2 ]; then
		skipped=$((skipped + 1))
	else
		passed=$((passed + 1))
	fi
	echo "$1 $number - $name: $2${3+ # SKIP $3}"
}

fail()
{
	result 'not ok' "$1"
}

diag()
{
	sed 's/^/# /'
}

start_test()
{
	current=$1
	name=${tests[$1]##*/}
	plan='' ran=0 failed_before=$failed
	deadline=$((SECONDS + limits[$1] + 30))
	echo "# $name"
}

# end_test STATUS TAINT: a test that has said of itself that it failed is not
# reported a second time for its status.
end_test()
{
	local own_failures=$((failed - failed_before))

	if [ "$1" = timeout ]; then
		fail "took longer than ${limits[$current]} s"
	elif [ "$1" != 0 ] && [ "$own_failures" -eq 0 ]; then
		fail "exit status $1"
	fi
	if [ -z "$plan" ]; then
		fail "ended without a plan, after $ran results"
	elif [ "$plan" != "$ran" ]; then
		fail "planned $plan results, gave $ran"
	fi
	search_log "@@end $current"
	check_taint "$2"
	current=
	name='after the tests'
	deadline=$((SECONDS + 30))
}

# The log might be lossy or changed by a test; the taint flags are not. These are
# forced load and unload, machine check, bad page, oops, warning, soft lockup.
check_taint()
{
	local new=$((($1 & ~taint) & (2 | 8 | 16 | 32 | 128 | 512 | 16384)))

	taint=$1
	[ "$new" -eq 0 ] || fail "the kernel is tainted now: $new"
}

# search_log MARK: all that came since the last search, up to the line that the
# guest has put into the log, which can take its time to come through
search_log()
{
	local tries=200 part

	while ! tr -d '\r' <"$kernel_log" | grep -q "$1\$"; do
		tries=$((tries - 1))
		if [ $tries -eq 0 ]; then
			fail "the kernel log stops"
			return
		fi
		sleep 0.05
	done
	part=$(log_part "$1")
	log_read=$((log_read + $(wc -l <<<"$part")))
	judge_log "$part"
}

log_part()
{
	tr -d '\r' <"$kernel_log" | sed -n "$((log_read + 1)),\$p" | sed "/$1\$/q"
}

judge_log()
{
	grep -qE "$bad_news" <<<"$1" || return 0
	fail "kernel log: $(grep -m 1 -oE "($bad_news).*" <<<"$1")"
	grep -E -m 3 -A 40 -B 2 "$bad_news" <<<"$1" | diag
}

tap_line()
{
	local line=$1 text

	case $line in
	'') return ;;
	'ok' | 'ok '* | 'not ok' | 'not ok '*)
		ran=$((ran + 1))
		text=$(sed -E 's/^(not )?ok *[0-9]* *-? *//' <<<"$line")
		if [[ $line == not* ]]; then
			fail "$text"
		elif [[ $text =~ ^(.*)\ *#\ *[Ss][Kk][Ii][Pp][^\ ]*\ *(.*)$ ]]; then
			result ok "${BASH_REMATCH[1]% }" "${BASH_REMATCH[2]}"
		else
			result ok "$text"
		fi
		;;
	1..[0-9]*)
		[ -z "$plan" ] || fail "a second plan: $line"
		plan=${line#1..}
		text=${plan#"${plan%%[!0-9]*}"}
		plan=${plan%%[!0-9]*}
		if [ "$plan" -eq 0 ]; then
			if [[ $text =~ \#\ *[Ss][Kk][Ii][Pp][^\ ]*\ *(.*)$ ]]; then
				result ok "all of it" "${BASH_REMATCH[1]}"
			else
				fail "an empty plan"
			fi
		fi
		;;
	'Bail out!'*) fail "$line" ;;
	'TAP version'*) ;;
	'#'*) echo "# $name:${line#\#}" ;;
	*) echo "# $name: $line" ;;
	esac
}

# guest_line LINE: false when nothing more is to be expected
guest_line()
{
	local words

	if [[ $1 != @@* ]]; then
		tap_line "$1"
		return
	fi
	read -ra words <<<"${1#@@}"
	case ${words[0]} in
	boot)
		echo "# Linux ${words[1]}, first test ${words[2]} s after the start ($((SECONDS - started)) s here)"
		search_log "@@boot"
		taint=${words[3]}
		;;
	begin) start_test "${words[1]}" ;;
	end) end_test "${words[2]}" "${words[3]}" ;;
	stuck)
		fail "took longer than ${limits[$current]} s and cannot be killed"
		return 1
		;;
	done) done=1 ;;
	esac
}

follow_guest()
{
	local line status limit plan='' ran=0

	deadline=$((SECONDS + timeout))
	overall=$deadline
	while :; do
		limit=$((deadline < overall ? deadline : overall))
		IFS= read -r -t $((limit > SECONDS ? limit - SECONDS : 1)) line <&"$1"
		status=$?
		if [ $status -gt 128 ]; then
			fail "no sign of life from the guest in time"
			break
		fi
		[ $status -eq 0 ] || [ -n "$line" ] || break
		echo "$line" >>"$tap_log"
		guest_line "${line%$'\r'}" || break
		if [ $SECONDS -ge "$overall" ] && [ -z "$done" ]; then
			fail "the time limit of $timeout s for everything is over"
			break
		fi
	done
}

# The guest is gone or about to be: what is left to say?
summary()
{
	local i rest

	kill "$qemu_pid" 2>/dev/null
	wait "$qemu_pid" 2>/dev/null
	qemu_pid=
	rest=$(tr -d '\r' <"$kernel_log" | sed -n "$((log_read + 1)),\$p")
	judge_log "$rest"
	if [ -z "$done" ]; then
		fail "the guest ended before its tests did"
		tail -n 40 "$kernel_log" | tr -d '\r' | diag
		diag <"$dir/qemu.log"
		for i in "${!tests[@]}"; do
			if [ "$i" -gt "${current:--1}" ] && ! grep -q "^@@end $i " "$tap_log"; then
				name=${tests[i]##*/}
				fail "did not run"
			fi
		done
	fi
	echo "1..$number"
	if [ "$failed" -gt 0 ] || [ -n "$keep" ]; then
		keep=1
		echo "# logs: $dir"
	fi
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ] || exit 1
	[ "$number" -gt 0 ] || exit 1
}

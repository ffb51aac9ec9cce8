#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap why names the root of the faults that planted.c plants, beside two tasks that
# distract. All are in one recording, and the worst of what a victim waited for must be its
# fault. Without SHORT=1 each one is also in a recording of its own, and there are those that
# take longest.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/faults.sh
. /tests/lib/faults.sh

# ask FILE [ARGUMENT]...: the sentence
ask()
{
	file=$1
	shift
	rbmap why "$@" "$file" >/tmp/output 2>/tmp/errors || diag "$(cat /tmp/errors)"
	sentence=$(head -n 1 /tmp/output)
}

# sentence_of FAULT REGEXP: the sentence is that of the answers, or of a recording of the fault
# alone. $recording is the one that was asked. Where the host does not run the machine for a
# while, its CPUs look as if their interrupts had been off, and why rightly says nothing of
# these. So a fault may be planted again.
sentence_of()
{
	cp /tmp/answers /tmp/first
	recording=/tmp/all.dat
	for _ in 1 2 3 4 5; do
		case $1 in
		irqs-off) sentence=$(grep -m 1 -E "$2" /tmp/answers) ;;
		convoy | two) sentence=$(grep -m 1 -E "^$2" /tmp/answers) ;;
		*) sentence=$(grep -m 1 -E "^v-$1-[0-9]+ |^[^ ].* in the name of v-$1-" /tmp/answers) ;;
		esac
		! tap_matches "$sentence" "$2" || return 0
		diag "$1 is planted again"
		rbmap record --for why -q -b 8M -o /tmp/again.dat -- /tmp/plant "$1" >/tmp/recorded 2>&1 ||
			diag "$(cat /tmp/recorded)"
		recording=/tmp/again.dat
		rbmap why --worst 1000 $recording >/tmp/answers 2>/tmp/errors
	done
}

# named FAULT REGEXP: the worst sentence about the victim of a fault
named()
{
	sentence_of "$1" "$2"
	like "$sentence" "$2" "$1" || diag "$(grep -A 9 "v-$1-" /tmp/first | head -n 30)"
	cp /tmp/first /tmp/answers
}

# alone FAULT REGEXP: the first sentence of a recording that has this fault alone
alone()
{
	for _ in 1 2 3 4 5; do
		rbmap record --for why -q -b 8M -o /tmp/one.dat -- /tmp/plant "$1" >/tmp/recorded 2>&1 ||
			diag "$(cat /tmp/recorded)"
		ask /tmp/one.dat --worst 3
		! tap_matches "$sentence" "$2" || break
	done
	like "$sentence" "$2" "$1 alone" || diag "$(cat /tmp/output)"
}

faults_begin
all="holder inversion convoy irqs-off hrtimer irq network worker stopped $disk"
[ "${SHORT:-}" ] || all="$all starved rt-throttling two chained timed late-writer"
[ -z "$grouped" ] || all="$all memory-high"
[ -z "$grouped" ] || [ -z "$disk" ] || [ "${SHORT:-}" ] || all="$all thrash"
[ -z "$grouped" ] || [ "${SHORT:-}" ] || all="$all quota"
ok "record" eval "rbmap record --for why -q -b 16M -o /tmp/all.dat -- /tmp/plant $all >/tmp/recorded 2>&1" ||
	diag "$(cat /tmp/recorded)"
ok "why" eval "rbmap why --worst 1000 /tmp/all.dat >/tmp/answers 2>/tmp/errors" || diag "$(cat /tmp/errors)"
rbmap report /tmp/all.dat >/dev/null 2>/tmp/report
is "$(cat /tmp/errors)" "$(cat /tmp/report)" "events and losses are those of rbmap report"
named holder "^$held"
rbmap why --json -p v-holder $recording >/tmp/json 2>/tmp/errors
is "$(grep -o '"cause": "[a-z-]*"' /tmp/json | head -n 1)" '"cause": "timer"' "JSON has the cause"
named inversion "^$inverted"
# The longest wait may be that of any member of the convoy, and of any task on the CPU of the
# driver.
named convoy "$convoy"
named irqs-off "$irqs_off"
named hrtimer "$hrtimer"
named irq "$irq"
named network "$network"
named worker "$worker"
named stopped "$stopped"
if [ "$disk" ]; then
	named fsync "^$fsync"
	named read "^$read"
	named faults "^$faults"
else
	skip "this kernel has no module null_blk" "disks"
fi
if [ -z "${SHORT:-}" ]; then
	named starved "^$starved"
	named rt-throttling "^$throttled"
	named two "^$two"
	named chained "^$chained"
	named late-writer "^$late_writer"
	is "$(grep -cE '^v-timed-.* for holder' /tmp/answers)" 0 "a lock that was not given in time has ended no wait"
	ok "a name with blanks chooses a task" eval \
		"rbmap why -p 'v-two [[]b] 1' --worst 9 /tmp/all.dat 2>/dev/null | grep -q '^v-two .b. 1-'" ||
		diag "$(rbmap why -p 'v-two [[]b] 1' /tmp/all.dat 2>&1 | head -n 3)"
	[ -z "$grouped" ] || named quota "^$quota"
	[ -z "$grouped" ] || [ -z "$disk" ] || named thrash "^$thrash"
fi
if [ "$grouped" ]; then
	named memory-high "^$high"
else
	skip "this kernel has no control groups" "quota and memory.high"
fi

planted holder >/tmp/planted 2>&1 &
ok "why --live" eval "rbmap why --live -d 1 -p 'v-*' >/tmp/output 2>/tmp/errors" || diag "$(cat /tmp/errors)"
wait $!
is "$(find /tmp -name 'rbmap-why-*')" "" "it leaves no file"

if [ -z "${SHORT:-}" ]; then
	alone holder "$held"
	alone inversion "$inverted"
	alone convoy "$convoy"
	alone irqs-off "$irqs_off"
	alone hrtimer "$hrtimer"
	alone irq "$irq"
	alone network "$network"
	alone worker "$worker"
	alone stopped "$stopped"
	if [ "$disk" ]; then
		alone fsync "$fsync"
		alone read "$read"
		alone faults "$faults"
	fi
fi
faults_end
done_testing

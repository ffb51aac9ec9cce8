# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# The contract of transport.h, for any transport. Sourced by the tests of each one.
# shellcheck source=/dev/null
. "$(dirname "$0")/../tap/tap.sh"
# shellcheck source=tests/fleet/wait.sh
. "$(dirname "$0")/wait.sh"

: "${RBMAP_FLEET:=build/fleet/rbmap-fleet}" "${CONTRACT:=build/tests/fleet/asan/contract}"
LSAN_OPTIONS=print_suppressions=0:suppressions=$(dirname "$0")/leaks
export RBMAP_FLEET LSAN_OPTIONS
dir=$(mktemp -d)
background=
at_exit "rm -rf '$dir'"
# shellcheck disable=SC2016 # $background is the value at the end
at_exit 'for pid in $background; do kill "$pid" 2>/dev/null; done'

# url, certificates: where to. folder_of ROLE prints the folder with its certificates.
url=
certificates=
folder_of()
{
	case $certificates,$1 in
	,*) echo - ;;
	*,host:*) echo "$certificates/hosts/${1#host:}" ;;
	*,admin) echo "$certificates/administrator" ;;
	*) echo "$certificates/$1" ;;
	esac
}

# run ROLE ACTION...: runs the program with the certificate of the role
run()
{
	role=$1
	shift
	timeout 900 "$CONTRACT" "$url" "$role" "$(folder_of "$role")" "$@"
}

# start FILE ROLE ACTION...: runs it in the background, with its output in the file. $started
# is its process.
start()
{
	file=$1
	role=$2
	shift 2
	timeout 900 "$CONTRACT" "$url" "$role" "$(folder_of "$role")" "$@" >"$file" 2>&1 &
	started=$!
	background="$background $started"
}

# report HOST PREFIX COUNT SIZE [FIRST [RETRY]]: a host publishes to the collector
report()
{
	run "host:$1" publish collector "$1" "$2" "${5:-1}" "$3" "$4" "${6:-0}"
}

# command PREFIX COUNT: the administrator publishes to all hosts
command_all()
{
	run admin publish all - "$1" 1 "$2" 200 0
}

# ids FILE: prints the ids of messages that were reported as safe, or that came undamaged
ids()
{
	awk '$1 == "safe" { print $2 } $1 == "got" && $5 == "good" { print $4 }' "$1" | sort -u
}

# await FILE REGEX: waits until a line of the file matches, unless that is hopeless
await()
{
	retry_until 300 grep -qE "$2" "$1"
}

# drain FILE [LEAST]: the collector receives and acknowledges LEAST messages, and others until
# nothing comes for a second
drain()
{
	run collector receive 100000 "${DRAIN_MS:-1000}" least="${2:-0}" >>"$1"
}

delivery()
{
	report h1 small 40 3000 >"$dir/safe"
	report h1 large 5 1049000 >>"$dir/safe"
	report h1 tiny 1 4 >>"$dir/safe"
	is "$(ids "$dir/safe" | wc -l)" 46 "$1: messages are reported as safe"
	: >"$dir/got"
	drain "$dir/got" 46
	is "$(ids "$dir/got")" "$(ids "$dir/safe")" "$1: each arrives with its bytes"
	is "$(awk '{ print $1, $2, $3 }' "$dir/got" | sort -u)" "got collector h1" \
		"$1: the collector knows the sender"
	: >"$dir/got"
	drain "$dir/got"
	is "$(cat "$dir/got")" "" "$1: acknowledged messages do not come again"
}

same_ids()
{
	report h1 same 2 100 >/dev/null
	report h2 same 2 100 >/dev/null
	: >"$dir/got"
	drain "$dir/got" 4
	is "$(awk '{ print $3, $4 }' "$dir/got" | sort -u | xargs)" \
		"h1 same-1 h1 same-2 h2 same-1 h2 same-2" "$1: two hosts can use the same id"
}

again()
{
	report h1 again 3 100 >"$dir/safe"
	run collector receive 7 2000 nak least=7 >"$dir/got"
	is "$(awk '{ print $4 }' "$dir/got" | sort | uniq -c | awk '$1 > 1' | wc -l)" 3 \
		"$1: what is not done comes again in the same process"
	: >"$dir/got"
	drain "$dir/got" 3
	is "$(ids "$dir/got")" "$(ids "$dir/safe")" "$1: and in the next process"
}

to_hosts()
{
	start "$dir/h1" host:h1 receive 1000 2000 last=none
	h1=$started
	start "$dir/h2" host:h2 receive 1 2000 least=1
	h2=$started
	number=0
	until [ -s "$dir/h1" ] || [ $number -ge 500 ]; do
		number=$((number + 1))
		run collector publish host h1 "one$number" 1 1 500 0 >/dev/null
		sleep 0.2
	done
	like "$(head -n 1 "$dir/h1")" '^got host h1 one[0-9]+-1 good$' "$1: a message to one host"
	command_all "live$2" 1 >/dev/null
	await "$dir/h2" .
	is "$(cat "$dir/h2")" "got all - live$2-1 good" "$1: a command to all hosts comes at once"
	await "$dir/h1" all
	like "$(cat "$dir/h1")" "^got all - live$2-1 good" "$1: also to the other host"
	kill "$h1" "$h2" 2>/dev/null
	wait "$h1" "$h2" 2>/dev/null
}

commands()
{
	command_all "late$2" 3 >"$dir/safe"
	run host:h2 receive 100 2000 last="late$2-3" >"$dir/got"
	is "$(grep -c "late$2" "$dir/got")" 3 "$1: a host that connects later gets each command once"
	is "$(ids "$dir/got" | grep "late$2")" "$(ids "$dir/safe")" "$1: with their bytes"
	run host:h1 receive 100 2000 last="late$2-3" >"$dir/got"
	is "$(ids "$dir/got" | grep "late$2")" "$(ids "$dir/safe")" "$1: another host gets them, too"
	run host:h1 receive 12 3000 nak least=12 >"$dir/got"
	is "$(ids "$dir/got" | grep "late$2")" "$(ids "$dir/safe")" \
		"$1: commands do not end with the process that received them"
	is "$(awk '{ print $4 }' "$dir/got" | grep "late$2" | sort | uniq -c | awk '$1 > 1' | wc -l)" 3 \
		"$1: a command that is not done comes again"
}

# contract NAME NUMBER: checks the transport at $url; NUMBER differs for each call
contract()
{
	delivery "$1"
	same_ids "$1"
	again "$1"
	to_hosts "$1" "$2"
	commands "$1" "$2"
}

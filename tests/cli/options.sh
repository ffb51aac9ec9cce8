#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests that --help, the manual page and the completions of bash, fish and zsh have the options of
# each command, and that the completions offer values. The usage of a command and the synopsis of
# its page must name each option, or have OPTION.
# RBMAP_TEST_SHORT=1: the shells offer the options of each fourth command.
# shellcheck disable=SC2317 # `ok` calls the functions
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=userspace/cli/completion/rbmap.bash
. userspace/cli/completion/rbmap.bash
export LC_ALL=C
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
script=userspace/cli/completion/_rbmap
fish=$PWD/userspace/cli/completion/rbmap.fish

# This command knows some events and tracepoints without the module. bash runs it as a
# function, without a shell of its own.
mkdir "$dir/bin" "$dir/files" "$dir/files/folder"
touch "$dir/files/file"
real=$(realpath "$RBMAP")
rbmap()
{
	case $* in
	list) printf '%s\n' irq:irq_handler_entry 'sched:sched_switch enabled' ;;
	'probe fields') printf '%s\n' sched_switch sched_wakeup ;;
	'probe list') printf '%s\n' 'mine:one  sched_switch' 'mine:two  sched_wakeup' ;;
	*) "$real" "$@" ;;
	esac
}
{
	echo '#!/bin/sh'
	echo "real='$real'"
	declare -f rbmap
	echo 'rbmap "$@"'
} >"$dir/bin/rbmap"
printf '#!/bin/sh\necho "unit.service loaded active running A unit"\n' >"$dir/bin/systemctl"
chmod +x "$dir/bin/rbmap" "$dir/bin/systemctl"
PATH=$dir/bin:$PATH

# words: print the words of the standard input in one line
words()
{
	local words

	read -r -d '' -a words
	echo "${words[*]}"
}

# same TEXT A B: pass if A is B
same()
{
	is "$2" "$3" "$1"
}

# Each of these prints lines such as "-o, --output FILE", sorted.
of_help()
{
	rbmap "$@" --help | sed -n 's/^  *\(\(-., \)\{0,1\}--[a-z-]*\( [A-Z]\{1,\}\)\{0,1\}\)  .*/\1/p' | sort
}

of_manual()
{
	awk -v section="OPTIONS${2:+ OF ${2^^}}" '
		/^\.SH/ { gsub("\"", ""); inside = $0 == ".SH " section }
		inside && before == ".TP" && /^\.BI? "?\\-/ { print }
		{ before = $0 }' "docs/man/rbmap-$1.1" |
		sed 's/^\.BI* //; s/\\-/-/g; s/"//g; s/  / /' | sort
}

# Here VALUE stands for the name of each value.
of_table()
{
	rbmap "$@" --complete | with_names_of_values
}

with_names_of_values()
{
	awk -F '\t' '/^-/ { print ($2 == "-" ? "" : $2 ", ") $1 ($3 == "-" ? "" : " VALUE") }'
}

actions()
{
	rbmap "$@" --complete | grep -v '^-'
}

# targets WORD...: print the words and all their actions
targets()
{
	local action

	echo "$*"
	for action in $(actions "$@"); do
		targets "$@" "$action"
	done
}

# These actions have options, a help and a section of the manual page of their own.
of_their_own=" fleet-merge fleet-setup "

of_tables()
{
	local action

	for action in '' $(actions "$@"); do
		[[ $of_their_own == *" $1-$action "* ]] || of_table "$@" ${action:+"$action"}
	done | sort -u
}

# without_help: the lines of the standard input but -h, --help
without_help()
{
	grep -vx -e '-h, --help'
}

# documented WORD...: test that the help, the manual page and the tables have the same options.
# $dir/manual has those of the page afterwards.
documented()
{
	of_manual "$@" >"$dir/manual"
	same "$* --help has the options of the manual page" \
		"$(of_help "$@")" "$(without_help <"$dir/manual")"
	same "$* has the options of the manual page" \
		"$(of_tables "$@" | without_help)" \
		"$(sed 's/ [A-Z]*$/ VALUE/' "$dir/manual" | without_help)"
}

# not_named: print the options of $dir/manual that the synopsis on the standard input lacks. Its
# first form may have OPTION in their place, and --cpus is another name of --cpu.
not_named()
{
	awk '
		FILENAME != "-" { options[++nr] = $0; next }
		{ gsub(/\\-/, "-"); text = text $0 " "; further = further || FNR > 1 && /rbmap / }
		!further && /\[ ?OPTION ?\]/ { exit named = 1 }
		END {
			for (i = 1; i <= nr && !named; i++) {
				found = 0
				n = split(options[i], names, ", ")
				for (j = 1; j <= n; j++) {
					sub(/ .*/, "", names[j])
					found += text ~ "(^|[^a-z-])" names[j] "[^A-Za-z-]"
				}
				if (!found)
					print options[i]
			}
		}' <(grep -vE '^(-h, --help|--cpus .*)$' "$dir/manual") -
}

# not_in_synopsis COMMAND, not_in_usage COMMAND: what the manual page and --help lack
not_in_synopsis()
{
	sed '1,/^\.SH SYNOPSIS/d; /^\.SH DESC/,$d' "docs/man/rbmap-$1.1" | not_named
}

not_in_usage()
{
	rbmap "$1" --help | sed '/^$/,$d' | not_named
}

# by_bash WORD...: print what bash offers for the last word
by_bash()
{
	COMP_WORDS=(rbmap "$@")
	COMP_CWORD=$#
	_rbmap
	printf '%s\n' "${COMPREPLY[@]}" | sort
}

# by_zsh WORD...: print what zsh offers for the last word, or the function that offers it
by_zsh()
{
	# shellcheck disable=SC2016 # zsh expands it
	zsh -f -c '
		_call_program() { shift; eval "$*" }
		_describe() { print -l -- "${(@)${(P)4}%%:*}" }
		_files() { print files "$@" }
		compset() { [[ ${words[CURRENT]} != ${~2}* ]] || print -- "$2" }
		_message() { print none }
		_pids() { print pids }
		_wanted() {
			case $5 in
			-a) print -l -- "${(@P)6}" ;;
			-S) print -l -- "${@[8,-1]}" ;;
			*) print $1 ;;
			esac
		}
		file=$1 words=(rbmap "$@[2,-1]") CURRENT=$#
		source $file' zsh "$script" "$@" | sort
}

# by_fish WORD...: print what fish offers for the last word, without the descriptions. As in
# a shell, the last word is the one at the cursor.
by_fish()
{
	# shellcheck disable=SC2016 # fish expands it
	fish -N -c '
		source $argv[1]
		function __fish_complete_pids; echo pids; end
		function __rbmap_buffers; echo buffers; end
		complete -C (string join " " -- rbmap $argv[2..])' -- "$fish" "$@" | cut -f 1 | sort
}

# The long names of of_table(), and all names
long()
{
	sed 's/.*\(--[a-z-]*\).*/\1/' | sort
}

all()
{
	sed 's/ VALUE$//; s/, /\n/' | sort
}

has_zsh=$(command -v zsh)
[ -n "$has_zsh" ] || skip "zsh is not installed" "zsh offers the options and values"

has_fish=$(command -v fish)
[ -n "$has_fish" ] || skip "fish is not installed" "fish offers the options and values"

commands=$(rbmap --complete | cut -f 1)
same "bash offers all commands" "$(by_bash '')" \
	"$(printf '%s\n' "$commands" help --help --version | sort)"
[ -z "$has_zsh" ] || same "zsh offers all commands" "$(by_zsh '')" "$(sort <<<"$commands")"
[ -z "$has_fish" ] || same "fish offers all commands" "$(by_fish '')" \
	"$(printf '%s\n' "$commands" help --help --version | sort)"
topics=$(rbmap --help | sed -n 's/^  help TOPIC .* of \(.*\)$/\1/p' | sed 's/,\| or\b//g')
ok "rbmap --help has topics" test -n "$topics"
for topic in $topics; do
	ok "$topic has a manual page" test -s "docs/man/rbmap-$topic.5"
done
topics=$(printf '%s\n' "$commands" && tr ' ' '\n' <<<"$topics")
same "bash offers the commands and topics of help" "$(by_bash help '')" "$(printf '%s\n' "$topics" help | sort)"
[ -z "$has_zsh" ] || same "zsh offers the commands and topics of help" "$(by_zsh help '')" "$(sort <<<"$topics")"
[ -z "$has_fish" ] || same "fish offers the commands and topics of help" "$(by_fish help '')" \
	"$(printf '%s\n' "$topics" help | sort)"
number=0
for command in $commands; do
	documented "$command"
	same "the synopsis of $command has all options" "$(not_in_synopsis "$command")" ""
	same "the usage of $command has all options" "$(not_in_usage "$command")" ""
	ok "the manual page of $command has -h" grep -qx -e '-h, --help' "$dir/manual"
	while read -ra words; do
		rbmap "${words[@]}" --complete >"$dir/table"
		cut -s -f 3 "$dir/table" >>"$dir/kinds"
		with_names_of_values <"$dir/table" >"$dir/options"
		# The shells ask for all tables in the same way.
		number=$((number + 1))
		[ -z "${RBMAP_TEST_SHORT:-}" ] || [ $((number % 4)) = 1 ] || continue
		same "bash offers the options of ${words[*]}" \
			"$(by_bash "${words[@]}" -)" "$(long <"$dir/options")"
		[ -z "$has_zsh" ] || same "zsh offers the options of ${words[*]}" \
			"$(by_zsh "${words[@]}" -)" "$(all <"$dir/options")"
		[ -z "$has_fish" ] || same "fish offers the options of ${words[*]}" \
			"$(by_fish "${words[@]}" -)" "$(all <"$dir/options")"
	done < <(targets "$command")
done
for words in $of_their_own; do
	documented "${words%-*}" "${words#*-}"
done
same "the completions know all kinds of values" "$(grep -v , "$dir/kinds" | sort -u | words)" \
	"- buffer cgroup dir event file kernel number pid text unit"
same "bash offers the actions of probe" "$(by_bash probe '' | words)" "--help add fields list remove"
[ -z "$has_zsh" ] || same "zsh offers the actions of probe" \
	"$(by_zsh probe '' | words)" "add fields list remove"
[ -z "$has_fish" ] || same "fish offers the actions of probe" \
	"$(by_fish probe '' | words)" "add fields list remove"

same "bash offers the actions of fleet setup" "$(by_bash fleet setup '' | words)" "--help nats streams"
[ -z "$has_zsh" ] || same "zsh offers the actions of fleet setup" \
	"$(by_zsh fleet setup '' | words)" "nats streams"
[ -z "$has_fish" ] || same "fish offers the actions of fleet setup" \
	"$(by_fish fleet setup '' | words)" "nats streams"

# parameters WORD...: test that the manual page and the shells have the parameters of --help
parameters()
{
	local names

	names=$(rbmap "$1" --help | sed -n 's/^  \([a-z_]*=\)[A-Z0-9].*/\1/p' | sort)
	ok "$1 --help has parameters" test -n "$names"
	same "the manual page has the parameters of $1" \
		"$(sed -n 's/^\.BI "\{0,1\}\([a-z_]*=\).*/\1/p' "docs/man/rbmap-$1.1" | sort)" "$names"
	same "bash offers the parameters of $1" "$(by_bash "$@" '')" "$names"
	[ -z "$has_zsh" ] || same "zsh offers the parameters of $1" \
		"$(by_zsh "$@" '')" "$names"
	[ -z "$has_fish" ] || same "fish offers the parameters of $1" \
		"$(by_fish "$@" '')" "$names"
}
parameters load
parameters create name

# values BASH ZSH FISH WORD...: test what the shells offer after the words. zsh prints the
# function that offers files. fish ends folders with a slash.
values()
{
	local bash=$1 zsh=$2 fishes=$3

	shift 3
	same "bash offers values: $*" "$(by_bash "$@" '' | words)" "$bash"
	[ -z "$has_zsh" ] || same "zsh offers values: $*" "$(by_zsh "$@" '' | words)" "$zsh"
	[ -z "$has_fish" ] || same "fish offers values: $*" "$(by_fish "$@" '' | words)" "$fishes"
}

script=$PWD/$script
cd "$dir/files" || exit 1
events='irq:* irq:irq_handler_entry sched:* sched:sched_switch'
# Without the module, /sys/kernel/rbmap does not have the names of buffers.
_rbmap_buffers()
{
	COMPREPLY=(buffers)
}
values buffers buffers buffers stream -B
values buffers buffers buffers tracefs-dir --buffer
values "$events" "$events" "$events" record --trigger
values 'file folder' files 'file folder/' record -q -o
values 'file folder' files 'file folder/' probe add --file
values folder 'files -/' folder/ doctor --root
values 'file folder' files 'file folder/' fleet merge
for command in cut latency recover report why 'convert --perfetto'; do
	# shellcheck disable=SC2086 # words
	values 'file folder' files 'file folder/' $command
done
values folder 'files -/' folder/ fleet setup nats --directory
values folder 'files -/' folder/ ship status --spool
kernels=$(cd /lib/modules 2>/dev/null && compgen -d | sort | words)
values "$kernels" kernels "$kernels" new-probe -k
cgroups=$(cd /sys/fs/cgroup 2>/dev/null && compgen -d | sort | words)
values "$cgroups" 'files -W /sys/fs/cgroup -/' "${cgroups:+${cgroups// // }/}" record --cgroup
values unit.service units unit.service record --unit
values '' none '' record --filter
values '' none '' stat -i

# choices OPTION WORD...: test that the shells offer the values that the command takes
choices()
{
	local option=$1 names

	shift
	names=$(rbmap "$@" --complete | awk -F '\t' -v name="$option" '$1 == name { print $3 }')
	values "$(tr , '\n' <<<"$names" | sort | words)" values \
		"$(tr , '\n' <<<"$names" | sort | words)" "$@" "$option"
}
for command in record stream latency top; do
	choices --clock "$command"
done
for option in --kind --by --sort; do
	choices $option latency
done
choices --by top
choices --sort top
# The command names all of its choices if one is wrong.
of_error()
{
	rbmap "$@" none 2>&1 >/dev/null | sed -n "s/[;,. (]*see .*//; s/.*'none'[^:]*: *//p" | head -n 1 |
		tr -cs 'a-z0-9-' '\n' | grep -vx -e or -e is -e '' | sort | words
}
for option in '--kind latency' '--by latency' '--sort latency' '--by top' '--sort top'; do
	read -r option command <<<"$option"
	same "the values of $command $option are those that its error names" \
		"$(by_bash "$command" "$option" '' | words)" "$(of_error "$command" "$option")"
done
ok "bash offers process ids" grep -qx $$ <(by_bash stream --pid "$$")
[ -z "$has_zsh" ] || same "zsh offers process ids" "$(by_zsh stream --pid '')" pids
[ -z "$has_fish" ] || same "fish offers process ids" "$(by_fish stream --pid '')" pids
[ -z "$has_fish" ] || same "fish offers tracepoints" \
	"$(by_fish probe add '' | words)" 'sched_switch sched_wakeup'
[ -z "$has_fish" ] || same "fish completes the command of record" "$(by_fish record -- rbma)" rbmap
same "bash completes a name with a colon" "$(by_bash stream -e sched : | words)" '* sched_switch'
same "bash completes the name of an event alone" "$(by_bash stream -e sched_s | words)" sched_switch
same "bash completes the last name of a list" "$(by_bash stream -e sched : sched_switch,ir | words)" \
	'sched_switch,irq:* sched_switch,irq:irq_handler_entry'
same "bash completes a name without a system in a list" "$(by_bash stream -e irq,sched_s | words)" irq,sched_switch
[ -z "$has_fish" ] || same "fish completes the last name of a list" \
	"$(by_fish stream -e sched:sched_switch,ir | words)" \
	'sched:sched_switch,irq:* sched:sched_switch,irq:irq_handler_entry'
[ -z "$has_zsh" ] || same "zsh offers events for the last name of a list" \
	"$(by_zsh stream -e sched:sched_switch,ir | words)" "*, $events"
same "bash offers no event for a name that none has" "$(by_bash stream -e nosuch | words)" ''
same "bash offers no value after an option without one" "$(by_bash record -f -)" "$(by_bash record -)"
same "bash offers tracepoints" "$(by_bash probe add '' | words)" 'sched_switch sched_wakeup'
values 'one two' probes 'one two' probe remove

# Names that the shell must quote, or divides
mkdir "$dir/paths" "$dir/paths/a folder" "$dir/paths/other"
touch "$dir/paths/a file" "$dir/paths/b:file"
cd "$dir/paths" || exit 1
same "bash offers files with blanks" "$(by_bash report a)" $'a file\na folder'
same "bash offers folders with blanks" "$(by_bash doctor --root '')" $'a folder\nother'
same "bash completes a file with a colon" "$(by_bash report b : f)" file
same "bash completes a file behind =" "$(by_bash record --output = a)" $'a file\na folder'
same "bash offers folders behind =" "$(by_bash doctor --root =)" $'a folder\nother'
same "bash completes a file with a colon behind =" "$(by_bash record --output = b :)" file
same "bash offers choices behind =" "$(by_bash latency --sort =)" "$(by_bash latency --sort '')"
# The function asks the shell for quotes and slashes by compopt.
asked=$(
	compopt() { echo "$*"; }
	by_bash report oth
)
ok "bash quotes files, and ends folders with a slash" grep -qx -e '-o filenames' <<<"$asked"
same "bash runs no command that is not a name" "$(by_bash --version -)" ''
done_testing

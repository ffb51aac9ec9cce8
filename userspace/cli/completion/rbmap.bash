# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2207 # words without blanks
#
# bash completion of rbmap. The options and the kinds of their values come from the
# command itself: rbmap COMMAND --complete.

_rbmap_commands()
{
	rbmap --complete 2>/dev/null | cut -f 1
	echo help
}

# _rbmap_events [BEFORE]: the word at the cursor begins with BEFORE, further names of a list
_rbmap_events()
{
	local names before=${1-} word=${cur#"${1-}"}
	names=$(rbmap list 2>/dev/null | awk '{
		split($1, part, ":")
		print $1
		if (!seen[part[1]]++)
			print part[1] ":*"
	}')
	COMPREPLY=($(compgen -P "$before" -W "$names" -- "$word"))
	# The name of an event is enough.
	if [[ ${#COMPREPLY[@]} -eq 0 && $word != *:* ]]; then
		COMPREPLY=($(compgen -P "$before" -W "$(sed '/\*/d; s/.*://' <<<"$names")" -- "$word"))
	fi
	# A colon divides words for bash: only what is after it is replaced.
	if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
		COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*:}"}"}")
	fi
}

_rbmap_tracepoints()
{
	COMPREPLY=($(compgen -W "$(rbmap probe fields 2>/dev/null)" -- "$cur"))
}

# A field, of which $cur may have the first members: 'prev->mm->o
_rbmap_fields()
{
	local quote=${cur%%[!\'\"]*} path
	local word=${cur#"$quote"}

	path=${word#*=}
	path=${path%"${path##*[.\>]}"}
	path=${path%.}
	path=${path%-\>}
	# shellcheck disable=SC2086 # no argument without a path
	COMPREPLY=($(compgen -W "$(rbmap probe fields "$1" ${path:+"$path"} \
		2>/dev/null | awk '{ print $1 }')" -- "$word"))
	compopt -o nospace 2>/dev/null
}

_rbmap_probe()
{
	local action=${COMP_WORDS[2]}

	case $action in
	remove)
		COMPREPLY=($(compgen -W "$(rbmap probe list 2>/dev/null |
			awk '{ sub(".*:", "", $1); print $1 }')" -- "$cur"))
		;;
	add | fields)
		if [[ $COMP_CWORD -eq 3 ]]; then
			_rbmap_tracepoints
		elif [[ ${COMP_WORDS[3]} != -* ]]; then
			_rbmap_fields "${COMP_WORDS[3]}"
		fi
		;;
	esac
}

# _rbmap_paths -f|-d: offer files or folders. The shell puts quotes and slashes where they
# are needed.
_rbmap_paths()
{
	mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
	COMPREPLY=("${COMPREPLY[@]#"$divided"}")
	compopt -o filenames 2>/dev/null
}

_rbmap_buffers()
{
	local names
	names=$(cd /sys/kernel/rbmap/instances 2>/dev/null && compgen -d)
	COMPREPLY=($(compgen -W "$names" -- "$cur"))
}

# _rbmap_value KIND: offer values of an option
_rbmap_value()
{
	case $1 in
	*,*) COMPREPLY=($(compgen -W "${1//,/ }" -- "$cur")) ;;
	buffer) _rbmap_buffers ;;
	cgroup) COMPREPLY=($(cd /sys/fs/cgroup 2>/dev/null && compgen -d -- "$cur")) ;;
	dir) _rbmap_paths -d ;;
	event) _rbmap_events "${cur%"${cur##*,}"}" ;;
	file) _rbmap_paths -f ;;
	kernel) COMPREPLY=($(cd /lib/modules 2>/dev/null && compgen -d -- "$cur")) ;;
	pid) COMPREPLY=($(cd /proc && compgen -d -- "$cur" | grep '^[0-9]')) ;;
	unit) COMPREPLY=($(compgen -W "$(systemctl list-units --plain --no-legend 2>/dev/null | cut -d' ' -f1)" -- "$cur")) ;;
	esac
}

_rbmap()
{
	local cur prev divided command long short kind value has_actions i
	local -a options query

	cur=${COMP_WORDS[COMP_CWORD]}
	i=$((COMP_CWORD - 1))
	# Put a name back together that a colon has divided. Only what is after it is replaced.
	if [[ ${COMP_WORDS[i]} == : && $i -ge 2 ]]; then
		divided=${COMP_WORDS[i - 1]}:
		cur=$divided$cur
		i=$((i - 2))
	elif [[ $cur == : ]]; then
		divided=${COMP_WORDS[i]}:
		cur=$divided
		i=$((i - 1))
	fi
	prev=${COMP_WORDS[i]}
	# --output=FILE is three words, and two without a letter of FILE.
	if [[ $prev == = && ${COMP_WORDS[i - 1]} == --* ]]; then
		prev=${COMP_WORDS[i - 1]}
	elif [[ $cur == = && $prev == --* ]]; then
		cur=
	fi
	COMPREPLY=()
	if [[ $COMP_CWORD -eq 1 ]]; then
		COMPREPLY=($(compgen -W "$(_rbmap_commands) --help --version" -- "$cur"))
		return
	fi
	command=${COMP_WORDS[1]}
	# The command of record is for others to complete.
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ $command == record && ${COMP_WORDS[i]} == -- ]]; then
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			else
				COMPREPLY=($(compgen -c -- "$cur"))
			fi
			return
		fi
	done

	[[ $command != -* ]] || return
	query=("$command")
	# An action has options of its own, and can have actions.
	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} != -* ]] || break
		rbmap "${query[@]}" --complete 2>/dev/null | grep -qxF -e "${COMP_WORDS[i]}" || break
		query+=("${COMP_WORDS[i]}")
	done
	while IFS=$'\t' read -r long short kind _; do
		options+=("$long")
		[[ $long == -* ]] || has_actions=yes
		if [[ $prev == -?* && ($prev == "$long" || $prev == "$short") ]]; then
			value=$kind
		fi
	done < <(rbmap "${query[@]}" --complete 2>/dev/null)
	if [[ ${value:--} != - ]]; then
		_rbmap_value "$value"
		return
	fi
	if [[ $cur == -* || $has_actions && $COMP_CWORD -eq $((${#query[@]} + 1)) ]]; then
		COMPREPLY=($(compgen -W "${options[*]}" -- "$cur"))
		return
	fi
	case $command in
	help) COMPREPLY=($(compgen -W "$(_rbmap_commands) filter dynamic_events json" -- "$cur")) ;;
	load)
		COMPREPLY=($(compgen -W "buffer_size_kb= subbuf_size_kb= overwrite= \
			retired_size_kb= self_cost= inline_clock= kptr= gid=" -- "$cur"))
		compopt -o nospace 2>/dev/null
		;;
	create)
		[[ $COMP_CWORD -eq 2 ]] || COMPREPLY=($(compgen -W \
			"buffer_size_kb= subbuf_size_kb= overwrite= clock=" -- "$cur"))
		compopt -o nospace 2>/dev/null
		;;
	destroy) _rbmap_buffers ;;
	new-probe)
		case $COMP_CWORD in
		3) _rbmap_tracepoints ;;
		4) _rbmap_paths -d ;;
		esac
		;;
	list | enable | disable) _rbmap_events ;;
	fleet) [[ ${query[1]} != merge ]] || _rbmap_paths -f ;;
	convert | cut | latency | recover | report | why) _rbmap_paths -f ;;
	tracefs-dir) _rbmap_paths -d ;;
	probe) _rbmap_probe ;;
	esac
}
complete -F _rbmap rbmap

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2207 # words without blanks
#
# bash completion of rbmap

_rbmap_events()
{
	local names
	names=$(rbmap list 2>/dev/null | awk '{
		split($1, part, ":")
		print $1
		if (!seen[part[1]]++)
			print part[1] ":*"
	}')
	COMPREPLY=($(compgen -W "$names" -- "$cur"))
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

	if [[ $COMP_CWORD -eq 2 ]]; then
		COMPREPLY=($(compgen -W "add list remove fields --help" -- "$cur"))
		return
	fi
	case $action:$prev in
	add:-[ng] | add:--name | add:--group) return ;;
	*:-b | *:--btf | *:-f | *:--file)
		COMPREPLY=($(compgen -f -- "$cur"))
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		case $action in
		add) COMPREPLY=($(compgen -W "--name --group --dry-run --file --btf \
			--help" -- "$cur")) ;;
		list) COMPREPLY=($(compgen -W "--json --help" -- "$cur")) ;;
		remove) COMPREPLY=($(compgen -W "--all --help" -- "$cur")) ;;
		fields) COMPREPLY=($(compgen -W "--btf --help" -- "$cur")) ;;
		esac
		return
	fi
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

_rbmap_buffers()
{
	local names
	names=$(cd /sys/kernel/rbmap/instances 2>/dev/null && compgen -d)
	COMPREPLY=($(compgen -W "$names" -- "$cur"))
}

_rbmap()
{
	local cur prev command options i
	local commands="load unload create destroy status doctor list enable disable probe new-probe stat stream
		record snapshot report tracefs-dir help"

	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	# Put a name back together that a colon has divided.
	if [[ $prev == : && $COMP_CWORD -ge 2 ]]; then
		cur=${COMP_WORDS[COMP_CWORD - 2]}:$cur
		prev=${COMP_WORDS[COMP_CWORD - 3]}
	elif [[ $cur == : ]]; then
		cur=$prev:
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	if [[ $COMP_CWORD -eq 1 ]]; then
		COMPREPLY=($(compgen -W "$commands --help --version" -- "$cur"))
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

	case $command:$prev in
	*:-B | *:--buffer)
		_rbmap_buffers
		return
		;;
	new-probe:-[kg] | new-probe:--kernel | new-probe:--group) return ;;
	doctor:-k | doctor:--kernel)
		COMPREPLY=($(cd /lib/modules 2>/dev/null && compgen -d -- "$cur"))
		return
		;;
	doctor:-r | doctor:--root)
		COMPREPLY=($(compgen -d -- "$cur"))
		return
		;;
	load:-m | load:--module | new-probe:-b | new-probe:--btf | record:-o | record:--output | \
		snapshot:-o | snapshot:--output)
		COMPREPLY=($(compgen -f -- "$cur"))
		return
		;;
	stream:-e | stream:--event | record:-[et] | record:--event | \
		record:--trigger | report:-e | report:--event)
		_rbmap_events
		return
		;;
	stream:-[nd] | stream:--count | stream:--duration | record:-d | \
		record:--duration | stat:-i | stat:--interval | report:-c | report:--cpu)
		return
		;;
	esac

	if [[ $command == probe ]]; then
		_rbmap_probe
		return
	fi
	case $command in
	load) options="--module" ;;
	doctor) options="--kernel --root --json" ;;
	status | list) options="--buffer --json" ;;
	new-probe) options="--group --kernel --btf" ;;
	enable) options="--buffer --filter" ;;
	disable) options="--buffer" ;;
	stat) options="--buffer --json --interval --self-cost" ;;
	stream) options="--buffer --event --filter --pid --count --duration --no-follow
		--observe" ;;
	record) options="--buffer --event --filter --pid --output --duration --flight-recorder \
		--trigger --quiet --" ;;
	snapshot) options="--buffer --output --keep --read-existing --quiet" ;;
	report) options="--event --cpu --json --no-plugins" ;;
	tracefs-dir) options="--buffer --remove" ;;
	*) options= ;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$options --help" -- "$cur"))
		return
	fi
	case $command in
	help) COMPREPLY=($(compgen -W "$commands" -- "$cur")) ;;
	load)
		COMPREPLY=($(compgen -W "buffer_size_kb= subbuf_size_kb= overwrite= kptr=" \
			-- "$cur"))
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
		4) COMPREPLY=($(compgen -d -- "$cur")) ;;
		esac
		;;
	list | enable | disable) _rbmap_events ;;
	report) COMPREPLY=($(compgen -f -- "$cur")) ;;
	tracefs-dir) COMPREPLY=($(compgen -d -- "$cur")) ;;
	esac
}
complete -F _rbmap rbmap

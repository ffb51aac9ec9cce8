# SPDX-License-Identifier: GPL-2.0-only
#
# fish completion of rbmap. The commands, the options and the kinds of their values come from
# the command itself: rbmap --complete, rbmap COMMAND --complete.

function __rbmap_commands
    rbmap --complete 2>/dev/null
    printf 'help\tprint the usage of a command\n'
end

function __rbmap_events
    rbmap list 2>/dev/null | awk '{
        print $1
        if (split($1, part, ":") == 2 && !seen[part[1]]++)
            print part[1] ":*"
    }'
end

function __rbmap_buffers
    for directory in /sys/kernel/rbmap/instances/*/
        path basename $directory
    end
end

function __rbmap_kernels
    for directory in /lib/modules/*/
        path basename $directory
    end
end

function __rbmap_tracepoints
    rbmap probe fields 2>/dev/null
end

function __rbmap_probes
    rbmap probe list 2>/dev/null | string replace -r '^(?:[^ ]*:)?([^ ]*).*' '$1'
end

# __rbmap_value KIND: offer values of an option
function __rbmap_value
    switch $argv[1]
        case '*,*'
            string split , -- $argv[1]
        case buffer
            __rbmap_buffers
        case cgroup
            for directory in /sys/fs/cgroup/(commandline -ct)*/
                string replace /sys/fs/cgroup/ '' -- $directory
            end
        case dir
            __fish_complete_directories (commandline -ct)
        case event
            # A list can have names already.
            set -l before (string match -r '^.*,' -- (commandline -ct))
            for event in (__rbmap_events)
                echo "$before$event"
            end
        case file
            __fish_complete_path (commandline -ct)
        case kernel
            __rbmap_kernels
        case pid
            __fish_complete_pids
        case unit
            systemctl list-units --plain --no-legend 2>/dev/null | string split -f 1 ' '
    end
end

# The arguments that are not options, after the command or its actions
function __rbmap_arguments
    set -l position $argv[1]
    set -l query $argv[2..]

    switch $query[1]
        case help
            __rbmap_commands
            printf '%s\tshow the manual page\n' filter dynamic_events json
        case load
            printf '%s\n' buffer_size_kb= subbuf_size_kb= overwrite= retired_size_kb= \
                self_cost= inline_clock= kptr= gid=
        case create
            test $position -eq 1
            or printf '%s\n' buffer_size_kb= subbuf_size_kb= overwrite= clock=
        case destroy
            __rbmap_buffers
        case list enable disable
            __rbmap_events
        case probe
            switch "$query[2]"
                case add fields
                    __rbmap_tracepoints
                case remove
                    __rbmap_probes
            end
        case fleet
            test "$query[2]" = merge
            and __fish_complete_path (commandline -ct)
        case new-probe
            switch $position
                case 2
                    __rbmap_tracepoints
                case 3
                    __fish_complete_directories (commandline -ct)
            end
        case convert cut latency recover report why
            __fish_complete_path (commandline -ct)
        case tracefs-dir
            __fish_complete_directories (commandline -ct)
    end
end

function __rbmap_complete
    # The words before the one at the cursor, without rbmap itself
    set -l words (commandline -opc)[2..]
    set -l current (commandline -ct)

    if not set -q words[1]
        __rbmap_commands
        printf '%s\n' --help --version
        return
    end
    if string match -q -- '-*' $words[1]
        return
    end
    # The command of record is for others to complete.
    if test $words[1] = record
        if set -l dashes (contains -i -- -- $words)
            set -l others (string escape -- $words[(math $dashes + 1)..])
            complete -C (string join ' ' -- $others $current)
            return
        end
    end

    # An action has options of its own, and can have actions.
    set -l query $words[1]
    for word in $words[2..]
        if string match -q -- '-*' $word
            break
        end
        rbmap $query --complete 2>/dev/null | string match -q -- $word
        or break
        set -a query $word
    end
    set -l options
    set -l actions
    for row in (rbmap $query --complete 2>/dev/null)
        set -l fields (string split \t -- $row)
        if not set -q fields[2]
            set -a actions $row
            continue
        end
        if contains -- $words[-1] $fields[1..2]
            and test "$words[-1]" != -
            and test "$fields[3]" != -
            __rbmap_value $fields[3]
            return
        end
        set -a options $fields[1]\t$fields[4]
        test $fields[2] = -
        or set -a options $fields[2]\t$fields[4]
    end
    if string match -q -- '-*' $current
        printf '%s\n' $options
    else if set -q actions[1]; and test (count $words) -eq (count $query)
        printf '%s\n' $actions
    else
        __rbmap_arguments (count $words) $query
    end
end

complete -c rbmap -f -a '(__rbmap_complete)'

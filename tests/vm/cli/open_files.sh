#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The limit of open files and `rbmap record`. The soft limit is raised, and the hard one is
# checked before anything is recorded. The least number that a recording needs is enough
# until the file is complete. Boot it with many processors: 6.12/64/open_files.sh.
# shellcheck disable=SC2016,SC2317 # for sh -c; called by ok
# shellcheck shell=dash disable=SC3045 # ulimit -n
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

cpus=$(nproc)
ok "the module loads" load_module rbmap buffer_size_kb=64 || done_testing

# limited HARD SOFT COMMAND: records COMMAND with these limits
limited()
{
	rm -f /tmp/few.dat*
	(
		# The hard limit cannot be below the soft one.
		ulimit -Sn "$2" && ulimit -Hn "$1" || exit 99
		rbmap record --default -e rbmap:marker -o /tmp/few.dat -- sh -c "$3" >/tmp/out 2>/tmp/err
	)
}
each_cpu='cpu=0; while taskset -c $cpu sh -c "echo x >/dev/rbmap/marker" 2>/dev/null; do cpu=$((cpu + 1)); done'
whole()
{
	is "$(sed -n 's/ events read, 0 lost//p' /tmp/err)" "$cpus" "$1: an event of each of $cpus CPUs is read"
	is "$(rbmap report /tmp/few.dat 2>/dev/null | grep -c marker)" "$cpus" "$1: the file has them"
	is "$(find /tmp -name 'few.dat.*')" "" "$1: it is complete"
}

limited 4096 20 "$each_cpu; ulimit -Sn"
is "$?" 0 "a soft limit of 20 is raised"
whole "20 of 4096"
is "$(cat /tmp/out)" 20 "the command gets the limit of the user"
least=$((3 * cpus + 40))
limited $least $least "$each_cpu"
is "$?" 0 "a hard limit of $least is enough"
whole "$least"
limited $((least - 1)) $((least - 1)) "$each_cpu"
is "$?" 1 "one file less is refused"
like "$(cat /tmp/err)" "recording $cpus CPUs needs $least open files, and the limit is $((least - 1))" "with the numbers"
is "$(find /tmp -name 'few.dat*')" "" "and leaves no file"

# --- --rotate opens the next files beside the present ones
(
	ulimit -Sn 20 && ulimit -Hn 4096 || exit 99
	mkdir /tmp/rotated && cd /tmp/rotated || exit 99
	rbmap record --default -e rbmap:marker --rotate 1s -o r.dat -- \
		sh -c 'n=0; while [ ! -e r.0003.dat ] && [ $n -lt 30 ]; do sleep 1; n=$((n + 1)); done' \
		>/tmp/out 2>/tmp/err
)
is "$?" 0 "a soft limit of 20 is raised for several files"
ok "a third file was begun" test -e /tmp/rotated/r.0003.dat || diag </tmp/err
rm -rf /tmp/rotated

# --- a command that reads the rings raises the limit, too
sh -c "$each_cpu"
(
	ulimit -Sn 20 || exit 99
	rbmap stream --default --no-follow >/tmp/streamed 2>/tmp/err
)
is "$?" 0 "rbmap stream raises a soft limit of 20"
is "$(grep -c marker /tmp/streamed)" "$cpus" "it has an event of each of $cpus CPUs"
ok "the module unloads" rmmod rbmap
done_testing

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures recorders beside what people record, BENCH_REPEAT times, on one CPU: a build, a
# database under load, and a desktop that nobody touches for an hour. Each recorder records
# the scheduler, interrupts and system calls. A control group counts the CPU time of the
# recorder's processes. Prints "row PART UNIT CASE WHO VALUE", separated by tabs.
# shellcheck disable=SC2317 # workloads and recorders are called by name
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

debian=/debian
seconds=${BENCH_SECONDS:-10}

# in_debian COMMAND...: a program that runs a command in the system on the disk
make_in_debian()
{
	cat >/bin/in_debian <<-END
		#!/bin/sh
		exec env -i HOME=/root LC_ALL=C.UTF-8 \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			chroot $debian "\$@"
	END
	chmod +x /bin/in_debian
}

# Nothing may wait for the disk: the machine's clock leaps over what the machine idles, and a
# request would take until the next timer. So all files are read before, and what is written
# is in memory.
mount_debian()
{
	mkdir -p $debian && mount -t ext4 -o ro,noatime /dev/vda $debian &&
		find $debian/usr $debian/etc $debian/var -xdev -type f -exec cat {} + >/dev/null &&
		mount -t proc proc $debian/proc && mount -t sysfs sys $debian/sys &&
		mount --bind /dev $debian/dev && mount -t tmpfs none $debian/dev/shm &&
		mount -t tmpfs -o mode=1777 none $debian/tmp && mount -t tmpfs none $debian/run &&
		mount -t tmpfs none $debian/home && mkdir $debian/home/person &&
		chown 1000 $debian/home/person &&
		cp -a $debian/var/lib/postgresql /tmp/database &&
		mount --bind /tmp/database $debian/var/lib/postgresql &&
		mount -t tmpfs -o mode=777 none $debian/var/log/postgresql
}

# Each workload has a function that prepares it, a line in make_command, and a function that
# ends it.
begin_build()
{
	rm -rf $debian/tmp/source
	mkdir $debian/tmp/source &&
		tar -x -C $debian/tmp/source -f /tests/source.tar
}

end_build() { :; }

begin_database()
{
	mkdir -p $debian/run/postgresql && chmod 777 $debian/run/postgresql &&
		in_debian pg_ctlcluster 15 main start
}

end_database()
{
	in_debian pg_ctlcluster 15 main stop
}

begin_desktop()
{
	in_debian /usr/bin/setpriv --reuid=person --regid=person --clear-groups env HOME=/home/person \
		DISPLAY=:0 sh -c "Xvfb :0 &
			while [ ! -e /tmp/.X11-unix/X0 ]; do sleep 0.1; done
			exec dbus-run-session xfce4-session" >/tmp/desktop 2>&1 &
	desktop=$!
	retry_until 600 desktop_runs && sleep 120
}

desktop_runs()
{
	pidof xfce4-panel >/dev/null && pidof xfwm4 >/dev/null && pidof xfdesktop >/dev/null
}

end_desktop()
{
	# shellcheck disable=SC2046 # numbers
	kill $(pidof xfce4-session) $(pidof Xvfb)
	wait "$desktop"
	rm -rf $debian/tmp/.X*
	sleep 5
}

by_rbmap()
{
	as_recorder rbmap record -e sched -e irq -e raw_syscalls -o "$file" -- "$@"
}

by_trace_cmd()
{
	as_recorder trace-cmd record -e sched -e irq -e raw_syscalls -b 1408 -o "$file" "$@"
}

# count FILE: print the number of its events, and of lost ones
count()
{
	rbmap report -N "$1" 2>&1 | awk '
	/LOST [0-9]+ EVENTS/ { match($0, /LOST [0-9]+/); lost += substr($0, RSTART + 5, RLENGTH - 5); next }
	/LOST/ { lost += "?" }
	/^ +[^ ]+-[0-9]+ / { events++ }
	END { print events + 0, lost + 0 }'
}

# The command that is recorded: /tmp/workload WORKLOAD
make_command()
{
	cat >/tmp/workload <<-END
		#!/bin/sh
		echo \$\$ >$groups/workload/cgroup.procs
		cp $groups/recorder/cpu.stat /tmp/begin
		read -r began _ </proc/uptime
		case \$1 in
		build) timeout $seconds in_debian make -s -j2 -C /tmp/source user || [ \$? = 143 ] ;;
		database) in_debian /usr/bin/setpriv --reuid=postgres --regid=postgres --clear-groups \
			/usr/lib/postgresql/15/bin/pgbench -n -c 4 -T $seconds bench ;;
		desktop) sleep ${BENCH_IDLE:-3600} ;;
		esac >/tmp/workload.said 2>&1 || exit
		read -r ended _ </proc/uptime
		cp $groups/recorder/cpu.stat /tmp/end
		echo "\$began \$ended" >/tmp/took
	END
	chmod +x /tmp/workload
}

# record RECORDER COMMAND...: set events, lost, size (bytes of the file), and beside and
# whole (microseconds)
record()
{
	before=$(usage $groups/recorder/cpu.stat)
	"$@" >/tmp/said 2>&1 || return
	whole=$(($(usage $groups/recorder/cpu.stat) - before))
	size=$(wc -c <$file)
	counts=$(count $file)
	rm -f $file
	events=${counts% *} lost=${counts#* }
	beside=$(($(usage /tmp/end) - $(usage /tmp/begin)))
}

# measure WORKLOAD WHO RECORDER
measure()
{
	"begin_$1" >/tmp/said 2>&1
	ok "$1: ready" [ $? = 0 ] || {
		cat /tmp/said /tmp/desktop | diag
		return
	}
	record "$3" /tmp/workload nothing && none=$whole none_size=$size && record "$3" /tmp/workload "$1"
	ok "$1: $2 records it" [ $? = 0 ] || cat /tmp/said /tmp/workload.said | diag
	"end_$1" >/dev/null 2>&1
	diag "$1, $2: $events events, $lost lost, $size bytes, of which $none_size without events"
	awk -v OFS='\t' -v what="$1" -v who="$2" -v events="$events" -v lost="$lost" \
		-v beside="$beside" -v whole=$((whole - none)) -v size=$((size - none_size)) '
	{
		print "rate", "events a second", what, who, events / ($2 - $1)
		print "beside", "instructions of a recorder for an event, until the workload ends",
			what, who, 1000 * beside / events
		print "to the end", "instructions of a recorder for an event, with the end of the recording",
			what, who, 1000 * whole / events
		print "real lost", "percent of the events that a recorder loses", what, who,
			100 * lost / (events + lost)
		print "real bytes", "bytes of the events in a file, for each", what, who, size / events
	}' /tmp/took | rows
}

prepare_recorders 400m
ok "rbmap loads" load_module rbmap || done_testing
ok "the disk appears" load_module virtio_blk || done_testing
ok "the system on the disk is mounted" mount_debian || done_testing
make_in_debian
make_command
n=0
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	for workload in ${BENCH_WORKLOADS:-build database desktop}; do
		measure "$workload" rbmap by_rbmap
		measure "$workload" trace-cmd by_trace_cmd
	done
	n=$((n + 1))
done
ok "rbmap unloads" rmmod rbmap
# The mounts in a mount come first.
awk '{ print $2 }' /proc/mounts | grep -E "^($debian|/run/record|$groups)" | sort -r |
	while read -r mount; do
		umount "$mount"
	done
rmmod virtio_blk
done_testing

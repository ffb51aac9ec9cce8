# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# For shell tests in the guest that write control files: . /tests/lib/control.sh, after
# guest.sh

root=/sys/kernel/rbmap

# put FILE TEXT: writes TEXT unchanged, in one write; dd's error message is in
# /tmp/error
put()
{
	printf %b "$2" >/tmp/text
	dd if=/tmp/text of="$root/$1" bs=64k conv=notrunc 2>/tmp/error
}

# obeyed FILE VALUE [READ]: the write succeeds, and FILE reads VALUE or READ
obeyed()
{
	put "$1" "$2"
	is "$(cat "$root/$1")" "${3-$2}" "$1 takes '$2'"
}

# refused FILE VALUE ERROR: the write fails with ERROR, and FILE is unchanged
refused()
{
	refused_before=$(cat "$root/$1" 2>/dev/null)
	refused_text=$2
	[ ${#2} -le 40 ] || refused_text=$(printf %s "$2" | cut -c 1-40)
	if put "$1" "$2"; then
		fail "$1 refuses '$refused_text'"
		return
	fi
	like "$(cat /tmp/error)" "$3" "$1 refuses '$refused_text': $3"
	is "$(cat "$root/$1" 2>/dev/null)" "$refused_before" "$1 is unchanged"
}

# recorded COMMAND: prints how many events COMMAND causes
recorded()
{
	recorded_before=$(summed emitted)
	eval "$1"
	echo $(($(summed emitted) - recorded_before))
}

# same_format SYSTEM/EVENT: the format is tracefs's, but for the number
same_format()
{
	is "$(sed 's/^ID: .*/ID: N/' "$root/events/$1/format")" \
		"$(sed 's/^ID: .*/ID: N/' "/sys/kernel/tracing/events/$1/format")" "$1 has ftrace's format"
}

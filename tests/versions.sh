# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Programs and libraries of Debian 12 and 13 do some things differently. These functions
# are for shell tests of this machine, and of guests, which have this file in /tests/lib.
# The two releases also differ in the names of packages (tests/install-packages), in the
# folder of terminals' descriptions (terminfo() in tests/vm/sets.py), and in the processor
# that QEMU emulates (tests/vm/run).

# trace_cmd_report ARGUMENT...: trace-cmd report without a column that 3.2 and later print
# between the CPU and the time. It has flags such as `d.h1.`, and no option omits it. rbmap
# report prints the lines of 3.1 on each release, because scripts depend on its columns.
trace_cmd_report()
{
	local lines status

	lines=$(trace-cmd report "$@")
	status=$?
	printf '%s\n' "$lines" |
		sed -E 's/^([^[]*-[0-9]+ +\[[0-9]+\]) [^ 0-9][^ ]*( +[0-9.]+: )/\1\2/'
	return $status
}

# array_pattern DECIMAL HEXADECIMAL: prints a pattern for an array of __print_array, of
# which the arguments are the patterns of its numbers. libtraceevent up to 1.7 prints
# `3 4`, and later versions `{0x3,0x4}`, as the kernel does. rbmap report leaves formats
# with such an array to the library.
array_pattern()
{
	printf '(%s|\\{%s\\})' "$1" "$2"
}

# ctf_versions: prints the versions of CTF that sink.ctf.fs writes, its own choice first.
# babeltrace2 2.1 writes CTF 2 without being asked, and has a parameter for 1.8. 2.0 writes
# 1.8 alone and refuses that parameter.
ctf_versions()
{
	case $(babeltrace2 --version) in
	"Babeltrace 2.0"*) echo 1.8 ;;
	*) echo "2 1.8" ;;
	esac
}

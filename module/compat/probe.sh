#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: RBMAP_CC=COMPILER probe.sh OUTPUT MODULE-DIRECTORY [OPTION...]
#
# Asks the kernel's headers what they offer, by compiling: each tests/<name>.c
# that compiles becomes RBMAP_HAVE_<NAME> in OUTPUT, and each probe that compiles
# RBMAP_FITS_<tracepoint>. COMPILER, which can be several words, and OPTIONs are those of
# a file of the module; RBMAP_KERNEL_CC is the compiler that built the kernel, as its
# configuration says.
set -u

output=$1
module=$2
shift 2

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
# Another kernel's answers must not be found in place of those to come.
rm -f "$output"

# compiler ARGUMENT...: without a translation of its messages, which are read below
compiler()
{
	# shellcheck disable=SC2086 # words
	LC_ALL=C $RBMAP_CC "$@"
}

# compiles FILE OPTION...: what it says is in $dir/log.NAME. A type that does not fit is
# an error here; other warnings, of headers too, are not. A precompiled header comes first.
compiles()
{
	file=$1
	shift
	compiler -include "$dir/headers.h" "$@" -g0 -Werror=incompatible-pointer-types \
		-Werror=int-conversion -Werror=implicit-function-declaration \
		-fsyntax-only "$file" >"$dir/log.${file##*/}" 2>&1
}

# The compiler reads the headers of most tests once, which takes most of the time of a
# test. headers.h is empty: if the compiler does not accept headers.h.gch, each test
# still includes what it needs. compiler-version.h complains about a second -include.
precompile()
{
	: >"$dir/headers.h"
	printf '#include <linux/%s.h>\n' module mm device security sched/isolation \
		trace_events >"$dir/precompiled.h"
	echo '#undef __LINUX_COMPILER_VERSION_H' >>"$dir/precompiled.h"
	compiler "$@" -g0 -x c-header -o "$dir/headers.h.gch" "$dir/precompiled.h" >/dev/null 2>&1
}

# Does anything compile, with the precompiled headers or without?
is_sane()
{
	compiles "$module/compat/tests/sanity.c" "$@" && return
	rm -f "$dir/headers.h.gch"
	compiles "$module/compat/tests/sanity.c" "$@"
}

# Names of the tracepoints that a file of probes wants.
wanted()
{
	sed -n 's/^[[:space:]]*event(\([a-z0-9_]*\)).*/\1/p' "$1"
}

# fits TRACEPOINT...: options that ask for these probes
fits()
{
	for name; do
		echo "-DRBMAP_FITS_$name=1"
	done
}

# test_alone NAME OPTION...: prints NAME if that test compiles
test_alone()
{
	name=$1
	shift
	! compiles "$module/compat/tests/$name.c" "$@" || echo "$name"
}

# The tests that the errors name in which the compilation of all has ended
failed_tests()
{
	sed -n 's|.*/compat/tests/\([a-z0-9_]*\)\.c:[0-9:]* [a-z ]*error: .*|\1|p' "$dir/log.features.c" | sort -u
}

# Prints the names of the tests that compile. The compiler tries all at once, then all but
# those with errors, until there is no error. Tests are alone that include a header of
# tracepoints, which may not be there or not compile. So are all if an error names no test.
# The names in a test begin with that of its file, because all share one compilation.
# shellcheck disable=SC2086 # words
test_features()
{
	alone=$(cd "$module/compat/tests" && grep -l '^#include <.*trace/' -- *.c | sed 's/\.c$//')
	trying=$(cd "$module/compat/tests" && printf '%s\n' *.c | sed 's/\.c$//' |
		grep -vxF "$(printf '%s\n' sanity $alone)")
	while
		for name in $trying; do
			echo "#include \"$module/compat/tests/$name.c\""
		done >"$dir/features.c"
		! compiles "$dir/features.c" "$@"
	do
		failed=$(failed_tests | grep -xF "$trying")
		if [ -z "$failed" ]; then
			alone="$alone $trying"
			trying=
			break
		fi
		trying=$(echo "$trying" | grep -vxF "$failed")
	done
	echo "$trying"
	for name in $alone; do
		test_alone "$name" "$@" &
	done
	wait
}

# names_without FILE...: the tracepoints that other files of probes want
names_without()
{
	for file in "$module"/probes/*.c; do
		case " $* " in
		*" ${file##*/} "*) ;;
		*) wanted "$file" ;;
		esac
	done
}

# together NAMES OPTION...: do all files compile in one object, with these probes?
together()
{
	names=$1
	shift
	# shellcheck disable=SC2046,SC2086 # words
	compiles "$module/probes/build.c" "$@" -I"$dir" $(fits $names)
}

# The files of probes that the errors of together() name
accused()
{
	sed -n 's|.*/probes/\([a-z_]*\.c\):[0-9].*|\1|p' "$dir/log.build.c" | sort -u |
		grep -vx 'build\.c'
}

# All probes of a file at once; one by one only where that fails.
test_probes()
{
	file=$1
	shift
	names=$(wanted "$file")
	# shellcheck disable=SC2046,SC2086 # words
	if compiles "$file" "$@" -I"$dir" $(fits $names); then
		echo "$names" >"$dir/fits.${file##*/}"
		return
	fi
	for name in $names; do
		# shellcheck disable=SC2046
		if compiles "$file" "$@" -I"$dir" $(fits "$name"); then
			echo "$name" >>"$dir/fits.${file##*/}"
		else
			{
				echo "rbmap: warning: left out: the probe of $name does not fit this kernel:"
				grep -m 3 -i error "$dir/log.${file##*/}" | sed 's/^/  /'
			} >&2
		fi
	done
}

# Sets $fitting. The files of probes are one object. All are tried at once, and those
# alone that the errors name.
# shellcheck disable=SC2086 # words
test_all_probes()
{
	alone=
	while fitting=$(names_without $alone) && ! together "$fitting" "$@"; do
		more=$(accused | grep -vxF "$(printf '%s\n' none $alone)")
		if [ -z "$more" ]; then
			alone=$(cd "$module/probes" && echo *.c)
			fitting=
			break
		fi
		alone="$alone $more"
	done
	[ "$alone" ] || return
	for file in $alone; do
		test_probes "$module/probes/$file" "$@" &
	done
	wait
	fitting="$fitting $(cat "$dir"/fits.* 2>/dev/null)"
	while ! together "$fitting" "$@"; do
		leave_out_accused || return
	done
}

# Takes from $fitting the probes of the files that the errors of together() name, or else
# all of them. Fails if there are none.
# shellcheck disable=SC2086 # words
leave_out_accused()
{
	guilty=$(for file in $(accused); do wanted "$module/probes/$file"; done)
	out=$(printf '%s\n' $fitting | grep -xF "${guilty:-none}")
	: "${out:=$fitting}"
	[ "$out" ] || return
	{
		echo "rbmap: warning: left out: probes that do not compile beside those of other files:" $out
		grep -m 3 -i error "$dir/log.build.c" | sed 's/^/  /'
	} >&2
	fitting=$(printf '%s\n' $fitting | grep -vxF "$(printf '%s\n' $out)")
}

precompile "$@"
if ! is_sane "$@"; then
	{
		echo "rbmap: not even an empty module compiles for this kernel:"
		sed 's/^/  /' "$dir/log.sanity.c" | head -n 20
		echo "rbmap: are the kernel's headers complete, and is $RBMAP_CC the compiler that they want?"
		echo "rbmap:   the kernel was built by: ${RBMAP_KERNEL_CC:-it does not say}"
		version=$(compiler --version 2>&1 | head -n 1)
		echo "rbmap:   this compiler is:        $version"
		case ${RBMAP_KERNEL_CC:-}/$version in
		*clang*/*clang*) ;;
		*clang*/*) echo "rbmap: with clang and lld: make LLVM=1" ;;
		esac
	} >&2
	exit 1
fi

test_features "$@" | tr '[:lower:]' '[:upper:]' | sort |
	sed -n 's/^..*/#define RBMAP_HAVE_& 1/p' >"$dir/rbmap_features.h"

test_all_probes "$@"
{
	echo "/* Made by compat/probe.sh. */"
	cat "$dir/rbmap_features.h"
	for name in $fitting; do
		echo "#define RBMAP_FITS_$name 1"
	done
} >"$dir/output" && mv "$dir/output" "$output"

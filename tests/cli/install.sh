#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests that make install-user installs all files below DESTDIR and PREFIX, and that make
# uninstall removes all of them.
# shellcheck disable=SC2317 # `ok` calls the functions
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# run_make TARGET: run make, independent of the make that runs this script
run_make()
{
	env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory "$1" \
		DESTDIR="$dir/root" PREFIX=/opt/x >"$dir/log" 2>&1
}

# The packages that pkg-config knows come with 'make demo'.
mkdir "$dir/bin"
printf '#!/bin/sh\necho "pkg-config knows nothing" >&2\nexit 1\n' >"$dir/bin/pkg-config"
chmod +x "$dir/bin/pkg-config"
env -u MAKEFLAGS -u MAKELEVEL PATH="$dir/bin:$PATH" make -n demo >"$dir/log" 2>&1
ok "make demo does not ask pkg-config before it installs packages" \
	test "$(grep -c 'pkg-config knows nothing' "$dir/log")" = 0
rm "$dir/bin/pkg-config"

# no_python TARGET [OPTION...]: on a machine that has no python3; -o: do not build the package
no_python()
{
	env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory -o python \
		PYTHON3="$dir/bin/python3" DESTDIR="$dir/python" "$@" >"$dir/log" 2>&1
}

no_python -n uninstall-python
ok "make uninstall-python without python3 removes nothing" \
	test "$(grep -c 'rm -rf' "$dir/log")" = 0
no_python install-python
ok "make install-python without python3 says what to set" grep -q 'set PYTHONDIR$' "$dir/log"
ok "it installs nothing" test ! -e "$dir/python"
no_python -n uninstall-python PYTHONDIR=/opt/modules
ok "make uninstall-python removes the package" \
	grep -qx "rm -rf $dir/python/opt/modules/rbmap" "$dir/log"

mkdir "$dir/a blank" "$dir/headers"
: >"$dir/headers/Makefile"
cp -r Makefile VERSION module userspace tests "$dir/a blank"
env -u MAKEFLAGS -u MAKELEVEL make -s -C "$dir/a blank" modules KDIR="$dir/headers" >"$dir/log" 2>&1
ok "make modules in a path with a blank says that it cannot" \
	grep -q "^rbmap: .* take no path with a blank" "$dir/log"
ok "it prints no block to report" test "$(grep -c '8<' "$dir/log")" = 0

printf '#!/bin/sh\necho "$@" >>%s/dkms.log\n' "$dir" >"$dir/bin/dkms"
chmod +x "$dir/bin/dkms"
ok "make install-dkms with DESTDIR" env -u MAKEFLAGS -u MAKELEVEL PATH="$dir/bin:$PATH" \
	make -s --no-print-directory -o install-user install-dkms DESTDIR="$dir/dkms"
ok "it installs the source" test -s "$dir/dkms/usr/src/rbmap-$(cat VERSION)/dkms.conf"
ok "it leaves DKMS of this machine alone" test ! -e "$dir/dkms.log"

# own_prefix TARGET: below a PREFIX of the user's own
own_prefix()
{
	env -u MAKEFLAGS -u MAKELEVEL PATH="$dir/bin:$PATH" make -s --no-print-directory "$1" \
		DESTDIR= PREFIX="$dir/own" >"$dir/log" 2>&1
}

printf '#!/bin/sh\necho "cannot create the cache" >&2\nexit 1\n' >"$dir/bin/ldconfig"
chmod +x "$dir/bin/ldconfig"
ok "make install-lib where ldconfig fails" own_prefix install-lib
ok "it says what to set" \
	grep -qx "rbmap: run ldconfig as root, or set LD_LIBRARY_PATH=$dir/own/lib" "$dir/log"
ok "make uninstall-lib where ldconfig fails" own_prefix uninstall-lib

ok "make install-user" run_make install-user
for file in bin/rbmap lib/librbmap.a include/linux/rbmap.h \
	share/man/man1/rbmap.1 share/bash-completion/completions/rbmap \
	share/zsh/site-functions/_rbmap share/fish/vendor_completions.d/rbmap.fish \
	share/rbmap/rbmap-json.schema.json \
	share/rbmap/rbmap-latency.schema.json share/rbmap/rbmap-top.schema.json \
	share/rbmap/rbmap-why.schema.json \
	etc/rbmap/flight-recorder.conf lib/systemd/system/rbmap-flight-recorder.service \
	lib/udev/rules.d/60-rbmap.rules lib/sysusers.d/rbmap.conf \
	include/rbmap/probe.mk include/rbmap/kernel/include/rbmap/probe.h; do
	ok "PREFIX/$file is installed" test -s "$dir/root/opt/x/$file"
done
for page in docs/man/*.[15]; do
	case $page in
	*/rbmap-ship.1 | */rbmap-collect.1 | */rbmap-fleet.1) continue ;; # install-fleet
	esac
	ok "${page##*/} is installed" \
		test -s "$dir/root/opt/x/share/man/man${page##*.}/${page##*/}"
done
# A page can have several functions: the others are links to it.
functions=$(sed -n 's/^\t\(rbmap_[a-z_]*\);/\1/p' userspace/lib/librbmap.map)
ok "librbmap.map has functions" test -n "$functions"
missing=
for function in $functions; do
	grep -q "^\.B.*$function" "$dir/root/opt/x/share/man/man3/$function.3" 2>/dev/null ||
		missing="$missing $function"
done
ok "each function of the library has a manual page that describes it$missing" test -z "$missing"
unit=$dir/root/opt/x/lib/systemd/system/rbmap-flight-recorder.service
ok "the service runs the command that is installed" grep -q '=/opt/x/bin/rbmap record ' "$unit"
ok "the service has the settings that are installed" \
	grep -q ' --settings /opt/x/etc/rbmap/flight-recorder.conf$' "$unit"
ok "make install-service, with the default PREFIX" env -u MAKEFLAGS -u MAKELEVEL \
	make -s --no-print-directory install-service DESTDIR="$dir/local"
ok "its settings are where the documents say" test -s "$dir/local/etc/rbmap/flight-recorder.conf"
ok "that service has these settings" grep -q ' --settings /etc/rbmap/flight-recorder.conf$' \
	"$dir/local/usr/local/lib/systemd/system/rbmap-flight-recorder.service"
conf=$dir/root/opt/x/etc/rbmap/flight-recorder.conf
# All settings are valid: the directory is what the command misses.
sed "s,^directory = .*,directory = $dir/none," "$conf" >"$dir/conf"
says 1 "cannot write to the directory $dir/none: " record --settings "$dir/conf"
# So are those that are commented out.
sed -n 's/^#\([a-z].*\)/\1/p' "$conf" >>"$dir/conf"
ok "the file shows more settings" test "$(wc -l <"$dir/conf")" -gt "$(wc -l <"$conf")"
says 1 "cannot write to the directory $dir/none: " record --settings "$dir/conf"
echo 'keep = 7' >>"$conf"
ok "make install-user, again" run_make install-user
ok "changed settings stay" grep -q '^keep = 7$' "$conf"
ok "make uninstall, with changed settings" run_make uninstall
ok "changed settings are not removed" grep -q '^keep = 7$' "$conf"
rm "$conf"
ok "make install-user, once more" run_make install-user

# The headers of a program, for old compilers and for those that accept no extension
printf '#include <rbmap.h>\n#include <linux/rbmap.h>\nint main(void) { return 0; }\n' >"$dir/use.c"
for compiler in "gcc -std=c89" "gcc -std=c11" "g++ -xc++ -std=c++98" "g++ -xc++ -std=c++17"; do
	command -v "${compiler%% *}" >/dev/null || {
		skip "${compiler%% *} is not installed" "$compiler reads the headers"
		continue
	}
	# shellcheck disable=SC2086 # words
	ok "$compiler reads the headers" $compiler -pedantic-errors -Wall -Wextra -Werror \
		"-I$dir/root/opt/x/include" -fsyntax-only "$dir/use.c"
done

# A systemd older than 250 knows no --offline.
unit_dir=$dir/unit
mkdir -p "$unit_dir"
sed 's,/opt/x/bin/rbmap,/bin/true,' "$unit" >"$unit_dir/rbmap-flight-recorder.service"
exposure=$(systemd-analyze security --offline=true --no-pager \
	"$unit_dir/rbmap-flight-recorder.service" 2>"$dir/log" |
	sed -n 's/.*exposure level for .*: \([0-9]*\)[.]\([0-9]\) .*/\1\2/p')
if command -v systemd-analyze >/dev/null; then
	ok "systemd-analyze: the service is exposed by 2.0 at most ($exposure tenths)" \
		test "${exposure:-99}" -le 20
else
	skip "systemd-analyze is not installed" "the exposure of the service"
fi

# Headers like Debian's, where config/kernel.release has only a part of the name.
kernel=6.1.0-9-cloud-amd64
mkdir -p "$dir/kernel/include/config" "$dir/kernel/include/generated" "$dir/probe"
echo 6.1.99 >"$dir/kernel/include/config/kernel.release"
echo "#define UTS_RELEASE \"$kernel\"" >"$dir/kernel/include/generated/utsrelease.h"
: >"$dir/kernel/Makefile"
printf 'obj-m := x.o\ninclude %s\n' "$dir/root/opt/x/include/rbmap/probe.mk" >"$dir/probe/Makefile"
env -u MAKEFLAGS -u MAKELEVEL make -C "$dir/probe" KDIR="$dir/kernel" >"$dir/log" 2>&1
ok "probe.mk knows the kernel of the headers" \
	grep -q "^rbmap: is not built for kernel $kernel: " "$dir/log"
ok "probe.mk says how to build rbmap for that kernel" grep -q "dkms autoinstall -k $kernel\$" "$dir/log"

ok "install-user installs no file outside of PREFIX" \
	test -z "$(find "$dir/root" -path "$dir/root/opt" -prune -o -type f -print)"
for folder in updates extra; do
	mkdir -p "$dir/root/lib/modules/$kernel/$folder"
	: >"$dir/root/lib/modules/$kernel/$folder/rbmap.ko.xz"
	: >"$dir/root/lib/modules/$kernel/$folder/rbmap_selftest.ko"
done
ok "make uninstall" run_make uninstall
ok "make uninstall leaves no file" test -z "$(find "$dir/root" ! -type d)"
ok "make uninstall leaves no directory of rbmap" test -z "$(find "$dir/root" -name '*rbmap*')"
done_testing

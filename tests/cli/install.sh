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

ok "make install-user" run_make install-user
for file in bin/rbmap lib/librbmap.a include/linux/rbmap.h \
	share/man/man1/rbmap.1 share/bash-completion/completions/rbmap \
	share/zsh/site-functions/_rbmap lib/systemd/system/rbmap-flight-recorder.service \
	lib/udev/rules.d/60-rbmap.rules lib/sysusers.d/rbmap.conf \
	include/rbmap/probe.mk include/rbmap/kernel/include/rbmap/probe.h; do
	ok "PREFIX/$file is installed" test -s "$dir/root/opt/x/$file"
done
for page in docs/man/*.[15]; do
	ok "${page##*/} is installed" \
		test -s "$dir/root/opt/x/share/man/man${page##*.}/${page##*/}"
done
ok "the service runs the command that is installed" grep -q '[ "]/opt/x/bin/rbmap record ' \
	"$dir/root/opt/x/lib/systemd/system/rbmap-flight-recorder.service"

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
ok "make uninstall" run_make uninstall
ok "make uninstall leaves no file" test -z "$(find "$dir/root" ! -type d)"
done_testing

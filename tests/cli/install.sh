#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# make install-user puts everything below DESTDIR and PREFIX, and make uninstall
# takes it all away again.
# shellcheck disable=SC2317 # called by ok
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"

# run_make TARGET: not a part of the make that runs us
run_make()
{
	env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory "$1" \
		DESTDIR="$dir/root" PREFIX=/opt/x >"$dir/log" 2>&1
}

ok "make install-user" run_make install-user
for file in bin/rbmap lib/librbmap.a include/linux/rbmap.h \
	share/man/man1/rbmap.1 share/bash-completion/completions/rbmap \
	lib/udev/rules.d/60-rbmap.rules lib/sysusers.d/rbmap.conf \
	include/rbmap/probe.mk include/rbmap/kernel/include/rbmap/probe.h; do
	ok "PREFIX/$file" test -s "$dir/root/opt/x/$file"
done
for page in docs/man/*.[15]; do
	ok "${page##*/} is installed" \
		test -s "$dir/root/opt/x/share/man/man${page##*.}/${page##*/}"
done
ok "nothing is outside of PREFIX" \
	test -z "$(find "$dir/root" -path "$dir/root/opt" -prune -o -type f -print)"
ok "make uninstall" run_make uninstall
ok "no file is left" test -z "$(find "$dir/root" ! -type d)"
done_testing

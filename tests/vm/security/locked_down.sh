#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel that was booted locked down refuses an unsigned module.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

mount -t securityfs securityfs /sys/kernel/security
[ -e /sys/kernel/security/lockdown ] || skip_all "this kernel has no lockdown"
like "$(cat /sys/kernel/security/lockdown)" '\[confidentiality\]' "the kernel is locked down"
rbmap load --module /modules/rbmap.ko 2>/tmp/err
is $? 1 "rbmap load: 1"
like "$(cat /tmp/err)" 'this kernel is locked down and loads signed modules only: sign it with a key' \
	"rbmap load prints cause and remedy"
is "$(wc -l </tmp/err)" 1 "rbmap load prints one line"
fails "the module is not loaded" is_loaded rbmap
done_testing

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests DKMS in a Debian system that has the sources where `make install-dkms` puts them:
# installing, a newer kernel, kernels that do not fit, removal. For each kernel it leaves
# modules in /srv/out, which `run` boots.
# shellcheck disable=SC2016,SC2317 # inner scripts; `said` calls the functions
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/packages/kernel.sh
. /tests/lib/kernel.sh

version=$1
older=$(ls /lib/modules)
# The kernel's name as a pattern: names in Debian 13 contain a +.
exactly_older=$(printf '%s\n' "$older" | sed 's/[.+]/\\&/g')
sources=/usr/src/rbmap-$version
kept=/var/lib/dkms/rbmap

status_of()
{
	dkms status -m rbmap -k "$1"
}

# write_probes KERNEL: write probes for the kernel with rbmap new-probe and its types
write_probes()
{
	types=/srv/types-older
	[ "$1" = "$older" ] || types=/srv/types-newer
	# tests/vm/event/new_probe.sh loads them.
	rbmap new-probe -k "$1" -b "$types" my_switch sched_switch "/root/$1/my_switch" || return
	for name in rename:task_rename timer:timer_start; do
		rbmap new-probe -k "$1" -b "$types" -g new "new_${name%:*}" "${name#*:}" \
			"/root/$1/new_${name%:*}" || return
	done
}

build_probes()
{
	for dir in /root/"$1"/*_*; do
		make -C "$dir" || return
	done
}

# custom_probes KERNEL: build the probes; keep them and the module for `run`
custom_probes()
{
	said build_probes "$1"
	is "$status" 0 "$1: probes written by rbmap new-probe build" || diag "$output"
	mkdir -p "/srv/out/$1"
	cp /root/"$1"/*_*/*.ko "/lib/modules/$1/updates/dkms/"rbmap.ko* "/srv/out/$1/"
	xz -qd "/srv/out/$1/rbmap.ko.xz" 2>/dev/null
}

installed()
{
	like "$(status_of "$1")" ': installed$' "$1: DKMS has installed rbmap"
	is "$(modinfo -F version "$(module_of "$1")")" "$version" "$1: the module has version $version"
	like "$(modinfo -F signer "$(module_of "$1")")" 'DKMS' "$1: the module is signed with DKMS's key"
	is "$(modinfo -F version "$(module_of "$1" rbmap_selftest)")" "$version" \
		"$1: so has the module of the selftest"
	like "$(modinfo -F signer "$(module_of "$1" rbmap_selftest)")" 'DKMS' "$1: and it is signed, too"
	ok "$1: DKMS has kept the module's symbols" test -s "$kept/kernel-$1-$(uname -m)/rbmap.symvers"
}

mkdir "/root/$older"
said write_probes "$older"
is "$status" 0 "rbmap new-probe before rbmap is installed" || diag "$output"
said make -C "/root/$older/my_switch"
is "$status" 2 "before rbmap is installed no probe builds"
like "$output" "rbmap: is not built for kernel $exactly_older: " "the message names the cause"
like "$output" "With DKMS: +dkms autoinstall -k $exactly_older\$" "the message names the remedy"

# ---- installed for the existing kernels

said "$sources/module/dkms/install-all" "$version"
is "$status" 0 "install-all: DKMS builds rbmap for the existing kernels" || diag "$output"
installed "$older"
custom_probes "$older"

# ---- a newer kernel is installed and removed

said apt-get -y install /srv/new/*.deb
is "$status" 0 "a newer kernel is installed" || diag "$output"
newer=$(find /lib/modules -mindepth 1 -maxdepth 1 ! -name "$older" -printf "%f\n")
installed "$newer"
mkdir "/root/$newer"
said write_probes "$newer"
is "$status" 0 "rbmap new-probe for the newer kernel" || diag "$output"
custom_probes "$newer"
installed "$older"

said remove_kernel "$newer"
is "$status" 0 "the newer kernel is removed" || diag "$output"
is "$(status_of "$newer")" "rbmap/$version: added" "$newer: DKMS has forgotten it"
is "$(find / -xdev -path /srv -prune -o -path /proc -prune -o -path "*$newer*rbmap*" -print)" '' \
	"$newer: no file of rbmap is left"
like "$(status_of "$older")" ': installed$' "$older: rbmap is still installed"

# ---- kernels that rbmap does not support

# no_kernel NAME CONFIGURATION: make headers with a configuration and nothing else
no_kernel()
{
	mkdir -p "/lib/modules/$1/build/include"
	: >"/lib/modules/$1/build/Makefile"
	printf '%s\n' "$2" >"/lib/modules/$1/build/.config"
}

no_kernel 6.1.0-untraced "CONFIG_64BIT=y
# CONFIG_TRACEPOINTS is not set"
no_kernel 6.1.0-686 CONFIG_TRACEPOINTS=y
for refused in 6.1.0-untraced:CONFIG_TRACEPOINTS 6.1.0-686:CONFIG_64BIT; do
	said dkms install -m rbmap -v "$version" -k "${refused%:*}"
	is "$status" 77 "${refused%:*}: DKMS skips the kernel"
	like "$output" "^rbmap: not for kernel ${refused%:*}: it is built without ${refused#*:}\$" \
		"${refused%:*}: the message names the missing option"
	diag "$output"
	rm -r "/lib/modules/${refused%:*}"
done

# ---- headers that lack

mkdir /lib/modules/6.1.0-bare
said dkms install -m rbmap -v "$version" -k 6.1.0-bare
# DKMS 3.0 exits with 1, DKMS 3.2 with 21.
like "$status" '^(1|21)$' "without kernel headers dkms install fails"
like "$output" 'kernel headers .* cannot be found' "without kernel headers: the cause is named"
like "$output" 'install the linux-headers-6.1.0-bare package' \
	"without kernel headers: the remedy is named"
diag "$output"
rm -r /lib/modules/6.1.0-bare

# ---- a compiler other than the kernel's

dkms remove -m rbmap -v "$version" -k "$older" >/dev/null
said make -C "/root/$older/my_switch"
is "$status" 2 "after dkms remove no probe builds"
like "$output" "rbmap: is not built for kernel $exactly_older: " \
	"after dkms remove: the message names the cause"
dkms add -m rbmap -v "$version" >/dev/null 2>&1
compiler=$(sed -n 's/^CONFIG_CC_VERSION_TEXT="\([^ ]*\) .*/\1/p' \
	"/lib/modules/$older/build/.config")
compiler=$(command -v "$compiler" || command -v "${compiler##*gnu-}")
mv "$compiler" "$compiler.not"
printf '#!/bin/sh\ncase " $* " in *" --version "*) echo othercc 1.0 ;; *) echo "othercc: no such option: $1" >&2; exit 1 ;; esac\n' \
	>"$compiler"
chmod +x "$compiler"
said dkms install -m rbmap -v "$version" -k "$older"
mv "$compiler.not" "$compiler"
is "$status" 10 "another compiler: dkms install fails"
like "$output" 'make.log for more information' "another compiler: DKMS names the log"
log=$(cat "$kept/$version/build/make.log")
like "$log" '^rbmap: not even an empty module compiles for this kernel' "another compiler: the log names the cause"
like "$log" '^rbmap:   the kernel was built by: .*gcc' "another compiler: the log names the kernel's compiler"
like "$log" '^rbmap:   this compiler is: +othercc 1.0' "another compiler: the log names this compiler"
like "$log" '^-+8<-+ rbmap' "another compiler: the log has a block to report"
diag "$(printf '%s\n' "$log" | grep 'rbmap:')"
said dkms autoinstall -k "$older"
is "$status" 0 "with the right compiler, dkms autoinstall succeeds" || diag "$output"
installed "$older"

# ---- removed

said "$sources/module/dkms/remove-all"
is "$status" 0 "remove-all succeeds" || diag "$output"
is "$(dkms status)" '' "remove-all: DKMS does not list rbmap"
is "$(find /usr/src /var/lib/dkms /lib/modules -name '*rbmap*')" '' "remove-all: no file is left"

# ---- without DKMS

said make -C /srv/tree -s modules_install KVER="$older"
is "$status" 0 "$older: make modules_install" || diag "$output"
like "$(modinfo -k "$older" -n rbmap)" '/rbmap\.ko' "$older: modinfo finds the installed module"
said make -C "/root/$older/my_switch" clean modules
is "$status" 0 "a probe builds against the installed module" || diag "$output"
is "$(find /lib/modules -newer "/root/$older/my_switch/Makefile" -name '*.symvers')" \
	"$(dirname "$(modinfo -k "$older" -n rbmap)")/rbmap.symvers" "the symbols lie beside the installed module"
said make -C /srv/tree -s uninstall
is "$status" 0 "make uninstall" || diag "$output"
is "$(find /lib/modules /usr/local -name '*rbmap*')" '' "make uninstall: no file is left"

mv /lib/modules /lib/modules.not
mkdir /lib/modules
said sh /srv/install-all "$version"
is "$status" 1 "without any kernel headers install-all fails"
like "$output" "no kernel's headers are installed: apt-get install linux-headers-$(uname -r)" \
	"without any kernel headers: the message names the remedy"
diag "$output"
done_testing

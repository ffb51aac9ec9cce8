#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In a Debian system with the sources where `make install-dkms` puts them: what
# DKMS does with them in the life of a machine. `run` boots what is left in
# /srv/out for each kernel.
# shellcheck disable=SC2016,SC2317 # another script; functions that said calls
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/packages/kernel.sh
. /tests/lib/kernel.sh

version=$1
older=$(ls /lib/modules)
# A kernel's name as it is: Debian 13 has a + there.
exactly_older=$(printf '%s\n' "$older" | sed 's/[.+]/\\&/g')
sources=/usr/src/rbmap-$version
kept=/var/lib/dkms/rbmap

status_of()
{
	dkms status -m rbmap -k "$1"
}

# write_probes KERNEL: as rbmap new-probe writes them for it, with its types
write_probes()
{
	types=/srv/types-older
	[ "$1" = "$older" ] || types=/srv/types-newer
	for name in switch:sched_switch rename:task_rename timer:timer_start; do
		rbmap new-probe -k "$1" -b "$types" -g new "new_${name%:*}" "${name#*:}" \
			"/root/$1/new_${name%:*}" || return
	done
}

build_probes()
{
	for dir in /root/"$1"/new_*; do
		make -C "$dir" || return
	done
}

# custom_probes KERNEL: build, and are kept with the module for `run`
custom_probes()
{
	said build_probes "$1"
	is "$status" 0 "$1: what rbmap new-probe has written builds" || diag "$output"
	mkdir -p "/srv/out/$1"
	cp /root/"$1"/new_*/*.ko "/lib/modules/$1/updates/dkms/"rbmap.ko* "/srv/out/$1/"
	xz -qd "/srv/out/$1/rbmap.ko.xz" 2>/dev/null
}

installed()
{
	like "$(status_of "$1")" ': installed$' "$1: DKMS has installed it"
	is "$(modinfo -F version "$(module_of "$1")")" "$version" "$1: the module is this one"
	like "$(modinfo -F signer "$(module_of "$1")")" 'DKMS' "$1: signed with DKMS's key"
	ok "$1: its symbols are kept" test -s "$kept/kernel-$1-$(uname -m)/rbmap.symvers"
}

mkdir "/root/$older"
said write_probes "$older"
is "$status" 0 "rbmap new-probe" || diag "$output"
said make -C "/root/$older/new_switch"
is "$status" 2 "before it is installed no probe is built"
like "$output" "rbmap: is not built for kernel $exactly_older: " "that is why"
like "$output" "With DKMS: +dkms autoinstall -k $exactly_older\$" "and what to do"

# ---- installed for what there is

said "$sources/module/dkms/install-all" "$version"
is "$status" 0 "DKMS builds it for the kernels that there are" || diag "$output"
installed "$older"
custom_probes "$older"

# ---- a newer kernel comes, and goes

said apt-get -y install /srv/new/*.deb
is "$status" 0 "a newer kernel is installed" || diag "$output"
newer=$(find /lib/modules -mindepth 1 -maxdepth 1 ! -name "$older" -printf "%f\n")
installed "$newer"
mkdir "/root/$newer"
said write_probes "$newer"
is "$status" 0 "rbmap new-probe for it" || diag "$output"
custom_probes "$newer"
installed "$older"

said remove_kernel "$newer"
is "$status" 0 "it is removed again" || diag "$output"
is "$(status_of "$newer")" "rbmap/$version: added" "$newer: DKMS has forgotten it"
is "$(find / -xdev -path /srv -prune -o -path /proc -prune -o -path "*$newer*rbmap*" -print)" '' \
	"$newer: nothing is left"
like "$(status_of "$older")" ': installed$' "$older: is as it was"

# ---- kernels that can't have it

# no_kernel NAME CONFIGURATION: headers that end there
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
	is "$status" 77 "${refused%:*}: DKMS passes over it"
	like "$output" "^rbmap: not for kernel ${refused%:*}: it is built without ${refused#*:}\$" \
		"and that is why"
	diag "$output"
	rm -r "/lib/modules/${refused%:*}"
done

# ---- headers that lack

mkdir /lib/modules/6.1.0-bare
said dkms install -m rbmap -v "$version" -k 6.1.0-bare
# DKMS 3.0 says 1, 3.2 says 21.
like "$status" '^(1|21)$' "headers lack: not built"
like "$output" 'kernel headers .* cannot be found' "that is why"
like "$output" 'install the linux-headers-6.1.0-bare package' "and what to do"
diag "$output"
rm -r /lib/modules/6.1.0-bare

# ---- a compiler that is not the kernel's

dkms remove -m rbmap -v "$version" -k "$older" >/dev/null
said make -C "/root/$older/new_switch"
is "$status" 2 "after dkms remove no probe is built"
like "$output" "rbmap: is not built for kernel $exactly_older: " "that is why"
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
is "$status" 10 "another compiler: not built"
like "$output" 'make.log for more information' "DKMS says where to look"
log=$(cat "$kept/$version/build/make.log")
like "$log" '^rbmap: not even an empty module compiles for this kernel' "there is why"
like "$log" '^rbmap:   the kernel was built by: .*gcc' "and what the kernel was built by"
like "$log" '^rbmap:   this compiler is: +othercc 1.0' "and what there is"
like "$log" '^-+8<-+ rbmap' "and what to report"
diag "$(printf '%s\n' "$log" | grep 'rbmap:')"
said dkms autoinstall -k "$older"
is "$status" 0 "with the right one, what the message told does it" || diag "$output"
installed "$older"

# ---- gone

said "$sources/module/dkms/remove-all"
is "$status" 0 "taken out of DKMS" || diag "$output"
is "$(dkms status)" '' "DKMS knows nothing of it"
is "$(find /usr/src /var/lib/dkms /lib/modules -name '*rbmap*')" '' "nothing is left"

# ---- without DKMS

said make -C /srv/tree -s modules_install KVER="$older"
is "$status" 0 "$older: make modules_install" || diag "$output"
like "$(modinfo -k "$older" -n rbmap)" '/rbmap\.ko' "$older: the module is there"
said make -C "/root/$older/new_switch" clean modules
is "$status" 0 "a probe builds against it" || diag "$output"
is "$(find /lib/modules -newer "/root/$older/new_switch/Makefile" -name '*.symvers')" \
	"$(dirname "$(modinfo -k "$older" -n rbmap)")/rbmap.symvers" "by the symbols beside the module"
said make -C /srv/tree -s uninstall
is "$status" 0 "make uninstall" || diag "$output"
is "$(find /lib/modules /usr/local -name '*rbmap*')" '' "nothing is left"

mv /lib/modules /lib/modules.not
mkdir /lib/modules
said sh /srv/install-all "$version"
is "$status" 1 "no headers at all: not installed"
like "$output" "no kernel's headers are installed: apt-get install linux-headers-$(uname -r)" \
	"and what to do"
diag "$output"
done_testing

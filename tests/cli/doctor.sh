#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests rbmap doctor on directories that look like systems: its findings, and the command
# that it suggests for each.
# shellcheck disable=SC2317 # `ok` calls the functions
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

root=$dir/root
version=$("$RBMAP" --version | cut -d ' ' -f 2)
here=6.1.0-9-test
next=6.12.1-test

# put FILE [LINE]
put()
{
	mkdir -p "$root$(dirname "$1")"
	printf '%s\n' "${2-}" >"$root$1"
}

# module FILE KERNEL [VERSION]: make a file that libkmod takes for the module: it has the
# section .modinfo
module()
{
	mkdir -p "$root$(dirname "$1")"
	cat >"$dir/module.c" <<-END
		#define INFO(name, text) static const char name[] \
			__attribute__((section(".modinfo"), used)) = text
		INFO(a, "name=rbmap");
		INFO(b, "version=${3:-$version}");
		INFO(c, "vermagic=$2 SMP preempt mod_unload ");
	END
	"${CC:-gcc}" -c -o "$root$1" "$dir/module.c"
}

# healthy: make a Debian system without faults
healthy()
{
	rm -rf "$root"
	mkdir -p "$root/lib/modules/$here/kernel" "$root/usr/src/linux-headers-$here"
	put /etc/os-release 'ID=debian'
	put /etc/group 'tracing:x:999:'
	put /usr/lib/udev/rules.d/60-rbmap.rules
	put /proc/sys/kernel/osrelease $here
	put /proc/sys/kernel/modules_disabled 0
	put /proc/modules
	put /boot/config-$here "CONFIG_64BIT=y
CONFIG_MODULES=y
CONFIG_TRACEPOINTS=y
CONFIG_CC_VERSION_TEXT=\"x86_64-linux-gnu-gcc-12 (Debian 12.2.0-14) 12.2.0\""
	put /sys/kernel/btf/vmlinux
	put /sys/module/module/parameters/sig_enforce N
	put /sys/kernel/security/lockdown '[none] integrity confidentiality'
	put /sys/devices/system/cpu/possible 0-1
	put /sys/module/rbmap/version "$version"
	put /dev/rbmap/cpu0
	put /dev/rbmap/cpu1
	put /usr/src/linux-headers-$here/Makefile
	ln -s /usr/src/linux-headers-$here "$root/lib/modules/$here/build"
	for program in make gcc gcc-12 dkms; do
		put /usr/bin/$program
	done
	put /usr/src/rbmap-"$version"/dkms.conf
	put /var/lib/dkms/rbmap/"$version"/source
	module /lib/modules/$here/updates/dkms/rbmap.ko $here
	/sbin/depmod -b "$root" $here 2>/dev/null
	# The doctor only looks for executable files.
	chmod -R u+rwX "$root"
}

# finds VERDICT CHECK TEXT [CURE]: the line of that CHECK must match the patterns
finds()
{
	"$RBMAP" doctor -r "$root" >"$dir/out" 2>&1
	status=$?
	line=$(grep -E "^[a-z]+ +$2 " "$dir/out")
	wanted=0
	[ "$1" != fail ] || wanted=1
	if [ $status = $wanted ] &&
		echo "$line" | grep -qE "^$1 +$2 +.*$3${4:+.*Run: (sudo )?$4}"; then
		pass "$1: $2: $3"
	else
		fail "$1: $2: $3"
		diag "status $status"
		diag <"$dir/out"
	fi
}

healthy
ok "rbmap doctor succeeds for a healthy system" eval "'$RBMAP' doctor -r '$root' >/dev/null"
ok "rbmap doctor prints only lines with ok for a healthy system" eval "! '$RBMAP' doctor -r '$root' | grep -v '^ok '"
ok "rbmap doctor -r accepts a path that ends with a slash" eval "'$RBMAP' doctor -r '$root/' >/dev/null"
ok "--json" eval "'$RBMAP' doctor -j -r '$root' | tr -d '\n\t ' |
	grep -q '{\"healthy\":true,\"kernel\":\"$here\",\"running\":true,\"checks\":\[{'"
finds ok kernel "$here"
finds ok headers "/usr/src/linux-headers-$here"
finds ok compiler "gcc-12, as the kernel's"
finds ok module "/updates/dkms/rbmap.ko"
finds ok devices '2 devices in /dev/rbmap for 2 CPUs'

# --- the kernel
sed -i /TRACEPOINTS/d "$root/boot/config-$here"
finds fail kernel 'was built without CONFIG_TRACEPOINTS' 'apt-get install linux-image'
rm "$root/boot/config-$here"
finds ok kernel 'its configuration was not found'
rm "$root/proc/modules"
finds fail kernel 'cannot load modules' 'apt-get install linux-image'
healthy
rm "$root/sys/kernel/btf/vmlinux"
finds note types "'rbmap probe add' and .* need --btf"

# --- building the module
healthy
rm "$root/lib/modules/$here/build"
finds note headers 'are not installed' "apt-get install linux-headers-$here\$"
rm "$root"/lib/modules/$here/updates/dkms/rbmap.ko
finds fail headers 'are not installed' "apt-get install linux-headers-$here\$"
put /etc/os-release 'NAME=x
ID=rocky
ID_LIKE="rhel centos fedora"'
finds fail headers 'are not installed' "dnf install kernel-devel-$here\$"
healthy
rm "$root/usr/bin/gcc-12"
finds note compiler "gcc is not the kernel's gcc-12" 'apt-get install gcc-12$'
rm "$root/usr/bin/gcc"
finds note compiler 'gcc-12 is not installed' 'apt-get install gcc-12$'
rm "$root/usr/bin/make"
finds note compiler 'make is not installed' 'apt-get install make$'
healthy
rm -r "$root/var/lib/dkms"
finds note dkms 'rbmap/.* is not registered' "dkms add rbmap/$version\$"
rm -r "$root/usr/src/rbmap-$version"
finds note dkms 'source of rbmap is not registered' "make install-dkms  # in rbmap's source"
rm "$root/usr/bin/dkms"
finds note dkms 'not installed' 'apt-get install dkms$'

# --- the module
healthy
rm "$root"/lib/modules/$here/updates/dkms/rbmap.ko
finds fail module "rbmap.ko is not installed for $here" "dkms install rbmap/$version -k $here\$"
rm "$root/usr/bin/dkms"
finds fail module "rbmap.ko is not installed for $here" "make modules_install KVER=$here"
healthy
rm "$root"/lib/modules/$here/modules.dep*
finds fail module 'modprobe does not find .*/rbmap.ko' "depmod $here\$"
module /lib/modules/$here/updates/dkms/rbmap.ko $next
finds fail module "was built for $next" "dkms install rbmap/$version -k $here\$"
put /lib/modules/$here/updates/dkms/rbmap.ko 'no module'
finds fail module 'is not a kernel module' "dkms install"
healthy
mkdir -p "$root/lib/modules/$next/kernel"
finds note kernels "rbmap.ko is not installed for $next" "dkms install rbmap/$version -k $next\$"
module /lib/modules/$next/updates/rbmap.ko $next
finds ok kernels "rbmap.ko is also installed for $next"

# --- permission to load the module
healthy
put /sys/module/module/parameters/sig_enforce Y
unsigned='not signed, and the kernel requires a signature'
build="dkms unbuild rbmap/$version -k $here; (sudo )?dkms install rbmap/$version -k $here"
ubuntu=/var/lib/shim-signed/mok/MOK.der
# trust KEY: a pattern of the commands behind the build
trust()
{
	echo " && (sudo )?mokutil --import $1 && (sudo )?reboot"
}

finds fail signature "$unsigned" "$build$(trust /var/lib/dkms/mok.pub)\$"
put /etc/os-release 'ID=ubuntu'
finds fail signature "$unsigned" "$build$(trust $ubuntu)\$"
# A key that exists does not sign a module that is built already.
put /var/lib/dkms/mok.pub
finds fail signature "$unsigned" "$build$(trust /var/lib/dkms/mok.pub)\$"
rm "$root/var/lib/dkms/mok.pub"
put $ubuntu
finds fail signature "$unsigned" "$build$(trust $ubuntu)\$"
rm -r "$root/usr/src/rbmap-$version"
finds fail signature "$unsigned" "make install-dkms$(trust $ubuntu)  # in rbmap's source\$"
rm "$root/usr/bin/dkms"
finds fail signature "$unsigned" \
	"apt-get install dkms && (sudo )?make install-dkms$(trust $ubuntu)  # in rbmap's source\$"
put /sys/module/module/parameters/sig_enforce N
put /sys/kernel/security/lockdown 'none [integrity] confidentiality'
finds fail signature 'kernel lockdown'
put /sys/kernel/security/lockdown 'none integrity [confidentiality]'
finds fail lockdown 'forbids tracing'

# --- the loaded module
healthy
rm -r "$root/sys/module/rbmap"
finds fail loaded no 'rbmap load$'
put /proc/sys/kernel/modules_disabled 1
finds fail loaded 'modules_disabled is 1' 'reboot$'
healthy
put /sys/module/rbmap/version 0.0.1
finds fail version "version 0.0.1 is loaded, version $version is installed" 'rbmap unload && (sudo )?rbmap load$'
# Another user than root reads the same system.
cp "$RBMAP" "$dir/rbmap"
chmod -R a+rX "$dir"
as_user=
[ "$(id -u)" != 0 ] || as_user='setpriv --reuid=65534 --clear-groups'
$as_user "$dir/rbmap" doctor -r "$root" >"$dir/out" 2>&1
ok "sudo is before each command" \
	grep -q '^fail  version .*Run: sudo rbmap unload && sudo rbmap load$' "$dir/out"
module /lib/modules/$here/updates/dkms/rbmap.ko $here 0.0.1
finds fail version "the module has version 0.0.1, this command and its library have $version"
healthy
rm -r "$root/dev/rbmap"
finds fail devices '/dev/rbmap/cpuN does not exist'
healthy
rm "$root/usr/lib/udev/rules.d/60-rbmap.rules"
finds note group 'no udev rule'
healthy
put /etc/group 'root:x:0:'
finds note group 'the group tracing does not exist' 'groupadd -r tracing$'

# --- another kernel, another system
healthy
mkdir -p "$root/lib/modules/$next/kernel"
"$RBMAP" doctor -r "$root" -k $next >"$dir/out"
ok "-k names a kernel that does not run" grep -q "^fail  module  *rbmap.ko is not installed for $next" "$dir/out"
ok "-k: nothing is printed about the running kernel" eval "! grep -qE '^[a-z]+ +(loaded|devices) ' '$dir/out'"
rm -r "$root/proc" "$root/sys"
ok "without a kernel that runs, the newest" eval "'$RBMAP' doctor -r '$root' |
	grep -q '^ok    kernel  *$next'"
rm -r "$root/lib/modules"
says 1 "no kernel is installed in $root/lib/modules" doctor -r "$root"
says 1 "cannot look into /nowhere: No such file" doctor -r /nowhere
says 2 "unexpected argument 'x'" doctor x
says 2 "invalid kernel release 'a/b'" doctor -k a/b
done_testing

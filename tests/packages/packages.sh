#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs, upgrades and removes the packages with apt in a Debian system. Packages of
# rbmap are in /srv/repo, those of an older version in /srv/before, the packages' own
# tests in /srv/debian/tests, and a recording is /srv/trace.dat.
# shellcheck disable=SC2317 # `said` calls the functions
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/packages/kernel.sh
. /tests/lib/kernel.sh

before=$1
version=$2
packages="rbmap rbmap-dkms librbmap-dev python3-rbmap rbmap-babeltrace2"
older=$(ls /lib/modules)
# The package needs the libnats that it was built with. Not each system has that.
! dpkg-query -W libnats3.4 >/dev/null 2>&1 || packages="$packages rbmap-fleet"

# has_fleet: return whether the package for many hosts is tested
has_fleet()
{
	case $packages in
	*rbmap-fleet) ;;
	*) return 1 ;;
	esac
}

# apt REPOSITORY ARGUMENT...: run apt-get with that repository as its only source
apt()
{
	repository=$1
	shift
	apt-get -q -y -o Dir::Etc::SourceList="/srv/$repository.list" \
		-o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User=root "$@"
}

# everything: list all files except logs and files that the system itself changes
everything()
{
	find / -xdev \( -path /proc -o -path /run -o -path /srv -o -path /tests -o -path /tmp -o -path /root \
		-o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg \
		-o -path /dev \) -prune -o ! -name 'modules.*' ! -name '*-' ! -name '*.cache' \
		! -name '.pwd.lock' -print | sort
}

installed()
{
	like "$(dkms status -m rbmap -k "$1")" "^rbmap/$2, .*: installed\$" "$1: DKMS has installed $2"
	is "$(dkms status -m rbmap -k "$1" | wc -l)" 1 "$1: DKMS has installed no other version"
	is "$(modinfo -F version "$(module_of "$1")")" "$2" "$1: the module has version $2"
}

for repository in before repo; do
	(cd /srv/$repository && dpkg-scanpackages . >Packages 2>/dev/null)
	echo "deb [trusted=yes] file:/srv/$repository ./" >/srv/$repository.list
done
everything >/tmp/everything

apt before update >/dev/null 2>&1
# shellcheck disable=SC2086 # split into words
said apt before install $packages
is "$status" 0 "apt-get install" || diag "$output"
installed "$older" "$before"
like "$(rbmap --version)" "$before" "rbmap --version prints the older version"

# apt's own path for dpkg lacks /usr/local.
cat >/usr/local/bin/udevadm <<'END'
#!/bin/sh
echo "$@" >>/tmp/udevadm
END
chmod +x /usr/local/bin/udevadm
apt repo update >/dev/null 2>&1
said apt repo -o DPkg::Path="/usr/local/bin:$PATH" dist-upgrade
is "$status" 0 "apt-get upgrade" || diag "$output"
rm /usr/local/bin/udevadm
like "$(cat /tmp/udevadm)" '^trigger .*--subsystem-match=rbmap' \
	"devices of a module that is loaded get their group"
installed "$older" "$version"
like "$(rbmap --version)" "$version" "rbmap --version prints the new version"
is "$(find / -xdev -path /srv -prune -o -path /proc -prune -o -path "*rbmap*$before*" -print)" '' \
	"no file of the older version is left"

like "$(getent group tracing)" '^tracing:' "the group tracing exists"
ok "the README is installed" test -e /usr/share/doc/rbmap/README.md.gz
ok "the walkthroughs are installed" test -e /usr/share/doc/rbmap/walkthroughs/slow.md
ok "the example of a driver is installed" test -e /usr/share/doc/rbmap-dkms/examples/driver_ring.c
ok "the settings of the flight recorder are a configuration file" \
	grep -qx /etc/rbmap/flight-recorder.conf /var/lib/dpkg/info/rbmap.conffiles
ok "the udev rule is installed" test -e /lib/udev/rules.d/60-rbmap.rules
like "$(cat /var/lib/dkms/rbmap/*/*/*/log/make.log)" 'rbmap.ko' "DKMS has a log of the build"
ok "bash parses the completion" bash -n /usr/share/bash-completion/completions/rbmap
ok "the completion of fish is installed" test -s /usr/share/fish/vendor_completions.d/rbmap.fish
is "$(find /etc/systemd -name '*rbmap*')" '' "no service is enabled"
said systemd-analyze --man=no verify rbmap-flight-recorder.service
is "$status $output" "0 " "systemd-analyze accepts the unit of the flight recorder"
said systemctl enable rbmap-flight-recorder.service
is "$status" 0 "the flight recorder can be enabled" || diag "$output"

tests="command bindings module"
if has_fleet; then
	tests="$tests fleet"
	for file in collect fleet ship; do
		ok "$file.conf is a configuration file" \
			grep -qx /etc/rbmap/$file.conf /var/lib/dpkg/info/rbmap-fleet.conffiles
	done
	for unit in rbmap-ship rbmap-collect; do
		said systemd-analyze --man=no verify $unit.service
		is "$status $output" "0 " "systemd-analyze accepts the unit $unit"
	done
	is "$(ls /var/lib/rbmap /var/lib/rbmap-collect 2>/dev/null)" '' "nothing was started"
else
	skip "it needs libnats3.4" "the package rbmap-fleet"
fi

for test in $tests; do
	said sh -e "/srv/debian/tests/$test"
	is "$status" 0 "debian/tests/$test" || diag "$output"
done
events=$(rbmap report /srv/trace.dat 2>&1 >/dev/null | sed -n 's/ events, .* lost$//p')
is "$(python3 -c 'import rbmap; print(sum(1 for _ in rbmap.open("/srv/trace.dat")))')" "$events" \
	"Python reads the events that rbmap report counts"
is "$(babeltrace2 /srv/trace.dat 2>/dev/null | wc -l)" "$events" \
	"babeltrace2 prints the events that rbmap report counts"

said apt-get -y install /srv/new/*.deb
is "$status" 0 "a newer kernel is installed" || diag "$output"
newer=$(find /lib/modules -mindepth 1 -maxdepth 1 ! -name "$older" -printf '%f\n')
installed "$newer" "$version"
said sh -e /srv/debian/tests/module
is "$status" 0 "debian/tests/module, with two kernels" || diag "$output"
like "$output" '^2 kernels$' "debian/tests/module has tested both kernels"
said remove_kernel "$newer"
# Remove the packages that came with the newer kernel, too.
for deb in /srv/new/*.deb; do
	dpkg-deb -f "$deb" Package
done >/tmp/came
said xargs -a /tmp/came dpkg --purge
is "$(dkms status -m rbmap -k "$newer")" "rbmap/$version: added" "DKMS forgets a removed kernel"

# shellcheck disable=SC2086 # split into words
said apt repo remove $packages librbmap1
is "$status" 0 "apt-get remove" || diag "$output"
is "$(find /lib/modules /usr /var/lib/dkms -name '*rbmap*')" '' "apt-get remove leaves only settings"
# The flight recorder leaves its recordings.
mkdir /var/lib/rbmap
: >/var/lib/rbmap/2026-11-26T14.03.12.dat
# So does the agent with its spool, and the collector.
if has_fleet; then
	mkdir -p /var/lib/rbmap/spool /var/lib/rbmap-collect/incoming/h1 /var/lib/rbmap-collect/incidents/h1
	for file in rbmap/spool/new rbmap-collect/incoming/h1/new.part rbmap-collect/index.sqlite \
		rbmap-collect/index.sqlite-wal rbmap-collect/.lock rbmap-collect/incidents/h1/kept.dat; do
		: >/var/lib/$file
	done
fi
# shellcheck disable=SC2086 # split into words
said apt repo purge $packages librbmap1
is "$status" 0 "apt-get purge" || diag "$output"
if has_fleet; then
	is "$(find /var/lib/rbmap-collect -type f)" /var/lib/rbmap-collect/incidents/h1/kept.dat \
		"apt-get purge leaves the incidents that were collected, and no other file"
	rm -r /var/lib/rbmap-collect
fi
everything >/tmp/left
# The group may own files, and the key may be enrolled: both stay.
is "$(comm -13 /tmp/everything /tmp/left | grep -v '^/var/lib/dkms/mok\.' | head -n 20)" '' "apt-get purge leaves no new file"
is "$(comm -23 /tmp/everything /tmp/left)" '' "no other file was removed"
done_testing

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A cache of unpacked packages from any Debian release. Nothing is installed.

# shellcheck source=tests/vm/lib/arch.bash
. "$(dirname "${BASH_SOURCE[0]}")/arch.bash"

cache=$(realpath -m "${RBMAP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rbmap}")
work=''

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# lock_cache SUBDIRECTORY locks it for adding an entry; unlock_cache unlocks it. There
# is a lock for each subdirectory: a build of ten minutes in one does not block the
# others.
lock_cache()
{
	mkdir -p "$cache/$1"
	exec 9>"$cache/$1/lock"
	flock 9
	rm -rf "$cache/$1"/.new.* # left by a killed build
}

unlock_cache()
{
	exec 9>&-
}

# begin_entry SUBDIRECTORY creates $work, in which the entry is built. finish_entry DIR
# renames $work to DIR, so that an entry is in the cache completely or not at all.
begin_entry()
{
	work=$(mktemp -d "$cache/$1/.new.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir "$work/debs"
}

finish_entry()
{
	chmod 755 "$work"
	mv -T "$work" "$1"
	trap - EXIT
}

# Prints the address of a mirror. It is taken from the machine's own package sources, so
# that no address stands here. Suites are matched by name, because other vendors'
# archives have a "main" as well.
mirror_of()
{
	local releases='bullseye|bookworm|trixie|forky|sid|oldoldstable|oldstable|stable|testing|unstable'
	local suffix='' uri

	[ "$1" = main ] || suffix=-security
	# shellcheck disable=SC2016 # apt's variables, not the shell's
	uri=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' \
		'Created-By: Packages' |
		sed -nE "s/^($releases)$suffix main //p")
	[ -n "$uri" ] || die "this machine's apt sources name no Debian $1 archive"
	echo "${uri%%$'\n'*}"
}

# deb_line SUITE [OPTION]: prints a line for apt's sources
deb_line()
{
	local archive=main uri

	[[ $1 != *-security ]] || archive=security
	uri=$(mirror_of $archive) || return
	echo "deb ${2:+[$2] }$uri $1 main"
}

# apt_state NAME SUITE...: prepares an apt state beside the machine's own. Packages of
# another release or another architecture ($arch) never appear in the machine's state.
# Sets apt_options.
apt_state()
{
	local state=$cache/apt/$1 suite
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	shift

	mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/parts"
	: >"$state/status"
	: >"$state/sources"
	for suite; do
		if [ -e "$keyring" ]; then
			deb_line "$suite" "signed-by=$keyring"
		else
			deb_line "$suite"
		fi >>"$state/sources"
	done
	# Valid-Until: an archived suite is no longer signed anew.
	apt_options=(
		-o Dir::Etc::SourceList="$state/sources"
		-o Dir::Etc::SourceParts="$state/parts"
		-o Dir::Etc::Preferences=/dev/null
		-o Dir::Etc::PreferencesParts="$state/parts"
		-o Dir::State::Lists="$state/lists"
		-o Dir::State::Status="$state/status"
		-o Dir::Cache="$state/cache"
		-o APT::Architecture="$arch"
		-o APT::Architectures::="$arch"
		-o APT::Architectures::=amd64
		-o APT::Sandbox::User=
		-o APT::Update::Error-Mode=any
		-o Acquire::Languages=none
		-o Acquire::Check-Valid-Until=false
		-o Acquire::Retries=3
	)
	# The package lists change a few times a week: update them once an hour at most.
	[ -z "$(find "$state/updated" -mmin -60 2>/dev/null)" ] || return 0
	quietly "get the package lists of $*" apt-get "${apt_options[@]}" update
	touch "$state/updated"
}

# download_with_depends PACKAGE...: downloads packages and all their dependencies to
# $work/debs
download_with_depends()
{
	mkdir -p "$work/debs/partial"
	quietly "download $*" apt-get "${apt_options[@]}" \
		-o Dir::Cache::Archives="$work/debs" -o Debug::NoLocking=true \
		install --no-install-recommends --download-only -y "$@"
}

# merge_usr: creates /bin, /lib and /sbin of $work as links to /usr, before packages
# create directories
merge_usr()
{
	mkdir -p "$work"/usr/{bin,lib,lib64,sbin}
	ln -s usr/bin usr/lib usr/lib64 usr/sbin "$work"
}

# unpack_packages: unpacks the packages in $work/debs
unpack_packages()
{
	local deb

	for deb in "$work"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x -C "$work" --keep-directory-symlink --no-same-owner
	done
	rm -rf "$work/debs" "$work"/usr/share/{doc,info,locale,man}
}

# quietly WHAT COMMAND...: prints WHAT and the output of COMMAND only if it fails
quietly()
{
	local what=$1 log
	shift

	log=$(mktemp)
	if ! "$@" >"$log" 2>&1 </dev/null; then
		cat "$log" >&2
		rm -f "$log"
		die "cannot $what"
	fi
	rm -f "$log"
}

set_arch amd64

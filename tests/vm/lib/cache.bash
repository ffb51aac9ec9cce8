# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A cache of what is in packages of whatever Debian release, without installing
# them.

# shellcheck source=tests/vm/lib/arch.bash
. "$(dirname "${BASH_SOURCE[0]}")/arch.bash"

cache=$(realpath -m "${RBMAP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rbmap}")
work=''

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# lock_cache SUBDIRECTORY, to add to; unlock_cache. What is built there for ten
# minutes does not keep others from theirs.
lock_cache()
{
	mkdir -p "$cache/$1"
	exec 9>"$cache/$1/lock"
	flock 9
	rm -rf "$cache/$1"/.new.* # of one that was killed
}

unlock_cache()
{
	exec 9>&-
}

# begin_entry SUBDIRECTORY makes $work, where everything happens. finish_entry DIR
# renames it: an entry is in the cache entirely or not at all.
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

# The machine's own package sources say where a mirror is: no address of ours.
# Suites are told by name, for other vendors' archives have a "main" as well.
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

# apt_state NAME SUITE...: an apt of our own beside the machine's, so that another
# release's packages, or another architecture's ($arch), never show up in the
# machine's. Sets apt_options.
apt_state()
{
	local state=$cache/apt/$1 suite uri
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	shift

	mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/parts"
	: >"$state/status"
	: >"$state/sources"
	for suite; do
		case $suite in
		*-security) uri=$(mirror_of security) ;;
		*) uri=$(mirror_of main) ;;
		esac
		if [ -e "$keyring" ]; then
			echo "deb [signed-by=$keyring] $uri $suite main"
		else
			echo "deb $uri $suite main"
		fi >>"$state/sources"
	done
	# Valid-Until: an archived suite is not signed anew any more.
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
	# The package lists change a few times a week; one update serves for an hour.
	[ -z "$(find "$state/updated" -mmin -60 2>/dev/null)" ] || return 0
	quietly "get the package lists of $*" apt-get "${apt_options[@]}" update
	touch "$state/updated"
}

# download_with_depends PACKAGE...: to $work/debs, with all that they depend on
download_with_depends()
{
	mkdir -p "$work/debs/partial"
	quietly "download $*" apt-get "${apt_options[@]}" \
		-o Dir::Cache::Archives="$work/debs" -o Debug::NoLocking=true \
		install --no-install-recommends --download-only -y "$@"
}

# merge_usr: $work has /bin, /lib and /sbin in /usr, whatever packages think
merge_usr()
{
	mkdir -p "$work"/usr/{bin,lib,lib64,sbin}
	ln -s usr/bin usr/lib usr/lib64 usr/sbin "$work"
}

# unpack_packages: what is in $work/debs
unpack_packages()
{
	local deb

	for deb in "$work"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x -C "$work" --keep-directory-symlink --no-same-owner
	done
	rm -rf "$work/debs" "$work"/usr/share/{doc,info,locale,man}
}

# quietly WHAT COMMAND...: says what it was, and what it said, if it fails
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

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the variables are those of lib/kernel
#
# Kernels that are built here: with debugging checks, with another compiler, or as a
# program (User Mode Linux). They are built from Debian's source with the options in
# tests/debug/*.config. Part of lib/kernel.

debug_configs=$here/../../debug

is_debug_flavour()
{
	[ -e "$debug_configs/$1.config" ] && [ "$1" != common ]
}

# debug_compiler FLAVOUR: sets cc, kmake and the machine that boots such a kernel. Debian
# 12 has clang-16, Debian 13 has clang-19.
debug_compiler()
{
	cc=gcc kmake='' machine=microvm
	case $1 in
	clang)
		cc=clang-16
		! command -v clang-19 >/dev/null || command -v $cc >/dev/null || cc=clang-19
		kmake=LLVM=-${cc#clang-}
		;;
	uml) kmake=ARCH=um machine=uml ;;
	esac
}

# debug_config FLAVOUR: prints its options
debug_config()
{
	[ "$1" = uml ] || cat "$debug_configs/common.config"
	cat "$debug_configs/$1.config"
}

# debug_key FLAVOUR: prints a hash of everything that determines the built kernel,
# except the version of the source; comments do not determine it
debug_key()
{
	{
		debug_config "$1" | grep -E '^(# )?CONFIG_'
		find "$debug_configs/$1" -type f -exec cat {} + 2>/dev/null || true
		$cc --version
	} | sha256sum | cut -c 1-8
}

debug_source_version()
{
	apt-cache "${apt_options[@]}" show --no-all-versions "linux-source-$1" |
		sed -n 's/^Version: //p'
}

# debug_source SERIES: downloads the source package, which other flavours use, too
debug_source()
{
	local version deb

	version=$(debug_source_version "$1")
	[ -n "$version" ] || die "the archive has no linux-source-$1"
	deb=$cache/debug/linux-source-$1_${version}_all.deb
	if [ ! -e "$deb" ]; then
		echo "kernel: downloading linux-source-$1 $version" >&2
		(cd "$work/debs" && quietly "download linux-source-$1" \
			apt-get "${apt_options[@]}" download "linux-source-$1")
		rm -f "$cache/debug/linux-source-$1"_*.deb
		mv "$work"/debs/*.deb "$deb"
	fi
	dpkg-deb --fsys-tarfile "$deb" | tar -xO --wildcards '*/linux-source-*.tar.xz' |
		tar -xJ -C "$work/source" --strip-components 1
}

# Kconfig drops options silently if their dependencies are missing: check that each
# option has its value.
debug_check_config()
{
	local line name wrong=''

	while read -r line; do
		case $line in
		CONFIG_*=n) name=${line%=n} ;;
		CONFIG_*=*)
			grep -qxF -- "$line" "$2" || wrong+=" $line"
			continue
			;;
		'# CONFIG_'*' is not set')
			name=${line#\# }
			name=${name%% *}
			;;
		*) continue ;;
		esac
		! grep -q "^$name=" "$2" || wrong+=" $name=n"
	done < <(debug_config "$1")
	[ -z "$wrong" ] || die "the kernel's configuration has not become:$wrong"
}

# debug_make ARGUMENT...
debug_make()
{
	# shellcheck disable=SC2086 # split into words
	quietly "build the kernel ($*)" nice make -C "$work/source" $kmake \
		-j"$(nproc)" KBUILD_BUILD_USER=rbmap KBUILD_BUILD_HOST=rbmap "$@"
}

# Add the two parts that User Mode Linux lacks: a clock, and room for the registers of
# newer processors.
debug_source_uml()
{
	local arch=$work/source/arch

	cp "$debug_configs/uml/tsc_clock.c" "$arch/um/kernel/"
	echo 'obj-y += tsc_clock.o' >>"$arch/um/kernel/Makefile"
	sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 12288)/' \
		"$arch/x86/um/user-offsets.c"
}

# debug_headers KVER: installs the files that modules are built with, for User Mode
# Linux with those of x86
debug_headers()
{
	local headers=$work/usr/src/linux-headers-$1

	debug_make run-command KBUILD_RUN_COMMAND="scripts/package/install-extmod-build $headers"
	cp "$work/source/.config" "$headers/.config"
	[ "$kmake" = ARCH=um ] || return 0
	(cd "$work/source" && find arch/x86 \( -name 'Makefile*' -o -name '*.h' \) -print0 |
		cpio --quiet -0 -pdm "$headers")
}

# add_debug SERIES FLAVOUR KEY: sets dir
add_debug()
{
	local flavour=$2 config kver tool image=bzImage

	for tool in bc bison flex lz4 make; do
		command -v $tool >/dev/null || die "$tool is missing: tests/install-packages debug"
	done
	begin_entry debug
	mkdir "$work/source"
	debug_source "$1"
	echo "kernel: building $1 $flavour, which takes ten minutes and more" >&2
	if [ "$flavour" = uml ]; then
		image=linux
		debug_source_uml
	fi
	config=$work/source/.config
	debug_make tinyconfig
	debug_config "$flavour" >>"$config"
	echo "CONFIG_LOCALVERSION=\"-$flavour-$3\"" >>"$config"
	debug_make olddefconfig
	debug_check_config "$flavour" "$config"
	debug_make "$image" modules
	kver=$(cat "$work/source/include/config/kernel.release")
	debug_headers "$kver"
	mkdir -p "$work/boot" "$work/lib/modules/$kver/kernel"
	[ "$image" = linux ] || image=arch/x86/boot/$image
	cp "$work/source/$image" "$work/boot/vmlinuz-$kver"
	cp "$config" "$work/boot/config-$kver"
	rm -rf "$work/source" "$work/debs"
	dir=$cache/debug/$kver
	rm -rf "$dir"
	finish_entry "$dir"
}

# current_debug SERIES FLAVOUR: the cached kernel's directory, or nothing
current_debug()
{
	mkdir -p "$cache/debug"
	find "$cache/debug" -maxdepth 1 -name "$1.*-$2-$(debug_key "$2")" |
		sort -V | tail -n 1
}

# fetch_debug SERIES FLAVOUR NEWER: sets dir
fetch_debug()
{
	local key suites version

	[ "$1" = 6.12 ] || die "the configuration of $2 is one of 6.12"
	command -v "$cc" >/dev/null || die "$cc is missing: tests/install-packages debug${kmake:+ clang}"
	dir=$(current_debug "$1" "$2")
	[ -z "$dir" ] || [ -n "$3" ] || return 0
	lock_cache debug
	dir=$(current_debug "$1" "$2")
	if [ -z "$dir" ] || [ -n "$3" ]; then
		key=$(debug_key "$2")
		read -ra suites <<<"$(suites_of "$1")"
		apt_state "debug-$1" "${suites[@]}"
		version=$(debug_source_version "$1")
		dir=$cache/debug/${version%%-*}-$2-$key
		[ -d "$dir" ] || add_debug "$1" "$2" "$key"
	fi
	unlock_cache
}

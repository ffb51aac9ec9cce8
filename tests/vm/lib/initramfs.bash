# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the variables are those of tests/vm/run
#
# Builds the guest's initramfs: busybox, the tests, and the files that they need.

# Programs and modules that were added. Their libraries and their debug information are
# dealt with at the end, all at once: a process for each file would take ten seconds. Files
# that keep their names are copied then, too, folder by folder.
programs=() modules_added=()
declare -A sources=() kept_names=()

# add SRC DEST: adds a file or a directory, with the libraries of its programs
add()
{
	local src=$1 dest=$root/${2#/} file

	[ -e "$src" ] || die "no such file: $src"
	if [ -n "${sources[$dest]:-}" ] || [ -f "$dest" ]; then
		file=${sources[$dest]:-$dest}
		[ "$src" = "$file" ] || cmp -s "$src" "$file" || die "two different files for $2 in the guest"
		return
	fi
	[ -d "${dest%/*}" ] || mkdir -p "${dest%/*}"
	if [ -d "$src" ]; then
		cp -RL --preserve=mode "$src" "$dest" || die "cannot copy $src"
		while IFS= read -r file; do
			add_program "$file"
		done < <(find "$src" -type f)
		return
	fi
	sources[$dest]=$src
	if [ "${src##*/}" = "${dest##*/}" ]; then
		kept_names[${dest%/*}]+=$src$'\n'
	else
		cp -L --preserve=mode "$src" "$dest" || die "cannot copy $src"
	fi
	add_program "$src"
	add_interpreter "$src"
}

copy_kept_names()
{
	local folder

	for folder in "${!kept_names[@]}"; do
		printf %s "${kept_names[$folder]}" |
			xargs -d '\n' cp -L --preserve=mode -t "$folder" || die "cannot copy the files of ${folder#"$root"}"
	done
}

add_program()
{
	first_bytes 4 "$1"
	[ "$bytes" != $'\177ELF' ] || programs+=("$1")
}

# first_bytes N FILE: sets $bytes to the first bytes, without NUL bytes
first_bytes()
{
	local LC_ALL=C

	bytes=''
	IFS= read -r -d '' -n "$1" bytes <"$2" || true
}

# All libraries go to one directory of the loader's default path, whatever directory
# they have on this machine. Only the loader itself has a fixed place.
add_libraries()
{
	local needing program

	mapfile -t needing < <(LC_ALL=C readelf -dW "$root/bin/busybox" "${programs[@]}" |
		awk '/^File: / { file = $2 } /\(NEEDED\)/ && file { print file; file = "" }')
	[ ${#needing[@]} -gt 0 ] || return 0
	if [ -z "$sysroot" ]; then
		add_own_libraries "${needing[@]}"
		return
	fi
	for program in "${needing[@]}"; do
		add_foreign_libraries "$program"
	done
}

# add_own_libraries PROGRAM...
add_own_libraries()
{
	local line name path program=$1

	while read -r line; do
		case $line in
		*"not found"*) add_unpacked_library "${line%% =>*}" "$program" ;;
		*"=>"*)
			name=${line%% =>*}
			path=${line#*=> }
			path=${path% (*}
			[ -e "$root/lib/$name" ] || cp -L "$path" "$root/lib/$name"
			;;
		# A line for each of several programs, without an address
		/*:) program=${line%:} ;;
		/*)
			path=${line% (*}
			mkdir -p "$root${path%/*}"
			[ -e "$root$path" ] || cp -L "$path" "$root$path"
			;;
		esac
	done < <(LC_ALL=C ldd "$@" 2>/dev/null)
	for program; do
		add_libraries_loaded_later "$program"
	done
}

add_libraries_loaded_later()
{
	local name path

	while read -r name; do
		[ ! -e "$root/lib/$name" ] || continue
		path=$(ldconfig_path "$name")
		[ -n "$path" ] || die "$1 loads a library that is not there: $name"
		cp -L "$path" "$root/lib/$name"
		add_own_libraries "$path"
	done < <(loaded_later "$1")
}

ldconfig_path()
{
	PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n "s/^\t$1 (libc6,.*=> //p" | head -n 1
}

# loaded_later PROGRAM: prints the libraries that it loads by dlopen(), from its note
loaded_later()
{
	LC_ALL=C readelf -p .note.dlopen "$1" 2>/dev/null |
		sed -n 's/.*"soname":\["\([^"]*\)"\].*/\1/p'
}

# add_unpacked_library NAME PROGRAM: adds it from the packages with which the program
# was unpacked (lib/unpack)
add_unpacked_library()
{
	local path

	[ ! -e "$root/lib/$1" ] || return 0
	path=$(find "${2%/usr/*}/usr/lib/$triplet" -name "$1" -print -quit 2>/dev/null)
	[ -n "$path" ] || die "$2 needs a library that is not there: $1"
	cp -L "$path" "$root/lib/$1"
	add_own_libraries "$path"
}

# The loader of this machine cannot list the libraries of foreign programs, so read them
# from the programs' headers. The loader is the interpreter of the program; libc needs
# it, too.
add_foreign_libraries()
{
	local name path

	while read -r name; do
		[ ! -e "$root/lib/$name" ] || continue
		path=$(find "$sysroot/usr/lib/$triplet" -name "$name" -print -quit)
		[ -n "$path" ] || die "$1 needs a library that is not there: $name"
		cp -L "$path" "$root/lib/$name"
		add_foreign_libraries "$path"
	done < <(
		LC_ALL=C readelf -dW "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'
		loaded_later "$1"
	)
}

# Add the interpreter of a script in another language.
add_interpreter()
{
	local line words

	first_bytes 2 "$1"
	[ "$bytes" = '#!' ] || return 0
	IFS= read -r line <"$1"
	read -ra words <<<"${line#'#!'}"
	if [ "${words[0]##*/}" = env ]; then
		words[0]=$(find_tool "${words[1]}") || die "$1: no ${words[1]} here"
		words[0]=/bin/${words[0]##*/}
	fi
	[ -e "$root${words[0]}" ] || [ -L "$root${words[0]}" ] || [ -n "${sources[$root${words[0]}]:-}" ] ||
		add "$(find_tool "${words[0]##*/}")" "${words[0]}"
}

# find_tool NAME: prints the path of a program for the guest
find_tool()
{
	PATH=$tool_path command -v "$1"
}

add_busybox()
{
	mkdir -p "$root"/{bin,dev,etc/vm,lib,modules,proc,root,run,sys,tests/lib,tmp,usr}
	ln -s lib "$root/lib64"
	ln -s bin "$root/sbin"
	ln -s ../bin ../lib ../sbin ../lib64 "$root/usr/"
	cp "$(find_tool busybox)" "$root/bin/busybox"
	is_static "$root/bin/busybox" || die "busybox is not the static one: tests/install-packages vm"
	# init needs it, and installs the other links.
	ln -s busybox "$root/bin/sh"
}

is_static()
{
	! LC_ALL=C readelf -lW "$1" | grep -q INTERP
}

# add_module SRC DEST: adds a module
add_module()
{
	add "$1" "$2"
	modules_added+=("$root/${2#/}")
}

# Remove the debug information of modules, which is 95 % of the files and most of the
# time of each load. Modules for another architecture than the guest's stay as they are.
strip_modules()
{
	local own

	mapfile -t own < <(LC_ALL=C readelf -h "$root/bin/busybox" "${modules_added[@]}" |
		awk -v machine="${elf_machine:?}" '
			/^File: / { file = $2 }
			/Machine: / && index($0, machine) && file ~ /\.ko$/ { print file }')
	[ ${#own[@]} = 0 ] || "${cross}strip" --strip-debug "${own[@]}" ||
		die "cannot strip the modules"
}

make_initramfs()
{
	local i item dest name

	add_busybox
	install -m 755 "$here/lib/init" "$root/init"
	cp "$here/lib/clean.sh" "$root/etc/vm/"
	cp "$here"/lib/{guest,control,cpu1,faults,memory,ring}.sh "$here/../tap/tap.sh" \
		"$here/../versions.sh" "$root/tests/lib/"
	for item in "${modules[@]}"; do
		add_module "$item" "/modules/${item##*/}"
	done
	for item in "${adds[@]}"; do
		dest=${item#*:}
		item=${item%%:*}
		[ "$dest" != "$item" ] || dest=/tests/
		[[ $dest != */ ]] || dest+=${item##*/}
		case $item in
		*.ko) add_module "$item" "$dest" ;;
		*) add "$item" "$dest" ;;
		esac
	done
	for item in "${envs[@]}"; do
		[[ $item =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || die "--env wants NAME=VALUE, not $item"
		name=${item%%=*}
		item=${item#*=}
		printf "export %s='%s'\n" "$name" "${item//\'/\'\\\'\'}"
	done >"$root/etc/vm/env"
	echo "console=/dev/$console results=/dev/$results end=$end" >"$root/etc/vm/ports"
	for i in "${!tests[@]}"; do
		name=${tests[i]##*/}
		[ -x "${tests[i]}" ] || die "${tests[i]} is no executable file"
		add "${tests[i]}" "/tests/$name"
		echo "$i ${limits[i]} $name"
	done >"$root/etc/vm/tests"
	[ -z "$shell" ] || : >"$root/etc/vm/shell"
	copy_kept_names
	add_libraries
	strip_modules
	(cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$dir/initramfs" ||
		die "cannot make the initramfs"
}

# qemu_command CHARDEV MONITOR: sets qemu. CHARDEV is the second serial port, MONITOR is
# the monitor's. The devices are listed explicitly because not every machine supports
# two -serial options.
# shellcheck disable=SC2034,SC2054 # for tests/vm/run; QEMU wants the commas
qemu_command()
{
	if [ "$machine" = uml ]; then
		uml_command
		return
	fi
	qemu=("$emulator" -machine "$machine" -accel "$accel" -cpu "$cpu"
		-smp "$smp" -m "$mem" -nodefaults -no-user-config -display none -no-reboot
		-chardev "file,id=log,path=$kernel_log" -chardev "$1,id=tests" -monitor "$2"
		-kernel "$image" -initrd "$dir/initramfs"
		-append "console=$console $kernel_args panic=-1 loglevel=5 $guest_args$append")
	case $arch in
	amd64) qemu+=(-device isa-serial,chardev=log -device isa-serial,chardev=tests) ;;
	arm64) qemu+=(-serial chardev:log -device pci-serial,chardev=tests) ;;
	esac
	qemu+=("${qemu_args[@]}")
}

# The command for the kernel that is a program, in place of QEMU. It maps its memory
# executable, which a /tmp mounted with noexec does not allow.
# shellcheck disable=SC2016 # for the inner shell
uml_command()
{
	read -ra qemu <<<"$kernel_args panic=-1 loglevel=5 $guest_args$append"
	qemu=(env TMPDIR=/dev/shm GLIBC_TUNABLES=glibc.pthread.rseq=0
		sh -c 'exec "$@" 2>>"$0"' "$kernel_log" "$image" "mem=${mem}M"
		"initrd=$dir/initramfs" root=/dev/ram0 rw stderr=1 "console=$console"
		con=null con0=null,fd:2 ssl=null ssl0=null,fd:1 "${qemu[@]}")
}

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the variables are those of tests/vm/run
#
# What the guest boots from: busybox, the tests, and what they need.

# add SRC DEST: a file or directory, with the libraries that programs need
add()
{
	local src=$1 dest=$root/${2#/} file

	[ -e "$src" ] || die "no such file: $src"
	if [ -f "$dest" ]; then
		cmp -s "$src" "$dest" || die "two different files for $2 in the guest"
		return
	fi
	mkdir -p "$(dirname "$dest")"
	cp -RL --preserve=mode "$src" "$dest" || die "cannot copy $src"
	if [ -d "$src" ]; then
		while IFS= read -r file; do
			add_libraries "$file"
		done < <(find "$src" -type f)
	else
		add_libraries "$src"
		add_interpreter "$src"
	fi
}

is_elf()
{
	head -c 4 "$1" | LC_ALL=C grep -q ELF
}

# All libraries go to one directory of the loader's default path, whatever
# directory they were found in here; only the loader's own place is fixed.
add_libraries()
{
	local line name path

	is_elf "$1" || return 0
	while read -r line; do
		case $line in
		*"not found"*) die "$1 needs a library that is not there: $line" ;;
		*"=>"*)
			name=${line%% =>*}
			path=${line#*=> }
			path=${path% (*}
			[ -e "$root/lib/$name" ] || cp -L "$path" "$root/lib/$name"
			;;
		/*)
			path=${line% (*}
			mkdir -p "$root$(dirname "$path")"
			[ -e "$root$path" ] || cp -L "$path" "$root$path"
			;;
		esac
	done < <(LC_ALL=C ldd "$1" 2>/dev/null)
}

# A script of another language brings its interpreter.
add_interpreter()
{
	local line words

	[ "$(head -c 2 "$1" | tr -d '\0')" = '#!' ] || return 0
	IFS= read -r line <"$1"
	read -ra words <<<"${line#'#!'}"
	if [ "${words[0]##*/}" = env ]; then
		words[0]=$(command -v "${words[1]}") || die "$1: no ${words[1]} here"
		words[0]=/bin/${words[0]##*/}
	fi
	[ -e "$root${words[0]}" ] || [ -L "$root${words[0]}" ] || add "${words[0]}" "${words[0]}"
}

add_busybox()
{
	local applet

	mkdir -p "$root"/{bin,dev,etc/vm,lib,modules,proc,root,run,sys,tests/lib,tmp,usr}
	ln -s lib "$root/lib64"
	ln -s bin "$root/sbin"
	ln -s ../bin ../lib ../sbin ../lib64 "$root/usr/"
	cp "$(command -v busybox)" "$root/bin/busybox"
	is_static "$root/bin/busybox" || die "busybox is not the static one: tests/install-packages vm"
	while read -r applet; do
		[ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
	done < <(busybox --list)
}

is_static()
{
	! ldd "$1" >/dev/null 2>&1
}

make_initramfs()
{
	local i item dest name

	add_busybox
	install -m 755 "$here/lib/init" "$root/init"
	cp "$here"/lib/{guest,memory,ring}.sh "$root/tests/lib/"
	for item in "${modules[@]}"; do
		add "$item" "/modules/${item##*/}"
	done
	for item in "${adds[@]}"; do
		dest=${item#*:}
		item=${item%%:*}
		[ "$dest" != "$item" ] || dest=/tests/
		[[ $dest != */ ]] || dest+=$(basename "$item")
		add "$item" "$dest"
	done
	for item in "${envs[@]}"; do
		[[ $item =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || die "--env wants NAME=VALUE, not $item"
		name=${item%%=*}
		item=${item#*=}
		printf "export %s='%s'\n" "$name" "${item//\'/\'\\\'\'}"
	done >"$root/etc/vm/env"
	for i in "${!tests[@]}"; do
		name=${tests[i]##*/}
		[ -x "${tests[i]}" ] || die "${tests[i]} is no executable file"
		add "${tests[i]}" "/tests/$name"
		echo "$i ${limits[i]} $name"
	done >"$root/etc/vm/tests"
	[ -z "$shell" ] || : >"$root/etc/vm/shell"
	(cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$dir/initramfs" ||
		die "cannot make the initramfs"
}

# qemu_command CHARDEV MONITOR: where the second serial port and the monitor are.
# The devices are spelt out because not every machine knows two -serial.
# shellcheck disable=SC2034,SC2054 # for tests/vm/run; QEMU wants the commas
qemu_command()
{
	qemu=(qemu-system-x86_64 -machine "$machine" -accel "$accel" -cpu max
		-smp "$smp" -m "$mem" -nodefaults -no-user-config -display none -no-reboot
		-chardev "file,id=log,path=$kernel_log" -device isa-serial,chardev=log
		-chardev "$1,id=tests" -device isa-serial,chardev=tests -monitor "$2"
		-kernel "$image" -initrd "$dir/initramfs"
		-append "console=ttyS0 panic=-1 loglevel=5$append" "${qemu_args[@]}")
}

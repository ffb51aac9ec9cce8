# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # cache, work, KVER, KDIR, run are those of kernel
#
# A cache of built modules. A build for a kernel takes a minute of CPU time, most of it in
# feature tests and in the kernel's headers. A compiler's cache cannot help, because commands
# have the absolute path of the folder. The same sources, kernel, compiler and arguments
# give the same files, whatever the folder. Only successful builds are kept.

built_entries=200 # the oldest are removed

# The files that a build makes, as arguments of find
built_files=('(' -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd'
	-o -name '.*.d' -o -name Module.symvers -o -name modules.order -o -name rbmap_features.h ')')

# sum_of PATH: prints the sum of a file, or of the sources in a folder with their names
sum_of()
{
	if [ -d "$1" ]; then
		(cd "$1" && find . -type f ! "${built_files[@]}" ! -name build.log -print0 |
			LC_ALL=C sort -z | xargs -0 -r sha256sum)
	else
		sha256sum <"$1"
	fi
}

# name_build DIR ARGUMENT...: sets $entry to the place of a build in the cache, and
# $built_paths to the paths in its commands
name_build()
{
	local dir=$1 words=() word path key
	shift

	built_paths=("$dir")
	for word; do
		path=${word#*=}
		if [[ $path == /* ]] && [ -e "$path" ]; then
			word="${word%"$path"}$(sum_of "$path")"
			built_paths+=("$path")
		fi
		words+=("$word")
	done
	key=$({
		printf '%s\n' "$KVER" "$KDIR" "${run[@]}" "${make[@]}" "${words[@]}"
		"${run[@]}" "$KCC" --version
		# C=2 makes make run sparse, whose report is kept, too.
		[[ " $* " != *" C="* ]] || sparse --version
		sum_of "$KDIR/.config"
		cat "${BASH_SOURCE[0]}" "$here/kernel"
		sum_of "$dir"
	} | sha256sum)
	entry=$cache/built/${key%% *}.tar.zst
}

# change_paths DIR {keep | use}: replaces the paths in the texts of a build by their
# numbers, or the numbers by the paths. The longest come first, as one may begin with
# another.
change_paths()
{
	local script='' i

	for i in $(for i in "${!built_paths[@]}"; do
		echo "${#built_paths[i]} $i"
	done | sort -k 1,1rn -k 2n | cut -d ' ' -f 2); do
		case $2 in
		keep) script+="s|${built_paths[i]}|@path$i@|g;" ;;
		use) script+="s|@path$i@|${built_paths[i]}|g;" ;;
		esac
	done
	find "$1" -type f '(' -name '.*.cmd' -o -name '*.mod' -o -name '.*.d' -o -name modules.order \
		-o -name build.log ')' -exec sed -i "$script" {} +
}

# replace_modules DIR FILES: puts the modules of FILES into DIR. A virtual machine of another
# test may be about to read one, so it is never missing, and replaced as a whole.
replace_modules()
{
	local dir=$1 files=$2 file

	find "$dir" -path "$files" -prune -o -name '*.ko' -print | while read -r file; do
		[ -e "$files/${file#"$dir/"}" ] || rm -f "$file"
	done
	find "$files" -name '*.ko' | while read -r file; do
		mkdir -p "$dir/$(dirname "${file#"$files/"}")"
		mv -f "$file" "$dir/${file#"$files/"}"
	done
}

# use_built DIR: puts the files of an earlier build into DIR and prints what it printed;
# fails if the cache does not have it
use_built()
{
	local dir=$1 files

	[ -e "$entry" ] || return 1
	files=$(mktemp -d "$dir/.built.XXXXXX")
	if ! tar --zstd -x -C "$files" -f "$entry" 2>/dev/null; then
		# Another build may have removed it as the oldest.
		rm -rf "$files"
		return 1
	fi
	touch "$entry"
	change_paths "$files" use
	cat "$files/build.log"
	rm "$files/build.log"
	# Make compares times: nothing may be older than what it was made of.
	find "$files" -type f -exec touch -r "$files" {} +
	find "$dir" -path "$files" -prune -o -type f "${built_files[@]}" ! -name '*.ko' \
		-exec rm -f {} +
	replace_modules "$dir" "$files"
	cp -a "$files/." "$dir/"
	rm -rf "$files"
}

# keep_built DIR LOG: puts the files of a build and what it printed into the cache
keep_built()
{
	local oldest

	mkdir -p "$cache/built"
	work=$(mktemp -d "$cache/built/.new.XXXXXX")
	(cd "$1" && find . -type f "${built_files[@]}" -print0 |
		tar -c --null -T -) | tar -x -C "$work"
	cp "$2" "$work/build.log"
	change_paths "$work" keep
	tar --zstd -c -C "$work" -f "$work.tar" .
	mv "$work.tar" "$entry"
	rm -rf "$work"
	while read -r oldest; do
		rm -f "$oldest"
	done < <(find "$cache/built" -name '*.tar.zst' -printf '%T@ %p\n' | sort -rn |
		tail -n +$((built_entries + 1)) | cut -d ' ' -f 2-)
}

# SPDX-License-Identifier: GPL-2.0-only
#
# Builds rbmap: the module by the kernel's build system, the rest by this file.
# `make help` lists the targets.

VERSION := $(shell cat VERSION)
BUILD	?= build

KVER	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KVER)/build

PREFIX	?= /usr/local
BINDIR	?= $(PREFIX)/bin
LIBDIR	?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR	?= $(PREFIX)/share/man
DESTDIR	?=

CC	?= gcc
CFLAGS	?= -O2 -g
INSTALL	?= install

ALL_USER :=
INSTALL_USER :=
UNINSTALL_USER :=

.PHONY: all user modules help
all: user modules

include userspace/userspace.mk
include $(sort $(wildcard userspace/*/*.mk))
include module/build.mk
include module/dkms/dkms.mk
include tests/tests.mk

user: $(ALL_USER)

# ---- the module

# If the headers are missing, print one message instead of kbuild's.
.PHONY: check-headers modules_install
check-headers:
	@case "$(CURDIR)" in *[[:space:]]*) \
	echo "rbmap: the module cannot be built here: the kernel's makefiles take no path with a blank." >&2; \
	echo "       Move the source: $(CURDIR)" >&2; \
	exit 1 ;; esac
	@test -e "$(KDIR)/Makefile" || { \
	echo "rbmap: the headers of kernel $(KVER) are not installed ($(KDIR) is not there)." >&2; \
	echo "       Install them:  apt-get install linux-headers-$(KVER)" >&2; \
	echo "       Or build for another kernel:  make modules KDIR=/path/to/headers" >&2; \
	exit 1; }

modules: check-headers

# The release name of the headers' kernel. Debian's config/kernel.release has only a part
# of the name.
KREL = $(or $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	"$(KDIR)/include/generated/utsrelease.h"),$(KVER))

# Install the module's symbols beside the module, for modules that use it.
modules_install: modules
	+$(MAKE) -C "$(KDIR)" M="$(CURDIR)" \
		$(if $(DESTDIR),INSTALL_MOD_PATH="$(DESTDIR)") modules_install
	@for ko in "$(DESTDIR)/lib/modules/$(KREL)"/*/rbmap.ko*; do \
		$(INSTALL) -m 644 Module.symvers "$${ko%/*}/rbmap.symvers" || exit; done
	$(if $(DESTDIR),,depmod -a $(KREL))

# ---- install

.PHONY: install install-user uninstall
install-user: user $(INSTALL_USER) install-headers
install: install-user modules_install

# Install the headers for other modules, in the same folders as here, and the fragment for
# their makefiles, where GNU make looks for it.
.PHONY: install-headers uninstall-headers
install-headers:
	$(INSTALL) -d $(addprefix $(DESTDIR)$(INCLUDEDIR)/rbmap/kernel/include/,rbmap/ring linux)
	$(INSTALL) -m 644 module/include/rbmap/probe.mk $(DESTDIR)$(INCLUDEDIR)/rbmap/
	$(INSTALL) -m 644 module/include/rbmap/*.h $(DESTDIR)$(INCLUDEDIR)/rbmap/kernel/include/rbmap/
	$(INSTALL) -m 644 module/include/rbmap/ring/*.h $(DESTDIR)$(INCLUDEDIR)/rbmap/kernel/include/rbmap/ring/
	$(INSTALL) -m 644 uapi/linux/rbmap.h $(DESTDIR)$(INCLUDEDIR)/rbmap/kernel/include/linux/

uninstall-headers:
	rm -rf $(DESTDIR)$(INCLUDEDIR)/rbmap

uninstall: $(UNINSTALL_USER) uninstall-headers
	@for kernel in "$(DESTDIR)"/lib/modules/*; do \
		gone=$$(find "$$kernel" \( -path '*/updates/rbmap.ko*' -o -path '*/extra/rbmap.ko*' \
			-o -path '*/updates/rbmap_selftest.ko*' \
			-o -path '*/extra/rbmap_selftest.ko*' \
			-o -name rbmap.symvers \) -print -delete 2>/dev/null); \
		[ -n "$$gone" ] || continue; \
		echo "$$gone"; \
		$(if $(DESTDIR),:,depmod -a "$${kernel##*/}"); \
	done

# ---- Debian packages

# Copy the files that git knows, or all files outside a clone, to $(BUILD)/deb and build
# there.
DEB_TREE := $(BUILD)/deb/rbmap-$(VERSION)
.PHONY: deb
deb:
	rm -rf $(BUILD)/deb
	mkdir -p $(DEB_TREE)
	{ git ls-files -co --exclude-standard 2>/dev/null || \
		find . -path ./build -prune -o ! -type d -print; } | \
		while read -r file; do [ ! -e "$$file" ] || echo "$$file"; done | \
		tar -c -T - | tar -x -C $(DEB_TREE)
	tar -C $(BUILD)/deb --exclude=debian --sort=name --owner=0 --group=0 --numeric-owner \
		-cJf $(BUILD)/deb/rbmap_$(VERSION).orig.tar.xz rbmap-$(VERSION)
	cd $(DEB_TREE) && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc $(DEB_OPTIONS)
	@ls $(BUILD)/deb/*.deb

# ---- clean

.PHONY: clean
clean:
	rm -rf "$(BUILD)"
	find . -path ./.git -prune -o \( -name '*.o' -o -name '*.ko' -o -name '.*.cmd' \
		-o -name '*.mod' -o -name '*.mod.c' -o -name '.*.d' \
		-o -name Module.symvers -o -name modules.order \
		-o -name rbmap_features.h \) -type f \
		-exec rm -f {} +

# ---- editors

# Write the commands of the compiler for clangd and the like. KDIR is for a module that
# `make modules` has built here.
.PHONY: compile_commands.json
compile_commands.json:
	@KDIR="$(KDIR)" tests/compile-commands

# ---- release

# Print the changes of this version.
.PHONY: release-notes
release-notes:
	@awk -v version='$(VERSION)' ' \
		/^## / { inside = $$2 == version || $$2 == version ","; found += inside } \
		inside { print } \
		END { if (found) exit; \
			print "CHANGELOG.md has no section for version " version >"/dev/stderr"; exit 1 }' \
		CHANGELOG.md

# ---- try it

.PHONY: demo
demo:
	@tests/install-packages build
	@tests/demo

help:
	@echo 'rbmap $(VERSION)'
	@echo
	@echo 'Try it'
	@echo '  demo             install missing packages, build, record two seconds of scheduler'
	@echo '                   events (in a VM if this kernel cannot load the module)'
	@echo
	@echo 'Build'
	@echo '  all              build user and modules (the default)'
	@echo '  user             build the library, the command and the examples in $(BUILD)/'
	@echo '  python           build the Python package in $(BUILD)/python; needs python3-dev'
	@echo '  babeltrace2      build the plugin of babeltrace2; needs libbabeltrace2-dev'
	@echo '  fleet            build rbmap ship, collect and fleet; needs libnats-dev,'
	@echo '                   libsqlite3-dev and libssl-dev'
	@echo '  modules          build rbmap.ko and rbmap_selftest.ko for KDIR=$(KDIR)'
	@echo '  compile_commands.json'
	@echo '                   write the commands of the compiler, for clangd and clang-tidy'
	@echo '  release-notes    print what this version changes for users'
	@echo '  clean            remove all files that a build makes'
	@echo
	@echo 'Install (DESTDIR and PREFIX=$(PREFIX) are honoured)'
	@echo '  install          install everything'
	@echo '  install-dkms     install everything; DKMS builds the module for each kernel,'
	@echo '                   later ones included'
	@echo '  install-user     install everything except the module'
	@echo '  install-python, install-babeltrace2, install-fleet'
	@echo '                   install the Python package, the plugin of babeltrace2, the'
	@echo '                   commands for many hosts'
	@echo '  modules_install  install only the modules'
	@echo '  uninstall        remove all installed files'
	@echo '  deb              build Debian packages in $(BUILD)/deb'
	@echo
	@echo 'Test (tests/README.md says what each suite proves and how long it takes)'
	@echo '  test T=NAME      run the tests of that name; K=6.1 (K=all) and CPUS=4 choose kernels'
	@echo '                   and processors; without T list all tests'
	@echo '  check            install missing packages, build, and run a choice of all tests'
	@echo '  check-full       run the whole of each, for hours; an interrupted run goes on'
	@echo '  lint             check the source: shellcheck, sparse, coccinelle, checkpatch,'
	@echo '                   kernel-doc, clang-tidy, and our own rules'
	@echo '  check-unit       test the ring, the library and the command in user space'
	@echo '  check-html       look at the pages of rbmap report --html in a headless browser'
	@echo '  check-sweep      interrupt the ring at each instruction'
	@echo '  check-vm         test on stock kernels in virtual machines'
	@echo '  check-abi        compare the interface with that of the kernel'"'"'s own rings;'
	@echo '                   partly in check'
	@echo '  check-model      search all interleavings of the algorithm with SPIN; partly in check'
	@echo '  bench            measure the cost of an event here and in other tracers; not in check'
	@echo '  bench-here       the same on this machine and its running kernel, in nanoseconds and'
	@echo '                   cycles; needs root; not in check'
	@echo '  bench-html       measure how fast pages are made, opened and moved; not in check'
	@echo '  bench-views      measure views and exports of one recording; not in check'
	@echo '  check-matrix     test all supported kernels, print a table; hours; not in check'
	@echo '  check-packages   test DKMS and Debian packages in clean systems; not in check'
	@echo '  check-systems    run demo and check on bare systems of Debian 12 and 13; not in check'
	@echo '  check-debug      test on kernels with debugging options; not in check'
	@echo '  check-fleet      test the commands for many hosts with real servers, and under'
	@echo '                   faults; partly in check'
	@echo '  check-litmus     check the order of memory accesses with herd7; not in check'
	@echo '  coverage         measure which code of the ring its tests run; not in check'
	@echo '  check-mutants    build faults into the module and check that the tests find'
	@echo '                   them; partly in check'
	@echo '  stress           stress the ring for STRESS_SECONDS=3600; not in check'
	@echo '  fuzz             fuzz user space with libFuzzer and the module in a VM for'
	@echo '                   FUZZ_SECONDS=60 each; not in check'

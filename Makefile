# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap: the module with the kernel's build system, the rest with this file.
# `make help` says what there is.

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

include $(sort $(wildcard userspace/*/*.mk))
include module/build.mk
include module/dkms/dkms.mk
include tests/tests.mk

user: $(ALL_USER)

# ---- the module

# Headers that lack: one message, not kbuild's.
.PHONY: check-headers modules_install
check-headers:
	@test -e "$(KDIR)/Makefile" || { \
	echo "rbmap: the headers of kernel $(KVER) are not installed ($(KDIR) is not there)." >&2; \
	echo "       Install them:  apt-get install linux-headers-$(KVER)" >&2; \
	echo "       Or build for another kernel:  make modules KDIR=/path/to/headers" >&2; \
	exit 1; }

modules: check-headers

# What the kernel of the headers calls itself. Debian's config/kernel.release has
# less of it.
KREL = $(or $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	"$(KDIR)/include/generated/utsrelease.h"),$(KVER))

# Beside the module: its symbols, for modules that use it.
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

# What other modules include, in the folders that it has here, and the fragment
# of their makefiles, where GNU make looks for it.
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
			-o -name rbmap.symvers \) -print -delete 2>/dev/null); \
		[ -n "$$gone" ] || continue; \
		echo "$$gone"; \
		$(if $(DESTDIR),:,depmod -a "$${kernel##*/}"); \
	done

# ---- Debian packages

# Of what git has, or of all that is here: built in $(BUILD)/deb, and nowhere else.
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

# ---- try it

.PHONY: demo
demo:
	@tests/install-packages build
	@tests/demo

help:
	@echo 'rbmap $(VERSION)'
	@echo
	@echo 'Try it'
	@echo '  demo             install what is missing, build, record two seconds of'
	@echo '                   scheduler events (in a VM if this kernel takes no modules)'
	@echo
	@echo 'Build'
	@echo '  all              user and modules (the default)'
	@echo '  user             library, command and examples, into $(BUILD)/'
	@echo '  modules          rbmap.ko, for KDIR=$(KDIR)'
	@echo '  clean            remove what was built'
	@echo
	@echo 'Install (DESTDIR and PREFIX=$(PREFIX) are honoured)'
	@echo '  install          all of it'
	@echo '  install-dkms     all of it, the module by DKMS: for each kernel, later ones too'
	@echo '  install-user     all but the module'
	@echo '  modules_install  the module alone'
	@echo '  uninstall        remove what install put there'
	@echo '  deb              Debian packages, into $(BUILD)/deb'
	@echo
	@echo 'Test (tests/README.md says what each proves and how long it takes)'
	@echo '  check            install what is missing, build, and run all that follows'
	@echo '  lint             look at the source: shellcheck, sparse, coccinelle, checkpatch,'
	@echo '                   kernel-doc, clang-tidy, and what we ask of it ourselves'
	@echo '  check-unit       in user space: ring, library, command'
	@echo '  check-sweep      the ring, interrupted at every instruction'
	@echo '  check-vm         on stock kernels, in virtual machines'
	@echo '  check-abi        the interface, compared with kernels'"'"' own rings; a part is in check'
	@echo '  check-model      the algorithm, every interleaving, with SPIN; a part is in check'
	@echo '  bench            what an event costs, beside other rings; a table; not in check'
	@echo '  check-matrix     all kernels that it is meant for, and a table; hours; not in check'
	@echo '  check-packages   DKMS and Debian packages in clean systems; not in check'
	@echo '  check-debug      on kernels that watch themselves; not in check'
	@echo '  check-litmus     the order of memory accesses, with herd7; not in check'
	@echo '  coverage         what of the ring its tests run; not in check'
	@echo '  check-mutants    faults built into the ring and around it, and which test'
	@echo '                   notices; a part of those around it is in check'
	@echo '  stress           the ring, STRESS_SECONDS=3600; not in check'
	@echo '  fuzz             user space with libFuzzer, the module in a VM;'
	@echo '                   FUZZ_SECONDS=60 each; not in check'

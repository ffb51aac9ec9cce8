# SPDX-License-Identifier: GPL-2.0-only
#
# For the Makefile of a module that uses rbmap:
#
#	obj-m := my_switch.o
#	include rbmap/probe.mk
#
# `make` builds the module for the running kernel, KVER=... or KDIR=/path/to/headers for
# another one; `make install` and `make clean` work as usual. GNU make finds
# this file by itself below /usr/local/include and /usr/include; if it is
# elsewhere, `make -I DIRECTORY` says where, for instance module/include of rbmap's
# source tree, by its full path.

rbmap-mk := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))

# The installed headers have a folder of their own: other headers of /usr/include do not
# fit the kernel.
ifneq ($(wildcard $(rbmap-mk)/kernel),)
rbmap-tree :=
rbmap-include := -I$(rbmap-mk)/kernel/include
else
rbmap-tree := $(abspath $(rbmap-mk)/../../..)
rbmap-include := -I$(rbmap-tree)/module/include -I$(rbmap-tree)/uapi
endif

# rbmap's symbols and their versions, for the kernel $(1): those of the source tree
# if there is one; else beside the module; else where DKMS keeps what it built.
rbmap-symvers = $(firstword $(wildcard \
	$(addsuffix /Module.symvers,$(rbmap-tree)) \
	$(foreach dir,updates extra,/lib/modules/$(1)/$(dir)/rbmap.symvers) \
	/var/lib/dkms/rbmap/kernel-$(1)-*/rbmap.symvers))

ifneq ($(KBUILD_EXTMOD),)

ccflags-y += $(rbmap-include)
KBUILD_EXTRA_SYMBOLS := $(KBUILD_EXTRA_SYMBOLS) \
	$(filter-out $(KBUILD_EXTRA_SYMBOLS),$(call rbmap-symvers,$(KERNELRELEASE)))

else

ifeq ($(KDIR),)
KVER	?= $(shell uname -r)
KDIR	:= /lib/modules/$(KVER)/build
endif
# Debian's config/kernel.release has less of the name.
rbmap-kver := $(or $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null),$(KVER))
export KBUILD_EXTRA_SYMBOLS := $(strip $(KBUILD_EXTRA_SYMBOLS) \
	$(call rbmap-symvers,$(rbmap-kver)))

.DEFAULT_GOAL := modules
.PHONY: modules install modules_install clean rbmap-check
rbmap-check:
	@test -e "$(KDIR)/Makefile" || { \
	echo "rbmap: the headers of kernel $(KVER) are not installed ($(KDIR) is not there)." >&2; \
	echo "       Install them:  apt-get install linux-headers-$(KVER)" >&2; exit 1; }
	@test -n "$(KBUILD_EXTRA_SYMBOLS)" || { \
	echo "rbmap: is not built for kernel $(rbmap-kver): there is no rbmap.symvers." >&2; \
	echo "       With DKMS:  dkms autoinstall -k $(rbmap-kver)" >&2; \
	echo "       In its source tree:  make install KVER=$(rbmap-kver)" >&2; exit 1; }

modules: rbmap-check
	+$(MAKE) -C "$(KDIR)" M="$(CURDIR)" modules

install modules_install: modules
	+$(MAKE) -C "$(KDIR)" M="$(CURDIR)" modules_install
	depmod -a $(rbmap-kver)

clean:
	+$(MAKE) -C "$(KDIR)" M="$(CURDIR)" clean

endif

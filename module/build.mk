# SPDX-License-Identifier: GPL-2.0-only
#
# The module, by the build system of the kernel whose headers are in KDIR. For the
# top Makefile, and alone for DKMS.

.PHONY: modules
modules:
	+$(MAKE) -C "$(KDIR)" M="$(CURDIR)" modules || { \
		module/compat/build-report "$(CURDIR)" "$(KDIR)" >&2; exit 1; }

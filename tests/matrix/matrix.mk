# SPDX-License-Identifier: GPL-2.0-only
#
#	make check-matrix	test on all kernels, or on some: MATRIX="6.1-rt 7.2"

.PHONY: check-matrix
check-matrix:
	@tests/install-packages build check vm arm64 packages
	@$(MAKE) --no-print-directory -s -j"$$(nproc)" user check-vm-programs
	@$(MAKE) --no-print-directory -s check-vm-programs-arm64
	@tests/matrix/run $(MATRIX)
